//! How long it takes to make a set of 100 extensions current when every release is in the store already, and to go
//! back. The disk is waited for, as it always is, so the numbers are those of the disk below the temporary directory.

#![expect(clippy::unwrap_used, reason = "a bench that can't be set up has nothing to measure")]

use criterion::{Criterion, criterion_group, criterion_main};
use pintle_manifest::{Digest, HostName, Name, Requirement, Target, Version};
use pintle_registry::index::RegistryName;
use pintle_registry::store::commit::{self, FileChange};
use pintle_registry::store::{Holder, Home, Installed, Lease, NewGeneration, Patience, Scope, Set, Source};
use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

fn extensions() -> BTreeMap<Name, Installed> {
    let one = |number: u32| {
        let installed = Installed {
            version: Version::new(1, 2, 3),
            source: Source::Registry(RegistryName::parse("main").unwrap()),
            target: Target::ANY,
            tree: Some(Digest::of(&number.to_be_bytes())),
            wish: Some(Requirement::caret(&Version::new(1, 0, 0))),
            dependencies: BTreeMap::new(),
            hosts: BTreeMap::from([(HostName::parse("agent").unwrap(), Requirement::parse("^1").unwrap())]),
            permissions: BTreeMap::new(),
            runtime: "process".to_owned(),
        };
        (Name::parse(&format!("acme-{number:03}")).unwrap(), installed)
    };
    (0..100).map(one).collect()
}

fn set(extensions: &BTreeMap<Name, Installed>, parent: Option<u64>, lock: &str) -> Set {
    Set {
        generation: 0,
        parent,
        time: "2026-01-05T09:30:00Z".parse().unwrap(),
        command: "pintle sync".to_owned(),
        wishes: Digest::of(b"wishes"),
        lock: Digest::of(lock.as_bytes()),
        hosts: BTreeMap::new(),
        target: Target::ANY,
        extensions: extensions.clone(),
    }
}

fn bench(criterion: &mut Criterion) {
    let dir = tempfile::tempdir().unwrap();
    let scope = Scope::user(&Home::new(dir.path().to_owned()));
    scope.create().unwrap();
    let asker = Holder { pid: 1, command: "bench".to_owned(), since: "now".to_owned() };
    let patience =
        Patience { asker: &asker, at_most: Duration::ZERO, waiting: &|_| {}, cancelled: &|| false };
    let lease = Lease::take(&scope, &patience).unwrap();
    let extensions = extensions();
    let store = PathBuf::from("../../../store");
    let roots: BTreeMap<Name, PathBuf> = extensions
        .iter()
        .map(|(name, one)| (name.clone(), store.join(one.tree.unwrap_or(Digest::of(b"")).to_hex())))
        .collect();
    let mut number = 0_u64;
    let mut before = None;
    criterion.bench_function("commit 100 extensions", |bencher| {
        bencher.iter(|| {
            let lock = format!("lock {number}");
            let new = NewGeneration {
                set: set(&extensions, scope.generations().current().unwrap(), &lock),
                wishes: FileChange { before: (number > 0).then(|| Digest::of(b"wishes")), after: "wishes" },
                lock: FileChange { before, after: &lock },
                roots: roots.clone(),
            };
            black_box(commit::commit(&scope, &lease, new).unwrap());
            commit::prune(&scope, &lease).unwrap();
            before = Some(Digest::of(lock.as_bytes()));
            number += 1;
        });
    });
    criterion.bench_function("go back and forth", |bencher| {
        let numbers = scope.generations().numbers().unwrap();
        bencher.iter(|| {
            for number in &numbers[numbers.len() - 2..] {
                commit::switch(&scope, &lease, *number).unwrap();
            }
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(5));
    targets = bench
}
criterion_main!(benches);
