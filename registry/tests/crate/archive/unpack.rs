//! Unpacking: modes under every umask, cancelling, and someone who swaps directories for links meanwhile.

use crate::archive::builder::{END, Header, file, gzip, open, pad};
use crate::archive::folder::{Folder, mode};
use pintle_registry::archive::{Archive, ArchiveError, Mode, pack};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

fn program(name: &str, data: &[u8]) -> Vec<u8> {
    let header = Header { name: name.as_bytes(), size: data.len() as u64, mode: 0o755, ..Header::default() };
    [header.bytes(), pad(data)].concat()
}

fn set_umask(bits: u32) -> u32 {
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(bits)).as_raw_mode()
}

#[test]
fn case_06_modes_are_the_same_under_every_umask() {
    let folder = Folder::new();
    let tar = [program("bin/hook.sh", b"#!/bin/sh\n"), file("data.txt", b"x"), END.to_vec()].concat();
    let archive = open(&folder, &gzip(&tar)).unwrap();
    for umask in [0o000, 0o002, 0o022, 0o077, 0o177] {
        let root = folder.path().join(format!("{umask:03o}"));
        let before = set_umask(umask);
        let staged = archive.unpack(&root, None, &|| false);
        set_umask(before);
        let staged = staged.unwrap();
        assert_eq!(staged.root(), root);
        let modes = ["", "bin", "bin/hook.sh", "data.txt"].map(|path| mode(&root.join(path)));
        assert_eq!(modes, [0o755, 0o555, 0o555, 0o444], "umask {umask:03o}");
        let modes: Vec<_> = staged.tree().files().map(|(_, file)| file.mode).collect();
        assert_eq!(modes, [Mode::Executable, Mode::Plain]);
    }
}

#[test]
fn the_staging_directory_must_be_new_and_is_private_until_done() {
    let folder = Folder::new();
    let archive = open(&folder, &gzip(&[file("d/a", b"x"), END.to_vec()].concat())).unwrap();
    let root = folder.path().join("staging");
    let seen = AtomicUsize::new(0);
    let look = || {
        seen.store(mode(&root) as usize, Ordering::Relaxed);
        false
    };
    archive.unpack(&root, None, &look).unwrap();
    assert_eq!(seen.load(Ordering::Relaxed), 0o700);
    let before = folder.listing();
    assert!(matches!(archive.unpack(&root, None, &|| false), Err(ArchiveError::Disk(_))));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), &link).unwrap();
    assert!(matches!(archive.unpack(&link, None, &|| false), Err(ArchiveError::Disk(_))));
    std::fs::remove_file(&link).unwrap();
    assert_eq!(folder.listing(), before, "what was there is not touched");
}

#[test]
fn a_cancelled_unpack_leaves_nothing() {
    let folder = Folder::new();
    let tar = [file("a", b"x"), file("d/b", &[0; 300_000]), file("d/c", b"x"), END.to_vec()].concat();
    let archive = open(&folder, &gzip(&tar)).unwrap();
    let root = folder.path().join("staging");
    let before = folder.listing();
    for stop_at in 0..8 {
        let asked = AtomicUsize::new(0);
        let cancelled = || asked.fetch_add(1, Ordering::Relaxed) == stop_at;
        assert!(matches!(archive.unpack(&root, None, &cancelled), Err(ArchiveError::Cancelled)), "{stop_at}");
        assert_eq!(folder.listing(), before);
    }
}

#[test]
fn case_31_a_file_put_in_the_archives_place_after_the_check_is_not_seen() {
    let folder = Folder::new();
    let path = folder.write("x.tar.gz", gzip(&[file("a", b"good"), END.to_vec()].concat()));
    let verified = Archive::open(&path).unwrap().measure().unwrap();
    let other = folder.write("y.tar.gz", gzip(&[file("a", b"evil"), END.to_vec()].concat()));
    std::fs::rename(other, &path).unwrap();
    let root = folder.path().join("staging");
    verified.unpack(&root, None, &|| false).unwrap();
    assert_eq!(std::fs::read(root.join("a")).unwrap(), b"good");
}

#[test]
fn case_31_many_unpack_the_same_archive_at_once() {
    let folder = Folder::new();
    let files: Vec<_> =
        (0..50).map(|n| folder.source(&format!("d{}/f{n:02}", n % 7), vec![n; 5000], n % 2 == 0)).collect();
    let mut bytes = Vec::new();
    let packed = pack(&files, &mut bytes).unwrap();
    let archive = open(&folder, &bytes).unwrap();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (archive, tree) = (&archive, &packed.tree);
            let root = folder.path().join(format!("staging-{number}"));
            scope.spawn(move || assert_eq!(archive.unpack(&root, None, &|| false).unwrap().tree(), tree));
        }
    });
}

#[test]
fn directories_swapped_for_links_meanwhile_lead_nowhere() {
    let folder = Folder::new();
    let mut tar = Vec::new();
    for dir in 0..10 {
        for number in 0..40 {
            tar.extend(file(&format!("d{dir}/e/f{number:02}"), b"payload"));
        }
    }
    tar.extend(END);
    let archive = open(&folder, &gzip(&tar)).unwrap();
    folder.write("outside/e/canary", "unchanged");
    let outside = folder.path().join("outside");
    let listing = || {
        let all = folder.listing();
        all.into_iter().filter(|(path, _)| path.starts_with("outside")).collect::<Vec<_>>()
    };
    let before = listing();
    let root = folder.path().join("staging");
    let (done, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                for dir in 0..10 {
                    let (there, aside) = (root.join(format!("d{dir}")), root.join(format!("aside{dir}")));
                    if std::fs::rename(&there, &aside).is_ok() {
                        swaps.fetch_add(1, Ordering::Relaxed);
                        let _ = std::os::unix::fs::symlink(&outside, &there);
                        let _ = std::fs::remove_file(&there);
                        let _ = std::fs::rename(&aside, &there);
                    }
                }
            }
        });
        for _ in 0..60 {
            // Whether it succeeds depends on the moment; that nothing outside is touched does not.
            let _ = archive.unpack(&root, None, &|| false);
            let _ = pintle_registry::store::fs::remove_tree(&folder.path().join("staging"));
        }
        done.store(true, Ordering::Relaxed);
    });
    assert!(swaps.load(Ordering::Relaxed) > 0, "no directory was ever swapped");
    assert_eq!(listing(), before);
}
