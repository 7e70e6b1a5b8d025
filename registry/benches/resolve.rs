//! How long a resolution takes with everything at hand: a generated universe of 1,500 packages with 12 releases each,
//! asked for afresh, with a lock, and in a way that can't be had.

use criterion::{Criterion, criterion_group, criterion_main};
use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use pintle_registry::resolve::{Candidate, Catalog, Question, resolve};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

const PACKAGES: u64 = 1_500;
const RELEASES: u64 = 12;

struct Universe(BTreeMap<Name, Arc<[Candidate]>>);

impl Catalog for Universe {
    type Error = Infallible;
    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, Infallible> {
        Ok(self.0.get(name).cloned())
    }
}

/// Numbers that look random and are the same each time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn name(number: u64) -> Name {
    Name::parse(&format!("package-{number:04}")).expect("is a name")
}

fn requirement(text: &str) -> Requirement {
    Requirement::parse(text).expect("is a requirement")
}

fn agent() -> HostName {
    HostName::parse("agent").expect("is a name")
}

/// Four releases in each of three major versions. A release needs up to five packages further on, mostly any of
/// their second major version; the newest of every seventh package needs a newer host.
fn universe() -> Universe {
    let mut numbers = Numbers(7);
    let packages = (0..PACKAGES).map(|number| {
        let releases: Vec<Candidate> = (0..RELEASES)
            .map(|release| {
                let on = (0..numbers.below(6)).map(|_| number + 1 + numbers.below(40));
                let on: Vec<u64> = on.filter(|on| *on < PACKAGES).collect();
                let needs = on.into_iter().map(|on| {
                    let text = ["*", "^2", "^2", "^2.1", ">=1.3, <3"][numbers.below(5) as usize];
                    (name(on), requirement(text))
                });
                let newest = release + 1 == RELEASES && number % 7 == 0;
                Candidate {
                    version: Version::new(release / 4, release % 4, 0),
                    yanked: false,
                    dependencies: Arc::new(needs.collect()),
                    hosts: Arc::new(BTreeMap::from([(
                        agent(),
                        requirement(if newest { "^9" } else { ">=1.0, <3" }),
                    )])),
                    targets: vec![Target::ANY],
                }
            })
            .collect();
        (name(number), Arc::from(releases))
    });
    Universe(packages.collect())
}

fn question(wishes: BTreeMap<Name, Requirement>) -> Question {
    Question {
        wishes,
        hosts: BTreeMap::from([(agent(), Version::new(1, 4, 0))]),
        target: Target::ANY,
        locked: BTreeMap::new(),
        floors: BTreeMap::new(),
        prereleases: false,
    }
}

fn resolutions(criterion: &mut Criterion) {
    let universe = universe();
    let fresh = question((0..PACKAGES).map(|number| (name(number), Requirement::any())).collect());
    let roots = question((0..40).map(|number| (name(number), Requirement::any())).collect());
    let answer = resolve(&roots, &universe).expect("the universe has an answer");
    let size = answer.chosen.len();
    let locked = Question { locked: answer.chosen, ..roots.clone() };
    let mut clash = roots.clone();
    clash.wishes.extend([(name(1_400), requirement("^1")), (name(1_401), requirement("=0.0.1"))]);

    let mut group = criterion.benchmark_group("resolve");
    group.bench_function("1500 wishes afresh", |bencher| {
        bencher.iter(|| black_box(resolve(&fresh, &universe)))
    });
    group.bench_function(format!("40 wishes, {size} packages afresh"), |bencher| {
        bencher.iter(|| black_box(resolve(&roots, &universe)));
    });
    group.bench_function(format!("40 wishes, {size} packages locked"), |bencher| {
        bencher.iter(|| black_box(resolve(&locked, &universe)));
    });
    group.bench_function("a conflict explained", |bencher| {
        bencher.iter(|| black_box(resolve(&clash, &universe)).map_err(|error| error.to_string()));
    });
    group.finish();
}

criterion_group!(benches, resolutions);
criterion_main!(benches);
