//! `pintle doctor` from the outside: each thing that can be wrong is made so, found with its code, place and next step,
//! and what is safe to mend is mended.

use crate::kit::{Output, Sandbox, assert_nothing_runs, remove, send, wait_for};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

fn doctor(sandbox: &Sandbox) -> Output {
    sandbox.pintle(["doctor"])
}

/// Returns the findings, each with its severity, code and extension.
fn found(output: &Output) -> Vec<String> {
    let document = output.json();
    let told = |finding: &Value| {
        let text = |key: &str| finding[key].as_str().unwrap_or("-").to_owned();
        let mended = if finding["mended"] == true { " mended" } else { "" };
        assert!(finding["next"].is_string(), "no next step: {finding:#}");
        assert!(
            ["extension", "file", "key"].iter().any(|key| finding[*key].is_string()),
            "no place: {finding:#}"
        );
        format!("{} {} {}{mended}", text("severity"), text("code"), text("extension"))
    };
    document["findings"].as_array().unwrap().iter().map(told).collect()
}

#[track_caller]
pub(crate) fn check(sandbox: &Sandbox, arguments: &[&str], exit: i32, expected: &[&str]) -> Value {
    let output = sandbox.command(["doctor", "--format=json"]).args(arguments).run().exits(exit);
    assert_eq!(found(&output), expected, "{output}");
    assert_eq!(output.json()["ok"], exit == 0);
    output.json()
}

fn exec(sandbox: &Sandbox, times: usize) {
    for _ in 0..times {
        sandbox.pintle(["exec", "--", "true"]).succeeds();
    }
}

#[test]
fn where_nothing_is_installed_nothing_is_wrong_and_nothing_is_made() {
    let sandbox = Sandbox::new();
    let before = sandbox.listing();
    insta::assert_snapshot!(doctor(&sandbox).succeeds(), @"
    nothing is wrong; looked at 0 extensions and 0 runs
    ---- exit code 0
    ");
    before.assert_same(&sandbox.listing(), "doctor");
    sandbox.pintle(["doctor", "--fix"]).succeeds();
    before.assert_same(&sandbox.listing(), "doctor --fix");
}

#[test]
fn a_healthy_set_is_looked_at_and_none_of_it_is_run_or_changed() {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b"] {
        let mark = json!([{ "mark": "ran" }]);
        sandbox.actor(name).when("start", mark.clone()).at("tool.call", mark).install();
    }
    let before = sandbox.listing().without_traces();
    insta::assert_snapshot!(doctor(&sandbox).succeeds(), @"
    nothing is wrong; looked at 2 extensions and 0 runs
    ---- exit code 0
    ");
    before.assert_same(&sandbox.listing().without_traces(), "doctor");
    assert_eq!(sandbox.marks("acme-a"), Vec::<String>::new());
    exec(&sandbox, 2);
    doctor(&sandbox).succeeds().says("looked at 2 extensions and 2 runs");
    let document = check(&sandbox, &[], 0, &[]);
    assert_eq!((&document["extensions"], &document["runs"]), (&json!(2), &json!(2)));
}

#[test]
fn what_does_not_run_is_told_with_the_stage_that_says_so() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-off").at("tool.call", json!([])).install();
    sandbox.pintle(["disable", "acme-off", "--reason", "too loud"]).succeeds();
    check(&sandbox, &[], 0, &["note trust.disabled acme-off"]);
    // It could not be published, so it is linked from its folder.
    let hook = sandbox.actor("acme-hook").at("tool.cal", json!([])).folder();
    sandbox.command(["install"]).arg(hook).run().succeeds();
    sandbox.package("acme-lost").runs(&["no-such-interpreter", "x"]).publish_to("main");
    sandbox.package("acme-need").depends("acme-lost", "*").publish_to("main");
    sandbox.package("acme-ask").permission("\"process.run\" = [\"git\"]").publish_to("main");
    sandbox.pintle(["install", "acme-need", "acme-lost"]).succeeds();
    sandbox.allowing(["install", "acme-ask"]).run().succeeds();
    sandbox.pintle(["trust", "revoke", "acme-ask"]).succeeds();
    let expected = [
        "error trust.not_granted acme-ask",
        "error compat.unknown acme-hook",
        "error entry.no_interpreter acme-lost",
        "error load.dependency acme-need",
        "note trust.disabled acme-off",
    ];
    let document = check(&sandbox, &[], 1, &expected);
    let hook = &document["findings"][1];
    assert!(hook["message"].as_str().unwrap().contains("tool.cal"), "{hook:#}");
    assert_eq!((&hook["key"], &hook["mendable"]), (&json!("compat"), &json!(false)));
    let output = doctor(&sandbox).exits(1).says("acme-off: it is disabled (too loud) [trust.disabled]");
    let output = output.says("next: turn it on with `pintle enable acme-off`");
    output.says("4 errors, 1 note; looked at 5 extensions");
    // Nothing of that is for a machine to mend.
    check(&sandbox, &["--fix"], 1, &expected);
}

