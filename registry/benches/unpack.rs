//! How long it takes to check and unpack an archive: many small files, and a few large ones. The `tar` crate's own
//! unpacking of the same bytes, which checks and hashes nothing, stands beside it as a measure.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use pintle_registry::archive::{Archive, ExpectedTree, Packed, SourceFile, pack};
use pintle_registry::store::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};

struct Set {
    name: &'static str,
    files: usize,
    size: usize,
}

const SETS: [Set; 2] = [
    Set { name: "1000 files of 2 KiB", files: 1000, size: 2 << 10 },
    Set { name: "8 files of 2 MiB", files: 8, size: 2 << 20 },
];

/// Makes text that compresses about as well as code does, the same in every run.
fn content(number: usize, size: usize) -> Vec<u8> {
    const WORDS: [&str; 8] = ["let ", "value", " = ", "call(", ");\n", "return ", "0x", "// why\n"];
    let mut state = number as u64 + 1;
    let mut text = Vec::with_capacity(size + 32);
    while text.len() < size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text.extend(WORDS[(state >> 61) as usize].as_bytes());
        if state >> 32 & 7 == 0 {
            text.extend(format!("{:x}", state >> 40).as_bytes());
        }
    }
    text.truncate(size);
    text
}

fn sources(set: &Set, dir: &Path) -> Vec<SourceFile> {
    (0..set.files)
        .map(|number| {
            let from = dir.join(format!("f{number}"));
            fs::write_beside(&from, &content(number, set.size))
                .and_then(|temporary| fs::rename(&temporary, &from))
                .expect("the temporary directory takes files");
            let path = format!("src/part{}/f{number}.mjs", number % 20);
            SourceFile {
                path: path.parse().expect("the path is portable"),
                from,
                executable: number % 50 == 0,
            }
        })
        .collect()
}

fn archive(set: &Set, dir: &Path) -> (PathBuf, Vec<u8>, Packed) {
    let mut bytes = Vec::new();
    let packed = pack(&sources(set, dir), &mut bytes).expect("the files can be packed");
    let path = dir.join("x.tar.gz");
    let written = fs::write_beside(&path, &bytes).and_then(|temporary| fs::rename(&temporary, &path));
    written.expect("the temporary directory takes files");
    (path, bytes, packed)
}

fn unpack(criterion: &mut Criterion) {
    for set in SETS {
        let dir = tempfile::tempdir().expect("there is a temporary directory");
        let (path, bytes, packed) = archive(&set, dir.path());
        let tree = &packed.tree;
        let expected =
            ExpectedTree { tree: tree.digest(), unpacked: tree.unpacked_size(), files: tree.len() as u64 };
        let into = dir.path().join("staging");
        let clear = || fs::remove_tree(&into).expect("what was unpacked can be removed");
        let verified = Archive::open(&path).and_then(Archive::measure).expect("the archive is there");

        let mut group = criterion.benchmark_group(set.name);
        group.throughput(Throughput::Bytes(tree.unpacked_size()));
        group.bench_function("verify", |bencher| {
            bencher.iter(|| black_box(Archive::open(&path).and_then(Archive::measure)));
        });
        group.bench_function("scan", |bencher| bencher.iter(|| black_box(verified.scan())));
        group.bench_function("unpack", |bencher| {
            bencher.iter_batched(
                clear,
                |()| verified.unpack(&into, Some(&expected), &|| false).expect("the archive is right"),
                BatchSize::PerIteration,
            );
        });
        group.bench_function("unpack with the tar crate", |bencher| {
            bencher.iter_batched(
                clear,
                |()| {
                    let decoder = flate2::read::GzDecoder::new(bytes.as_slice());
                    tar::Archive::new(decoder).unpack(&into).expect("the archive is right");
                },
                BatchSize::PerIteration,
            );
        });
        group.finish();
    }
}

criterion_group!(benches, unpack);
criterion_main!(benches);
