//! Supervision from the outside: what fails too often is put away with the evidence, and whoever only ends a host blames
//! nobody.

use crate::kit::{Output, Sandbox, assert_nothing_runs, send, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A command that runs until the file `go` is there.
const UNTIL_GO: [&str; 3] = ["sh", "-c", "until test -e go; do echo tick; sleep 0.02; done"];

fn mark(text: &str) -> Value {
    json!({ "mark": text })
}

/// Masks times and numbers of processes.
fn masked(output: &Output) -> String {
    let is_time = |word: &str| {
        word.len() >= 8 && word.contains([':', '-']) && word.starts_with(|c: char| c.is_ascii_digit())
    };
    let lines = output.to_string();
    let masked = lines.lines().map(|line| {
        line.split(' ').map(|word| if is_time(word) { "[time]" } else { word }).collect::<Vec<_>>().join(" ")
    });
    masked.collect::<Vec<_>>().join("\n")
}

#[test]
fn three_crashes_in_a_minute_are_quarantine_with_the_evidence() {
    let sandbox = Sandbox::with_registry();
    let crash = json!([{ "print": "about to fail" }, { "exit": 3 }]);
    sandbox.actor("acme-a").at("output.delta", crash).install();
    sandbox.actor("acme-b").at("tool.result", json!([mark("heard")])).install();
    let put_away = sandbox.home("state/quarantine.json");
    let script = format!("until test -s '{}'; do echo tick; sleep 0.02; done", put_away.display());
    let output = sandbox.command(["exec", "--", "sh", "-c", &script]).run().succeeds();
    assert_nothing_runs(&sandbox);
    assert_eq!(
        output.stderr.matches("warning: `acme-a` failed: it ended with exit code 3 [fault.exited]").count(),
        3
    );
    let output = output.says("`acme-a` is in quarantine now: 3 faults within a minute");
    assert_eq!(sandbox.marks("acme-b"), ["tool.result \"heard\""], "{output}");
    insta::assert_snapshot!(masked(&sandbox.pintle(["quarantine", "list"])), @"
    acme-a  1.0.0  [time] [time] UTC  3 faults within a minute; the last: it ended with exit code 3
    ---- exit code 0
    ");
    insta::assert_snapshot!(masked(&sandbox.pintle(["quarantine", "show", "acme-a"])), @"
    acme-a 1.0.0  in quarantine since [time] [time] UTC
      3 faults within a minute; the last: it ended with exit code 3

    [time] [time] UTC  it ended with exit code 3 [fault.exited]
        out: about to fail

    [time] [time] UTC  it ended with exit code 3 [fault.exited]
        out: about to fail
        out: about to fail

    [time] [time] UTC  it ended with exit code 3 [fault.exited]
        out: about to fail
        out: about to fail
        out: about to fail

    help: `pintle update acme-a` looks for a release that is mended; `pintle quarantine release acme-a` lets this one run again
    ---- exit code 0
    ");
    let document = sandbox.pintle(["quarantine", "show", "acme-a", "--format=json"]).succeeds().json();
    let evidence = &document["extension"];
    assert_eq!(evidence["faults"].as_array().unwrap().len(), 3);
    assert_eq!(evidence["faults"][0]["code"], "fault.exited");
    assert!(evidence["since"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{document:#}");
    insta::assert_snapshot!(sandbox.pintle(["exec", "--", "echo", "ran"]), @"
    ran
    ---- standard error
    warning: `acme-a` is left out, at the stage trust: it is in quarantine: 3 faults within a minute; the last: it ended with exit code 3 [trust.quarantined]
    help: `pintle quarantine release acme-a` lets it run again
    ---- exit code 0
    ");
    sandbox.pintle(["quarantine", "show", "acme-b"]).fails(1, "quarantine.unknown");
    insta::assert_snapshot!(sandbox.pintle(["quarantine", "release", "acme-a", "--dry-run"]), @"
    acme-a would run again (dry run, nothing was changed)
    ---- exit code 0
    ");
    sandbox.pintle(["exec", "--", "true"]).succeeds().says("trust.quarantined");
    insta::assert_snapshot!(sandbox.pintle(["quarantine", "release", "acme-a"]), @"
    acme-a runs again from the next start of a host
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["quarantine", "release", "acme-a"]), @"
    acme-a is not in quarantine
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["quarantine", "list"]), @"
    nothing is in quarantine
    ---- exit code 0
    ");
    assert_eq!(sandbox.pintle(["exec", "--", "true"]).succeeds().stderr, "");
}

#[test]
fn a_guard_that_hangs_is_counted_though_the_command_ends_with_it() {
    // Nobody listens to the end, so the host ends as soon as the guard is given up.
    let sandbox = Sandbox::with_registry();
    let hangs = sandbox.actor("acme-a").at("tool.call", json!([{ "hang": true }]));
    // It goes on from the table of the hook.
    hangs.with(|package| package.table("own_time = \"200ms\"")).install();
    for run in 1..=3 {
        let output =
            sandbox.pintle(["exec", "--trace", "trace.jsonl", "--", "true"]).fails(126, "guard.fault");
        let trace = sandbox.read(&sandbox.work("trace.jsonl"));
        assert!(trace.contains("\"event\":\"fault\",") && trace.contains("fault.own_time"), "{trace}");
        let is_told = output.stderr.contains("`acme-a` is in quarantine now: 3 faults within a minute");
        assert_eq!(is_told, run == 3, "{output}");
    }
    sandbox.pintle(["quarantine", "list"]).succeeds().says("acme-a");
    sandbox.pintle(["exec", "--", "true"]).succeeds().says("trust.quarantined");
}

#[test]
fn three_starts_in_a_row_that_go_wrong_are_quarantine_and_other_files_are_not() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").when("start", json!([{ "exit": 3 }])).install();
    sandbox.actor("acme-b").at("tool.call", json!([mark("asked")])).install();
    for time in 1..=4 {
        let output = sandbox.pintle(["exec", "--", "true"]).succeeds();
        let (counted, out) =
            (output.stderr.contains("in quarantine now"), output.stderr.contains("trust.quarantined"));
        assert_eq!((counted, out), (time == 3, time == 4), "{time}: {output}");
    }
    assert_eq!(sandbox.marks("acme-b").len(), 4, "it costs nobody else anything");
    sandbox.pintle(["quarantine", "show", "acme-a"]).succeeds().says("3 starts in a row went wrong");
    sandbox.actor("acme-a").version("1.0.1").at("tool.call", json!([mark("mended")])).publish();
    sandbox.pintle(["install", "acme-a@1.0.1"]).succeeds();
    assert_eq!(sandbox.pintle(["exec", "--", "true"]).succeeds().stderr, "");
    assert_eq!(sandbox.marks("acme-a"), ["tool.call \"mended\""]);
    // Back to what failed is back in quarantine.
    sandbox.pintle(["rollback"]).succeeds();
    sandbox.pintle(["exec", "--", "true"]).succeeds().says("trust.quarantined");
    sandbox.pintle(["enable", "acme-a"]).succeeds();
    sandbox.pintle(["exec", "--", "true"]).succeeds().says("protocol.no_handshake");
}

#[test]
fn a_folder_that_failed_is_tried_again_when_its_author_has_changed_it() {
    let sandbox = Sandbox::new();
    let folder = sandbox.actor("acme-a").when("start", json!([{ "exit": 3 }])).folder();
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    let exec = || sandbox.pintle(["exec", "--", "true"]).succeeds();
    for _ in 0..3 {
        exec();
    }
    exec().says("trust.quarantined");
    let shown = sandbox.pintle(["quarantine", "show", "acme-a"]).succeeds();
    shown
        .says("help: mend its folder: it is tried again when a file in it has changed")
        .does_not_say("update");
    // What tools and runs leave is no change.
    std::fs::create_dir(folder.join("__pycache__")).unwrap();
    sandbox.write(&folder.join("__pycache__/main.pyc"), "");
    exec().says("trust.quarantined");
    sandbox.actor("acme-a").at("tool.call", json!([mark("mended")])).folder();
    assert_eq!(exec().stderr, "");
    assert_eq!(exec().stderr, "");
    assert_eq!(sandbox.marks("acme-a"), ["tool.call \"mended\""; 2]);
}

#[test]
fn case_61_a_host_that_is_ended_while_it_starts_blames_only_whom_it_must() {
    for (signal, code) in [(Signal::TERM, Some(143)), (Signal::INT, Some(130)), (Signal::KILL, None)] {
        let sandbox = Sandbox::with_registry();
        sandbox.actor("acme-a").when("start", json!([mark("started"), { "hang": true }])).install();
        sandbox.actor("acme-b").at("tool.call", json!([])).install();
        for verb in [&["exec", "--", "touch", "ran"][..], &["load"], &["exec", "--", "touch", "ran"]] {
            let before = sandbox.marks("acme-a").len();
            let (mut child, _) = sandbox.command(verb).spawn();
            wait_for("the start", || {
                sandbox.marks("acme-a").len() > before && has_loaded(&sandbox, "acme-b")
            });
            send(&child, signal);
            assert_eq!(child.wait().unwrap().code(), code, "{signal:?} {verb:?}");
            assert_nothing_runs(&sandbox);
        }
        assert!(!sandbox.work("ran").exists());
        let held = sandbox.pintle(["ledger", "--format=json"]).succeeds().json();
        let is_killed = code.is_none();
        assert_eq!(held["hosts"].as_array().unwrap().len(), usize::from(is_killed), "{signal:?}: {held:#}");
        let output = sandbox.pintle(["exec", "--without", "acme-a", "--", "true"]).succeeds();
        assert_eq!(
            output.stderr.contains("`acme-a` is in quarantine now"),
            is_killed,
            "{signal:?}: {output}"
        );
        let document = sandbox.pintle(["quarantine", "list", "--format=json"]).succeeds().json();
        let names: Vec<_> =
            document["quarantine"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
        assert_eq!(names, if is_killed { vec!["acme-a"] } else { Vec::new() }, "{signal:?}");
    }
}

/// Tells whether the one host that runs says that an extension is ready.
fn has_loaded(sandbox: &Sandbox, name: &str) -> bool {
    let records = std::fs::read_dir(sandbox.home("run/hosts")).into_iter().flatten().flatten();
    let texts =
        records.map(|record| std::fs::read_to_string(record.path().join("ledger.jsonl")).unwrap_or_default());
    texts.into_iter().any(|text| text.contains(&format!("{{\"loaded\":{{\"name\":\"{name}\"")))
}

#[test]
fn case_61_a_host_that_is_ended_later_blames_nobody() {
    // In a guard, and while the command runs.
    let hang = json!([mark("asked"), { "hang": true }]);
    for (steps, code) in
        [(hang, [Some(143), Some(130), None]), (json!([mark("asked")]), [Some(143), Some(130), None])]
    {
        let sandbox = Sandbox::with_registry();
        sandbox.actor("acme-a").at("tool.call", steps).install();
        for (signal, code) in [Signal::TERM, Signal::INT, Signal::KILL].into_iter().zip(code) {
            let before = sandbox.marks("acme-a").len();
            let (mut child, _) = sandbox.command(["exec", "--"]).args(UNTIL_GO).spawn();
            wait_for("the question", || sandbox.marks("acme-a").len() > before);
            let since = Instant::now();
            send(&child, signal);
            assert_eq!(child.wait().unwrap().code(), code, "{signal:?}");
            assert!(since.elapsed() < Duration::from_secs(5), "{signal:?}: {:?}", since.elapsed());
            assert_nothing_runs(&sandbox);
        }
        sandbox.write(&sandbox.work("go"), "");
        let document = sandbox.pintle(["quarantine", "list", "--format=json"]).succeeds().json();
        assert_eq!(document["quarantine"], json!([]));
        assert!(!sandbox.home("state/starts.json").exists(), "no start is counted as unhealthy");
    }
}

#[test]
fn case_68_the_end_is_told_once_to_each_and_to_those_first_who_need_others() {
    let told = json!([mark("/reason")]);
    for signal in [None, Some(Signal::TERM), Some(Signal::INT)] {
        let sandbox = Sandbox::with_registry();
        // All mark in one file, so that the order is seen.
        for (name, needs) in [("acme-a", None), ("acme-b", Some("acme-a")), ("acme-c", None)] {
            let actor =
                sandbox.actor(name).when("dispose", json!([mark(name)])).at("session.end", told.clone());
            let actor = actor.marks_in("all");
            match needs {
                Some(other) => actor.with(move |package| package.depends(other, "^1")).install(),
                None => actor.install(),
            }
        }
        let (mut child, _) = sandbox.command(["exec", "--"]).args(UNTIL_GO).spawn();
        wait_for("a start", || sandbox.pintle(["ledger"]).stdout.contains("session.end"));
        match signal {
            None => sandbox.write(&sandbox.work("go"), ""),
            Some(signal) => send(&child, signal),
        }
        child.wait().unwrap();
        let mut ends = sandbox.marks("all");
        ends.retain(|line| line.starts_with("dispose"));
        let at = |name: &str| ends.iter().position(|line| line.contains(name));
        assert_eq!(ends.len(), 3, "{signal:?}: {ends:?}");
        assert!(at("acme-b") < at("acme-a") && at("acme-c").is_some(), "{signal:?}: {ends:?}");
        assert_nothing_runs(&sandbox);
    }
}

#[test]
fn case_69_one_that_never_ends_does_not_hold_up_the_end() {
    let sandbox = Sandbox::with_registry();
    let told = json!([mark("told")]);
    sandbox.actor("acme-a").when("dispose", told.clone()).install();
    sandbox.actor("acme-b").when("dispose", json!([mark("told"), { "hang": true }])).install();
    sandbox.actor("acme-c").when("dispose", told).install();
    let since = Instant::now();
    let output = sandbox.pintle(["exec", "--", "sh", "-c", "echo ran; exit 4"]).exits(4);
    assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
    let stderr = output.stderr.split("pid ").next().unwrap_or_default();
    insta::assert_snapshot!(stderr, @"
    warning: `acme-b` did not end when it was told to; killed: its worker (
    ");
    for name in ["acme-a", "acme-b", "acme-c"] {
        assert_eq!(sandbox.marks(name), ["dispose \"told\""]);
    }
    assert_nothing_runs(&sandbox);
    // Who does not want to wait asks again.
    let (mut child, _) = sandbox.command(["exec", "--", "true"]).spawn();
    wait_for("the end", || sandbox.marks("acme-b").len() == 2);
    let since = Instant::now();
    send(&child, Signal::INT);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(since.elapsed() < Duration::from_millis(700), "{:?}", since.elapsed());
    assert_nothing_runs(&sandbox);
}

#[test]
fn fifty_extensions_of_which_a_fifth_are_bad() {
    let sandbox = Sandbox::new();
    let mut run = sandbox.command(["exec"]);
    let steps =
        [json!([{ "exit": 3 }]), json!([{ "hang": true }]), json!([{ "print": "no" }, { "exit": 0 }])];
    for number in 0..50 {
        let actor = sandbox.actor(&format!("acme-{number:02}"));
        let actor = match number % 5 {
            0 => actor.when("start", steps[number % 3].clone()),
            _ => actor.at("tool.call", json!([mark("asked")])).at("session.end", json!([mark("heard")])),
        };
        run = run.arg("--with").arg(actor.folder());
    }
    let since = Instant::now();
    let output = run.args(["--", "echo", "ran"]).run().succeeds();
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
    assert_eq!(output.stdout, "ran\n");
    let lines = |start: &str| output.stderr.lines().filter(|line| line.starts_with(start)).count();
    assert!(lines("note: waiting for") >= 3, "{output}");
    let left_out = output.stderr.lines().filter(|line| line.contains("is left out")).count();
    assert_eq!((left_out, lines("warning: ")), (10, 10), "{output}");
    for number in (0..50).filter(|number| number % 5 != 0) {
        let marks = sandbox.marks(&format!("acme-{number:02}"));
        assert_eq!(marks, ["tool.call \"asked\"", "session.end \"heard\""], "{number}");
    }
    assert_nothing_runs(&sandbox);
}
