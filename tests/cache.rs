//! The cache only saves time: whatever happens to it, a command ends as it would have without it.

use crate::kit::{Listing, Sandbox};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = Listing::of(directory)
        .paths()
        .map(|path| directory.join(path))
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    files
}

/// What becomes of the bytes of a file.
type Damage = fn(&[u8]) -> Vec<u8>;

/// A home that has read its registry, and a second registry name to install from.
fn filled() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.package("acme-b").depends("acme-a", "^1").publish_to("main");
    sandbox.pintle(["install", "acme-b", "--dry-run"]).succeeds();
    assert!(!files_below(&sandbox.home("cache")).is_empty(), "the registry was read into the cache");
    sandbox
}

#[test]
fn case_32_a_cache_that_was_partly_removed_is_read_anew() {
    let count = files_below(&filled().home("cache")).len();
    for gone in 0..=count {
        let sandbox = filled();
        let files = files_below(&sandbox.home("cache"));
        match files.get(gone) {
            Some(file) => std::fs::remove_file(file).unwrap(),
            // At last everything but the directories.
            None => files.iter().for_each(|file| std::fs::remove_file(file).unwrap()),
        }
        let offline = sandbox.pintle(["install", "acme-b", "--offline", "--dry-run"]);
        if offline.code != 0 {
            offline.fails(6, "offline.not_cached").does_not_say("os error");
        }
        sandbox.pintle(["install", "acme-b"]).succeeds();
        assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
    }
}

#[test]
fn offline_says_what_was_never_seen() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a", "--offline"]), @"
    ---- standard error
    error[offline.not_cached]: the registry `main` was never read on this machine, so it can't be used offline
    help: run it once without `--offline`
    ---- exit code 6
    ");
    insta::assert_snapshot!(sandbox.command(["search"]).env("PINTLE_OFFLINE", "1").run(), @"
    ---- standard error
    error[offline.not_cached]: the registry `main` was never read on this machine, so it can't be used offline
    help: run it once without `--offline`
    ---- exit code 6
    ");
}

#[test]
fn case_35_a_cache_that_can_not_be_read_is_no_failure() {
    let damages: [Damage; 5] = [
        |_| Vec::new(),
        |_| b"\x00\x01\xff random".to_vec(),
        |bytes| bytes[..bytes.len() / 2].to_vec(),
        |bytes| [bytes, b" more"].concat(),
        |bytes| String::from_utf8_lossy(bytes).replace("\"format\":1", "\"format\":2").into_bytes(),
    ];
    let count = files_below(&filled().home("cache")).len();
    for (at, damage) in (0..count).flat_map(|at| damages.iter().map(move |damage| (at, damage))) {
        let sandbox = filled();
        let file = files_below(&sandbox.home("cache")).remove(at);
        let bytes = std::fs::read(&file).unwrap();
        sandbox.write(&file, damage(&bytes));
        sandbox.pintle(["install", "acme-b"]).succeeds();
        assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0", "{}", file.display());
    }
}

#[test]
fn case_34_a_cache_entry_that_can_not_be_replaced_is_said_and_not_used() {
    let sandbox = filled();
    for file in files_below(&sandbox.home("cache")) {
        sandbox.write(&file, "damaged");
    }
    sandbox.give_to_nobody();
    let mode = |mode| {
        let cache = sandbox.home("cache");
        let below = Listing::of(&cache).paths().map(|path| cache.join(path)).collect::<Vec<_>>();
        for directory in below.iter().chain([&cache]).filter(|path| path.is_dir()) {
            std::fs::set_permissions(directory, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(0o555);
    let install = || sandbox.command(["install", "acme-b"]).by_nobody().run();
    install().succeeds().says("the cache can't be written");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
    sandbox.command(["verify"]).by_nobody().run().succeeds();
    install().succeeds();
    mode(0o755);
}

#[test]
fn the_cache_is_measured_and_emptied() {
    let sandbox = filled();
    let document = sandbox.pintle(["cache", "size", "--format", "json"]).succeeds().json();
    let files = document["files"].as_u64().unwrap();
    assert_eq!(files, files_below(&sandbox.home("cache")).len() as u64);
    sandbox.pintle(["cache", "clean", "--dry-run"]).succeeds().says("Would remove");
    assert_eq!(files_below(&sandbox.home("cache")).len() as u64, files);
    sandbox.pintle(["cache", "clean"]).succeeds().says("Removed");
    insta::assert_snapshot!(sandbox.pintle(["cache", "size"]), @"
    0 B in 0 files ([root]/home dir/cache)
    ---- exit code 0
    ");
    sandbox.pintle(["install", "acme-b"]).succeeds();
}
