//! The examples, as a person meets them: published, installed, granted what they ask for, loaded, and used.

use crate::kit::{Output, Sandbox, Terminal, assert_nothing_runs};
use serde_json::json;
use std::path::Path;

/// Publishes a folder and installs it, with whatever it asks for.
#[track_caller]
fn install(sandbox: &Sandbox, folder: &Path, name: &str) {
    sandbox.publish_folder(folder);
    let shown = sandbox.pintle(["install", name, "--dry-run", "--format=json"]).succeeds().json();
    let install = sandbox.command(["install", name]);
    match shown["accept_permissions"].as_str() {
        Some(hash) => install.args(["--accept-permissions", hash]),
        None => install,
    }
    .run()
    .succeeds();
    let loaded = sandbox.pintle(["load", "--format=json"]).succeeds().json();
    assert_eq!(loaded["extensions"][0]["ready"], true, "{loaded:#}");
    assert_nothing_runs(sandbox);
}

#[track_caller]
fn exec(sandbox: &Sandbox, words: &[&str]) -> Output {
    let output = sandbox.command(["exec"]).args(words).run();
    assert_nothing_runs(sandbox);
    output
}

#[test]
fn hello_is_the_same_as_a_program_and_as_a_library() {
    let as_program = |sandbox: &Sandbox| sandbox.example("hello", &[]);
    let as_library = |sandbox: &Sandbox| sandbox.hello_native();
    let forms: [&dyn Fn(&Sandbox) -> std::path::PathBuf; 2] = [&as_program, &as_library];
    for form in forms {
        let sandbox = Sandbox::with_registry();
        install(&sandbox, &form(&sandbox), "hello");
        let output = exec(&sandbox, &["--", "echo", "out"]).succeeds();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("out\n", "hello: hello is here\n"));
        let output = exec(&sandbox, &["--command", "hello", "--", "Ada", "Lovelace"]).succeeds();
        assert_eq!(output.stdout, "hello, Ada Lovelace: hello saw 0 commands\n");
    }
}

#[test]
fn a_library_is_installed_on_the_machines_that_it_is_for_alone() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.hello_native();
    let here = pintle_manifest::Target::current().unwrap().to_string();
    let published = sandbox.command(["publish", "--registry", "main", "--format", "json"]).arg(&folder).run();
    assert_eq!(published.succeeds().json()["target"], json!(here));
    let archive = sandbox.command(["package", "--format", "json"]).arg(&folder).run().succeeds().json();
    let archive = archive["path"].as_str().unwrap().to_owned();
    let elsewhere = |what: &str| sandbox.command(["install", what]).target("aarch64-apple-darwin").run();
    for what in ["hello", &archive, folder.to_str().unwrap()] {
        elsewhere(what).fails(5, "resolve.target").says(&format!("only for `{here}`"));
    }
    sandbox
        .command(["publish", "--registry", "main", "--target", "any"])
        .arg(&folder)
        .run()
        .fails(1, "package.target_mismatch")
        .says("has none for it");
    // What was linked here does not come over with the lock.
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    let sync = sandbox.command(["sync", "--locked"]).target("aarch64-apple-darwin").run();
    sync.fails(5, "resolve.target");
}