#[test]
fn a_changed_file_is_found_and_fetched_anew() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.actor("acme-b").at("tool.call", json!([])).install();
    let program = sandbox.extension("acme-a").join("bin/run");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write(&program, "#!/bin/sh\nexit 1\n");
    let document = check(&sandbox, &[], 1, &["error doctor.changed_files acme-a"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("changed file `bin/run`"), "{message}");
    doctor(&sandbox).exits(1).says("`pintle doctor --fix` mends 1 of these");
    check(&sandbox, &["--fix"], 0, &["error doctor.changed_files acme-a mended"]);
    check(&sandbox, &[], 0, &[]);
    sandbox.pintle(["verify"]).succeeds();
    exec(&sandbox, 1);
    // Where the registry is gone, that is said, and it stays wrong.
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    sandbox.write(&program, "#!/bin/sh\nexit 1\n");
    remove(sandbox.registry_dir("main"));
    remove(sandbox.home("cache"));
    let output = sandbox.command(["doctor", "--fix", "--format=json"]).run().exits(1);
    let document = output.json();
    let codes: Vec<&str> =
        document["findings"].as_array().unwrap().iter().map(|one| one["code"].as_str().unwrap()).collect();
    assert_eq!(codes.first(), Some(&"doctor.changed_files"), "{output}");
    assert_eq!(codes.len(), 2, "why it was not mended is said: {output}");
}

#[test]
fn a_release_in_the_store_that_no_set_uses_is_looked_at_too() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    let old = sandbox.extension("acme-a").join("bin/run");
    sandbox.pintle(["install", "acme-a@1.1.0"]).succeeds();
    std::fs::set_permissions(&old, std::fs::Permissions::from_mode(0o644)).unwrap();
    check(&sandbox, &[], 1, &["warning doctor.store_changed -"]);
}

#[test]
fn what_can_not_be_read_is_a_finding_and_the_rest_is_looked_at() {
    let check = |file: &str, bytes: &str, code: &str| {
        let sandbox = Sandbox::with_registry();
        sandbox.actor("acme-a").at("tool.call", json!([])).install();
        let folder = sandbox.actor("acme-x").at("tool.cal", json!([])).folder();
        sandbox.command(["install"]).arg(folder).run().succeeds();
        sandbox.write(&sandbox.home(file), bytes);
        let output = sandbox.pintle(["doctor", "--format=json"]).exits(1);
        let findings = found(&output);
        assert!(findings.iter().any(|one| *one == format!("error {code} -")), "{file}: {findings:?}");
        let is_named = |one: &&Value| one["file"].as_str().is_some_and(|path| path.ends_with(file));
        let document = output.json();
        assert!(document["findings"].as_array().unwrap().iter().any(|one| is_named(&one)), "{output}");
        // Of a set that can't be read nothing more can be said.
        let rest = findings.iter().any(|one| one == "error compat.unknown acme-x");
        assert_eq!(rest, !file.contains("set.json"), "{file}: {findings:?}");
        assert_eq!(sandbox.read(&sandbox.home(file)), bytes, "it is left as it is");
        sandbox.pintle(["doctor", "--fix"]).exits(1);
        assert_eq!(sandbox.read(&sandbox.home(file)), bytes, "and `--fix` leaves it, too");
    };
    check("state/disabled.json", "{\"version\":1,", "state.unreadable");
    check("state/disabled.json", "{\"version\":9}", "state.newer");
    check("state/quarantine.json", "[]", "state.unreadable");
    check("state/starts.json", "", "state.unreadable");
    check("trust/grants.json", "\u{1}", "state.unreadable");
    check("state/faults.json", "{\"version\":9}", "state.newer");
    check("generations/2/set.json", "{}", "state.unreadable");
    check("pintle.lock", "<<<<<<< mine\n", "lock.merge_conflict");
    check("pintle.lock", "version = 99\n", "lock.unsupported_version");
    check("pintle.toml", "[extensions\n", "wishes.invalid");
}

