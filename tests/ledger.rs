//! The ledger from the outside: what live and killed hosts hold, what is turned off while they run, and that what runs
//! stays where it is.

use crate::kit::{Run, Sandbox, assert_nothing_runs, remove, running, send, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::process::Child;
use std::time::{Duration, Instant};

fn mark(text: &str) -> Value {
    json!({ "mark": text })
}

/// Runs a command that ends when the file `go` is there, and waits until the extension has been asked about it.
fn start(sandbox: &Sandbox, name: &str) -> Child {
    start_of(sandbox, name, sandbox.command(["exec"]))
}

fn start_of(sandbox: &Sandbox, name: &str, run: Run<'_>) -> Child {
    let asked = || sandbox.marks(name).iter().filter(|mark| mark.starts_with("tool.call \"")).count();
    let before = asked();
    let (child, _) = run.args(["--", "sh", "-c", "until test -e go; do echo tick; sleep 0.02; done"]).spawn();
    wait_for("the question", || asked() > before);
    child
}

fn go(sandbox: &Sandbox, mut child: Child) {
    sandbox.write(&sandbox.work("go"), "");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    std::fs::remove_file(sandbox.work("go")).unwrap();
}

fn hosts(sandbox: &Sandbox) -> Vec<Value> {
    let document = sandbox.pintle(["ledger", "--format=json"]).succeeds().json();
    document["hosts"].as_array().unwrap().clone()
}

fn kinds(host: &Value, owner: &str) -> Vec<String> {
    let held = host["held"].as_array().unwrap().iter().filter(|one| one["owner"] == owner);
    held.map(|one| one["kind"].as_str().unwrap().to_owned()).collect()
}

fn actor<'a>(sandbox: &'a Sandbox, name: &str) -> crate::kit::Actor<'a> {
    let timer = json!({ "ask": { "call": "timer.after", "arguments": { "ms": 600_000, "name": "later" } } });
    let status = json!({ "ask": { "call": "ui.status", "arguments": { "key": "state", "text": "here" } } });
    let actor = sandbox.actor(name).at("tool.call", json!([mark("asked"), timer, status]));
    let actor = actor.with(|package| package.table("[slots.status.state]\ndescription = \"how it is\""));
    actor.offers("greet", json!([])).when("dispose", json!([mark("/reason")]))
}

