//! Asking for what extensions ask for: who is asked, what is never taken for a yes, and what waits without one.

use crate::kit::{Output, Sandbox, Terminal, interrupt, wait_for};
use std::io::Read as _;
use std::process::Stdio;

pub(super) const GIT: &str = "\"process.run\" = [\"git\"]";
pub(super) const GIT_AND_RM: &str = "\"process.run\" = [\"git\", \"rm\"]";

/// Publishes a version that asks for something.
pub(super) fn publish(sandbox: &Sandbox, name: &str, version: &str, permission: &str) {
    sandbox.package(name).version(version).permission(permission).publish_to("main");
}

/// A registry with `acme-a 1.0.0`, which asks for git, and `acme-b 1.0.0`, which asks for nothing.
pub(super) fn with_registry() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    publish(&sandbox, "acme-a", "1.0.0", GIT);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox
}

/// The same, with both installed.
pub(super) fn installed() -> Sandbox {
    let sandbox = with_registry();
    sandbox.allowing(["install", "acme-a", "acme-b"]).run().succeeds();
    sandbox
}

/// Returns the grants, as `acme-a 1.0.0 asked`.
pub(super) fn grants(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox.pintle(["trust", "list", "--format=json"]).succeeds().json();
    let grants = document["grants"].as_array().unwrap().iter();
    let text = |one: &serde_json::Value, key: &str| one[key].as_str().unwrap().to_owned();
    grants.map(|one| format!("{} {} {}", text(one, "name"), text(one, "version"), text(one, "how"))).collect()
}

/// Returns what is installed and not granted.
pub(super) fn ungranted(sandbox: &Sandbox) -> Vec<String> {
    let document = sandbox.pintle(["list", "--user", "--format=json"]).succeeds().json();
    let all = document["extensions"].as_array().unwrap().iter();
    all.filter(|one| one["granted"] == false).map(|one| one["name"].as_str().unwrap().to_owned()).collect()
}

/// Runs on a terminal, and types an answer to each question. Returns what was shown after the last, and the exit code.
pub(super) fn answering(sandbox: &Sandbox, words: &[&str], answers: &[&str]) -> (String, i32) {
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(words).spawn_on(&mut terminal);
    for answer in answers {
        terminal.shows("[y/N] ");
        terminal.types(answer);
    }
    let shown = terminal.shows_at_last();
    (shown, child.wait().unwrap().code().unwrap())
}

pub(super) fn hash_of(output: &Output) -> String {
    let document = output.json();
    let place = if document["error"].is_null() { &document } else { &document["error"]["details"] };
    place["accept_permissions"].as_str().unwrap().to_owned()
}

#[test]
fn what_asks_for_nothing_is_installed_without_a_question() {
    let sandbox = with_registry();
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-b"]), @"
    + acme-b 1.0.0  from registry main
        asks for nothing; runs with your full rights
    1 installed (generation 1)
    ---- exit code 0
    ");
    assert!(!sandbox.home("trust").exists(), "and nothing is recorded");
    let (shown, code) = answering(&sandbox, &["install", "acme-b@1.0.0"], &[]);
    assert!(code == 0 && !shown.contains("[y/N]"), "{shown}");
}

