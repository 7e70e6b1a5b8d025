//! Installing: what is put where, what stays as it was, and what a failure leaves.

use crate::kit::Sandbox;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn an_extension_and_what_it_needs_are_installed() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-d").version("1.2.0").publish_to("main");
    let package = sandbox.package("acme-a").depends("acme-d", "^1");
    package.permission("\"process.run\" = [\"git\"]").publish_to("main");
    insta::assert_snapshot!(sandbox.allowing(["install", "acme-a"]).run(), @"
    + acme-a 1.0.0  from registry main
        wants to run these programs, as you: git (high risk)
        runs with your full rights
    + acme-d 1.2.0  from registry main
        asks for nothing; runs with your full rights
    2 installed (generation 1)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    acme-a  1.0.0  registry main, runs with your full rights
    acme-d  1.2.0  registry main, dependency, runs with your full rights
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["tree"]), @"
    acme-a 1.0.0 (^1.0.0)
    └── acme-d 1.2.0 (^1)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["why", "acme-d"]), @"
    acme-d 1.2.0
      you asked for acme-a (^1.0.0)
        which needs acme-d (^1)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["history"]), @"
    *    1  2030-01-10 12:00  2 extensions    pintle install acme-a --accept-permissions [digest]
    ---- exit code 0
    ");
    sandbox.assert_no_leftovers();
}

#[test]
fn the_three_kinds_of_spec_are_installed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    let folder = sandbox.package("acme-dev").write();
    let archive = sandbox.package("acme-file").version("0.3.0").archive();
    let run = sandbox.command(["install", "acme-a@<1.1"]).arg(&folder).arg(&archive);
    run.run().succeeds().says("3 installed");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-dev 1.0.0, acme-file 0.3.0");
    assert_eq!(sandbox.extension("acme-dev"), folder, "a folder is linked, not copied");
    let document = sandbox.pintle(["list", "--format", "json"]).json();
    let kinds: Vec<_> =
        document["extensions"].as_array().unwrap().iter().map(|one| &one["source"]["kind"]).collect();
    assert_eq!(kinds, ["registry", "folder", "archive"]);
}

#[test]
fn install_without_a_spec_does_what_sync_does() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let wishes = sandbox.read(&sandbox.home("pintle.toml"));
    sandbox.write(&sandbox.home("pintle.toml"), format!("{wishes}\n[extensions]\nacme-a = \"^1\"\n"));
    sandbox.pintle(["install"]).succeeds().says("1 installed (generation 1)");
    insta::assert_snapshot!(sandbox.pintle(["install"]), @"
    Nothing to do: everything is as wished
    ---- exit code 0
    ");
    assert_eq!(sandbox.generation(), 1);
}

/// No step of an installation runs code of the package, so what fails is the check of the archive, at the last
/// moment before it would be kept.
#[test]
fn case_01_a_failed_installation_leaves_nothing_listed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-push", &["0.8.1"]);
    sandbox.publish("acme-a", &["1.0.0"]);
    let archives = sandbox.registry_dir("main").join("a");
    let whole: Vec<_> = std::fs::read_dir(&archives).unwrap().map(|entry| entry.unwrap().path()).collect();
    let kept: Vec<_> = whole.iter().map(|path| std::fs::read(path).unwrap()).collect();
    for path in &whole {
        sandbox.write(path, b"\x1f\x8b no archive any more");
    }
    let before = sandbox.listing();
    let failed = sandbox.pintle(["install", "acme-push", "acme-a"]);
    insta::assert_snapshot!(failed.fails(4, "archive.wrong_size"), @"
    ---- standard error
    error[archive.wrong_size]: `acme-a 1.0.0` can't be installed
      caused by: the archive has 22 bytes where 287 were stated
    help: it begins like an archive: it may be cut or changed
    help: nothing was unpacked; nothing was changed
    ---- exit code 4
    ");
    assert_eq!(sandbox.installed(), "");
    let after = sandbox.listing();
    let made = ["home dir/store", "home dir/generations", "home dir/state"];
    let known = |listing: crate::kit::Listing| listing.without_traces().without(&made);
    known(before).assert_same(&known(after), "a failed installation");
    assert_eq!(std::fs::read_dir(sandbox.home("store")).unwrap().count(), 0, "the store is empty");
    sandbox.assert_no_leftovers();
    for (path, bytes) in whole.iter().zip(kept) {
        sandbox.write(path, bytes);
    }
    sandbox.pintle(["install", "acme-push", "acme-a"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-push 0.8.1");
}

#[test]
fn case_03_install_of_something_installed_changes_nothing() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    let before = sandbox.listing();
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: acme-a 1.0.0 is installed already; `pintle update acme-a` moves it to 1.1.0
    ---- exit code 0
    ");
    sandbox.pintle(["install", "acme-a", "--format", "json"]).succeeds();
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "installing what is installed");
    sandbox.pintle(["update"]).succeeds().says("1.0.0 -> 1.1.0");
}

