//! `pintle tour`: what the README shows first, on real files, and nothing of it stays.

use crate::kit::{Run, Sandbox, Terminal, assert_nothing_runs};
use std::fs::File;
use std::path::Path;

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

/// The tour in this checkout, with a place of its own for what is temporary, and cargo as the tests themselves have it.
///
/// One at a time, also of several programs of tests: all build in the same place.
fn tour(sandbox: &Sandbox) -> (Run<'_>, File) {
    let lock = File::create(Path::new(env!("CARGO_TARGET_TMPDIR")).join("tour.lock")).unwrap();
    lock.lock().unwrap();
    let temporary = sandbox.root().join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let target = Path::new(env!("CARGO_BIN_EXE_pintle")).parent().unwrap().parent().unwrap();
    let mut run = sandbox.command(["tour", "--color=never"]).at(checkout()).env("TMPDIR", &temporary);
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if ["HOME", "CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"].contains(&name.as_str()) {
            run = run.env(&name, value);
        }
    }
    let cargo = Path::new(env!("CARGO")).parent().unwrap().to_string_lossy().into_owned();
    (
        run.env("PATH", format!("{cargo}:/usr/bin:/bin"))
            .env("CARGO_TARGET_DIR", target)
            .without_env("PINTLE_TEST_NOW"),
        lock,
    )
}

#[track_caller]
fn nothing_is_left(sandbox: &Sandbox) {
    let left: Vec<_> = std::fs::read_dir(sandbox.root().join("tmp")).unwrap().flatten().collect();
    assert!(left.is_empty(), "{left:?}");
    assert!(!sandbox.home("").exists(), "the home of the person is not touched");
    assert_nothing_runs(sandbox);
}

#[test]
fn without_a_terminal_it_shows_the_refusal_and_cleans_up() {
    let sandbox = Sandbox::new();
    let (run, _lock) = tour(&sandbox);
    let output = run.run().succeeds();
    let parts = [
        "A scratch folder: ",
        "$ pintle registry init registry",
        "$ pintle publish ",
        "wants to run these programs, as you: git (high risk)",
        "Nobody is here to be asked, so nothing was granted.",
        "$ pintle load",
        "$ pintle exec -- rm -rf site/build",
        "would delete 240 files",
        "It did not run: ",
        "$ pintle disable blast-radius --reason 'end of the tour'",
        "$ pintle ledger",
        "nothing of the tour is left.",
    ];
    let mut rest = output.stderr.as_str();
    for part in parts {
        rest = rest.split_once(part).unwrap_or_else(|| panic!("`{part}` is not said next: {output}")).1;
    }
    let output = output.says("1 of 1 extension ready; all of it ended again, nothing is left");
    output.says("no host runs, and none was killed: nothing is held");
    nothing_is_left(&sandbox);
}

/// Takes the tour on a terminal with these answers, and returns the exit code and what was shown after the last of them.
fn answering(answers: &[(&str, &str)]) -> (Option<i32>, String) {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::new();
    let (run, _lock) = tour(&sandbox);
    let mut child = run.spawn_on(&mut terminal);
    for (question, answer) in answers {
        terminal.shows(question);
        terminal.shows("[y/N] ");
        terminal.types(answer);
    }
    let code = child.wait().unwrap().code();
    nothing_is_left(&sandbox);
    (code, terminal.shows_at_last())
}

const CONSENT: &str = "wants to run these programs, as you: git";
const HELD: &str = "would delete 240 files";

#[test]
fn on_a_terminal_the_newcomer_answers() {
    let (code, shown) = answering(&[(CONSENT, "y\n"), (HELD, "y\n")]);
    assert!(code == Some(0) && shown.contains("You let it run, and it did."), "{shown}");
    let (code, shown) = answering(&[(CONSENT, "\n")]);
    assert!(code == Some(0) && shown.contains("You said no, so nothing was installed"), "{shown}");
}

#[test]
fn a_tour_that_is_stopped_leaves_nothing() {
    let sandbox = Sandbox::new();
    let mut terminal = Terminal::new();
    let (run, _lock) = tour(&sandbox);
    let mut shell = run.spawn_shell_on(&mut terminal);
    terminal.types("$P; echo code $?\r");
    terminal.shows(CONSENT);
    terminal.shows("[y/N] ");
    terminal.types("y\r");
    terminal.shows(HELD);
    terminal.shows("[y/N] ");
    terminal.types("\u{3}");
    terminal.shows("code 130\r\n");
    terminal.types("exit\r");
    shell.wait().unwrap();
    nothing_is_left(&sandbox);
}

#[test]
fn elsewhere_it_says_where_to_go() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.pintle(["tour"]), @"
    ---- standard error
    error[tour.no_checkout]: this is no checkout of Pintle, and the tour builds one of its examples
    help: change to the folder of Pintle's source
    ---- exit code 1
    ");
    sandbox.pintle(["tour", "--format=json"]).fails(2, "usage");
}
