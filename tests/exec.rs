//! `pintle exec`: extensions are asked before a command runs, told of its output, and heard after; and what the person
//! sees of all that.

use crate::kit::{Output, Sandbox, assert_nothing_runs};
use serde_json::{Value, json};

fn block(reason: &str) -> Value {
    json!([{ "answer": { "block": reason } }])
}

pub(crate) fn question() -> Value {
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
    // A shell line is replaced as a line.
    let change = json!([{ "change": { "line": "echo three; exit 3" } }]);
    let folder = sandbox.actor("acme-a").at("tool.call", change).folder();
    assert_eq!(with(&sandbox, &folder, &["--shell", "echo one"]).exits(3).stdout, "three\n");
}

#[test]
fn who_changes_a_command_is_told_with_what_runs_instead() {
    let sandbox = Sandbox::new();
    let change = json!([{ "change": { "argv": ["echo", "two words"] } }]);
    let folder = sandbox.actor("acme-a").at("tool.call", change).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "echo", "one"]), @"
    two words
    ---- standard error
    note: `acme-a` changed the command: `echo 'two words'` is run
    ---- exit code 0
    ");
}

#[test]
fn a_change_that_can_not_be_run_is_the_fault_of_who_made_it() {
    // Each in a home of its own: three of them would be a quarantine.
    let change = |fields: Value| {
        let sandbox = Sandbox::new();
        let folder = sandbox.actor("acme-a").at("tool.call", json!([{ "change": fields }])).folder();
        with(&sandbox, &folder, &["--", "echo", "one"])
    };
    insta::assert_snapshot!(change(json!({ "argv": ["rm", "-rf", "x"] })), @"
    ---- standard error
    error[guard.fault]: `echo one` was not run: `acme-a` guards it and failed
      caused by: its answer to `tool.call` is not valid: it changes the command to `rm` and says that it is `echo` [fault.bad_outcome]
    help: it runs because `--with` names the folder of `acme-a`; leave that out to run without it
    ---- exit code 126
    ");
    let check = |fields: Value, expected: &str| {
        let output = change(fields);
        let words = format!(
            "`echo one` was not run: `acme-a` guards it and failed\n  caused by: {expected} [fault.bad_outcome]\n"
        );
        assert!(output.stderr.contains(&words), "{output}");
        assert_eq!((output.code, output.stdout.as_str()), (126, ""), "{output}");
    };
    let not_valid = "its answer to `tool.call` is not valid: ";
    for (fields, expected) in [
        (json!({ "program": "rm" }), "it changes the command to `echo` and says that it is `rm`"),
        (json!({ "id": "another" }), "it changes `id`, which is pinned"),
        (json!({ "argv": [] }), "it is not a `ToolCall` at `/argv`: [] has less than 1 item"),
        (
            json!({ "argv": ["true", "\u{0}"], "program": "true" }),
            r"what it wants to run instead can't be run: the argument `\u{0}` of the command holds a zero byte",
        ),
        (
            json!({ "argv": ["no-such"], "program": "no-such" }),
            "what it wants to run instead can't be run: no program `no-such` in PATH",
        ),
        (
            json!({ "cwd": "/no/such/place" }),
            "what it wants to run instead can't be run: the working directory `/no/such/place` can't be entered: \
             No such file or directory (os error 2)",
        ),
    ] {
        check(fields, &format!("{not_valid}{expected}"));
    }
    // What a person mistyped is theirs, also where an extension changed something else.
    let sandbox = Sandbox::new();
    let other = json!([{ "change": { "line": "another" } }]);
    let folder = sandbox.actor("acme-a").at("tool.call", other).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "no-such-program"]), @r"
    ---- standard error
    error[command.not_found]: no program `no-such-program` in PATH
    help: install the program, or name its path; a shell's aliases, functions and own commands need a shell line
    ---- exit code 127
    ");
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