#[test]
fn what_is_asked_for_of_what_stays_is_said() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.package("acme-b").depends("acme-a", "^1").publish_to("main");
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a@1.0.0", "--dry-run"]), @"
    acme-a would be pinned at 1.0.0 (dry run)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a@1.0.0"]), @"
    acme-a is now pinned at 1.0.0 (generation 2)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a@^1"]), @"
    acme-a is now held to `^1` (generation 3)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a@*"]), @"
    acme-a is now free to be any version (generation 4)
    ---- exit code 0
    ");
    let wishes = sandbox.home("pintle.toml");
    sandbox.write(&wishes, sandbox.read(&wishes).replace("acme-a", "# acme-a"));
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    acme-a is now here only because something needs it (generation 5)
    ---- exit code 0
    ");
    sandbox.write(&wishes, sandbox.read(&wishes) + "# a remark\n");
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    Nothing to do: everything is as wished
    ---- exit code 0
    ");
}

#[test]
fn case_04_what_a_killed_installation_left_is_never_used() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.package("acme-a").version("2.0.0").file("only-in-2", 0o644, "2").publish_to("main");
    sandbox.publish("acme-b", &["1.0.0"]);
    // As a command killed while it unpacked leaves it: a staging directory of a process that is gone.
    let staging = sandbox.home("store/.staging-4000000-0/0123");
    sandbox.write(&staging.join("extension.toml"), "left behind");
    sandbox.write(&staging.join("only-in-2"), "2");
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
    let listing = sandbox.listing();
    let stale = listing.paths().filter(|path| path.contains("home dir/store") && path.contains("only-in-2"));
    assert_eq!(stale.count(), 0);
    sandbox.assert_no_leftovers();
    sandbox.pintle(["verify"]).succeeds();
}

#[test]
fn case_05_an_orphan_directory_in_the_store_blocks_nothing() {
    for mode in [0o755, 0o555] {
        let sandbox = Sandbox::with_registry();
        sandbox.publish("acme-a", &["1.0.0"]);
        sandbox.pintle(["install", "acme-a"]).succeeds();
        let entry = sandbox.extension("acme-a");
        let place = entry.file_name().unwrap().to_string_lossy().into_owned();
        sandbox.pintle(["uninstall", "acme-a"]).succeeds();
        std::fs::remove_file(sandbox.home(&format!("store/{place}.tree"))).unwrap();
        set_mode(&entry, 0o755);
        sandbox.write(&entry.join("junk"), "junk");
        set_mode(&entry, mode);
        sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds().says("stood where a release belongs");
        assert!(!sandbox.extension("acme-a").join("junk").exists());
        sandbox.pintle(["verify"]).succeeds();
    }
}

#[test]
fn case_06_the_executable_bit_and_no_other_survives() {
    for umask in ["umask 0077", "umask 0002"] {
        let sandbox = Sandbox::with_registry();
        let package = |version: &str| {
            let package =
                sandbox.package("acme-a").version(version).file("bin/hook.sh", 0o755, "#!/bin/sh\n");
            package.file("data.txt", 0o644, "data").file("bin/loose", 0o4777, "#!/bin/sh\n")
        };
        package("1.0.0").publish_to("main");
        let check = |when: &str| {
            let root = sandbox.extension("acme-a");
            for (file, runs) in [("bin/hook.sh", true), ("bin/loose", true), ("data.txt", false)] {
                let mode = root.join(file).metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o100 != 0, runs, "{file} {when}, {umask}: {mode:o}");
                assert_eq!(mode & 0o7022, 0, "{file} {when}, {umask}: {mode:o}");
            }
        };
        sandbox.command(["install", "acme-a"]).after(umask).run().succeeds();
        check("after an installation");
        package("1.1.0").publish_to("main");
        sandbox.command(["update"]).after(umask).run().succeeds();
        check("after an update");
        sandbox.command(["rollback"]).after(umask).run().succeeds();
        check("after a rollback");
        sandbox.pintle(["verify"]).succeeds();
    }
}

#[test]
fn an_entry_that_could_not_be_run_is_refused_when_it_is_packaged() {
    let sandbox = Sandbox::with_registry();
    let output = sandbox.package("acme-a").file("bin/run", 0o644, "#!/bin/sh\n").try_publish_to("main");
    insta::assert_snapshot!(output.fails(1, "package.problems"), @"
    ---- standard error
    error[package.entry_not_executable]: `bin/run` is the program to run, but not executable
      --> bin/run
    help: run `chmod +x bin/run`

    error[package.problems]: the package has 1 problem
    ---- exit code 1
    ");
}

fn set_mode(path: &std::path::Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}