#[test]
fn a_generation_that_nobody_can_go_back_to_is_told() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    sandbox.pintle(["install", "acme-a@1.1.0"]).succeeds();
    let old = sandbox.generation() - 1;
    sandbox.write(&sandbox.home(&format!("generations/{old}/set.json")), "torn");
    check(&sandbox, &[], 1, &["warning doctor.generation -"]);
}

#[test]
fn the_lock_and_the_disk_are_compared() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let lock = sandbox.read(&sandbox.home("pintle.lock"));
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    sandbox.write(&sandbox.home("pintle.lock"), lock);
    let document = check(&sandbox, &[], 1, &["warning doctor.lock_differs -"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("acme-a is 1.1.0 in the lock and 1.0.0 on the disk"), "{message}");
    std::fs::remove_file(sandbox.home("pintle.lock")).unwrap();
    check(&sandbox, &[], 1, &["warning doctor.no_lock -"]);
    sandbox.pintle(["rollback"]).succeeds();
    check(&sandbox, &[], 0, &[]);
    let wishes = sandbox.read(&sandbox.home("pintle.toml"));
    sandbox.write(&sandbox.home("pintle.toml"), format!("# mine\n{wishes}"));
    check(&sandbox, &[], 0, &["note doctor.unsynced -"]);
}

#[test]
fn those_who_want_one_name_are_told() {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b"] {
        sandbox.actor(name).offers("greet", json!([])).install();
    }
    let document = check(&sandbox, &[], 1, &["warning doctor.collision acme-b"]);
    let finding = &document["findings"][0];
    assert_eq!(finding["key"], "slots.command.greet");
    assert_eq!(
        finding["message"],
        "the command `greet` of `acme-b` is called `greet:2`: `acme-a` has that name"
    );
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    check(&sandbox, &[], 0, &["note trust.disabled acme-a"]);
}

#[test]
fn what_is_in_quarantine_and_whose_starts_go_wrong_is_told() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-q").when("start", json!([{ "exit": 4 }])).at("tool.call", json!([])).install();
    exec(&sandbox, 1);
    check(&sandbox, &[], 1, &["warning doctor.unhealthy_starts acme-q"]);
    exec(&sandbox, 1);
    doctor(&sandbox).exits(1).says("its last 2 starts (1.0.0) went wrong; the last:");
    exec(&sandbox, 1);
    let document = check(&sandbox, &[], 1, &["error trust.quarantined acme-q"]);
    let next = document["findings"][0]["next"].as_str().unwrap();
    assert!(next.contains("pintle quarantine show acme-q"), "{next}");
    // `--fix` is not for deciding that.
    check(&sandbox, &["--fix"], 1, &["error trust.quarantined acme-q"]);
    sandbox.actor("acme-q").version("1.0.1").at("tool.call", json!([])).install();
    check(&sandbox, &[], 0, &["note doctor.old_quarantine acme-q"]);
}