#[test]
fn an_extension_gets_a_short_list_of_the_environment_and_the_command_all_of_it() {
    let sandbox = Sandbox::new();
    let steps = json!([{ "environment": true }]);
    let folder = sandbox.actor("acme-a").at("tool.call", steps).folder();
    let run = sandbox.command(["exec", "--with"]).arg(&folder).args([
        "--",
        "sh",
        "-c",
        "echo $AWS_SECRET $GH_TOKEN",
    ]);
    let output =
        run.env("AWS_SECRET", "s3cret").env("GH_TOKEN", "t0ken").env("LC_TIME", "C").run().succeeds();
    assert_eq!(output.stdout, "s3cret t0ken\n");
    let marks = sandbox.marks("acme-a");
    let mut names: Vec<&str> = marks[0].split(' ').skip(1).collect();
    names.sort_unstable();
    // The shell that starts the actor adds PWD.
    let expected =
        ["HOME", "LC_TIME", "PATH", "PINTLE_DATA", "PINTLE_EXTENSION", "PINTLE_SCOPE", "PWD", "TMPDIR"];
    assert_eq!(names, expected);
}

#[test]
fn what_an_extension_prints_is_in_its_log_and_not_on_our_streams() {
    let sandbox = Sandbox::new();
    let print = json!([{ "print": "noise from the extension" }]);
    let actor = sandbox.actor("acme-a").when("start", print.clone()).at("tool.call", print.clone());
    let folder = actor.when("dispose", print).folder();
    let output = with(&sandbox, &folder, &["--", "echo", "clean"]).succeeds();
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("clean\n", ""));
    let log = sandbox.read(&sandbox.home("log/acme-a.log"));
    assert_eq!(log.matches("noise from the extension").count(), 3, "{log}");
    // What one host logged stands apart from what another did.
    with(&sandbox, &folder, &["--", "echo", "clean"]).succeeds();
    let log = sandbox.read(&sandbox.home("log/acme-a.log"));
    let heads: Vec<_> = log.lines().filter(|line| line.starts_with("---- 20")).collect();
    assert!(heads.len() == 2 && heads.iter().all(|head| head.contains("Z, process ")), "{log}");
}

