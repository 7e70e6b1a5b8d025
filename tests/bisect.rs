//! `pintle bisect` from the outside: real extensions, one or two of which break a real command.

use crate::kit::{Output, Sandbox, Terminal, interrupt, wait_for};
use serde_json::{Value, json};

/// Publishes and installs well-behaved extensions.
fn crowd(sandbox: &Sandbox, count: usize) {
    for number in 0..count {
        sandbox.actor(&format!("crowd-{number:02}")).at("tool.call", json!([])).install();
    }
}

fn bisect(sandbox: &Sandbox, command: &[&str]) -> Output {
    sandbox.command(["bisect", "--yes", "--"]).args(command).run()
}

/// Returns the document of a bisection that found something.
fn document(sandbox: &Sandbox, options: &[&str], command: &[&str]) -> Value {
    let run = sandbox.command(["bisect", "--yes", "--format=json"]).args(options);
    run.arg("--").args(command).run().succeeds().json()
}

fn runs(document: &Value) -> &Vec<Value> {
    document["runs"].as_array().unwrap()
}

/// Masks numbers that differ from run to run: durations, and the name of the directory of logs.
fn masked(sandbox: &Sandbox, text: &str) -> String {
    let mut masked = String::new();
    for line in sandbox.normalise(text).lines() {
        let line = match (line.find("/bisect/"), line.find(" in ")) {
            (Some(at), _) if line.contains("/run-") => {
                let rest = line[at..].find("/run-").unwrap();
                format!("{}/bisect/[dir]{}", &line[..at], &line[at + rest..])
            }
            (Some(at), Some(time)) => {
                let end = line.find(';').unwrap();
                format!("{} in [time]{}/bisect/[dir]", &line[..time], &line[end..at])
            }
            (Some(at), None) => format!("{}/bisect/[dir]", &line[..at]),
            (None, _) => line.to_owned(),
        };
        masked.push_str(line.trim_end());
        masked.push('\n');
    }
    masked
}

#[test]
fn one_of_seven_is_found_and_named_with_what_it_did() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 6);
    sandbox.actor("crowd-xx").at("tool.call", json!([{ "print": "oh no" }, { "exit": 3 }])).install();
    let output = bisect(&sandbox, &["true"]).succeeds();
    insta::assert_snapshot!(masked(&sandbox, &output.raw_stdout), @"
    crowd-xx breaks it: with it alone the command fails
      what crowd-xx did: it ended with exit code 3 [fault.exited]
      | error[guard.fault]: `true` was not run: `crowd-xx` guards it and failed
      |   caused by: it ended with exit code 3 [fault.exited]
      | help: what it printed and logged is in `[root]/home dir/log/crowd-xx.log`
      | help: `pintle disable crowd-xx` turns it off
      next: turn it off with `pintle disable crowd-xx`; without it the command passes
    8 runs in [time]; output and traces are in [root]/home dir/log/bisect/[dir]
    ");
    insta::assert_snapshot!(masked(&sandbox, &output.raw_stderr), @"
    fails with 7 extensions: exit code 126; run-1.log
   passes with no extension: exit code 0; run-2.log
   passes with crowd-00, crowd-01, crowd-02: exit code 0; run-3.log
   passes with 5 extensions: exit code 0; run-4.log
   passes with 6 extensions: exit code 0; run-5.log
    fails with crowd-xx: exit code 126; run-6.log
    fails with crowd-xx: exit code 126; run-7.log
   passes with 6 extensions: exit code 0; run-8.log
    ");
    // What happened in it is held against nobody, though it failed many times.
    sandbox.pintle(["quarantine", "list"]).succeeds().says("nothing is in quarantine");
    assert!(!sandbox.home("state/starts.json").exists());
    assert!(!sandbox.home("log/runs.jsonl").exists());
    sandbox.pintle(["ledger"]).succeeds().says("nothing is held");
    let logs: Vec<String> =
        sandbox.listing().paths().filter(|path| path.contains("/bisect/")).cloned().collect();
    assert!(logs.iter().any(|path| path.ends_with("/run-1.log")), "{logs:#?}");
    assert!(!logs.iter().any(|path| path.contains("/run-1/")), "{logs:#?}");
    // What it advises helps.
    sandbox.pintle(["exec", "--", "true"]).exits(126);
    sandbox.pintle(["disable", "crowd-xx"]).succeeds();
    sandbox.pintle(["exec", "--", "true"]).succeeds();
}

#[test]
fn one_that_blocks_is_found_and_the_document_tells_every_run() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 3);
    let block = json!([{ "answer": { "block": "not today" } }]);
    sandbox.actor("acme-b").at("tool.call", block).install();
    let document = document(&sandbox, &[], &["echo", "hi"]);
    assert_eq!(document["found"], json!(["acme-b"]));
    assert_eq!(document["enough"], true);
    assert_eq!(document["did"]["code"], "guard.blocked");
    assert_eq!(document["disable"], "pintle disable acme-b");
    let first = &runs(&document)[0];
    assert_eq!(first["extensions"].as_array().unwrap().len(), 4);
    assert_eq!((&first["fails"], &first["exit_code"]), (&json!(true), &json!(126)));
    let second = &runs(&document)[1];
    assert_eq!((&second["extensions"], &second["fails"]), (&json!([]), &json!(false)));
    let log = sandbox.read(std::path::Path::new(first["log"].as_str().unwrap()));
    assert!(log.contains("not today"), "{log}");
    let log = sandbox.read(std::path::Path::new(second["log"].as_str().unwrap()));
    assert_eq!(log, "hi\n");
}