#[test]
fn case_88_without_a_person_nothing_is_granted_and_the_command_to_do_it_is_shown() {
    let sandbox = with_registry();
    let before = sandbox.listing();
    let install = || sandbox.command(["install", "acme-a"]);
    insta::assert_snapshot!(install().run(), @"
    ---- standard error
    + acme-a 1.0.0  from registry main
        wants to run these programs, as you: git (high risk)
        runs with your full rights
    error[trust.needs_consent]: `acme-a 1.0.0` asks for what nobody has allowed
    help: to allow exactly this: `pintle install acme-a --accept-permissions [digest]`
    ---- exit code 3
    ");
    // A pipe that stays open without a word in it.
    let (reader, writer) = std::io::pipe().unwrap();
    install().stdin(reader).run().fails(3, "trust.needs_consent").says("--accept-permissions");
    drop(writer);
    // A pipe with an answer is no person, and what is in it is left to whoever reads next.
    let (mut reader, writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut &writer, b"y\nrm -rf x\n").unwrap();
    drop(writer);
    install().stdin(reader.try_clone().unwrap()).run().fails(3, "trust.needs_consent");
    let mut left = String::new();
    reader.read_to_string(&mut left).unwrap();
    assert_eq!(left, "y\nrm -rf x\n");
    install().after("exec 0<&-").run().fails(3, "trust.needs_consent");
    install().stdin(Stdio::null()).env("CI", "1").run().fails(3, "trust.needs_consent");
    for yes in ["--yes", "-y"] {
        install()
            .arg(yes)
            .run()
            .fails(2, "usage")
            .says("--accept-permissions HASH")
            .says("uninstall --purge");
    }
    install().arg("--format=json").run().fails(3, "trust.needs_consent");
    for value in ["1", "TRUE"] {
        let mut terminal = Terminal::new();
        let mut child = install().env("CI", value).spawn_on(&mut terminal);
        let shown = terminal.shows_at_last();
        assert_eq!(child.wait().unwrap().code(), Some(3), "{shown}");
        assert!(shown.contains("trust.needs_consent") && !shown.contains("[y/N]"), "{shown}");
    }
    // A document is for a machine, also on a terminal.
    let (shown, code) = answering(&sandbox, &["install", "acme-a", "--format=json"], &[]);
    assert!(code == 3 && !shown.contains("[y/N]"), "{shown}");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a question without an answer");
}

#[test]
fn case_88_a_person_is_asked_and_only_a_yes_is_one() {
    for (answer, code) in [("y\n", 0), ("yes\n", 0), ("n\n", 1), ("\n", 1), ("\u{4}", 1), ("yess\n", 1)] {
        let sandbox = with_registry();
        let before = sandbox.listing();
        let mut terminal = Terminal::new();
        let mut child = sandbox.command(["install", "acme-a"]).spawn_on(&mut terminal);
        terminal.shows("run these programs, as you: git");
        terminal.shows("high risk");
        terminal.shows("runs with your full rights");
        terminal.shows("[y/N] ");
        before.without_traces().assert_same(&sandbox.listing().without_traces(), "a question");
        terminal.types(answer);
        let shown = terminal.shows_at_last();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{answer:?}: {shown}");
        let expected: &[&str] = if code == 0 { &["acme-a 1.0.0 asked"] } else { &[] };
        assert_eq!(grants(&sandbox), expected, "{answer:?}");
        assert_eq!(sandbox.installed(), if code == 0 { "acme-a 1.0.0" } else { "" });
        if code != 0 {
            before.without_traces().assert_same(&sandbox.listing().without_traces(), "a no");
        }
    }
}

#[test]
fn a_question_that_is_interrupted_is_a_no() {
    let sandbox = with_registry();
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["install", "acme-a"]).spawn_on(&mut terminal);
    terminal.shows("[y/N] ");
    interrupt(&child);
    wait_for("the end of the program", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.installed(), "");
    assert!(!sandbox.home("trust").exists());
}

#[test]
fn the_command_that_is_shown_does_what_was_shown_and_nothing_else() {
    let sandbox = with_registry();
    let folder = sandbox.package("acme-dev").permission(GIT).folder(sandbox.work("it's a folder")).write();
    let refused = sandbox.command(["install", "acme-a", "--format", "json"]).arg(&folder).run();
    let refused = refused.fails(3, "trust.needs_consent");
    let command = refused.json()["error"]["details"]["command"].as_str().unwrap().to_owned();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_pintle")).parent().unwrap();
    let shell = |command: &str| {
        let mut shell = std::process::Command::new("/bin/sh");
        shell.arg("-c").arg(command).current_dir(sandbox.work("")).stdin(Stdio::null());
        shell.env_clear().env("PATH", program).env("PINTLE_HOME", sandbox.home(""));
        shell.output().unwrap().status.code()
    };
    let other = command.replace("acme-a", "acme-b");
    assert_eq!(shell(&other), Some(3), "a hash accepts only what it was shown for: {other}");
    assert_eq!(shell(&command), Some(0), "{command}");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-dev 1.0.0");
    assert_eq!(grants(&sandbox), ["acme-a 1.0.0 flag", "acme-dev 1.0.0 flag"]);
    assert_eq!(shell(&command), Some(0), "again, it has nothing to do");
    // The same release needs no second question, wherever it comes from and wherever it goes.
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let archive = sandbox.package("acme-a").permission(GIT).archive();
    sandbox.command(["install", "--project"]).arg(archive).run().succeeds();
}