#[test]
fn commands_of_extensions_are_run_by_name_and_the_second_of_a_name_by_another() {
    let sandbox = Sandbox::new();
    let says = |text: &str| json!([{ "mark": "/payload/args" }, { "answer": { "handled": { "text": text, "exit_code": 3 } } }]);
    let one = sandbox.actor("acme-a").offers("greet", says("from a\u{1b}[2J")).folder();
    let two = sandbox.actor("acme-b").offers("greet", says("from b\nin two lines\n")).folder();
    let run = |words: &[&str]| {
        sandbox.command(["exec", "--with"]).arg(&one).arg("--with").arg(&two).args(words).run()
    };
    let output = run(&["--command", "greet", "--", "ada", "--help"]).exits(3);
    assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("from a\\u{1b}[2J\n", ""));
    assert_eq!(sandbox.marks("acme-a"), [r#"slot.command ["ada","--help"]"#]);
    assert_eq!(run(&["--command", "greet:2"]).exits(3).stdout, "from b\nin two lines\n");
    insta::assert_snapshot!(run(&["--command", "gret"]), @"
    ---- standard error
    error[command.unknown]: no extension that runs offers a command `gret`
    help: did you mean `greet`?
    help: there is greet, greet:2
    ---- exit code 1
    ");
    let loaded = sandbox.command(["load", "--with"]).arg(&one).arg("--with").arg(&two).run().succeeds();
    loaded.says("collision: the command `greet` of `acme-b` is called `greet:2`: `acme-a` has that name");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--command", "greet"]), @"
    ---- standard error
    error[command.unknown]: no extension that runs offers a command `greet`
    help: see what runs, and what does not, with `pintle load`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--no-extensions", "--command", "greet", "touch", "x"]), @"
    ---- standard error
    error[usage]: a command of an extension can't be run without extensions
    help: leave out `--no-extensions`, and unset PINTLE_NO_EXTENSIONS
    ---- exit code 2
    ");
    let broken = sandbox
        .actor("acme-a")
        .offers("greet", json!([{ "print": "the disk is full" }, { "exit": 3 }]))
        .folder();
    insta::assert_snapshot!(with(&sandbox, &broken, &["--command", "greet"]), @"
    ---- standard error
    warning: `acme-a` failed: it ended with exit code 3 [fault.exited]
    error[command.fault]: `acme-a` failed
      caused by: it ended with exit code 3
      caused by: out: the disk is full
    ---- exit code 7
    ");
}

#[test]
fn a_command_of_one_that_does_not_run_says_so() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").offers("greet", json!([])).install();
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["exec", "--command", "greet"]), @"
    ---- standard error
    error[command.unknown]: no extension that runs offers a command `greet`
    help: see what runs, and what does not, with `pintle load`
    help: `acme-a` does not run now: it is disabled (trust.disabled)
    ---- exit code 1
    ");
}

#[test]
fn messages_and_status_lines_are_shown_under_the_name_of_who_says_them() {
    let sandbox = Sandbox::new();
    let call = |call: &str, arguments: Value| json!({ "ask": { "call": call, "arguments": arguments } });
    let status = |text: Value| call("ui.status", json!({ "key": "state", "text": text }));
    let steps = json!([
        call("ui.notify", json!({ "text": "two\nlines\u{1b}[2J", "level": "warning" })),
        status(json!("counting")),
        status(json!("counting")),
        status(json!("done")),
        status(Value::Null),
    ]);
    let actor = sandbox.actor("acme-a").at("tool.call", steps);
    let folder =
        actor.with(|package| package.table("[slots.status.state]\ndescription = \"how it is\"")).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "echo", "out"]), @r"
    out
    ---- standard error
    acme-a: two
      lines\u{1b}[2J
    acme-a state: counting
    acme-a state: done
    ---- exit code 0
    ");
}