#[test]
fn a_live_host_shows_who_holds_what_and_a_killed_one_until_the_next_starts() {
    let sandbox = Sandbox::with_registry();
    actor(&sandbox, "acme-a").install();
    insta::assert_snapshot!(sandbox.pintle(["ledger"]), @"
    no host runs, and none was killed: nothing is held
    ---- exit code 0
    ");
    let mut child = start(&sandbox, "acme-a");
    wait_for("the status line", || kinds(&hosts(&sandbox)[0], "acme-a").len() == 7);
    let host = &hosts(&sandbox)[0];
    assert_eq!((&host["alive"], &host["pid"]), (&json!(true), &json!(child.id())));
    assert!(host["command"].as_str().unwrap().starts_with("pintle exec -- sh -c"), "{host:#}");
    assert!(host["since"].as_str().unwrap().parse::<jiff::Timestamp>().is_ok(), "{host:#}");
    let mut held = kinds(host, "acme-a");
    held.sort();
    assert_eq!(held, ["hook", "slot", "slot", "status", "temp dir", "timer", "worker"]);
    sandbox.pintle(["ledger", "acme-a"]).succeeds().says("running").says("tool.call").says("command/greet");
    sandbox.pintle(["ledger", "acme-b"]).succeeds().says("nothing is held");
    let temporary = host["held"].as_array().unwrap().iter().find(|one| one["kind"] == "temp dir").unwrap();
    let temporary = std::path::PathBuf::from(temporary["what"].as_str().unwrap());
    assert!(temporary.is_dir());

    send(&child, Signal::KILL);
    child.wait().unwrap();
    assert_nothing_runs(&sandbox);
    let killed = &hosts(&sandbox)[0];
    assert_eq!(killed["alive"], false);
    sandbox.pintle(["ledger"]).succeeds().says("killed; the next host ends what it left").says("worker");
    let next = sandbox.pintle(["exec", "--", "true"]).succeeds();
    let pid = child.id().to_string();
    let next = next.says(&format!("a host that was killed (pid {pid}) had left the temp dir"));
    assert!(!temporary.exists() && hosts(&sandbox).is_empty(), "{next}");
    assert!(!sandbox.pintle(["exec", "--", "true"]).succeeds().stderr.contains("killed"));
    sandbox.write(&sandbox.work("go"), "");
}

#[test]
fn case_67_what_a_killed_host_left_ends_also_if_it_does_not_want_to() {
    let sandbox = Sandbox::new();
    for way in ["ignore-signals", "ignore-end"] {
        let folder = sandbox.example("misbehave", &[way]);
        let (mut child, _) = sandbox
            .command(["exec", "--with"])
            .arg(&folder)
            .args(["--", "sh", "-c", "echo $$ > pid; exec sleep 1000"])
            .spawn();
        wait_for("the command", || sandbox.work("pid").exists());
        assert!(!running(&sandbox).is_empty());
        send(&child, Signal::KILL);
        child.wait().unwrap();
        assert_nothing_runs(&sandbox);
        // The command is not the extension's, and goes on as the host said.
        let pid = sandbox.read(&sandbox.work("pid"));
        assert!(std::path::Path::new("/proc").join(pid.trim()).exists());
        assert!(std::process::Command::new("kill").arg(pid.trim()).status().unwrap().success());
        std::fs::remove_file(sandbox.work("pid")).unwrap();
    }
    // A process that was started outside of all that and looks like nothing that is noted is left alone.
    sandbox.pintle(["exec", "--", "true"]).succeeds();
    assert!(hosts(&sandbox).is_empty());
}

#[test]
fn a_host_that_is_stopped_is_told_and_ends_what_is_off_when_it_goes_on() {
    let sandbox = Sandbox::with_registry();
    actor(&sandbox, "acme-l").at("tool.result", json!([mark("heard")])).install();
    let wait = "touch begun; until test -e go; do sleep 0.02; done";
    let (child, collect) = sandbox.command(["exec", "--", "sh", "-c", wait]).spawn();
    wait_for("the command", || sandbox.work("begun").exists());
    send(&child, Signal::STOP);
    wait_for("the stop", || hosts(&sandbox)[0]["stopped"] == true);
    let output = sandbox.pintle(["disable", "acme-l"]).succeeds();
    output.says("`acme-l` runs on in a host that is stopped (pid ");
    sandbox.pintle(["ledger"]).succeeds().says("stopped");
    sandbox.pintle(["doctor"]).succeeds().says("doctor.stopped_host");
    assert!(running(&sandbox).iter().any(|one| is_of(one, "acme-l")));
    send(&child, Signal::CONT);
    wait_for("the end", || !running(&sandbox).iter().any(|one| is_of(one, "acme-l")));
    sandbox.write(&sandbox.work("go"), "");
    collect(child).succeeds();
}

#[test]
fn case_70_what_is_turned_off_while_a_command_runs_ends_within_a_second() {
    let sandbox = Sandbox::with_registry();
    let heard = json!([mark("heard")]);
    actor(&sandbox, "acme-l")
        .at("tool.result", heard.clone())
        .at("output.delta", json!([mark("/items/0/text")]))
        .install();
    actor(&sandbox, "acme-m").with(|package| package.depends("acme-l", "^1")).install();
    actor(&sandbox, "acme-n").at("tool.result", heard).install();
    let (child, collect) = sandbox
        .command(["exec", "--", "sh", "-c", "until test -e go; do echo tick; sleep 0.02; done"])
        .spawn();
    wait_for("the output", || sandbox.marks("acme-l").iter().any(|line| line.starts_with("output.delta")));
    let process = |name: &str| running(&sandbox).iter().any(|one| is_of(one, name));
    assert!(process("acme-l") && process("acme-m") && process("acme-n"));
    sandbox.pintle(["disable", "acme-l", "--reason", "too loud"]).succeeds();
    let since = Instant::now();
    wait_for("the end of both", || !process("acme-l") && !process("acme-m"));
    assert!(since.elapsed() < Duration::from_millis(1500), "{:?}", since.elapsed());
    let marks = sandbox.marks("acme-l").len();
    let host = &hosts(&sandbox)[0];
    let held = (kinds(host, "acme-l"), kinds(host, "acme-m"));
    assert_eq!(held, (Vec::<String>::new(), Vec::new()), "{host:#}");
    assert!(process("acme-n") && !kinds(host, "acme-n").is_empty());
    for name in ["acme-l", "acme-m"] {
        assert_eq!(sandbox.marks(name).last().map(String::as_str), Some("dispose \"disable\""));
    }
    sandbox.write(&sandbox.work("go"), "");
    let output = collect(child).succeeds();
    let notes: Vec<_> = output.stderr.lines().collect();
    insta::assert_snapshot!(notes.join("\n"), @"
    acme-l state: here
    acme-m state: here
    acme-n state: here
    note: `acme-m` has ended too, since it needs what was disabled
    note: `acme-l` was disabled, and has ended here
    ");
    assert_eq!(sandbox.marks("acme-l").len(), marks, "it is called no more");
    assert!(sandbox.marks("acme-n").contains(&"tool.result \"heard\"".to_owned()));
    assert_nothing_runs(&sandbox);
}

/// Tells whether a process, as it was listed, is that of an extension.
fn is_of(process: &str, name: &str) -> bool {
    let pid = process.split(':').next().unwrap_or_default();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    String::from_utf8_lossy(&environment).contains(&format!("PINTLE_EXTENSION={name}\0"))
}

#[test]
fn two_hosts_at_once_do_not_touch_each_other() {
    let sandbox = Sandbox::with_registry();
    actor(&sandbox, "acme-a").install();
    let (mut one, other) = (start(&sandbox, "acme-a"), start(&sandbox, "acme-a"));
    let pids = |sandbox: &Sandbox| -> Vec<u64> {
        hosts(sandbox).iter().map(|host| host["pid"].as_u64().unwrap()).collect()
    };
    assert_eq!(pids(&sandbox), [u64::from(one.id()), u64::from(other.id())]);
    send(&one, Signal::KILL);
    one.wait().unwrap();
    // A third one clears up after the dead one, and leaves the live one alone.
    let third = sandbox.pintle(["exec", "--", "true"]).succeeds();
    third.says(&format!("a host that was killed (pid {})", one.id()));
    assert_eq!(pids(&sandbox), [u64::from(other.id())]);
    assert!(!running(&sandbox).is_empty());
    go(&sandbox, other);
    assert!(hosts(&sandbox).is_empty());
    assert_nothing_runs(&sandbox);
}

#[test]
fn what_a_live_host_runs_stays_through_updates_removals_and_collection() {
    let sandbox = Sandbox::with_registry();
    let old = sandbox.actor("acme-a").at("tool.call", json!([mark("old")]));
    old.at("tool.result", json!([mark("old")])).install();
    let root = sandbox.extension("acme-a");
    let child = start(&sandbox, "acme-a");
    sandbox.actor("acme-a").version("2.0.0").at("tool.call", json!([mark("new")])).publish();
    sandbox.pintle(["install", "acme-a@2"]).succeeds();
    sandbox.pintle(["gc"]).succeeds();
    assert!(root.join("script.json").exists(), "what runs is still there");
    sandbox.pintle(["exec", "--", "true"]).succeeds();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    // Of what nobody runs, the newest five sets are kept.
    for version in ["1.0.0", "1.1.0", "1.2.0", "1.3.0", "1.4.0", "1.5.0"] {
        sandbox.publish("acme-x", &[version]);
        sandbox.pintle(["install", &format!("acme-x@{version}")]).succeeds();
    }
    sandbox.pintle(["gc"]).succeeds();
    assert!(root.join("script.json").exists());
    go(&sandbox, child);
    assert_eq!(sandbox.marks("acme-a"), ["tool.call \"old\"", "tool.call \"new\"", "tool.result \"old\""]);
    sandbox.pintle(["gc"]).succeeds();
    assert!(!root.exists(), "nobody needs it any more");
}

#[test]
fn a_record_that_can_not_be_read_is_told_and_left() {
    let sandbox = Sandbox::with_registry();
    actor(&sandbox, "acme-a").install();
    let record = sandbox.home("run/hosts/1-2-3/ledger.jsonl");
    sandbox.write(&record, "what is this\n{}\n");
    sandbox.write(&record.with_file_name("lock"), "");
    sandbox.pintle(["ledger"]).succeeds().says("warning").says("ledger.jsonl");
    let output = sandbox.pintle(["exec", "--", "echo", "ran"]).succeeds();
    assert_eq!(output.stdout, "ran\n");
    output.says("ledger.jsonl");
    assert_eq!(sandbox.read(&record), "what is this\n{}\n");
    remove(record.parent().unwrap());
    assert_eq!(sandbox.pintle(["exec", "--", "true"]).succeeds().stderr.matches("ledger").count(), 0);
}

#[test]
fn turning_off_works_on_a_broken_set_at_once_and_runs_nothing() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").when("start", json!([mark("started")])).install();
    remove(sandbox.home("store"));
    remove(sandbox.home("generations"));
    remove(sandbox.registry_dir("main"));
    sandbox.write(&sandbox.home("pintle.lock"), "<<<<<<<");
    let since = Instant::now();
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!(sandbox.marks("acme-a"), [""; 0]);
}
