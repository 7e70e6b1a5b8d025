//! Exit codes: 0 if and only if what was asked for holds, and a code of its own for each kind of failure.

use crate::kit::Sandbox;
use std::process::Stdio;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.package("acme-future").host("agent", ">=7, <8").publish_to("main");
    sandbox
}

#[test]
fn case_89_the_exit_code_says_whether_what_was_asked_for_holds() {
    let sandbox = sandbox();
    sandbox.write(&sandbox.work("cut.tar.gz"), b"\x1f\x8b\x08");
    sandbox.write(&sandbox.work("empty.tar.gz"), b"");
    sandbox.write(&sandbox.work("acme.zip"), b"PK\x03\x04");
    let rows: [(&[&str], i32); 21] = [
        (&["list"], 0),
        (&["install", "acme-a"], 0),
        (&["install", "acme-a"], 0),
        (&["install", "acme-a", "--offline"], 0),
        (&["sync", "--offline"], 0),
        (&["uninstall", "acme-zzz"], 1),
        (&["verify"], 0),
        (&["rollback", "9"], 1),
        (&["install", "./nowhere"], 1),
        (&["install", "./acme.zip"], 1),
        (&["unknown-verb"], 2),
        (&["install", "Not A Name"], 2),
        (&["list", "--unknown-option"], 2),
        (&[], 2),
        (&["install", "./cut.tar.gz"], 4),
        (&["install", "./empty.tar.gz"], 4),
        (&["install", "acme-zzz"], 5),
        (&["install", "acme-future"], 5),
        (&["install", "acme-a@9"], 5),
        (&["uninstall", "acme-a"], 0),
        (&["uninstall", "acme-a"], 1),
    ];
    for (arguments, code) in rows {
        let output = sandbox.pintle(arguments);
        assert_eq!(output.code, code, "{arguments:?}:\n{output}");
        assert!(code == 0 || !output.stderr.is_empty(), "{arguments:?} fails without a word");
    }
}

/// There is no installation of a part: of several, all are installed or none is.
#[test]
fn case_89_a_bad_one_among_several_keeps_all_from_being_installed() {
    let sandbox = sandbox();
    sandbox.pintle(["install", "acme-a", "acme-zzz"]).fails(5, "resolve.unknown_package").says("acme-zzz");
    assert_eq!(sandbox.installed(), "");
}

#[test]
fn case_89_a_reader_that_is_gone_is_no_failure() {
    let sandbox = sandbox();
    for arguments in [&["list"][..], &["--help"], &["completions", "bash"], &["man"], &["search"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = sandbox.command(arguments).status_with_stdout(Stdio::from(writer));
        assert!(matches!(status, Some(0 | 141)), "{arguments:?}: {status:?}");
    }
}

#[test]
fn a_registry_that_can_not_be_reached_is_6() {
    let sandbox = sandbox();
    std::fs::rename(sandbox.registry_dir("main"), sandbox.registry_dir("gone")).unwrap();
    sandbox.pintle(["install", "acme-a"]).fails(6, "registry.unreachable");
    sandbox.pintle(["info", "acme-a"]).exits(6);
    sandbox.pintle(["search"]).exits(6);
    sandbox.pintle(["list"]).succeeds();
}

#[test]
fn a_lock_that_would_change_is_8() {
    let sandbox = sandbox();
    let before = sandbox.listing();
    sandbox.pintle(["install", "acme-a", "--locked"]).fails(8, "lock.would_change");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "--locked");
}

#[test]
fn nothing_that_is_locked_is_no_success_in_the_wrong_directory() {
    let sandbox = Sandbox::with_registry();
    insta::assert_snapshot!(sandbox.pintle(["sync", "--locked"]), @"
    ---- standard error
    error[lock.missing]: there is no lock to install from: `[root]/home dir/pintle.lock` is not there
    help: that is your own set, since there is no `pintle.toml` here or above: go to the folder of the project
    ---- exit code 8
    ");
    sandbox.pintle(["install", "--locked"]).fails(8, "lock.missing");
    insta::assert_snapshot!(sandbox.pintle(["sync"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: this is your own set, in `[root]/home dir`: there is no `pintle.toml` here or above
    ---- exit code 0
    ");
    sandbox
        .pintle(["sync", "--locked", "--project"])
        .fails(8, "lock.missing")
        .says("there is no `pintle.toml` either");
    sandbox.write(&sandbox.work("pintle.toml"), "");
    sandbox.pintle(["sync", "--locked"]).succeeds();
    sandbox.write(&sandbox.work("pintle.toml"), "[extensions]\nacme-a = \"^1\"\n");
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["sync", "--locked"]).fails(8, "lock.would_change");
    sandbox.pintle(["lock"]).succeeds();
    sandbox.pintle(["sync", "--locked"]).succeeds();
}

#[test]
fn a_choice_that_is_not_pintles_is_3() {
    let sandbox = sandbox();
    sandbox.registry("second");
    sandbox.package("acme-a").publish_to("second");
    sandbox.pintle(["install", "acme-a"]).fails(3, "registry.ambiguous");
}

#[test]
fn no_place_to_keep_things_is_said() {
    let sandbox = sandbox();
    let run = sandbox.command(["list"]).without_env("PINTLE_HOME").without_env("HOME");
    insta::assert_snapshot!(run.run(), @"
    ---- standard error
    error[env.no_home]: neither PINTLE_HOME nor HOME is set
    help: say where to keep things: `--home DIR`
    ---- exit code 1
    ");
    let run = sandbox.command(["list", "--home", "elsewhere"]).without_env("PINTLE_HOME").without_env("HOME");
    run.run().succeeds();
}
