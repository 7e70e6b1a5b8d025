//! What the index costs: reading 1,500 packages of 12 releases cold and warm, and looking for a like name.
#![expect(clippy::unwrap_used, reason = "a bench that can't be set up has nothing to measure")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use pintle_manifest::{Digest, Name, Requirement, Target, Version};
use pintle_registry::index::{
    Artifact, NewRelease, Package, Registry, RegistryName, Release, Runtime, import, init, publish,
};
use pintle_registry::store::fs;
use std::hint::black_box;
use std::path::Path;

const PACKAGES: u64 = 1_500;
const RELEASES: u64 = 12;

fn name(number: u64) -> Name {
    Name::parse(&format!("acme-{number:07}")).unwrap()
}

/// Every release needs three others, by requirements that change from release to release.
fn package(number: u64, packages: u64) -> Package {
    let release = |minor| Release {
        version: Version::new(1, minor, number % 7),
        published: jiff::Timestamp::UNIX_EPOCH,
        yanked: None,
        description: "Shows what a destructive command would change, before it runs".to_owned(),
        license: Some("Apache-2.0".to_owned()),
        keywords: vec!["shell".to_owned(), "safety".to_owned()],
        repository: Some("https://example.org/acme/extension".to_owned()),
        homepage: None,
        hosts: [("agent".parse().unwrap(), Requirement::parse(">=1.0, <2").unwrap())].into(),
        dependencies: (1..=3)
            .map(|step| {
                (name((number + step * 17) % packages), Requirement::caret(&Version::new(1, minor, 0)))
            })
            .filter(|(dependency, _)| *dependency != name(number))
            .collect(),
        permissions: [].into(),
        runtime: Runtime::Process,
        artifacts: [Target::ANY, Target::parse("x86_64-unknown-linux-gnu").unwrap()]
            .map(|target| (target, artifact(&format!("{number} {minor} {target}"))))
            .into(),
        readme: Some(Digest::of(b"readme")),
    };
    Package { name: name(number), releases: (0..RELEASES).map(release).collect() }
}

fn artifact(text: &str) -> Artifact {
    let archive = Digest::of(text.as_bytes());
    Artifact { archive, size: text.len() as u64, tree: archive, unpacked: 50_000, files: 12 }
}

fn open(root: &Path, cache: Option<&Path>) -> Registry {
    Registry::open(RegistryName::parse("main").unwrap(), root, cache, false).unwrap()
}

/// Reads what resolving reads: the candidates of all, and of each the newest in full.
fn use_all(registry: &Registry, full: bool) -> usize {
    let mut seen = 0;
    for number in 0..PACKAGES {
        let name = name(number);
        let candidates = registry.candidates(&name).unwrap().unwrap();
        for candidate in candidates.iter() {
            seen += candidate.dependencies().count() + candidate.hosts().count();
        }
        if full {
            let newest = candidates.iter().next_back().unwrap().version();
            black_box(registry.release(&name, newest).unwrap().unwrap());
        }
    }
    seen
}

fn reading(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let (root, cache) = (dir.path().join("registry"), dir.path().join("cache"));
    init(&root).unwrap();
    import(&root, (0..PACKAGES).map(|number| package(number, PACKAGES))).unwrap();
    let mut group = criterion.benchmark_group("index");
    group.sample_size(20);
    group.bench_function("1500 packages, no cache", |bencher| {
        bencher.iter(|| use_all(&open(&root, None), false));
    });
    let registry = open(&root, Some(&cache));
    use_all(&registry, true);
    registry.save_cache();
    group.bench_function("1500 packages, warm", |bencher| {
        bencher.iter(|| use_all(&open(&root, Some(&cache)), false));
    });
    group.bench_function("1500 packages, warm, newest in full", |bencher| {
        bencher.iter(|| use_all(&open(&root, Some(&cache)), true));
    });
    group.bench_function("nothing changed, one package", |bencher| {
        bencher.iter(|| open(&root, Some(&cache)).candidates(&name(7)).unwrap());
    });
    group.bench_function("1500 packages, saved anew", |bencher| {
        bencher.iter_batched(
            || {
                let anew = dir.path().join("anew");
                fs::remove_tree(&anew).unwrap();
                let registry = open(&root, Some(&anew));
                use_all(&registry, false);
                registry
            },
            |registry| registry.save_cache(),
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

fn publishing(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("registry");
    init(&root).unwrap();
    import(
        &root,
        (0..20_000).map(|number| Package {
            releases: package(number, 20_000).releases.into_iter().take(1).collect(),
            name: name(number),
        }),
    )
    .unwrap();
    let archive = dir.path().join("archive");
    fs::write_atomic(&archive, b"archive").unwrap();
    let mut next = 0_u64;
    let mut group = criterion.benchmark_group("publish");
    group.sample_size(20);
    group.bench_function("a new name beside 20000", |bencher| {
        bencher.iter(|| {
            next += 1;
            publish(&root, &new_release(Name::parse(&format!("fresh-{next:06}")).unwrap(), &archive)).unwrap()
        });
    });
    group.finish();
}

fn new_release(name: Name, archive: &Path) -> NewRelease {
    NewRelease {
        name,
        version: Version::new(1, 0, 0),
        published: jiff::Timestamp::UNIX_EPOCH,
        description: String::new(),
        license: None,
        keywords: Vec::new(),
        repository: None,
        homepage: None,
        hosts: [].into(),
        dependencies: [].into(),
        permissions: [].into(),
        runtime: Runtime::Wasm,
        target: Target::ANY,
        artifact: artifact("archive"),
        archive: archive.to_owned(),
        readme: None,
    }
}

criterion_group!(benches, reading, publishing);
criterion_main!(benches);