#[test]
fn the_versions_of_interpreters_are_asked_for_and_compared() {
    let sandbox = Sandbox::with_registry();
    let bin = sandbox.root().join("bin");
    let program = |name: &str, text: &str| {
        sandbox.write(&bin.join(name), format!("#!/bin/sh\n{text}\n"));
        std::fs::set_permissions(bin.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    program("oldlang", "test \"$1\" = --version && echo 'oldlang v1.9.2'");
    program("errlang", "echo 'errlang 3.1' >&2");
    program("mutelang", "echo 'usage: mutelang FILE' >&2; exit 2");
    for (name, requirement) in [("oldlang", ">=2"), ("errlang", "^3"), ("mutelang", "*")] {
        let command = [name, "main"];
        let package = sandbox.package(&format!("acme-{name}")).runs(&command);
        let requires = format!("requires = {{ {name} = \"{requirement}\" }}");
        package.table(&requires).publish_to("main");
        sandbox.pintle(["install", &format!("acme-{name}")]).succeeds();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let output = sandbox.command(["doctor", "--format=json"]).env("PATH", &path).run().exits(1);
    assert_eq!(
        found(&output),
        ["error doctor.interpreter_version acme-oldlang", "note doctor.interpreter_unknown acme-mutelang"]
    );
    let output = sandbox.command(["doctor"]).env("PATH", &path).run().exits(1);
    let output = output.says("it needs `oldlang` >=2, and this machine has 1.9.2");
    output
        .says("it says `usage: mutelang FILE`")
        .says("at: `entry.requires.oldlang` in its `extension.toml`");
    // Without the interpreters the entry stage says so.
    let output = sandbox.pintle(["doctor", "--format=json"]).exits(1);
    assert_eq!(found(&output).iter().filter(|one| one.contains("entry.no_interpreter")).count(), 3);
}

#[test]
fn an_interpreter_that_does_not_answer_holds_up_nothing_for_long() {
    let sandbox = Sandbox::with_registry();
    let bin = sandbox.root().join("bin");
    sandbox.write(&bin.join("hanglang"), "#!/bin/sh\nexec sleep 1000\n");
    std::fs::set_permissions(bin.join("hanglang"), std::fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["acme-a", "acme-b"] {
        let package = sandbox.package(name).runs(&["hanglang", "main"]);
        package.table("requires = { hanglang = \">=1\" }").publish_to("main");
        sandbox.pintle(["install", name]).succeeds();
    }
    let since = std::time::Instant::now();
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let output = sandbox.command(["doctor"]).env("PATH", path).run().succeeds();
    output.says("it did not answer within 5 s");
    assert!(since.elapsed().as_secs() < 10, "it is asked once");
}

#[test]
fn what_never_happened_in_twenty_runs_is_told_with_the_reason() {
    let sandbox = Sandbox::with_registry();
    let filter = "filter = { program = \"git\" }";
    let actor = sandbox.actor("acme-n").at("output.delta", json!([])).at("tool.result", json!([]));
    actor.with(move |package| package.table(filter).permission("\"ui.prompt\" = true")).install();
    sandbox.actor("acme-u").at("tool.call", json!([])).install();
    exec(&sandbox, 19);
    check(&sandbox, &[], 0, &[]);
    exec(&sandbox, 1);
    let notes =
        ["note doctor.never_fired acme-n", "note doctor.never_fired acme-n", "note doctor.never_used acme-n"];
    let document = check(&sandbox, &[], 0, &notes);
    let message = |at: usize| document["findings"][at]["message"].as_str().unwrap().to_owned();
    assert_eq!(
        message(0),
        "it was loaded in 20 runs and never called at `output.delta`: nothing happened that fires it"
    );
    assert_eq!(
        message(1),
        "it was loaded in 20 runs and never called at `tool.result`: it fired 20 times, and its filter (program = `git`) never matched"
    );
    assert_eq!(message(2), "it was granted `ui.prompt` and never asked for it in 20 runs");
    // One run in which it happens is enough.
    sandbox.pintle(["exec", "--", "echo", "hi"]).succeeds();
    check(&sandbox, &[], 0, &notes[1..]);
    // Another version has done nothing yet.
    let actor =
        sandbox.actor("acme-n").version("1.0.1").at("tool.call", json!([])).at("output.delta", json!([]));
    actor.install();
    check(&sandbox, &[], 0, &[]);
}

#[test]
fn slow_and_failing_extensions_are_known_from_the_runs() {
    let sandbox = Sandbox::with_registry();
    let sleep = json!([{ "ask": { "call": "clock.sleep", "arguments": { "ms": 400 } } }]);
    sandbox.actor("acme-s").at("tool.call", sleep.clone()).install();
    exec(&sandbox, 2);
    let document = check(&sandbox, &[], 1, &["warning doctor.slow_hook acme-s"]);
    assert_eq!(document["findings"][0]["key"], "hooks.tool.call");
    sandbox.pintle(["disable", "acme-s"]).succeeds();
    sandbox.actor("acme-f").at("tool.result", json!([{ "exit": 5 }])).install();
    // A third one within a minute would be too many.
    exec(&sandbox, 2);
    let expected = ["warning doctor.faults acme-f", "note trust.disabled acme-s"];
    let document = check(&sandbox, &[], 1, &expected);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert_eq!(message, "it failed in 2 of its last 2 runs (fault.exited 2)");
    // A run without it says nothing of it; twenty in which it was well do.
    sandbox.pintle(["exec", "--without", "acme-f", "--", "true"]).succeeds();
    check(&sandbox, &[], 1, &expected);
    let runs = sandbox.home("log/runs.jsonl");
    let well = json!({ "version": 1, "at_ms": 0, "hooks": {}, "extensions": { "acme-f": { "version": "1.0.0", "load_us": 900,
        "hooks": { "tool.result": { "count": 1, "total_us": 9, "max_us": 9, "spread": { "12": 1 } } } } } });
    sandbox.write(&runs, sandbox.read(&runs) + &format!("{well}\n").repeat(20));
    check(&sandbox, &[], 0, &expected[1..]);
}

#[test]
fn a_trace_is_counted_among_the_runs() {
    let sandbox = Sandbox::with_registry();
    let sleep = json!([{ "ask": { "call": "clock.sleep", "arguments": { "ms": 300 } } }]);
    sandbox.actor("acme-s").at("tool.call", sleep).install();
    sandbox.pintle(["exec", "--trace", "slow.jsonl", "--", "true"]).succeeds();
    std::fs::remove_file(sandbox.home("log/runs.jsonl")).unwrap();
    check(&sandbox, &[], 0, &[]);
    let document = check(&sandbox, &["--trace", "slow.jsonl"], 1, &["warning doctor.slow_hook acme-s"]);
    assert_eq!(document["runs"], 1);
    check(&sandbox, &["--trace", "gone.jsonl"], 1, &["error doctor.trace -"]);
    sandbox.write(&sandbox.work("other"), "some text\n");
    check(&sandbox, &["--trace", "other"], 0, &["note doctor.trace -"]);
}

#[test]
fn the_history_of_runs_may_be_torn_or_foreign() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    exec(&sandbox, 1);
    let path = sandbox.home("log/runs.jsonl");
    let line = sandbox.read(&path);
    assert!(line.starts_with("{\"version\":1,") && line.ends_with("}\n"), "{line}");
    sandbox.write(&path, format!("{{\"version\":2}}\n{line}{}", &line[..40]));
    let document = check(&sandbox, &[], 0, &["note doctor.history -"]);
    assert_eq!(document["runs"], 1);
    remove(&path);
    std::fs::create_dir(&path).unwrap();
    check(&sandbox, &[], 1, &["warning doctor.history -"]);
    // A history that can't be written stops no command.
    exec(&sandbox, 1);
}

#[test]
fn the_history_holds_nothing_that_was_said_and_stays_small() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).at("output.delta", json!([])).install();
    sandbox.pintle(["exec", "--", "echo", "secret-word"]).succeeds();
    let text = sandbox.read(&sandbox.home("log/runs.jsonl"));
    assert!(!text.contains("secret-word") && text.contains("output.delta"), "{text}");
    let path = sandbox.home("log/runs.jsonl");
    sandbox.write(&path, text.repeat(256 * 1024 / text.len() + 1));
    exec(&sandbox, 1);
    let size = path.metadata().unwrap().len();
    assert!((100 * 1024..=256 * 1024).contains(&size), "{size}");
    // Who runs nothing of extensions leaves no trace.
    let before = sandbox.read(&path);
    sandbox.pintle(["exec", "--no-extensions", "--", "true"]).succeeds();
    assert_eq!(sandbox.read(&path), before);
}

#[test]
fn what_a_killed_host_left_is_told_and_ended() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-k").at("tool.call", json!([{ "mark": "asked" }])).install();
    let (mut host, _) =
        sandbox.command(["exec", "--", "sh", "-c", "until test -e go; do sleep 0.02; done"]).spawn();
    wait_for("the question", || !sandbox.marks("acme-k").is_empty());
    check(&sandbox, &[], 0, &[]);
    send(&host, Signal::KILL);
    host.wait().unwrap();
    sandbox.write(&sandbox.work("go"), "");
    assert_nothing_runs(&sandbox);
    let document = check(&sandbox, &[], 1, &["warning doctor.orphan acme-k"]);
    let message = document["findings"][0]["message"].as_str().unwrap();
    assert!(message.contains("left the temp dir"), "{message}");
    check(&sandbox, &["--fix"], 0, &["warning doctor.orphan acme-k mended"]);
    assert_eq!(std::fs::read_dir(sandbox.home("run/hosts")).unwrap().count(), 0);
    check(&sandbox, &[], 0, &[]);
}

