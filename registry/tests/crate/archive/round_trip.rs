//! What is packed is what is unpacked, for any files.

use crate::archive::builder::{END, file, gzip, open};
use crate::archive::folder::{Folder, mode};
use pintle_manifest::{Digest, PackagePath};
use pintle_registry::archive::{Mode, Names, SourceFile, Tree, pack};
use proptest::prelude::{Strategy, any, prop, prop_assume, proptest};
use std::collections::BTreeMap;

type Files = BTreeMap<String, (Vec<u8>, bool)>;

fn any_files() -> impl Strategy<Value = Files> {
    let content = prop::collection::vec(any::<u8>(), 0..2000);
    prop::collection::btree_map(
        "[a-cA-C]{1,2}[-+.]?[a-c]{1,40}(/[a-c]{1,60}){0,4}",
        (content, any::<bool>()),
        1..12,
    )
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 64, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_packed_is_unpacked(files in any_files()) {
        let folder = Folder::new();
        let (mut names, mut sources) = (Names::default(), Vec::new());
        for (number, (name, (content, executable))) in files.iter().enumerate() {
            let Ok(path) = PackagePath::parse(name) else { continue };
            if names.add(&path).is_ok() {
                let from = folder.write(&format!("source/{number}"), content);
                sources.push(SourceFile { path, from, executable: *executable });
            }
        }
        // Every name may have been too long, and an archive of no files is refused.
        prop_assume!(!sources.is_empty());
        sources.reverse();
        let mut bytes = Vec::new();
        let packed = pack(&sources, &mut bytes).unwrap();
        assert_eq!(packed.archive, Digest::of(&bytes));
        assert_eq!(Tree::decode(&packed.tree.encode()).unwrap(), packed.tree);
        let archive = open(&folder, &bytes).unwrap();
        assert_eq!((archive.digest(), archive.size()), (packed.archive, packed.size));
        assert_eq!(archive.scan().unwrap().tree, packed.tree);
        let root = folder.path().join("staging");
        assert_eq!(archive.unpack(&root, None, &|| false).unwrap().tree(), &packed.tree);
        for (path, entry) in packed.tree.files() {
            let (content, executable) = &files[path.as_str()];
            assert_eq!(&std::fs::read(root.join(path.as_str())).unwrap(), content);
            assert_eq!(entry.mode == Mode::Executable, *executable);
            assert_eq!(mode(&root.join(path.as_str())), entry.mode.stored());
        }
    }
}

#[test]
fn the_bytes_of_an_archive_are_those_of_the_format() {
    let folder = Folder::new();
    let sources = [folder.source("b", b"second", false), folder.source("a", b"first", false)];
    let mut bytes = Vec::new();
    pack(&sources, &mut bytes).unwrap();
    assert_eq!(bytes, gzip(&[file("a", b"first"), file("b", b"second"), END.to_vec()].concat()));
    assert_eq!(bytes[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
}

#[test]
fn other_readers_read_the_same() {
    let folder = Folder::new();
    let long = format!("{}/{}", "d".repeat(100), "f".repeat(100));
    let sources = [folder.source("bin/run", b"#!/bin/sh\n", true), folder.source(&long, [7; 70_000], false)];
    let mut bytes = Vec::new();
    let packed = pack(&sources, &mut bytes).unwrap();
    let mut peer = tar::Archive::new(flate2::read::MultiGzDecoder::new(bytes.as_slice()));
    let mut seen = Vec::new();
    for entry in peer.entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut content).unwrap();
        let path = entry.path().unwrap().to_str().unwrap().to_owned();
        seen.push((path, entry.header().mode().unwrap(), Digest::of(&content)));
    }
    let ours: Vec<_> =
        packed.tree.files().map(|(path, file)| (path.to_string(), file.mode.packed(), file.digest)).collect();
    assert_eq!(seen, ours);
}
