//! `pintle.toml` and `pintle.lock`: what is kept in them, and when they are not written.

use crate::kit::{Sandbox, remove};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

const FROM_SOMEONE: &str = "\
# Mine. Keep the order.

[extensions]
# The second comes first here.
acme-b   = '^1'   # aligned by hand
acme-a = { version = \"^1\", registry = \"main\" }

[hosts]
agent = \"1.4.0\"
";

/// Makes a project with these wishes, in a registry that the user's set names.
fn project(sandbox: &Sandbox, wishes: &str) {
    sandbox.write(&sandbox.work("pintle.toml"), wishes);
}

#[test]
fn comments_order_and_spacing_of_the_wishes_stay() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.publish("acme-c", &["1.0.0"]);
    project(&sandbox, FROM_SOMEONE);
    sandbox.pintle(["sync"]).succeeds();
    assert_eq!(sandbox.read(&sandbox.work("pintle.toml")), FROM_SOMEONE);
    sandbox.pintle(["install", "acme-c"]).succeeds();
    sandbox.pintle(["install", "acme-b@1.0.0"]).succeeds();
    insta::assert_snapshot!(sandbox.read(&sandbox.work("pintle.toml")), @r#"
    # Mine. Keep the order.

    [extensions]
    # The second comes first here.
    acme-b   = "=1.0.0"   # aligned by hand
    acme-a = { version = "^1", registry = "main" }
    acme-c = "^1.0.0"

    [hosts]
    agent = "1.4.0"
    "#);
    sandbox.pintle(["uninstall", "acme-a", "acme-c"]).succeeds();
    insta::assert_snapshot!(sandbox.read(&sandbox.work("pintle.toml")), @r#"
    # Mine. Keep the order.

    [extensions]
    # The second comes first here.
    acme-b   = "=1.0.0"   # aligned by hand

    [hosts]
    agent = "1.4.0"
    "#);
}

#[test]
fn an_entry_that_does_not_move_stays_as_it_is_written() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    let lock = sandbox.home("pintle.lock");
    // A key that only a later Pintle knows, and the hand of an editor.
    let edited = sandbox.read(&lock).replace("name = \"acme-a\"\n", "name = \"acme-a\"\nfuture = true\n");
    sandbox.write(&lock, &edited);
    sandbox.publish("acme-b", &["1.1.0"]);
    sandbox.pintle(["sync"]).succeeds();
    assert_eq!(sandbox.read(&lock), edited);
    sandbox.pintle(["update", "acme-b"]).succeeds();
    let after = sandbox.read(&lock);
    assert!(after.contains("future = true"), "{after}");
    sandbox.pintle(["uninstall", "acme-b"]).succeeds();
    let after = sandbox.read(&lock);
    assert!(after.contains("future = true") && !after.contains("acme-b"), "{after}");
}

#[test]
fn a_lock_is_written_without_installing_and_checked() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    project(&sandbox, "[extensions]\nacme-a = \"^1\"\n");
    insta::assert_snapshot!(sandbox.pintle(["lock", "--check"]).fails(8, "lock.would_change"), @"
    ---- standard error
    error[lock.would_change]: `pintle.lock` would change, and must not
      caused by: acme-a: 1.0.0 is added
    help: without `--locked` or `--check` it is written anew; keep it then
    ---- exit code 8
    ");
    assert!(!sandbox.work("pintle.lock").exists());
    insta::assert_snapshot!(sandbox.pintle(["lock"]), @"
    acme-a 1.0.0 is added
    Wrote pintle.lock
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed_by(sandbox.command(["list", "--format", "json"])), "");
    sandbox.pintle(["lock", "--check"]).succeeds().says("up to date");
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.pintle(["lock", "--check"]).succeeds();
    sandbox.pintle(["update", "--locked"]).fails(8, "lock.would_change");
    sandbox.pintle(["sync", "--locked"]).succeeds();
    assert_eq!(sandbox.installed_by(sandbox.command(["list", "--format", "json"])), "acme-a 1.0.0");
    project(&sandbox, "[extensions]\nacme-a = \"=1.1.0\"\n");
    insta::assert_snapshot!(sandbox.pintle(["sync", "--locked"]), @"
    ---- standard error
    error[lock.would_change]: `pintle.lock` would change, and must not
      caused by: acme-a: 1.0.0 -> 1.1.0
    help: without `--locked` or `--check` it is written anew; keep it then
    ---- exit code 8
    ");
    sandbox.pintle(["lock"]).succeeds().says("1.0.0 -> 1.1.0");
}

#[test]
fn case_28_a_read_only_project_is_synced_and_its_lock_is_not_touched() {
    let sandbox = locked_project();
    let lock = sandbox.work("pintle.lock");
    let mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(&lock, 0o444);
    mode(&sandbox.work(""), 0o555);
    let before = (std::fs::read(&lock).unwrap(), lock.metadata().unwrap().modified().unwrap());
    // A fresh home that anyone may write in, and a user whom modes stop.
    let home = sandbox.root().join("fresh home");
    std::fs::create_dir(&home).unwrap();
    sandbox.write(&home.join("pintle.toml"), sandbox.read(&sandbox.home("pintle.toml")));
    mode(&home, 0o777);
    sandbox.command(["sync", "--locked"]).env("PINTLE_HOME", &home).by_nobody().run().succeeds();
    assert_eq!((std::fs::read(&lock).unwrap(), lock.metadata().unwrap().modified().unwrap()), before);
    let list = sandbox.command(["list", "--format", "json"]).env("PINTLE_HOME", &home).by_nobody();
    assert_eq!(sandbox.installed_by(list), "acme-a 1.0.0");
    mode(&sandbox.work(""), 0o755);
}

#[test]
fn case_28_what_is_locked_and_gone_is_an_error_and_nothing_else_is_taken() {
    let sandbox = locked_project();
    let archives = sandbox.registry_dir("main").join("a");
    remove(&archives);
    std::fs::create_dir(&archives).unwrap();
    sandbox.publish("acme-a", &["1.1.1"]);
    let home = sandbox.root().join("fresh home");
    sandbox.write(&home.join("pintle.toml"), sandbox.read(&sandbox.home("pintle.toml")));
    let output = sandbox.command(["sync"]).env("PINTLE_HOME", &home).run();
    output.fails(4, "registry.missing_artifact").says("acme-a 1.0.0");
    let list = sandbox.command(["list", "--format", "json"]).env("PINTLE_HOME", &home);
    assert_eq!(sandbox.installed_by(list), "");
}

#[test]
fn case_28_a_fresh_home_gets_what_is_locked_and_one_more_moves_nothing() {
    let sandbox = locked_project();
    sandbox.publish("acme-b", &["1.0.0"]);
    let home = sandbox.root().join("fresh home");
    sandbox.write(&home.join("pintle.toml"), sandbox.read(&sandbox.home("pintle.toml")));
    let lock = sandbox.read(&sandbox.work("pintle.lock"));
    sandbox.command(["install", "acme-b"]).env("PINTLE_HOME", &home).run().succeeds();
    let list = sandbox.command(["list", "--format", "json"]).env("PINTLE_HOME", &home);
    assert_eq!(sandbox.installed_by(list), "acme-a 1.0.0, acme-b 1.0.0");
    let after = sandbox.read(&sandbox.work("pintle.lock"));
    assert!(after.starts_with(&lock), "the entry of acme-a stays as it was:\n{after}");
}

#[test]
fn case_28_a_read_only_home_can_be_read_and_says_that_it_can_not_be_changed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let _read_only = sandbox.read_only_home();
    let before = sandbox.listing();
    for verb in
        [&["list"][..], &["verify"], &["sync", "--locked"], &["tree"], &["history"], &["why", "acme-a"]]
    {
        let output = sandbox.command(verb).by_nobody().run().succeeds();
        assert!(output.stderr.lines().count() <= 1, "{output}");
    }
    for verb in [&["install", "acme-b"][..], &["uninstall", "acme-a"], &["disable", "acme-a"], &["gc"]] {
        let output = sandbox.command(verb).by_nobody().run();
        output.fails(1, "fs.permission_denied").says("home dir");
    }
    insta::assert_snapshot!(sandbox.command(["install", "acme-b"]).by_nobody().run(), @"
    ---- standard error
    warning: the cache can't be written
    error[fs.permission_denied]: failed to open `[root]/home dir/run/lease`
      caused by: Permission denied (os error 13)
    help: look at who owns it and its mode (`ls -ld`)
    ---- exit code 1
    ");
    before.assert_same(&sandbox.listing(), "a command of someone else");
}

#[test]
fn case_29_a_lock_of_a_newer_pintle_is_left_as_it_is() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a@^1"]).succeeds();
    let lock = sandbox.home("pintle.lock");
    let newer = sandbox.read(&lock).replace("version = 1\n", "version = 999\n");
    sandbox.write(&lock, &newer);
    let before = sandbox.listing();
    let all = [
        &["sync"][..],
        &["sync", "--locked"],
        &["install", "acme-b"],
        &["update"],
        &["lock"],
        &["uninstall", "acme-a"],
    ];
    for verb in all {
        sandbox.pintle(verb).fails(1, "lock.unsupported_version");
    }
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    ---- standard error
    error[lock.unsupported_version]: can't use `[root]/home dir/pintle.lock`
      caused by: the lock has version 999, and this Pintle reads up to 1
    help: a newer Pintle wrote it; use that one. It is left as it is
    ---- exit code 1
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a newer lock");
    sandbox.pintle(["list"]).succeeds().says("acme-a");
}

#[test]
fn a_lock_that_a_merge_left_torn_is_left_as_it_is() {
    let sandbox = locked_project();
    let lock = sandbox.work("pintle.lock");
    let torn = format!("<<<<<<< ours\n{}=======\n>>>>>>> theirs\n", sandbox.read(&lock));
    sandbox.write(&lock, &torn);
    let told = |lock: &str, help: &str| {
        let output = sandbox.pintle(["sync"]).fails(1, "lock.merge_conflict");
        output
            .says(&format!("can't use `{lock}`"))
            .says("line 1 has the mark of a merge conflict")
            .says(help);
        sandbox.pintle(["doctor"]).exits(1).says("lock.merge_conflict").says(&format!("next: {help}"));
    };
    told(
        "[root]/work dir/pintle.lock",
        "it is left as it is; restore it, or move it away and run `pintle lock`",
    );
    // Only where there is a version control has it the sides.
    std::fs::create_dir(sandbox.work(".git")).unwrap();
    told(
        "[root]/work dir/pintle.lock",
        "take one side (`git checkout --ours pintle.lock`), then run `pintle lock`",
    );
    assert_eq!(sandbox.read(&lock), torn);
}

#[test]
fn a_torn_lock_of_ones_own_is_restored_from_what_was_installed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let (lock, copy) = (sandbox.home("pintle.lock"), sandbox.home("current/pintle.lock"));
    sandbox.write(&lock, "<<<<<<< ours\n");
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    ---- standard error
    error[lock.merge_conflict]: can't use `[root]/home dir/pintle.lock`
      caused by: line 1 has the mark of a merge conflict
    help: restore it from `[root]/home dir/current/pintle.lock`, from which what is installed was made; or remove it and run `pintle sync`
    ---- exit code 1
    ");
    std::fs::copy(&copy, &lock).unwrap();
    sandbox.pintle(["sync"]).succeeds().says("Nothing to do");
    sandbox.write(&lock, "<<<<<<< ours\n");
    std::fs::remove_file(&lock).unwrap();
    sandbox.pintle(["sync"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
}

#[test]
fn case_30_a_version_with_other_bytes_is_refused_by_both_sides() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let other = sandbox.package("acme-a").file("more", 0o644, "more");
    insta::assert_snapshot!(other.try_publish_to("main"), @"
    ---- standard error
    error[publish.version_exists]: `acme-a` 1.0.0 for `any` was published at 2030-01-10T12:00:00Z with other bytes (there `sha256:[digest]`, here `sha256:[digest]`)
    help: a release never changes; raise the version
    ---- exit code 1
    ");
    // The registry is replaced by one that never heard of that.
    remove(sandbox.registry_dir("main"));
    sandbox.make_registry("main");
    sandbox.package("acme-a").folder(sandbox.work("other")).file("more", 0o644, "more").publish_to("main");
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["cache", "clean"]).succeeds();
    let before = sandbox.listing();
    let output = sandbox.pintle(["install", "acme-b"]);
    insta::assert_snapshot!(output.fails(4, "integrity.changed_release"), @"
    ---- standard error
    error[integrity.changed_release]: the registry `main` offers other bytes for `acme-a 1.0.0` than were locked (locked `sha256:[digest]`, offered `sha256:[digest]`)
    help: a release never changes: ask its maintainer what happened, and install nothing until you know
    ---- exit code 4
    ");
    sandbox.pintle(["update"]).fails(4, "integrity.changed_release");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a changed release");
}

/// A project that has acme-a 1.0.0 locked, while there is 1.1.0.
fn locked_project() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    project(&sandbox, "[extensions]\nacme-a = \"^1\"\n");
    sandbox.pintle(["lock"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox
}