#[test]
fn blast_radius_holds_what_would_lose_something_until_a_person_says_yes() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.example("blast-radius", &[]);
    sandbox.publish_folder(&folder);
    insta::assert_snapshot!(sandbox.pintle(["install", "blast-radius"]), @"
    ---- standard error
    + blast-radius 0.3.1  from registry main
        wants to run these programs, as you: git (high risk)
        runs with your full rights
    error[trust.needs_consent]: `blast-radius 0.3.1` asks for what nobody has allowed
    help: to allow exactly this: `pintle install blast-radius --accept-permissions [digest]`
    ---- exit code 3
    ");
    install(&sandbox, &folder.clone(), "blast-radius");
    for name in ["build/a", "build/b", "build/deep/c"] {
        sandbox.write(&sandbox.work(name), "something to lose\n");
    }
    let output = exec(&sandbox, &["--", "rm", "-rf", "build"]);
    let output = output.fails(126, "guard.unasked").says("would delete 3 files");
    assert!(sandbox.work("build/a").exists(), "{output}");
    exec(&sandbox, &["--shell", "cd build && rm -rf deep"]).fails(126, "guard.unasked").says("build/deep");
    exec(&sandbox, &["--", "ls", "build"]).succeeds().says("deep");
    exec(&sandbox, &["--command", "blast"]).succeeds().says("The whole line was: cd build && rm -rf deep");
    for (answer, code) in [("n\n", 126), ("y\n", 0)] {
        let mut terminal = Terminal::new();
        let mut child = sandbox.command(["exec", "--", "rm", "-rf", "build"]).spawn_on(&mut terminal);
        terminal.shows("would delete 3 files");
        terminal.shows("Go ahead? [y/N] ");
        terminal.types(answer);
        assert_eq!(child.wait().unwrap().code(), Some(code));
        assert_eq!(sandbox.work("build").exists(), code != 0);
    }
    assert_nothing_runs(&sandbox);
}

#[test]
fn node_notes_keeps_notes_and_shows_them_when_a_program_fails() {
    let sandbox = Sandbox::with_registry();
    install(&sandbox, &sandbox.example("node-notes", &[]), "node-notes");
    let note = |words: &[&str]| exec(&sandbox, &[&["--command", "note", "--"], words].concat());
    assert_eq!(note(&["add", "@sh", "needs", "the", "VPN"]).succeeds().stdout, "kept as 1\n");
    assert_eq!(note(&["add", "buy milk"]).succeeds().stdout, "kept as 2\n");
    assert_eq!(note(&["list"]).succeeds().stdout, "1  @sh needs the VPN\n2  buy milk\n");
    assert_eq!(exec(&sandbox, &["--", "sh", "-c", "exit 0"]).succeeds().stderr, "");
    let output = exec(&sandbox, &["--", "sh", "-c", "exit 3"]).exits(3);
    assert_eq!(output.stderr, "note: sh: needs the VPN\n");
    note(&["drop", "7"]).exits(1);
    note(&["drop", "1"]).succeeds();
    assert_eq!(exec(&sandbox, &["--", "sh", "-c", "exit 3"]).exits(3).stderr, "");
    note(&["what"]).exits(2).says("note add TEXT");
}

#[test]
fn python_pulse_counts_what_is_printed_and_sums_up_its_warnings() {
    let sandbox = Sandbox::with_registry();
    install(&sandbox, &sandbox.example("python-pulse", &[]), "python-pulse");
    let script = "echo one; echo 'warning: two' >&2; echo 'error: three'; echo four";
    let output = exec(&sandbox, &["--", "sh", "-c", script]).succeeds();
    assert_eq!(output.stdout, "one\nerror: three\nfour\n");
    let output = output.says("python-pulse pulse: ");
    output.says("note: sh printed 4 lines, 35 B, 1 warning, 1 error; first: error: three");
    let quiet = exec(&sandbox, &["--", "true"]).succeeds();
    assert_eq!(quiet.stderr, "");
}

#[test]
fn misbehave_does_on_demand_what_none_should() {
    let sandbox = Sandbox::with_registry();
    install(&sandbox, &sandbox.example("misbehave", &[]), "misbehave");
    assert_eq!(exec(&sandbox, &["--", "echo", "well"]).succeeds().stderr, "");
    exec(&sandbox, &["--", "echo", "segfault"]).fails(126, "guard.fault").says("SIGSEGV");
    assert_eq!(exec(&sandbox, &["--command", "misbehave"]).succeeds().stdout, "what is asked for is done\n");
    exec(&sandbox, &["--command", "misbehave", "--", "abort"]).fails(7, "command.fault").says("SIGABRT");
    // A way that is chosen by a file waits for the hook it is for.
    sandbox.write(&sandbox.home("data/misbehave/mode"), "exit tool.result");
    let output = exec(&sandbox, &["--", "sh", "-c", "echo out; false"]).exits(1);
    assert_eq!(output.stdout, "out\n");
    output.says("`misbehave` failed: it ended with exit code 3");
}