/// Returns when a process started, in ticks since the machine did.
fn started(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    stat.rsplit(')').next().unwrap().split_whitespace().nth(19).unwrap().parse().unwrap()
}

#[test]
fn a_process_that_a_dead_host_left_is_ended_and_one_that_only_has_its_number_is_not() {
    let sandbox = Sandbox::new();
    let mut left = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let mut other = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
    let line = |value: Value| format!("{value}\n");
    let worker = |id: u64, owner: &str, pid: u32, started: u64| {
        let kind = json!({ "worker": { "pid": pid, "started": started } });
        line(json!({ "held": { "id": id, "owner": owner, "epoch": 1, "since_ms": 0, "kind": kind } }))
    };
    let head = json!({ "host": {
        "version": 1, "pid": 4_000_000, "started": 1, "command": "pintle exec x", "since_ms": 0, "token": "4000000-0-0",
    } });
    let text = [
        line(head),
        worker(1, "acme-left", left.id(), started(left.id())),
        worker(2, "acme-other", other.id(), started(other.id()) + 1),
    ];
    sandbox.write(&sandbox.home("run/hosts/4000000-0-0/ledger.jsonl"), text.concat());
    sandbox.write(&sandbox.home("run/hosts/4000000-0-0/lock"), "");
    check(&sandbox, &[], 1, &["warning doctor.orphan acme-left"]);
    check(&sandbox, &["--fix"], 0, &["warning doctor.orphan acme-left mended"]);
    assert_eq!(left.wait().unwrap().code(), None, "it was killed");
    assert_eq!(other.try_wait().unwrap(), None, "it runs on");
    other.kill().unwrap();
    other.wait().unwrap();
}

