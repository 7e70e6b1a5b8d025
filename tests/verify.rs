//! `verify` finds every kind of damage, and `--fix` mends what can be fetched anew.

use crate::kit::{Sandbox, remove};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

/// Damages an installed extension in one way, and looks that it is found, said to be so, and mended.
#[track_caller]
fn finds_and_mends(what: &str, damage: impl Fn(&Sandbox, &Path)) {
    let sandbox = installed();
    let root = sandbox.extension("acme-a");
    writable(&root);
    damage(&sandbox, &root);
    let before = sandbox.listing();
    let found = sandbox.pintle(["verify"]).exits(4).says("acme-a");
    assert!(found.stdout.contains(what), "{what} is not said:\n{found}");
    let document = sandbox.pintle(["verify", "--format", "json"]).exits(4).json();
    assert_eq!(document["whole"], false);
    sandbox.pintle(["verify", "--fix", "--dry-run"]).exits(4);
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "looking");
    sandbox.pintle(["verify", "--fix"]).succeeds().says("fixed");
    sandbox.pintle(["verify"]).succeeds().says("Compared 2 extensions: all as installed");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
    sandbox.assert_no_leftovers();
}

#[test]
fn a_changed_file_is_found_and_mended() {
    finds_and_mends("bin/run", |sandbox, root| {
        std::fs::set_permissions(root.join("bin/run"), std::fs::Permissions::from_mode(0o755)).unwrap();
        sandbox.write(&root.join("bin/run"), "#!/bin/sh\nrm -rf ~\n");
    });
}

#[test]
fn a_missing_file_is_found_and_mended() {
    finds_and_mends("data.txt", |_, root| std::fs::remove_file(root.join("data.txt")).unwrap());
}

#[test]
fn a_changed_mode_is_found_and_mended() {
    finds_and_mends("data.txt", |_, root| {
        std::fs::set_permissions(root.join("data.txt"), std::fs::Permissions::from_mode(0o555)).unwrap();
    });
}

#[test]
fn a_link_in_place_of_a_file_is_found_and_mended() {
    finds_and_mends("data.txt", |_, root| {
        std::fs::remove_file(root.join("data.txt")).unwrap();
        symlink("/etc/passwd", root.join("data.txt")).unwrap();
    });
}

#[test]
fn case_50_an_extra_file_is_found_and_goes() {
    finds_and_mends("old.js", |sandbox, root| sandbox.write(&root.join("old.js"), "left over"));
}

#[test]
fn a_missing_tree_is_found_and_mended() {
    finds_and_mends("acme-a", |_, root| remove(root));
}

#[test]
fn a_missing_or_changed_list_of_files_is_found_and_mended() {
    let list =
        |root: &Path| root.with_file_name(format!("{}.tree", root.file_name().unwrap().to_string_lossy()));
    finds_and_mends("acme-a", |_, root| std::fs::remove_file(list(root)).unwrap());
    finds_and_mends("acme-a", |sandbox, root| {
        std::fs::set_permissions(list(root), std::fs::Permissions::from_mode(0o644)).unwrap();
        sandbox.write(&list(root), "something else");
    });
}

#[test]
fn a_missing_or_wrong_link_is_found_and_mended() {
    finds_and_mends("link", |sandbox, _| std::fs::remove_file(sandbox.home("current/ext/acme-a")).unwrap());
    finds_and_mends("link", |sandbox, _| {
        let link = sandbox.home("current/ext/acme-a");
        std::fs::remove_file(&link).unwrap();
        symlink("/etc", &link).unwrap();
    });
}

#[test]
fn case_50_an_update_makes_a_clean_tree() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-g").version("0.1.5").file("old.js", 0o644, "old").publish_to("main");
    sandbox.pintle(["install", "acme-g@>=0.1"]).succeeds();
    assert!(sandbox.extension("acme-g").join("old.js").exists());
    sandbox.publish("acme-g", &["0.2.1"]);
    sandbox.pintle(["update"]).succeeds();
    assert!(!sandbox.extension("acme-g").join("old.js").exists());
    sandbox.pintle(["verify"]).succeeds();
}

#[test]
fn what_was_found_is_said_in_words() {
    let sandbox = installed();
    let root = sandbox.extension("acme-a");
    writable(&root);
    sandbox.write(&root.join("old.js"), "left over");
    std::fs::remove_file(root.join("data.txt")).unwrap();
    insta::assert_snapshot!(sandbox.pintle(["verify"]), @"
    acme-a
        missing file `data.txt`
        extra file `old.js`
    Compared 2 extensions: 1 broken
    ---- standard error
    note: `pintle verify --fix` fetches what is broken anew
    ---- exit code 4
    ");
    insta::assert_snapshot!(sandbox.pintle(["verify", "--fix"]), @"
    acme-a (fixed)
        missing file `data.txt`
        extra file `old.js`
    Compared 2 extensions: 1 fixed
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["verify"]), @"
    Compared 2 extensions: all as installed
    ---- exit code 0
    ");
}

#[test]
fn what_can_not_be_fetched_anew_is_not_taken_away() {
    let sandbox = installed();
    let root = sandbox.extension("acme-a");
    writable(&root);
    sandbox.write(&root.join("old.js"), "left over");
    std::fs::rename(sandbox.registry_dir("main"), sandbox.registry_dir("gone")).unwrap();
    let before = sandbox.listing();
    let output = sandbox.pintle(["verify", "--fix"]);
    assert_ne!(output.code, 0, "{output}");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a failed repair");
}

#[test]
fn wishes_that_were_changed_since_are_a_note_and_no_damage() {
    let sandbox = installed();
    let wishes = sandbox.home("pintle.toml");
    sandbox.write(&wishes, sandbox.read(&wishes) + "# a thought\n");
    insta::assert_snapshot!(sandbox.pintle(["verify"]), @"
    Compared 2 extensions: all as installed
    ---- standard error
    note: `[root]/home dir/pintle.toml` is not as it was when this set was made; `pintle sync -n` says whether that changes anything
    ---- exit code 0
    ");
}

/// `sync` looks at what is there, not at every byte; a missing tree it puts back.
#[test]
fn sync_puts_a_missing_tree_back() {
    let sandbox = installed();
    let root = sandbox.extension("acme-a");
    writable(&root);
    remove(root);
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    Put 1 release back into the store
    ---- exit code 0
    ");
    sandbox.pintle(["verify"]).succeeds();
    assert_eq!(sandbox.generation(), 1);
}

fn installed() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-a").file("data.txt", 0o644, "data").publish_to("main");
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    sandbox
}

fn writable(root: &Path) {
    for directory in [root.to_owned(), root.join("bin")] {
        std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}
