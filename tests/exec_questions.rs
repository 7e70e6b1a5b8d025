//! Questions of extensions while a guard waits: answered, taken back, or ended with Ctrl-C.

use crate::exec::question;
use crate::kit::{Actor, Sandbox, Terminal, assert_nothing_runs, wait_for};
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

/// Answers the question of a guard on a terminal, and tells what was shown and how it ended.
fn answering(sandbox: &Sandbox, folder: &std::path::Path, answer: &str) -> (String, Option<i32>) {
    let mut terminal = Terminal::new();
    let run = sandbox.command(["exec", "--with"]).arg(folder).args(["--", "sh", "-c", "echo it ran"]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.shows("Go ahead? [y/N] ");
    terminal.types(answer);
    let code = child.wait().unwrap().code();
    (terminal.shows_at_last(), code)
}

#[test]
fn on_a_terminal_only_a_clear_yes_lets_a_command_run() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").at("tool.call", question()).folder();
    for yes in ["y\n", "yes\n", "Y\n"] {
        let (shown, code) = answering(&sandbox, &folder, yes);
        assert!(code == Some(0) && shown.contains("it ran"), "{yes:?}: {shown}");
    }
    for no in ["n\n", "\n", "\u{4}", "nyes\n"] {
        let (shown, code) = answering(&sandbox, &folder, no);
        assert!(code == Some(126) && !shown.contains("it ran\r\n"), "{no:?}: {shown}");
        assert!(shown.contains("error[guard.refused]"), "{shown}");
    }
    assert_nothing_runs(&sandbox);
}

#[test]
fn what_was_typed_before_the_question_is_no_answer() {
    let sandbox = Sandbox::new();
    let sleep = json!({ "ask": { "call": "clock.sleep", "arguments": { "ms": 200 } } });
    let slow = json!([sleep, { "answer": { "ask": { "title": "Sure?", "details": [] } } }]);
    let folder = sandbox.actor("acme-a").at("tool.call", slow).folder();
    let mut terminal = Terminal::new();
    let run = sandbox.command(["exec", "--with"]).arg(&folder).args(["--", "touch", "ran"]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.types("y\ny\n");
    terminal.shows("Go ahead? [y/N] ");
    terminal.types("\n");
    assert_eq!(child.wait().unwrap().code(), Some(126));
    assert!(!sandbox.work("ran").exists());
}

#[test]
fn who_sits_at_a_terminal_and_can_not_be_asked_is_told_why() {
    let sandbox = Sandbox::new();
    sandbox
        .actor("acme-a")
        .at("tool.call", question())
        .with(|package| package.folder(sandbox.work("dev")))
        .folder();
    let mut terminal = Terminal::new();
    let mut shell = sandbox
        .command(["exec", "--color=never", "--with", "dev", "--", "true"])
        .spawn_shell_on(&mut terminal);
    terminal.types("echo | $P\r");
    terminal.shows("standard input leads elsewhere than to your terminal, so you can't be asked");
    terminal.shows("pintle exec --shell");
    terminal.types("$P 2>errors; cat errors\r");
    terminal.shows("standard error leads elsewhere");
    terminal.types("exit\r");
    shell.wait().unwrap();
}

#[test]
fn a_question_shows_who_asks_and_all_it_says() {
    let sandbox = Sandbox::new();
    let title = json!({ "title": "Really\u{1b}[2J?", "details": ["one\r", "two\nthree"] });
    let folder = sandbox.actor("acme-a").at("tool.call", json!([{ "answer": { "ask": title } }])).folder();
    let mut terminal = Terminal::new();
    let run = sandbox.command(["exec", "--color=never", "--with"]).arg(&folder).args(["--", "true"]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.shows("acme-a asks: Really\\u{1b}[2J?\r\n  one\\u{d}\r\n  two\r\n  three\r\nGo ahead? [y/N] ");
    terminal.types("y\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn keys_after_the_answer_are_the_commands() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").at("tool.call", question()).folder();
    let mut terminal = Terminal::new();
    let script = "read line; echo \"read $line\"";
    let run = sandbox.command(["exec", "--with"]).arg(&folder).args(["--", "sh", "-c", script]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.shows("Go ahead? [y/N] ");
    terminal.types("y\nfor the command\n");
    terminal.shows("read for the command");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_question_that_stands_when_the_command_begins_is_taken_back() {
    let sandbox = Sandbox::new();
    let ask = json!([{ "ask": { "call": "ui.confirm", "arguments": { "title": "By the way?" } } }]);
    let actor = sandbox.actor("acme-a").at("session.start", ask);
    let folder = actor.with(|package| package.permission("\"ui.prompt\" = true")).folder();
    let mut terminal = Terminal::new();
    let script = "echo begins; read line; echo \"read $line\"";
    let run = sandbox.command(["exec", "--with"]).arg(&folder).args(["--", "sh", "-c", script]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.shows("begins");
    terminal.types("y\n");
    terminal.shows("read y");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    // Whether it was asked at all depends on who was faster; no answer is ever taken.
    let marks = sandbox.marks("acme-a");
    assert!(marks.iter().all(|mark| mark.contains(r#""answer":false"#)), "{marks:?}");
}

#[test]
fn what_extensions_show_waits_while_a_command_has_the_screen() {
    let sandbox = Sandbox::new();
    let call = |call: &str, arguments: Value| json!({ "ask": { "call": call, "arguments": arguments } });
    let status = |text: &str| call("ui.status", json!({ "key": "state", "text": text }));
    let at_output = json!([status("one"), status("two"), call("ui.notify", json!({ "text": "seen" }))]);
    let actor = sandbox.actor("acme-a").at("output.delta", at_output);
    let actor = actor.with(|package| package.table("[slots.status.state]\ndescription = \"how it is\""));
    let folder = actor.folder();
    let mut terminal = Terminal::new();
    let script = "echo begins; while ! test -e go; do sleep 0.02; done; echo ends";
    let run =
        sandbox.command(["exec", "--color=never", "--with"]).arg(&folder).args(["--", "sh", "-c", script]);
    let mut child = run.spawn_on(&mut terminal);
    terminal.shows("begins");
    // The extension has seen that, and shows something by now.
    wait_for("the message", || sandbox.marks("acme-a").len() >= 3);
    sandbox.write(&sandbox.work("go"), "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let shown = terminal.shows_at_last();
    let (before, after) = shown.split_once("ends\r\n").unwrap_or_else(|| panic!("{shown}"));
    assert!(!before.contains("acme-a"), "{shown}");
    assert!(after.contains("acme-a: seen\r\n") && after.contains("acme-a state: two\r\n"), "{shown}");
}