#[test]
fn a_hash_that_accepts_something_else_stops_everything() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    sandbox.publish("acme-b", &["1.1.0"]);
    publish(&sandbox, "acme-c", "1.0.0", GIT);
    let hash = hash_of(&sandbox.pintle(["install", "acme-c", "--format=json"]));
    let before = sandbox.listing();
    let update = sandbox.command(["update", "--accept-permissions", &hash]).run();
    insta::assert_snapshot!(update.fails(3, "trust.needs_consent"), @"
    ---- standard error
    ~ acme-a 1.0.0 -> 1.1.0  from registry main
        wants to run these programs, as you: git, rm (high risk), new: rm
        runs with your full rights
    ~ acme-b 1.0.0 -> 1.1.0  from registry main
        asks for nothing; runs with your full rights
    error[trust.needs_consent]: `acme-a 1.1.0` asks for what nobody has allowed
      caused by: `--accept-permissions` accepts something else than this
    help: to allow exactly this: `pintle update --accept-permissions [digest]`
    ---- exit code 3
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a wrong hash");
    // Of a list of hashes all that are needed must be there, and others do no harm.
    let mine = hash_of(&sandbox.pintle(["update", "--dry-run", "--format=json"]));
    let both = ["--accept-permissions", &hash, "--accept-permissions", &format!("sha256:{mine}")];
    sandbox.command(["update"]).args(both).run().succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.1.0, acme-b 1.1.0");
    for text in ["", "all", &hash[..31], "yes"] {
        sandbox.command(["install", "acme-c", "--accept-permissions", text]).run().exits(2);
    }
    let start = hash[..32].to_uppercase();
    sandbox.command(["install", "acme-c", "--accept-permissions", &start]).run().succeeds();
}

#[test]
fn the_same_rights_or_fewer_need_no_second_question() {
    let sandbox = Sandbox::with_registry();
    publish(&sandbox, "acme-a", "1.0.0", GIT_AND_RM);
    sandbox.allowing(["install", "acme-a"]).run().succeeds();
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    sandbox.pintle(["update"]).succeeds().says("1 updated");
    publish(&sandbox, "acme-a", "1.2.0", GIT);
    sandbox.pintle(["update"]).succeeds().says("1 updated");
    sandbox.publish("acme-a", &["1.3.0"]);
    sandbox.pintle(["update"]).succeeds().says("1 updated");
    let all = ["acme-a 1.0.0 flag", "acme-a 1.1.0 carried", "acme-a 1.2.0 carried"];
    let mut found = grants(&sandbox);
    found.sort();
    assert_eq!(found, all);
    assert_eq!(ungranted(&sandbox), [""; 0]);
    // What was given up is not kept in reserve: the version before this one had no rights at all.
    publish(&sandbox, "acme-a", "1.4.0", GIT);
    sandbox.pintle(["update", "acme-a"]).exits(3);
    assert_eq!(sandbox.installed(), "acme-a 1.3.0");
}