#[test]
fn a_real_example_is_found_among_others() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 2);
    let hello = sandbox.example("hello", &[]);
    sandbox.command(["install", "--"]).arg(&hello).run().succeeds();
    let misbehave = sandbox.example("misbehave", &["wrong-outcome", "tool.call"]);
    sandbox.command(["install", "--"]).arg(&misbehave).run().succeeds();
    let found = document(&sandbox, &[], &["true"]);
    assert_eq!(found["found"], json!(["misbehave"]));
    assert_eq!(found["did"]["code"], "protocol.bad_message", "{found:#}");
    // The same from a folder that is installed nowhere.
    sandbox.pintle(["uninstall", "misbehave"]).succeeds();
    let folder = misbehave.to_str().unwrap();
    let found = document(&sandbox, &["--with", folder], &["true"]);
    assert_eq!(found["found"], json!(["misbehave"]));
    sandbox.pintle(["bisect", "--yes", "--", "true"]).fails(1, "bisect.passes");
}

#[test]
fn two_that_break_it_together_are_both_named() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 3);
    for name in ["acme-p", "crowd-zz"] {
        sandbox.actor(name).at("tool.call", json!([{ "mark": "was here" }])).install();
    }
    let marks = sandbox.root().join("marks");
    let script = format!(
        "cd '{}' 2>/dev/null || exit 0; test -e acme-p && test -e crowd-zz; both=$?; rm -f acme-p crowd-zz; test $both != 0",
        marks.display()
    );
    let output = sandbox.command(["bisect", "--yes", "--shell", &script]).run().succeeds();
    let output = output.says("crowd-zz and acme-p break it together").says("and with fewer it passes");
    output.says("it neither failed nor blocked anything").says("turn it off with `pintle disable ");
    let found =
        sandbox.command(["bisect", "-y", "--format=json", "--shell", &script]).run().succeeds().json();
    let mut names: Vec<&str> =
        found["found"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!((names, &found["enough"]), (vec!["acme-p", "crowd-zz"], &json!(true)));
}

#[test]
fn what_something_needs_is_tried_with_it_and_can_be_what_breaks() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 2);
    let block = json!([{ "answer": { "block": "no" } }]);
    sandbox.actor("acme-d").at("tool.call", block.clone()).install();
    let needing = |name: &str| sandbox.actor(name).with(|package| package.depends("acme-d", "^1"));
    needing("acme-a").at("tool.call", json!([])).install();
    let found = document(&sandbox, &[], &["true"]);
    assert_eq!(found["found"], json!(["acme-d"]));
    // Now the one that needs it breaks the command, and is never tried without what it needs.
    sandbox.actor("acme-d").version("1.1.0").at("tool.call", json!([])).install();
    needing("acme-a").version("1.1.0").at("tool.call", block).install();
    let found = document(&sandbox, &[], &["true"]);
    assert_eq!(found["found"], json!(["acme-a"]));
    for run in runs(&found) {
        let members: Vec<&str> =
            run["extensions"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
        assert!(!members.contains(&"acme-a") || members.contains(&"acme-d"), "{members:?}");
    }
}

#[test]
fn of_two_that_each_break_it_one_is_found_and_the_other_is_foretold() {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b"] {
        sandbox.actor(name).at("tool.call", json!([{ "answer": { "block": "no" } }])).install();
    }
    crowd(&sandbox, 1);
    let output = bisect(&sandbox, &["true"]).succeeds();
    output.says("acme-a breaks it").says("another one breaks the command too, so run this again after that");
    let found = document(&sandbox, &["--without", "acme-a"], &["true"]);
    assert_eq!((&found["found"], &found["enough"]), (&json!(["acme-b"]), &json!(true)));
}

#[test]
fn a_command_that_does_not_end_in_time_fails_and_leaves_nothing() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 1);
    sandbox.actor("acme-h").at("tool.call", json!([{ "mark": "was here" }])).install();
    let mark = sandbox.root().join("marks/acme-h");
    // It ignores what asks it to end.
    let script = format!(
        "trap '' TERM INT HUP; test -e '{mark}' || exit 0; rm '{mark}'; echo $$ >> pids; while :; do sleep 1; done",
        mark = mark.display()
    );
    let found = sandbox
        .command(["bisect", "-y", "--timeout", "1s", "--format=json", "--only", "acme-h", "--shell", &script])
        .run()
        .succeeds()
        .json();
    assert_eq!(found["found"], json!(["acme-h"]));
    assert_eq!(runs(&found)[0]["timed_out"], true);
    for pid in sandbox.read(&sandbox.work("pids")).lines() {
        wait_for("the end of the command", || !std::path::Path::new("/proc").join(pid).exists());
    }
}

