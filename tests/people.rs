//! A person at a terminal: who is asked, who is not, and what is shown there and nowhere else.

use crate::kit::{Sandbox, Terminal, remove};
use serde_json::json;

fn with_data() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.write(&sandbox.home("data/acme-a/d"), "d");
    sandbox
}

#[test]
fn case_88_a_person_is_asked_before_anything_is_deleted() {
    for (answer, code) in [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1), ("\u{4}", 1), ("perhaps\n", 1)] {
        let sandbox = with_data();
        let before = sandbox.listing();
        let mut terminal = Terminal::new();
        let mut child = sandbox.command(["uninstall", "acme-a", "--purge"]).spawn_on(&mut terminal);
        terminal.shows("This can't be undone. [y/N] ");
        let asked = sandbox.listing();
        before.without_traces().assert_same(&asked.without_traces(), "a question");
        terminal.types(answer);
        terminal.shows_at_last();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{answer:?}");
        assert_eq!(sandbox.home("data/acme-a").exists(), code != 0, "{answer:?}");
        if code != 0 {
            before.without_traces().assert_same(&sandbox.listing().without_traces(), "a no");
        }
    }
}

#[test]
fn case_88_a_machine_with_a_terminal_is_not_asked() {
    for value in ["1", "true", "TRUE"] {
        let sandbox = with_data();
        let mut terminal = Terminal::new();
        let run = sandbox.command(["uninstall", "acme-a", "--purge"]).env("CI", value);
        let mut child = run.spawn_on(&mut terminal);
        let shown = terminal.shows_at_last();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{shown}");
        assert!(
            shown.contains("needs_input") && shown.contains("--yes") && !shown.contains("[y/N]"),
            "{shown}"
        );
        assert!(sandbox.home("data/acme-a").exists());
    }
}

#[test]
fn a_terminal_gets_colours_unless_someone_does_not_want_them() {
    let sandbox = with_data();
    let shown = |words: &[&str], variables: &[(&str, &str)]| {
        let mut terminal = Terminal::new();
        let run = variables.iter().fold(sandbox.command(words), |run, (name, value)| run.env(name, value));
        let mut child = run.spawn_on(&mut terminal);
        let shown = terminal.shows_at_last();
        child.wait().unwrap();
        shown
    };
    assert!(is_coloured(&shown(&["install", "acme-zzz"], &[])));
    assert!(!is_coloured(&shown(&["install", "acme-zzz"], &[("NO_COLOR", "1")])));
    assert!(!is_coloured(&shown(&["install", "acme-zzz", "--color", "never"], &[])));
    let document = shown(&["list", "--format", "json"], &[]);
    assert!(!document.contains('\u{1b}'), "{document}");
    serde_json::from_str::<serde_json::Value>(&document).unwrap();
}

/// Progress moves the cursor, which is no colour.
fn is_coloured(shown: &str) -> bool {
    let after = shown.split("\u{1b}[").skip(1);
    let mut ends = after.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
    ends.any(|rest| rest.starts_with('m'))
}

#[test]
fn who_is_not_root_does_all_of_it() {
    let sandbox = Sandbox::with_registry();
    for (name, version) in [("acme-a", "1.0.0"), ("acme-b", "1.0.0"), ("acme-b", "1.1.0")] {
        sandbox.actor(name).version(version).at("tool.call", json!([])).publish();
    }
    sandbox.give_to_nobody();
    let run = |words: &[&str]| sandbox.command(words).by_nobody().run();
    run(&["install", "acme-a", "acme-b@1.0.0"]).succeeds();
    run(&["exec", "--", "echo", "ran"]).succeeds().says("ran");
    run(&["update"]).succeeds();
    run(&["install", "acme-b@1.1.0"]).succeeds();
    // Any file of the installed tree, also where its directory may not be changed.
    for file in ["bin/run", "extension.toml"] {
        let path = sandbox.extension("acme-b").join(file);
        remove(&path);
        sandbox.write(&path, "changed");
        sandbox.give_to_nobody();
        run(&["verify"]).exits(4).says(file);
        run(&["doctor", "--fix"]).succeeds();
        run(&["verify"]).succeeds();
    }
    remove(sandbox.extension("acme-b"));
    run(&["verify", "--fix"]).succeeds();
    run(&["disable", "acme-a"]).succeeds();
    run(&["enable", "acme-a"]).succeeds();
    run(&["rollback"]).succeeds();
    run(&["uninstall", "acme-a", "acme-b", "--purge", "--yes"]).succeeds();
    run(&["gc"]).succeeds();
    sandbox.assert_no_leftovers();
}