#[test]
fn more_rights_wait_while_the_old_version_runs_on_and_the_rest_is_updated() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", "\"process.run\" = [\"git\", \"rm\"]\n\"ui.prompt\" = true");
    sandbox.publish("acme-b", &["1.1.0"]);
    insta::assert_snapshot!(sandbox.pintle(["update", "--dry-run"]), @"
    ~ acme-a 1.0.0 -> 1.1.0  from registry main
        wants to run these programs, as you: git, rm (high risk), new: rm
        wants to ask you questions while a command waits (low risk), new
        runs with your full rights
    ~ acme-b 1.0.0 -> 1.1.0  from registry main
        asks for nothing; runs with your full rights
    Would be: 2 updated (dry run, nothing was changed)
    ---- standard error
    note: to allow exactly what is asked for: `pintle update --accept-permissions [digest]`
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    ~ acme-b 1.0.0 -> 1.1.0  from registry main
        asks for nothing; runs with your full rights
    1 updated (generation 2)
    ---- standard error
    note: acme-a stays at 1.0.0: 1.1.0 asks for what nobody has allowed
      acme-a 1.1.0
        wants to run these programs, as you: git, rm (high risk), new: rm
        wants to ask you questions while a command waits (low risk), new
        runs with your full rights
    note: to allow exactly what is asked for: `pintle update --accept-permissions [digest]`
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.1.0");
    assert_eq!(grants(&sandbox), ["acme-a 1.0.0 flag"]);
    let output = sandbox.pintle(["update", "--format=json"]).succeeds();
    assert_eq!(output.notes(), ["waits acme-a"]);
    assert_eq!(output.json()["asks"][0]["missing"]["process.run"][0], "rm");
    // Who names it asked for something that does not hold.
    let output = sandbox.pintle(["update", "acme-a", "--format=json"]).exits(3);
    assert_eq!(output.json()["ok"], false);
    sandbox.pintle(["update", "acme-a", "--precise", "1.1.0"]).fails(3, "trust.needs_consent");
    let (shown, code) = answering(&sandbox, &["update"], &["n\n"]);
    assert!(code == 0 && shown.contains("acme-a stays at 1.0.0"), "{shown}");
    let (shown, code) = answering(&sandbox, &["update"], &["y\n"]);
    assert!(code == 0 && shown.contains("1 updated"), "{shown}");
    assert_eq!(sandbox.installed(), "acme-a 1.1.0, acme-b 1.1.0");
    sandbox.pintle(["rollback"]).succeeds().does_not_say("not granted");
}

#[test]
fn what_needs_a_version_that_waits_waits_with_it() {
    let sandbox = Sandbox::with_registry();
    publish(&sandbox, "acme-lib", "1.0.0", GIT);
    sandbox.package("acme-top").depends("acme-lib", "^1.0").publish_to("main");
    sandbox.allowing(["install", "acme-top"]).run().succeeds();
    publish(&sandbox, "acme-lib", "1.1.0", GIT_AND_RM);
    sandbox.package("acme-top").version("1.1.0").depends("acme-lib", "^1.1").publish_to("main");
    sandbox.pintle(["update"]).succeeds().says("acme-lib stays at 1.0.0: 1.1.0 asks");
    assert_eq!(sandbox.installed(), "acme-lib 1.0.0, acme-top 1.0.0");
    // A version between that needs nothing new is taken.
    sandbox.package("acme-top").version("1.0.5").depends("acme-lib", "^1.0").publish_to("main");
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-lib 1.0.0, acme-top 1.0.5");
    sandbox.allowing(["update"]).run().succeeds();
    assert_eq!(sandbox.installed(), "acme-lib 1.1.0, acme-top 1.1.0");
}

#[test]
fn an_update_that_would_have_to_add_what_asks_is_refused() {
    let sandbox = installed();
    publish(&sandbox, "acme-c", "1.0.0", GIT);
    sandbox.publish("acme-b", &["1.1.0"]);
    let wishes = sandbox.read(&sandbox.home("pintle.toml"));
    sandbox.write(&sandbox.home("pintle.toml"), wishes + "acme-c = \"^1\"\n");
    let before = sandbox.listing();
    sandbox.pintle(["update"]).fails(3, "trust.needs_consent").says("acme-c 1.0.0");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "an update that asks");
    sandbox.allowing(["update"]).run().succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.1.0, acme-c 1.0.0");
}