#[test]
fn case_05_what_lies_in_the_store_and_is_none_of_ours_is_told_before_it_stands_in_the_way() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.write(&sandbox.home("store/acme-a/1.0.0/junk"), "x");
    // What was left half written by a process that is gone, and by one that is not.
    sandbox.write(&sandbox.home("state/.disabled.json.tmp-3999999-0"), "{");
    sandbox.write(&sandbox.home(&format!("state/.disabled.json.tmp-{}-0", std::process::id())), "{");
    std::fs::create_dir(sandbox.home("store/.staging-3999999-0")).unwrap();
    let left = ["note doctor.leftover -", "note doctor.leftover -", "note doctor.foreign -"];
    check(&sandbox, &[], 0, &left);
    check(
        &sandbox,
        &["--fix"],
        0,
        &["note doctor.foreign -", "note doctor.leftover - mended", "note doctor.leftover - mended"],
    );
    assert!(sandbox.home("store/acme-a/1.0.0/junk").exists(), "what is not ours stays");
    assert!(sandbox.home(&format!("state/.disabled.json.tmp-{}-0", std::process::id())).exists());
    assert!(!sandbox.home("state/.disabled.json.tmp-3999999-0").exists());
}

#[test]
fn what_extensions_say_of_themselves_acts_on_no_terminal() {
    let sandbox = Sandbox::with_registry();
    sandbox.actor("acme-a").at("tool.call", json!([])).install();
    sandbox.write(&sandbox.home("store/\u{1b}[2Jfoo"), "x");
    let output = doctor(&sandbox).succeeds();
    assert!(!output.raw_stdout.contains('\u{1b}'), "{output:?}");
    let project = sandbox.work("pintle.toml");
    sandbox.write(&project, "[extensions]\n");
    check(&sandbox, &[], 0, &["note doctor.foreign -"]);
    assert!(Path::new(&project).exists());
}
