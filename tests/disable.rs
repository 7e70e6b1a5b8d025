//! What a person turns off stays off, whatever happens to the set.

use crate::kit::Sandbox;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn case_62_what_needs_something_that_is_off_is_named_and_comes_back_with_it() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("metrics", &["2.0.0"]);
    sandbox.package("support").depends("metrics", ">=2.0").publish_to("main");
    sandbox.publish("other", &["1.0.0"]);
    sandbox.pintle(["install", "support", "other"]).succeeds();
    // It does not ask: whoever turns something off in a hurry is not to be stopped.
    insta::assert_snapshot!(sandbox.pintle(["disable", "metrics", "--reason", "leaks"]), @"
    metrics is now disabled
    ---- standard error
    warning: left out with it, because they need it: support
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    metrics  2.0.0  registry main, dependency, disabled (leaks), runs with your full rights
    other    1.0.0  registry main, runs with your full rights
    support  1.0.0  registry main, left out (needs metrics), runs with your full rights
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["disable", "metrics"]), @"
    metrics was disabled already
    ---- standard error
    warning: left out with it, because they need it: support
    ---- exit code 0
    ");
    let document = sandbox.pintle(["list", "--format", "json"]).json();
    assert_eq!(document["extensions"][0]["disabled"]["reason"], "leaks", "the first reason stands");
    insta::assert_snapshot!(sandbox.pintle(["enable", "metrics"]), @"
    metrics is now enabled
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["enable", "metrics"]), @"
    metrics was enabled already
    ---- exit code 0
    ");
    sandbox.pintle(["list"]).succeeds().does_not_say("disabled");
}

#[test]
fn what_is_off_stays_off_through_every_change_of_the_set() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    let all = [&["update"][..], &["sync"], &["rollback"], &["install", "acme-a@1.1.0"], &["verify"], &["gc"]];
    for verb in all {
        sandbox.pintle(verb).succeeds();
        let output = sandbox.pintle(["list"]).succeeds();
        assert!(output.stdout.contains("disabled"), "after {verb:?}:\n{output}");
    }
}

#[test]
fn turning_off_needs_no_set_that_can_be_read_and_no_registry() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    std::fs::rename(sandbox.registry_dir("main"), sandbox.registry_dir("gone")).unwrap();
    let state = sandbox.home("generations/1/set.json");
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o644)).unwrap();
    sandbox.write(&state, "{\"version\":");
    sandbox.write(&sandbox.home("pintle.lock"), "<<<<<<< ours\n");
    sandbox.write(&sandbox.home("pintle.toml"), "[extensions\n");
    sandbox.pintle(["disable", "acme-a"]).succeeds().says("acme-a is now disabled");
    let state = sandbox.read(&sandbox.home("state/disabled.json"));
    assert!(state.contains("acme-a") && state.contains("2030-01-10T12:00:00Z"), "{state}");
    sandbox.pintle(["enable", "acme-a"]).succeeds();
}

#[test]
fn only_what_is_installed_can_be_turned_off() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["disable", "acme-aa"]), @"
    ---- standard error
    error[set.not_installed]: `acme-aa` is not installed
    help: did you mean `acme-a`?
    help: see what is installed with `pintle list`
    ---- exit code 1
    ");
    // All or nothing.
    sandbox.pintle(["disable", "acme-a", "nothing-like-it"]).fails(1, "set.not_installed");
    sandbox.pintle(["list"]).succeeds().does_not_say("disabled");
}

#[test]
fn a_project_and_a_person_turn_off_apart() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "--user"]).succeeds();
    sandbox.pintle(["install", "acme-a", "--project"]).succeeds();
    sandbox.pintle(["disable", "acme-a", "--project"]).succeeds();
    sandbox.pintle(["list", "--user"]).succeeds().does_not_say("disabled");
    sandbox.pintle(["list", "--project"]).succeeds().says("disabled");
}