#[test]
fn an_install_that_moves_another_asks_for_that_too() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    sandbox.package("acme-c").depends("acme-a", "^1.1").publish_to("main");
    let before = sandbox.listing();
    sandbox.pintle(["install", "acme-c"]).fails(3, "trust.needs_consent").says("new: rm");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "an install that asks");
}

#[test]
fn no_lease_is_held_while_a_person_thinks() {
    let sandbox = with_registry();
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["install", "acme-a"]).spawn_on(&mut terminal);
    terminal.shows("[y/N] ");
    sandbox.pintle(["install", "acme-b", "--lock-timeout=0s"]).succeeds();
    sandbox.pintle(["trust", "list", "--lock-timeout=0s"]).succeeds();
    terminal.types("y\n");
    let shown = terminal.shows_at_last();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{shown}");
    assert!(!shown.contains("[y/N]"), "nothing else is asked for, so nothing is asked again: {shown}");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
}

#[test]
fn what_is_granted_is_what_was_shown() {
    let sandbox = with_registry();
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["install", "acme-a"]).spawn_on(&mut terminal);
    terminal.shows("[y/N] ");
    // Meanwhile there is a newer one that asks for more, and the set moves, so that it is decided again.
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    sandbox.pintle(["install", "acme-b"]).succeeds();
    terminal.types("y\n");
    terminal.shows("git, rm");
    terminal.shows("[y/N] ");
    assert_eq!(grants(&sandbox), [""; 0], "the yes was to something else");
    terminal.types("n\n");
    terminal.shows_at_last();
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert_eq!(sandbox.installed(), "acme-b 1.0.0");
    assert_eq!(grants(&sandbox), [""; 0]);
}

#[test]
fn a_grant_that_was_taken_back_meanwhile_is_not_carried_over() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", GIT);
    publish(&sandbox, "acme-b", "1.1.0", GIT);
    let mut terminal = Terminal::new();
    let mut child = sandbox.command(["update"]).spawn_on(&mut terminal);
    terminal.shows("[y/N] ");
    sandbox.pintle(["trust", "revoke", "acme-a"]).succeeds();
    terminal.types("y\n");
    let shown = terminal.shows_at_last();
    assert_eq!(child.wait().unwrap().code(), Some(0), "{shown}");
    assert!(shown.contains("acme-a 1.1.0 was not granted"), "{shown}");
    assert_eq!(grants(&sandbox), ["acme-b 1.1.0 asked"]);
    assert_eq!(ungranted(&sandbox), ["acme-a"]);
}

#[test]
fn another_source_is_another_publisher_and_is_asked_for_again() {
    let sandbox = installed();
    sandbox.registry("other");
    sandbox.package("acme-a").version("1.1.0").permission(GIT).publish_to("other");
    let install = ["install", "acme-a@^1.1", "--registry", "other"];
    sandbox.pintle(install).fails(3, "trust.needs_consent");
    let archive = sandbox.package("acme-a").version("1.2.0").permission(GIT).archive();
    sandbox.command(["install"]).arg(archive).run().fails(3, "trust.needs_consent");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
}

#[test]
fn what_the_host_does_not_know_is_shown_first() {
    let sandbox = Sandbox::with_registry();
    let permissions =
        "\"aaa.low\" = true\n\"ui.prompt\" = true\n\"fs.read\" = [\"/etc\"]\n\"process.run\" = true";
    // Of the host that this Pintle is, everything that can be published is known.
    sandbox.package("acme-a").host("editor", "^1.0").permission(permissions).publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a", "--dry-run", "--host", "editor@1.0"]), @"
    + acme-a 1.0.0  from registry main
        wants to use aaa.low, which this Pintle does not know (unknown risk)
        wants to run any program, as you (high risk)
        wants to read files at or below: /etc (medium risk)
        wants to ask you questions while a command waits (low risk)
        runs with your full rights
    Would be: 1 installed (dry run, nothing was changed)
    ---- standard error
    note: to allow exactly what is asked for: `pintle install acme-a --host editor@1.0 --accept-permissions [digest]`
    ---- exit code 0
    ");
}
