//! `pintle exec`: extensions are asked before a command runs, told of its output, and heard after; and what the person
//! sees of all that.

use crate::kit::{Output, Sandbox, assert_nothing_runs};
use serde_json::{Value, json};

fn block(reason: &str) -> Value {
    json!([{ "answer": { "block": reason } }])
}

fn question() -> Value {
    json!([{ "answer": { "ask": { "title": "Really?", "details": ["first line", "second line"] } } }])
}

/// Runs `exec` with a folder, and looks that nothing of it is left.
#[track_caller]
fn with(sandbox: &Sandbox, folder: &std::path::Path, words: &[&str]) -> Output {
    let output = sandbox.command(["exec", "--with"]).arg(folder).args(words).run();
    assert_nothing_runs(sandbox);
    output
}

#[test]
fn a_blocked_command_does_not_run_and_says_who_and_why() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").at("tool.call", block("not today")).folder();
    let output = with(&sandbox, &folder, &["--", "touch", "ran"]);
    insta::assert_snapshot!(output, @"
    ---- standard error
    error[guard.blocked]: `acme-a` blocked `touch ran`
      caused by: not today
    ---- exit code 126
    ");
    assert!(!sandbox.work("ran").exists());
}

#[test]
fn a_question_without_a_terminal_blocks_with_everything_that_would_have_been_shown() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").at("tool.call", question()).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "touch", "ran"]), @"
    ---- standard error
    error[guard.unasked]: `acme-a` blocked `touch ran`: it needs a yes, and nobody is here to be asked
      caused by: Really?
        first line
        second line
    help: run it in a terminal, where you can answer
    ---- exit code 126
    ");
    assert!(!sandbox.work("ran").exists());
}

#[test]
fn what_a_guard_puts_in_its_place_is_what_runs() {
    let sandbox = Sandbox::new();
    let change = |fields: Value| {
        let actor = sandbox.actor("acme-a").at("tool.call", json!([{ "change": fields }]));
        with(&sandbox, &actor.folder(), &["--", "echo", "one"])
    };
    std::fs::create_dir(sandbox.work("below")).unwrap();
    assert_eq!(change(json!({ "argv": ["echo", "two"] })).succeeds().stdout, "two\n");
    let other = change(json!({ "argv": ["pwd"], "program": "pwd", "cwd": sandbox.work("below") }));
    assert_eq!(other.succeeds().stdout, "[root]/work dir/below\n");
    insta::assert_snapshot!(change(json!({ "argv": ["rm", "-rf", "x"] })), @"
    ---- standard error
    error[guard.inconsistent]: an extension changed the command to `rm` and says that it is `echo`
    help: `--trace FILE` shows which one
    ---- exit code 126
    ");
    insta::assert_snapshot!(change(json!({ "program": "rm" })), @"
    ---- standard error
    error[guard.inconsistent]: an extension changed the command to `echo` and says that it is `rm`
    help: `--trace FILE` shows which one
    ---- exit code 126
    ");
    insta::assert_snapshot!(change(json!({ "id": "another" })), @"
    ---- standard error
    warning: `acme-a` failed: its answer to `tool.call` is not valid: it changes `id`, which is pinned [fault.bad_outcome]
    error[guard.fault]: `echo one` was not run: `acme-a` guards it and failed
      caused by: its answer to `tool.call` is not valid: it changes `id`, which is pinned
    help: what happened is in its log; a person turns it off with `pintle disable acme-a`
    ---- exit code 126
    ");
    insta::assert_snapshot!(change(json!({ "argv": [] })), @"
    ---- standard error
    warning: `acme-a` failed: its answer to `tool.call` is not valid: it is not a `ToolCall` at `/argv`: [] has less than 1 item [fault.bad_outcome]
    error[guard.fault]: `echo one` was not run: `acme-a` guards it and failed
      caused by: its answer to `tool.call` is not valid: it is not a `ToolCall` at `/argv`: [] has less than 1 item
    help: what happened is in its log; a person turns it off with `pintle disable acme-a`
    ---- exit code 126
    ");
    insta::assert_snapshot!(change(json!({ "argv": ["true", "\u{0}"], "program": "true" })), @r"
    ---- standard error
    error[command.zero_byte]: the argument `\u{0}` of the command holds a zero byte
    help: no program can be given such an argument
    ---- exit code 126
    ");
    // A shell line is replaced as a line.
    let change = json!([{ "change": { "line": "echo three; exit 3" } }]);
    let folder = sandbox.actor("acme-a").at("tool.call", change).folder();
    assert_eq!(with(&sandbox, &folder, &["--shell", "echo one"]).exits(3).stdout, "three\n");
}

#[test]
fn notes_on_a_result_are_printed_after_the_output() {
    let sandbox = Sandbox::new();
    let notes = json!([
        { "mark": "/tail" }, { "mark": "/exit_code" },
        { "change": { "notes": ["it went wrong", "twice\u{1b}[2J\nreally"] } },
    ]);
    let folder = sandbox.actor("acme-a").at("tool.result", notes).folder();
    let output = with(&sandbox, &folder, &["--", "sh", "-c", "echo out; echo err >&2; exit 4"]);
    insta::assert_snapshot!(output, @r"
    out
    ---- standard error
    err
    note: it went wrong
    note: twice\u{1b}[2J\u{a}really
    ---- exit code 4
    ");
    let marks = sandbox.marks("acme-a");
    assert!(
        marks[0] == r#"tool.result "out\nerr\n""# || marks[0] == r#"tool.result "err\nout\n""#,
        "{marks:?}"
    );
    assert_eq!(marks[1], "tool.result 4");
    // Of what an extension must not change, nothing is changed, and the command's end stays as it was.
    let folder =
        sandbox.actor("acme-a").at("tool.result", json!([{ "change": { "exit_code": 0 } }])).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "sh", "-c", "exit 4"]), @"
    ---- standard error
    warning: `acme-a` failed: its answer to `tool.result` is not valid: it changes `exit_code`, which is pinned [fault.bad_outcome]
    ---- exit code 4
    ");
}
