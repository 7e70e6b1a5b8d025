//! Measures how long it takes to read a manifest: a whole one, and one that is broken in many lines.

use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const FULL: &str = include_str!("../tests/fixtures/manifest-v1.toml");

fn manifests(criterion: &mut Criterion) {
    criterion.bench_function("manifest/whole", |bencher| {
        bencher.iter(|| pintle_manifest::parse(black_box(FULL.as_bytes())));
    });
    let broken = FULL.replace(" = ", " ");
    criterion.bench_function("manifest/broken", |bencher| {
        bencher.iter(|| pintle_manifest::parse(black_box(broken.as_bytes())));
    });
}

criterion_group! { name = benches; config = Criterion::default(); targets = manifests }
criterion_main!(benches);