#[test]
fn a_bad_exit_code_can_be_named() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-m").at("tool.call", json!([{ "mark": "was here" }])).install();
    let mark = sandbox.root().join("marks/acme-m");
    let script = format!("test -e '{mark}' || exit 4; rm '{mark}'; exit 3", mark = mark.display());
    let with =
        |options: &[&str]| sandbox.command(["bisect", "-y"]).args(options).args(["--shell", &script]).run();
    with(&[]).fails(1, "bisect.not_an_extension");
    with(&["--bad-exit", "4"]).fails(1, "bisect.passes");
    with(&["--bad-exit", "3"]).succeeds().says("acme-m breaks it");
}

#[test]
fn where_there_is_nothing_to_find_that_is_said() {
    let sandbox = Sandbox::with_registry();
    bisect(&sandbox, &["false"]).fails(1, "bisect.no_extensions");
    crowd(&sandbox, 2);
    bisect(&sandbox, &["true"]).fails(1, "bisect.passes").says("output and traces are in");
    bisect(&sandbox, &["false"]).fails(1, "bisect.not_an_extension");
    bisect(&sandbox, &["no-such-program"]).fails(1, "bisect.not_an_extension");
    sandbox.pintle(["bisect", "--yes"]).fails(2, "usage");
    sandbox.pintle(["bisect", "--", "true"]).fails(1, "needs_input").says("--yes");
    let document =
        sandbox.pintle(["bisect", "-y", "--format=json", "--", "true"]).fails(1, "bisect.passes").json();
    assert_eq!(document["error"]["details"]["runs"].as_array().unwrap().len(), 1);
    // What is off can't be to blame, and is not turned on to find that out.
    sandbox.actor("acme-off").at("tool.call", json!([{ "exit": 1 }])).install();
    sandbox.pintle(["disable", "acme-off"]).succeeds();
    bisect(&sandbox, &["true"]).fails(1, "bisect.passes").says("with crowd-00, crowd-01:");
    assert_eq!(sandbox.marks("acme-off"), Vec::<String>::new());
}

#[test]
fn a_command_that_fails_only_sometimes_proves_nothing_and_that_is_said() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 1);
    let script = "n=$(cat count 2>/dev/null || echo 0); echo $((n + 1)) > count; test $n != 0";
    let output = sandbox.command(["bisect", "-y", "--shell", script]).run();
    output.fails(1, "bisect.unsteady").says("fails with crowd-00 at one time and passes at another");
}

#[test]
fn what_is_required_and_not_ready_is_found_too() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 2);
    sandbox.actor("acme-r").at("tool.call", json!([])).install();
    let text = sandbox.read(&sandbox.home("pintle.toml"));
    let text = text.replace("acme-r = \"=1.0.0\"", "acme-r = { version = \"=1.0.0\", required = true }");
    assert!(text.contains("required = true"), "{text}");
    sandbox.write(&sandbox.home("pintle.toml"), text);
    std::fs::remove_file(sandbox.root().join("nothing")).unwrap_err();
    let program = sandbox.extension("acme-r").join("bin/run");
    crate::kit::remove(program);
    sandbox.pintle(["exec", "--", "true"]).fails(126, "exec.required");
    let found = document(&sandbox, &[], &["true"]);
    assert_eq!((&found["found"], &found["did"]["code"]), (&json!(["acme-r"]), &json!("not_ready")));
}

#[test]
fn a_person_at_a_terminal_is_asked_and_can_stop_it() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 2);
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["bisect", "--", "touch", "ran"]).spawn_on(&mut terminal);
    terminal.shows("The command will be run about 6 times, with some of 2 extensions or none. Is it safe to repeat? [y/N]");
    terminal.types("n\n");
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(!sandbox.work("ran").exists());

    let (mut child, _) =
        sandbox.command(["bisect", "-y", "--", "sh", "-c", "echo $$ > pid; exec sleep 1000"]).spawn();
    wait_for("the command", || {
        std::fs::read_to_string(sandbox.work("pid")).is_ok_and(|pid| pid.ends_with('\n'))
    });
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let pid = sandbox.read(&sandbox.work("pid"));
    wait_for("the end of the command", || !std::path::Path::new("/proc").join(pid.trim()).exists());
}

#[test]
fn the_logs_of_the_last_searches_are_kept_and_no_more() {
    let sandbox = Sandbox::with_registry();
    crowd(&sandbox, 1);
    for second in 0..7 {
        let run = sandbox.command(["bisect", "-y", "--", "true"]).on(&format!("2030-01-10T12:00:0{second}Z"));
        run.run().fails(1, "bisect.passes");
    }
    let mut kept: Vec<String> = std::fs::read_dir(sandbox.home("log/bisect"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    kept.sort();
    assert_eq!(kept.len(), 5, "{kept:?}");
    assert!(kept[4].starts_with("1894276806"), "{kept:?}");
}
