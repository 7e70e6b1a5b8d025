//! Questions of extensions while a guard waits: answered, taken back, or ended with Ctrl-C.

use crate::kit::{Actor, Sandbox, Terminal, assert_nothing_runs};
use serde_json::{Value, json};

/// An actor whose guard asks the person by a call.
fn asking<'a>(sandbox: &'a Sandbox, call: &str, arguments: Value) -> Actor<'a> {
    let ask = json!([{ "ask": { "call": call, "arguments": arguments } }]);
    sandbox.actor("acme-a").at("tool.call", ask).with(|package| package.permission("\"ui.prompt\" = true"))
}

#[test]
fn a_choice_is_made_by_its_number_and_everything_else_chooses_nothing() {
    for (typed, chosen) in [("2\n", "1"), ("\n", "null"), ("0\n", "null"), ("4\n", "null"), ("red\n", "null")]
    {
        let sandbox = Sandbox::new();
        let select = json!({ "title": "Which?", "details": ["of these"], "options": ["red", "green\u{1b}[2J", "blue"] });
        let folder = asking(&sandbox, "ui.select", select).folder();
        let mut terminal = Terminal::new();
        let run = sandbox.command(["exec", "--color=never", "--with"]).arg(&folder).args(["--", "true"]);
        let mut child = run.spawn_on(&mut terminal);
        terminal
            .shows("acme-a asks: Which?\r\n  of these\r\n  1) red\r\n  2) green\\u{1b}[2J\r\n  3) blue\r\n");
        terminal.shows("Which one? [none] ");
        terminal.types(typed);
        assert_eq!(child.wait().unwrap().code(), Some(0));
        let marks = sandbox.marks("acme-a");
        assert_eq!(marks, [format!("tool.call reply {{\"chosen\":{chosen},\"asked\":true}}")], "{typed:?}");
    }
}

#[test]
fn without_a_terminal_a_call_is_told_that_nobody_was_asked() {
    let sandbox = Sandbox::new();
    let folder = asking(&sandbox, "ui.confirm", json!({ "title": "Sure?" })).folder();
    let output = sandbox.command(["exec", "--with"]).arg(&folder).args(["--", "true"]).run().succeeds();
    assert_eq!(output.stderr, "");
    assert_eq!(sandbox.marks("acme-a"), [r#"tool.call reply {"answer":false,"asked":false}"#]);
}

#[test]
fn control_c_at_a_question_ends_it_all() {
    let sandbox = Sandbox::new();
    asking(&sandbox, "ui.confirm", json!({ "title": "Sure?" }))
        .with(|package| package.folder(sandbox.work("dev")))
        .folder();
    let mut terminal = Terminal::new();
    let mut shell =
        sandbox.command(["exec", "--with", "dev", "--", "touch", "ran"]).spawn_shell_on(&mut terminal);
    terminal.types("$P; echo code $?\r");
    terminal.shows("Go ahead? [y/N] ");
    terminal.types("\u{3}");
    terminal.shows("code 130\r\n");
    terminal.types("exit\r");
    shell.wait().unwrap();
    assert!(!sandbox.work("ran").exists());
    assert_nothing_runs(&sandbox);
}

#[test]
fn case_70_a_question_of_what_is_turned_off_meanwhile_is_taken_back() {
    let sandbox = Sandbox::with_registry();
    asking(&sandbox, "ui.confirm", json!({ "title": "Sure?" })).install();
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["exec", "--color=never", "--", "touch", "ran"]).spawn_on(&mut terminal);
    terminal.shows("Go ahead? [y/N] ");
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    terminal.shows("\r\n");
    // It had not said that the command may run.
    assert_eq!(child.wait().unwrap().code(), Some(126));
    let shown = terminal.shows_at_last();
    assert!(
        shown.contains("`acme-a` was disabled, and has ended here") || shown.contains("guard.fault"),
        "{shown}"
    );
    assert!(!sandbox.work("ran").exists());
    sandbox.pintle(["exec", "--", "touch", "ran"]).succeeds();
    assert!(sandbox.work("ran").exists());
    assert_nothing_runs(&sandbox);
}
