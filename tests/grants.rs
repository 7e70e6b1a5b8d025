//! Grants once they are given, or not: what a set does without them, how they are taken back and given later, and what
//! they are bound to.

use crate::kit::{Sandbox, remove};
use crate::trust::{
    GIT, GIT_AND_RM, answering, grants, hash_of, installed, publish, ungranted, with_registry,
};
use serde_json::json;

#[test]
fn a_sync_on_a_new_machine_installs_and_grants_nothing() {
    let sandbox = installed();
    let home = sandbox.work("new home");
    for file in ["pintle.toml", "pintle.lock"] {
        sandbox.write(&home.join(file), sandbox.read(&sandbox.home(file)));
    }
    let on = |words: &[&str]| sandbox.command(words).arg("--home").arg(&home);
    insta::assert_snapshot!(on(&["sync", "--locked"]).run(), @"
    + acme-a 1.0.0  from registry main
        wants to run these programs, as you: git (high risk)
        runs with your full rights
    + acme-b 1.0.0  from registry main
        asks for nothing; runs with your full rights
    2 installed (generation 1)
    ---- standard error
    warning: acme-a 1.0.0 was not granted all that it asks for, so it is not loaded
    note: `pintle trust grant --home '[root]/work dir/new home'` shows what is asked for, and asks; without a terminal add `--accept-permissions [digest]`
    ---- exit code 0
    ");
    insta::assert_snapshot!(on(&["list"]).run(), @"
    acme-a  1.0.0  registry main, not granted, runs with your full rights
    acme-b  1.0.0  registry main, runs with your full rights
    ---- exit code 0
    ");
    // It says so again as long as it is so.
    on(&["sync", "--locked"]).run().succeeds().says("acme-a 1.0.0 was not granted");
    on(&["install"]).run().succeeds().says("acme-a 1.0.0 was not granted");
    let document = on(&["trust", "list", "--format=json"]).run().json();
    let hash = document["accept_permissions"].as_str().unwrap();
    let grant = on(&["sync", "--locked", "--accept-permissions", hash]);
    insta::assert_snapshot!(grant.run(), @"
    Granted what acme-a asked for
    ---- exit code 0
    ");
    on(&["sync", "--locked"]).run().succeeds().does_not_say("not granted");
    // With the hash from the start, one command does it all.
    remove(home.join("trust"));
    remove(home.join("generations"));
    std::fs::remove_file(home.join("current")).unwrap();
    let whole = on(&["sync", "--locked", "--accept-permissions", hash]).run().succeeds();
    whole.says("2 installed").does_not_say("not granted");
}

#[test]
fn a_sync_does_not_replace_what_may_run_by_what_may_not() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    let other = sandbox.work("other home");
    for file in ["pintle.toml", "pintle.lock"] {
        sandbox.write(&other.join(file), sandbox.read(&sandbox.home(file)));
    }
    let update = || sandbox.command(["update", "--home"]).arg(&other);
    let hash = hash_of(&update().args(["--dry-run", "--format=json"]).run());
    update().args(["--accept-permissions", &hash]).run().succeeds();
    // The lock comes from someone who allowed it.
    sandbox.write(&sandbox.home("pintle.lock"), sandbox.read(&other.join("pintle.lock")));
    let before = sandbox.listing();
    sandbox.pintle(["sync"]).fails(3, "trust.needs_consent").says("new: rm");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a sync that asks");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
    let (shown, code) = answering(&sandbox, &["sync"], &["y\n"]);
    assert!(code == 0, "{shown}");
    assert_eq!(sandbox.installed(), "acme-a 1.1.0, acme-b 1.0.0");
    assert_eq!(ungranted(&sandbox), [""; 0]);
}

#[test]
fn what_is_revoked_stays_installed_and_is_not_granted_by_itself_again() {
    let sandbox = installed();
    insta::assert_snapshot!(sandbox.pintle(["trust", "list"]), @"
    acme-a 1.0.0  tree 9119208dea54
        may run these programs, as you: git (high risk)
        granted 2030-01-10 12:00, by --accept-permissions
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["trust", "revoke", "acme-a"]), @"
    acme-a 1.0.0 lost what it was allowed
        run these programs, as you: git
    ---- standard error
    note: acme-a stays installed and is not loaded until `pintle trust grant acme-a`
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    acme-a  1.0.0  registry main, not granted, runs with your full rights
    acme-b  1.0.0  registry main, runs with your full rights
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["trust", "list"]), @"
    acme-a 1.0.0
        wants to run these programs, as you: git (high risk)
        runs with your full rights
        not granted
    ---- exit code 0
    ");
    sandbox.pintle(["info", "acme-a"]).succeeds().says("1.0.0, not granted");
    for words in [&["install", "acme-b"][..], &["install", "acme-a"], &["update"], &["sync"], &["install"]] {
        let (shown, code) = answering(&sandbox, words, &[]);
        assert!(code == 0 && !shown.contains("[y/N]"), "who said no is not asked again: {words:?}: {shown}");
    }
    // The next version has nothing to take over, and waits.
    publish(&sandbox, "acme-a", "1.1.0", GIT);
    sandbox.pintle(["update"]).succeeds().says("acme-a stays at 1.0.0");
    sandbox.pintle(["trust", "revoke", "acme-a"]).succeeds().says("acme-a had no grant");
    insta::assert_snapshot!(sandbox.pintle(["trust", "revoke", "acme-aa"]), @"
    ---- standard error
    error[set.not_installed]: `acme-aa` is not installed
    help: did you mean `acme-a`?
    help: see what is granted with `pintle trust list`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["trust", "grant"]), @"
    ---- standard error
      acme-a 1.0.0
        wants to run these programs, as you: git (high risk)
        runs with your full rights
    error[trust.needs_consent]: `acme-a 1.0.0` asks for what nobody has allowed
    help: to allow exactly this: `pintle trust grant --accept-permissions [digest]`
    ---- exit code 3
    ");
    let (_, code) = answering(&sandbox, &["trust", "grant", "acme-a"], &["n\n"]);
    assert_eq!((code, ungranted(&sandbox)), (1, vec!["acme-a".to_owned()]));
    let (_, code) = answering(&sandbox, &["trust", "grant", "acme-a"], &["y\n"]);
    assert_eq!((code, ungranted(&sandbox)), (0, Vec::new()));
    sandbox.pintle(["trust", "grant"]).succeeds().says("Nothing to grant");
    sandbox.pintle(["trust", "grant", "acme-zzz"]).fails(1, "set.not_installed");
}

#[test]
fn case_97_grants_are_given_ahead_and_without_a_terminal() {
    let sandbox = installed();
    sandbox.pintle(["trust", "revoke", "acme-a"]).succeeds();
    let shown = sandbox.pintle(["trust", "grant", "--dry-run", "--format=json"]).succeeds();
    assert_eq!(grants(&sandbox), [""; 0]);
    let hash = hash_of(&shown);
    let wrong = "0".repeat(64);
    let before = sandbox.listing();
    sandbox.pintle(["trust", "grant", "--accept-permissions", &wrong]).fails(3, "trust.needs_consent");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a wrong hash");
    let granted = sandbox.pintle(["trust", "accept", "acme-a", "--accept-permissions", &hash]);
    insta::assert_snapshot!(granted, @"
    Granted what acme-a asked for
    ---- exit code 0
    ");
    assert_eq!(grants(&sandbox), ["acme-a 1.0.0 flag"]);
}

#[test]
fn a_rollback_needs_no_question_and_says_what_is_not_granted() {
    let sandbox = installed();
    publish(&sandbox, "acme-a", "1.1.0", GIT_AND_RM);
    sandbox.allowing(["update"]).run().succeeds();
    let (shown, code) = answering(&sandbox, &["rollback"], &[]);
    assert!(code == 0 && !shown.contains("not granted"), "{shown}");
    sandbox.pintle(["trust", "revoke", "acme-a"]).succeeds();
    let (shown, code) = answering(&sandbox, &["rollback", "2"], &[]);
    assert!(code == 0 && !shown.contains("[y/N]"), "{shown}");
    assert!(shown.contains("acme-a 1.1.0 was not granted all that it asks for"), "{shown}");
    let output = sandbox.pintle(["rollback", "1", "--format=json"]).succeeds();
    assert_eq!(output.notes(), ["not_granted acme-a"]);
}

/// A path below one that was granted is less, and what was given back is more again.
#[test]
fn an_update_that_asks_for_paths_below_those_that_were_granted_asks_nobody() {
    let sandbox = Sandbox::with_registry();
    let publish = |version: &str, permission: &str| {
        sandbox
            .actor("acme-a")
            .version(version)
            .at("tool.call", json!([]))
            .with(|package| package.permission(permission))
            .publish();
    };
    publish("1.0.0", "\"fs.read\" = [\"/etc\", \"/usr/share\"]");
    sandbox.allowing(["install", "acme-a"]).run().succeeds();
    let waits = |version: &str, permission: &str| {
        publish(version, permission);
        sandbox.pintle(["update"]).succeeds().says("waits");
    };
    let goes_on = |version: &str, permission: &str| {
        publish(version, permission);
        sandbox.pintle(["update"]).succeeds().does_not_say("waits").says(version);
        sandbox.pintle(["list"]).succeeds().does_not_say("not granted");
        sandbox.pintle(["sync"]).succeeds();
        assert!(sandbox.pintle(["load"]).succeeds().stdout.contains(&format!("ready acme-a {version}")));
    };
    goes_on("1.1.0", "\"fs.read\" = [\"/etc/ssl\", \"/usr/share\"]");
    waits("1.2.0", "\"fs.read\" = [\"/etc\"]");
    waits("1.2.1", "\"fs.read\" = [\"/etc/ssl/../passwd\"]");
    waits("1.2.2", "\"fs.read\" = [\"/etc/ssl/*\"]");
    waits("1.2.3", "\"fs.read\" = [\"/etc/ssh\"]");
    waits("1.2.4", "\"process.run\" = [\"/etc/ssl\"]");
    goes_on("1.3.0", "\"fs.read\" = [\"/etc/ssl/certs\"]");
}

#[test]
fn a_linked_folder_is_granted_by_its_place_and_asks_again_when_its_manifest_asks_for_more() {
    let sandbox = with_registry();
    let folder = sandbox.work("dev");
    let write = |permission: &str| {
        sandbox.package("acme-dev").permission(permission).folder(folder.clone()).write();
    };
    write(GIT);
    sandbox.pintle(["install", "./dev"]).fails(3, "trust.needs_consent");
    std::os::unix::fs::symlink(&folder, sandbox.work("link")).unwrap();
    sandbox.allowing(["install", "./link"]).run().succeeds();
    let document = sandbox.pintle(["trust", "list", "--format=json"]).json();
    assert_eq!(document["grants"][0]["folder"], *folder.to_string_lossy());
    // Its files may change as they like.
    sandbox.write(&folder.join("bin/run"), "#!/bin/sh\necho changed\n");
    sandbox.pintle(["sync"]).succeeds().does_not_say("not granted");
    write(GIT_AND_RM);
    // It holds up nobody else.
    sandbox.pintle(["install", "acme-b"]).succeeds().says("acme-dev 1.0.0 was not granted");
    assert_eq!(ungranted(&sandbox), ["acme-dev"]);
    sandbox.pintle(["update"]).succeeds().says("acme-dev 1.0.0 was not granted");
    sandbox.pintle(["trust", "grant", "acme-dev"]).fails(3, "trust.needs_consent").says("new: rm");
    let (_, code) = answering(&sandbox, &["trust", "grant"], &["y\n"]);
    assert_eq!((code, ungranted(&sandbox)), (0, Vec::new()));
    // A person is asked at once.
    write("\"process.run\" = true");
    let (shown, code) = answering(&sandbox, &["install", "./dev"], &["y\n"]);
    assert_eq!((code, ungranted(&sandbox)), (0, Vec::new()), "{shown}");
    write(GIT);
    sandbox.pintle(["sync"]).succeeds().does_not_say("not granted");
}

#[test]
fn case_97_grants_that_can_not_be_read_are_neither_none_nor_all() {
    for text in ["", "{", "{\"version\":1}", "{\"version\":7,\"grants\":[]}"] {
        let sandbox = installed();
        sandbox.publish("acme-c", &["1.0.0"]);
        publish(&sandbox, "acme-d", "1.0.0", GIT);
        sandbox.write(&sandbox.home("trust/grants.json"), text);
        let code = if text.contains('7') { "state.newer" } else { "state.unreadable" };
        sandbox.pintle(["install", "acme-d"]).fails(1, code);
        let hash = "0".repeat(64);
        sandbox.pintle(["install", "acme-d", "--accept-permissions", &hash]).fails(1, code);
        sandbox.pintle(["trust", "list"]).fails(1, code);
        sandbox.pintle(["trust", "grant"]).fails(1, code);
        sandbox.pintle(["trust", "revoke", "acme-a"]).fails(1, code);
        // What needs no grant goes on, and so does whatever takes something away.
        sandbox.pintle(["install", "acme-c"]).succeeds();
        sandbox.pintle(["disable", "acme-a"]).succeeds();
        sandbox.pintle(["list"]).succeeds().says("warning").does_not_say("not granted");
        let document = sandbox.pintle(["list", "--format=json"]).succeeds().json();
        assert_eq!(document["extensions"][0]["granted"], serde_json::Value::Null);
        sandbox.pintle(["uninstall", "acme-a"]).succeeds();
        assert_eq!(sandbox.read(&sandbox.home("trust/grants.json")), text, "it is left as it is");
    }
}

#[test]
fn a_failed_install_grants_nothing() {
    let sandbox = with_registry();
    let hash = hash_of(&sandbox.pintle(["install", "acme-a", "--format=json"]));
    let archives = sandbox.registry_dir("main").join("a");
    for entry in std::fs::read_dir(&archives).unwrap() {
        std::fs::File::create(entry.unwrap().path()).unwrap();
    }
    let install = sandbox.pintle(["install", "acme-a", "--accept-permissions", &hash]);
    assert_eq!(install.code, 4, "{install}");
    assert_eq!(grants(&sandbox), [""; 0]);
}