#[test]
fn a_status_line_that_the_manifest_does_not_declare_is_refused() {
    let sandbox = Sandbox::new();
    let ask = json!({ "ask": { "call": "ui.status", "arguments": { "key": "stat", "text": "here" } } });
    let actor = sandbox.actor("acme-a").at("tool.call", json!([ask]));
    let folder =
        actor.with(|package| package.table("[slots.status.state]\ndescription = \"how it is\"")).folder();
    with(&sandbox, &folder, &["--", "true"]).succeeds();
    insta::assert_snapshot!(sandbox.marks("acme-a").join("\n"), @r#"tool.call reply {"code":"slot.undeclared","message":"`acme-a` declares no entry `stat` of the slot `status` (did you mean `state`?); a table `[slots.status.stat]` in extension.toml declares it"}"#);
}

#[test]
fn a_trace_has_every_dispatch_outcome_fault_and_call() {
    let sandbox = Sandbox::new();
    let ask = json!([{ "ask": { "call": "session.cwd", "arguments": {} } }, { "ask": { "call": "process.run", "arguments": { "program": "id" } } }]);
    let actor = sandbox
        .actor("acme-a")
        .at("tool.call", ask)
        .at("output.delta", json!([]))
        .at("session.end", json!([]));
    let folder = actor.at("tool.result", json!([{ "answer": { "items": [] } }])).folder();
    with(&sandbox, &folder, &["--trace", "trace.jsonl", "--", "echo", "out"]).succeeds();
    let text = sandbox.read(&sandbox.work("trace.jsonl"));
    let mut last = 0;
    let mut seen = Vec::new();
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("each line is JSON");
        let at = line["at_us"].as_u64().expect("each line has its time");
        assert!(at >= last, "the times go up: {text}");
        last = at;
        let keys = ["stage", "hook", "extension", "outcome", "call", "error", "code"];
        let words = keys.iter().filter_map(|key| line[key].as_str()).collect::<Vec<_>>().join(" ");
        seen.push(format!("{} {words}", line["event"].as_str().unwrap()));
    }
    seen.sort();
    insta::assert_snapshot!(seen.join("\n"), @"
    call acme-a process.run permission.denied
    call acme-a session.cwd
    dispatch output.delta
    dispatch session.end
    dispatch tool.call
    dispatch tool.result
    disposed acme-a
    fault acme-a fault.bad_outcome
    outcome output.delta acme-a continue
    outcome session.end acme-a continue
    outcome tool.call acme-a continue
    outcome tool.result acme-a items
    stage compat acme-a
    stage entry acme-a
    stage install acme-a
    stage load acme-a
    stage trust acme-a
    ");
    sandbox
        .pintle(["exec", "--trace", "nowhere/trace", "--", "touch", "ran"])
        .exits(1)
        .says("error[trace.file]");
    assert!(!sandbox.work("ran").exists());
}

#[test]
fn a_trace_says_why_and_what_a_person_answered() {
    let check = |answer: Value, expected: &[&str]| {
        let sandbox = Sandbox::new();
        let folder = sandbox.actor("acme-a").at("tool.call", json!([{ "answer": answer }])).folder();
        with(&sandbox, &folder, &["--trace", "trace.jsonl", "--", "true"]).exits(126);
        let text = sandbox.read(&sandbox.work("trace.jsonl"));
        expected.iter().for_each(|words| assert!(text.contains(words), "{words}: {text}"));
    };
    check(json!({ "block": "not on a Monday" }), &[r#""outcome":"block""#, r#""said":"not on a Monday""#]);
    let asked =
        [r#""said":"go on?""#, r#""event":"asked","extension":"acme-a","title":"go on?","answer":"nobody""#];
    check(json!({ "ask": { "title": "go on?", "details": [] } }), &asked);
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").at("tool.call", json!([])).folder();
    sandbox.write(
        &folder.join("extension.toml"),
        sandbox.read(&folder.join("extension.toml")).replace(">=1.0, <2", ">=9.0, <10"),
    );
    with(&sandbox, &folder, &["--trace", "trace.jsonl", "--", "true"]).succeeds();
    let text = sandbox.read(&sandbox.work("trace.jsonl"));
    assert!(
        text.contains(r#""stage":"compat","passed":false"#) && text.contains(r#""code":"compat."#),
        "{text}"
    );
}

#[test]
fn a_trace_has_what_extensions_are_called_for_besides_hooks() {
    let sandbox = Sandbox::new();
    let ask = |call: &str, arguments: Value| json!({ "ask": { "call": call, "arguments": arguments } });
    let steps = json!([
        ask("bus.subscribe", json!({ "topic": "acme-a:news" })),
        ask("bus.emit", json!({ "topic": "news", "value": 1 })),
        ask("timer.after", json!({ "ms": 0, "name": "tea" })),
    ]);
    let actor = sandbox.actor("acme-a").at("session.start", steps).at("session.end", json!([]));
    let reply = json!([{ "answer": { "handled": { "text": "hello" } } }]);
    let folder = actor.offers("greet", reply).folder();
    with(&sandbox, &folder, &["--trace", "trace.jsonl", "--", "sleep", "0.2"]).succeeds();
    let seen = |words: &str| {
        let text = sandbox.read(&sandbox.work("trace.jsonl"));
        text.lines().filter(|line| line.contains(words)).count()
    };
    for hook in ["bus", "timer"] {
        assert_eq!(seen(&format!("\"event\":\"dispatch\",\"hook\":\"{hook}\"")), 1, "{hook}");
        let outcome = format!("\"event\":\"outcome\",\"hook\":\"{hook}\",\"extension\":\"acme-a\"");
        assert_eq!(seen(&outcome), 1, "{hook}");
    }
    with(&sandbox, &folder, &["--trace", "trace.jsonl", "--command", "greet"]).succeeds();
    assert_eq!(seen("\"event\":\"dispatch\",\"hook\":\"slot.command\""), 1);
    assert_eq!(seen("\"outcome\":\"handled\""), 1);
}

#[test]
fn what_an_extension_shows_is_bounded() {
    let sandbox = Sandbox::new();
    let notify = json!({ "ask": { "call": "ui.notify", "arguments": { "text": "again" } } });
    let folder = sandbox.actor("acme-a").at("tool.call", Value::Array(vec![notify; 210])).folder();
    let output = with(&sandbox, &folder, &["--", "true"]).succeeds();
    assert_eq!(output.stderr, "acme-a: again\n".repeat(200));
    let refused = sandbox.marks("acme-a").iter().filter(|mark| mark.contains("ui.flood")).count();
    assert_eq!(refused, 10);
}

#[test]
fn case_64_whoever_is_slow_to_start_is_named_while_it_is_waited_for() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").folder();
    let run = sandbox.read(&folder.join("bin/run")).replace("exec ", "sleep 2.3; exec ");
    sandbox.write(&folder.join("bin/run"), run);
    insta::assert_snapshot!(with(&sandbox, &folder, &["--", "echo", "out"]), @"
    out
    ---- standard error
    note: waiting for `acme-a` to start
    ---- exit code 0
    ");
}

#[test]
fn each_hook_of_a_session_is_fired_once_and_in_order() {
    let sandbox = Sandbox::new();
    let mark = json!([{ "mark": "fired" }]);
    let hooks = ["session.start", "tool.call", "tool.result", "session.end"];
    let actor = hooks.iter().fold(sandbox.actor("acme-a"), |actor, hook| actor.at(hook, mark.clone()));
    let folder = actor.folder();
    with(&sandbox, &folder, &["--", "echo", "out"]).succeeds();
    let expected: Vec<String> = hooks.iter().map(|hook| format!("{hook} \"fired\"")).collect();
    assert_eq!(sandbox.marks("acme-a"), expected);
}

#[test]
fn a_command_line_that_makes_no_sense_is_answered_before_anything_is_loaded() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").when("start", json!([{ "mark": "started" }])).folder();
    insta::assert_snapshot!(with(&sandbox, &folder, &[]), @"
    ---- standard error
    error[usage]: no command is given
    help: write it after two dashes: `pintle exec -- make test`
    ---- exit code 2
    ");
    with(&sandbox, &folder, &["--format=json", "--", "true"]).fails(2, "usage");
    sandbox.pintle(["exec", "--no-extensions"]).fails(2, "usage");
    // A slip in an option is no command.
    sandbox.pintle(["exec", "--witout", "acme-a", "touch", "ran"]).exits(2);
    sandbox.pintle(["bisect", "--timeot", "5s", "--", "false"]).exits(2);
    assert_eq!(sandbox.pintle(["exec", "echo", "-n", "--with", "--", "x"]).succeeds().stdout, "--with -- x");
    assert_eq!(sandbox.pintle(["exec", "--", "echo", "--", "x"]).succeeds().stdout, "-- x\n");
    sandbox.pintle(["exec", "--no-extensions", "--only", "acme-a", "--", "true"]).exits(2);
    assert_eq!(sandbox.marks("acme-a"), [""; 0]);
    insta::assert_snapshot!(sandbox.pintle(["exec", "--with", "nowhere", "--", "touch", "ran"]), @"
    ---- standard error
    error[local.not_an_extension]: `[root]/work dir/nowhere` is neither a folder with an `extension.toml` nor a package archive
    help: an extension has an `extension.toml`; start one with `pintle new NAME`
    help: to run it without any extension: `--no-extensions`
    ---- exit code 126
    ");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--only", "acme-a", "--", "touch", "ran"]), @"
    ---- standard error
    error[set.not_installed]: `acme-a` is not installed
    help: see what is installed with `pintle list`
    help: to run it without any extension: `--no-extensions`
    ---- exit code 126
    ");
    assert!(!sandbox.work("ran").exists());
}
