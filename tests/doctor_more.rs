//! `pintle doctor` again: what past runs, killed commands and changes of the set leave that a person may want to know.

use crate::doctor::check;
use crate::kit::{Sandbox, assert_nothing_runs, remove, send, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};

/// Adds runs to the history in which one extension was seen so.
fn remember(sandbox: &Sandbox, times: usize, name: &str, seen: &Value) {
    let run = json!({ "version": 1, "at_ms": 0, "hooks": { "tool.call": 1 }, "extensions": { name: seen } });
    let runs = sandbox.home("log/runs.jsonl");
    let before = if runs.exists() { sandbox.read(&runs) } else { String::new() };
    sandbox.write(&runs, before + &format!("{run}\n").repeat(times));
}

#[test]
fn case_64_a_slow_start_is_known_from_the_runs() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-s").at("tool.call", json!([])).install();
    let seen = |load_us: u64| json!({ "version": "1.0.0", "load_us": load_us, "hooks": {} });
    remember(&sandbox, 10, "acme-s", &seen(30_000));
    check(&sandbox, &[], 0, &[]);
    // Once, it may have been the machine.
    remember(&sandbox, 1, "acme-s", &seen(950_000));
    check(&sandbox, &[], 0, &[]);
    remember(&sandbox, 9, "acme-s", &seen(900_000));
    let document =
        check(&sandbox, &[], 1, &["warning doctor.slow_load acme-s", "note doctor.never_fired acme-s"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert_eq!(message, "it took longer than 500 ms to load in 10 of its last 20 runs; the longest 950 ms");
    // Another version may be as quick as it likes.
    remember(&sandbox, 1, "acme-s", &json!({ "version": "0.9.0", "load_us": 9_000_000, "hooks": {} }));
    check(&sandbox, &[], 1, &["warning doctor.slow_load acme-s", "note doctor.never_fired acme-s"]);
}

#[test]
fn what_a_stream_dropped_is_known_from_the_runs() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-s").at("output.delta", json!([])).install();
    let seen = json!({ "version": "1.0.0", "load_us": 900, "hooks": {}, "dropped": 40 });
    remember(&sandbox, 2, "acme-s", &seen);
    let document = check(&sandbox, &[], 0, &["note doctor.dropped acme-s"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert_eq!(message, "it was too slow for a stream: 80 items were dropped in 2 runs");
}

#[test]
fn a_link_that_leads_elsewhere_is_found_and_made_anew() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([{ "mark": "asked" }])).install();
    let link = sandbox.home("current/ext/acme-a");
    let was = std::fs::read_link(&link).unwrap();
    remove(&link);
    std::os::unix::fs::symlink("/nowhere", &link).unwrap();
    let document = check(&sandbox, &["--fix"], 0, &["error doctor.link acme-a mended"]);
    assert!(document["findings"][0]["file"].as_str().unwrap().ends_with("current/ext/acme-a"));
    assert_eq!(std::fs::read_link(&link).unwrap(), was);
    check(&sandbox, &[], 0, &[]);
}

#[test]
fn releases_that_nothing_needs_are_told() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    // As many changes as are remembered, so that nobody can go back to it.
    sandbox.actor("acme-b").at("tool.call", json!([])).publish();
    for _ in 0..3 {
        sandbox.pintle(["install", "acme-b"]).succeeds();
        sandbox.pintle(["uninstall", "acme-b"]).succeeds();
    }
    sandbox.pintle(["install", "acme-b"]).succeeds();
    let document = check(&sandbox, &[], 0, &["note doctor.garbage -"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("nothing needs 1 release any more ("), "{message}");
    sandbox.pintle(["gc"]).succeeds();
    check(&sandbox, &[], 0, &[]);
}

#[test]
fn the_record_of_a_killed_host_that_left_nothing_is_told_and_removed() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-k").at("tool.call", json!([{ "mark": "asked" }])).install();
    let (mut host, _) =
        sandbox.command(["exec", "--", "sh", "-c", "until test -e go; do sleep 0.02; done"]).spawn();
    wait_for("the question", || !sandbox.marks("acme-k").is_empty());
    send(&host, Signal::KILL);
    host.wait().unwrap();
    sandbox.write(&sandbox.work("go"), "");
    assert_nothing_runs(&sandbox);
    // All that it left is a directory for what is temporary; someone has cleaned up.
    for host in std::fs::read_dir(sandbox.home("run/hosts")).unwrap() {
        let temporary = host.unwrap().path().join("tmp");
        assert!(temporary.is_dir(), "{temporary:?}");
        remove(&temporary);
    }
    check(&sandbox, &[], 0, &["note doctor.dead_host -"]);
    check(&sandbox, &["--fix"], 0, &["note doctor.dead_host - mended"]);
    assert_eq!(std::fs::read_dir(sandbox.home("run/hosts")).unwrap().count(), 0);
}

#[test]
fn a_change_that_was_interrupted_is_told() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.write(&sandbox.home("state/pending.json"), "{");
    let document = sandbox.pintle(["doctor", "--format=json"]).exits(1).json();
    let findings = document["findings"].as_array().unwrap();
    assert!(findings.iter().any(|one| one["code"] == "doctor.interrupted"), "{findings:#?}");
    // One that goes on is none that was interrupted.
    let lease = std::fs::File::open(sandbox.home("run/lease")).unwrap();
    lease.lock().unwrap();
    check(&sandbox, &[], 0, &["note doctor.changing -"]);
}

#[test]
fn wishes_that_are_gone_are_told_before_a_command_stumbles_over_them() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    remove(sandbox.home("pintle.toml"));
    check(&sandbox, &[], 1, &["error wishes.gone -"]);
    sandbox.pintle(["rollback", "1"]).succeeds();
    check(&sandbox, &[], 0, &[]);
}

#[test]
fn what_is_required_in_a_set_that_can_not_be_read_has_one_way_out() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let wishes = sandbox.home("pintle.toml");
    let required = "acme-a = { version = \"^1.0.0\", required = true }";
    sandbox.write(&wishes, sandbox.read(&wishes).replace("acme-a = \"^1.0.0\"", required));
    sandbox.pintle(["sync"]).succeeds();
    sandbox.write(&wishes, sandbox.read(&wishes) + "# a remark\n");
    sandbox.pintle(["doctor"]).succeeds().says("`pintle.toml` was changed since this set was made");
    sandbox.write(&wishes, sandbox.read(&wishes) + "acme-z = { version = \"^1\", required = true }\n");
    sandbox.pintle(["doctor"]).exits(1).says("next: `pintle sync` installs what is missing");
    sandbox.write(&sandbox.home("current/set.json"), "{\"broken");
    let output = sandbox.pintle(["doctor"]).exits(1).says("go back to a whole set with `pintle rollback`");
    output.does_not_say("pintle disable").does_not_say("not installed");
}
