//! Every single bit of a small package, flipped: refused, or at least never taken for something else.

use crate::archive::builder::{END, file, gzip, open};
use crate::archive::folder::Folder;
use pintle_registry::archive::{Archive, Expected};

fn package() -> Vec<u8> {
    [
        file("bin/run", b"#!/bin/sh\n"),
        file("extension.toml", b"manifest_version = 1\n"),
        file("x", b""),
        END.to_vec(),
    ]
    .concat()
}

#[test]
fn no_flipped_bit_of_an_archive_gives_another_tree_or_passes_the_digest() {
    let folder = Folder::new();
    let good = gzip(&package());
    let verified = open(&folder, &good).unwrap();
    let expected = Expected { archive: verified.digest(), size: verified.size() };
    let tree = verified.scan().unwrap().tree;
    for bit in 0..good.len() * 8 {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let archive = open(&folder, &bytes).unwrap();
        if let Ok(scan) = archive.scan() {
            assert_eq!(scan.tree, tree, "bit {bit} gives another tree");
        }
        let checked = Archive::open(archive.path()).unwrap().verify(&expected);
        assert_eq!(checked.unwrap_err().code(), Some("archive.wrong_digest"), "bit {bit}");
    }
}

#[test]
fn no_flipped_bit_of_a_tar_stream_is_ignored() {
    let folder = Folder::new();
    let good = package();
    let tree = open(&folder, &stored(&good)).unwrap().scan().unwrap().tree;
    let content = [512..522, 1536..1557];
    // Every bit of what is written, and one bit of each byte that only fills.
    let is_written = |bit: &usize| good[bit / 8] != 0 || bit % 8 == bit / 8 % 8;
    for bit in (0..good.len() * 8).filter(is_written) {
        let mut bytes = good.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let scan = open(&folder, &stored(&bytes)).unwrap().scan();
        match content.iter().any(|range| range.contains(&(bit / 8))) {
            true => assert_ne!(scan.unwrap().tree.digest(), tree.digest(), "bit {bit} changes the tree hash"),
            false => assert!(scan.is_err(), "bit {bit} at {} is refused", bit / 8),
        }
    }
}

/// Wraps a tar stream without compressing it, which is a right gzip member too, and quickly made.
fn stored(tar: &[u8]) -> Vec<u8> {
    let length = u16::try_from(tar.len()).unwrap();
    let mut crc = flate2::Crc::new();
    crc.update(tar);
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255, 1];
    let sizes = [length.to_le_bytes(), (!length).to_le_bytes()].concat();
    let end = [crc.sum().to_le_bytes(), crc.amount().to_le_bytes()].concat();
    [header.as_slice(), &sizes, tar, &end].concat()
}
