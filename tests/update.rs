//! Updating, going back to an older version, and what is never moved.

use crate::kit::Sandbox;
use std::path::Path;

#[test]
fn an_update_goes_as_far_as_the_wishes_allow() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0", "1.2.0", "2.0.0"]);
    insta::assert_snapshot!(sandbox.pintle(["outdated"]), @"
    NAME    INSTALLED  UPDATE  NEWEST
    acme-a  1.0.0      1.2.0   2.0.0   held by your `^1.0.0`
    ---- exit code 0
    ");
    sandbox.pintle(["outdated", "--exit-code"]).exits(1);
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    ~ acme-a 1.0.0 -> 1.2.0  from registry main
        asks for nothing; runs with your full rights
    1 updated (generation 2)
    ---- standard error
    note: acme-a 2.0.0 is newer than `^1.0.0` in pintle.toml allows; `pintle install acme-a@^2.0` takes it
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["update", "acme-a"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: acme-a 2.0.0 is newer than `^1.0.0` in pintle.toml allows; `pintle install acme-a@^2.0` takes it
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-a 1.2.0");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: acme-a 1.2.0 is installed already
    note: acme-a 2.0.0 is newer than `^1.0.0` in pintle.toml allows; `pintle install acme-a@^2.0` takes it
    ---- exit code 0
    ");
    sandbox.pintle(["install", "acme-a@^2.0"]).succeeds().says("1.2.0 -> 2.0.0");
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    Nothing to do: everything is as wished
    ---- exit code 0
    ");
}

#[test]
fn one_extension_is_updated_and_others_stay() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.publish("acme-b", &["1.1.0"]);
    sandbox.pintle(["update", "acme-b"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.1.0");
    insta::assert_snapshot!(sandbox.pintle(["update", "acme-c"]), @"
    ---- standard error
    error[set.not_installed]: `acme-c` is not installed
    help: did you mean `acme-a`?
    help: see what is installed with `pintle list`
    ---- exit code 1
    ");
}

/// Everything that an update moves is in one generation, so it moves together or not at all.
#[test]
fn case_10_a_failed_update_does_not_say_that_it_succeeded() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-tool", &["1.0.0"]);
    sandbox.pintle(["install", "acme-tool"]).succeeds();
    let archives = sandbox.registry_dir("main").join("a");
    let old: Vec<_> = std::fs::read_dir(&archives).unwrap().map(|entry| entry.unwrap().path()).collect();
    sandbox.publish("acme-tool", &["1.1.0"]);
    let new: Vec<_> = std::fs::read_dir(&archives).unwrap().map(|entry| entry.unwrap().path()).collect();
    let new: Vec<_> = new.iter().filter(|path| !old.contains(path)).collect();
    let kept: Vec<_> = new.iter().map(|path| std::fs::read(path).unwrap()).collect();
    new.iter().for_each(|path| std::fs::remove_file(path).unwrap());
    let before = sandbox.listing();
    for _ in 0..2 {
        sandbox.pintle(["update"]).fails(4, "registry.missing_artifact").says("acme-tool 1.1.0");
        before.without_traces().assert_same(&sandbox.listing().without_traces(), "a failed update");
        assert_eq!(sandbox.installed(), "acme-tool 1.0.0");
    }
    new.iter().zip(kept).for_each(|(path, bytes)| sandbox.write(path, bytes));
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-tool 1.1.0");
}

#[test]
fn case_10_a_foreign_file_in_the_way_is_left_alone() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-tool", &["1.0.0"]);
    sandbox.pintle(["install", "acme-tool"]).succeeds();
    sandbox.publish("acme-tool", &["1.1.0"]);
    let foreign = sandbox.home("generations/2");
    sandbox.write(&foreign, "not a generation");
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-tool 1.1.0");
    assert_eq!(sandbox.read(&foreign), "not a generation");
    sandbox.pintle(["history"]).exits(0).says("acme-tool");
}

#[test]
fn case_13_only_what_the_set_names_counts_whatever_else_is_on_the_disk() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.2.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.10.0"]);
    sandbox.pintle(["update"]).succeeds().says("1.2.0 -> 1.10.0");
    let copy = sandbox.home("store/acme-a-1.9.0");
    sandbox.package("acme-a").version("1.9.0").folder(copy.clone()).write();
    assert_eq!(sandbox.installed(), "acme-a 1.10.0");
    let links: Vec<_> = std::fs::read_dir(sandbox.home("current/ext")).unwrap().collect();
    assert_eq!(links.len(), 1, "what is loaded is what the generation links to");
    let manifest = sandbox.read(&sandbox.extension("acme-a").join("extension.toml"));
    assert!(manifest.contains("1.10.0"), "{manifest}");
    sandbox.pintle(["verify"]).succeeds();
    sandbox.pintle(["gc"]).succeeds();
    assert!(copy.exists(), "what is no store entry is not Pintle's to remove");
}

#[test]
fn case_14_an_exact_version_is_a_pin() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.1.0", "1.2.0", "2.0.0"]);
    sandbox.pintle(["install", "acme-a@1.1.0"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    acme-a  1.1.0  registry main, pinned, runs with your full rights
    ---- exit code 0
    ");
    for verb in [&["update"][..], &["update", "acme-a"], &["sync"], &["install", "acme-a"]] {
        sandbox.pintle(verb).succeeds();
        assert_eq!(sandbox.installed(), "acme-a 1.1.0", "{verb:?}");
    }
    let output = sandbox.pintle(["update", "--format", "json"]).succeeds();
    assert_eq!(output.notes(), ["pinned acme-a"]);
    insta::assert_snapshot!(sandbox.pintle(["update", "acme-a", "--precise", "1.2.0"]), @"
    ---- standard error
    error[set.pinned]: `pintle.toml` asks for `acme-a =1.1.0`, which 1.2.0 is not
    help: to ask for it there: `pintle install acme-a@1.2.0`
    ---- exit code 1
    ");
    // A pin is loosened by asking for a range.
    sandbox.pintle(["install", "acme-a@^1"]).succeeds();
    sandbox.pintle(["update"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.2.0");
}

#[test]
fn case_14_a_package_file_is_a_pin_too() {
    let sandbox = Sandbox::with_registry();
    let archive = sandbox.package("acme-a").version("1.1.0").archive();
    sandbox.publish("acme-a", &["1.2.0"]);
    sandbox.command(["install"]).arg(&archive).run().succeeds();
    let output = sandbox.pintle(["update", "--format", "json"]).succeeds();
    assert_eq!(output.notes(), ["pinned acme-a"]);
    assert_eq!(sandbox.installed(), "acme-a 1.1.0");
}

#[test]
fn case_15_a_linked_folder_is_left_alone_by_an_update() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.0.1"]);
    sandbox.publish("acme-dev", &["9.0.0"]);
    let folder = sandbox.package("acme-dev").file(".git/HEAD", 0o644, "ref: refs/heads/main\n").write();
    sandbox.command(["install", "acme-a@=1.0.0"]).arg(&folder).run().succeeds();
    sandbox.pintle(["install", "acme-a@^1"]).succeeds();
    let before = crate::kit::Listing::of(&folder);
    let output = sandbox.pintle(["update", "--format", "json"]).succeeds();
    assert_eq!(output.notes(), ["local acme-dev"]);
    assert_eq!(sandbox.installed(), "acme-a 1.0.1, acme-dev 1.0.0");
    before.assert_same(&crate::kit::Listing::of(&folder), "an update");
}

#[test]
fn case_16_an_older_version_is_one_command_away_and_offline() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.pintle(["update"]).succeeds();
    let config = sandbox.home("config/acme-a.toml");
    sandbox.write(&config, "key = \"value\" # mine\n");
    move_away(&sandbox.registry_dir("main"));
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a@1.0.0", "--offline"]), @"
    ~ acme-a 1.1.0 -> 1.0.0 (downgrade)  from registry main
        asks for nothing; runs with your full rights
    1 downgraded (generation 3)
    ---- exit code 0
    ");
    assert_eq!(sandbox.read(&config), "key = \"value\" # mine\n");
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    acme-a  1.0.0  registry main, pinned, runs with your full rights
    ---- exit code 0
    ");
    sandbox.pintle(["update", "--offline"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
}

#[test]
fn case_16_precise_moves_down_and_says_so() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a@^1"]).succeeds();
    sandbox.pintle(["update", "acme-a", "--precise", "1.0.0"]).succeeds().says("1.1.0 -> 1.0.0 (downgrade)");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
    insta::assert_snapshot!(sandbox.pintle(["update", "acme-a", "--precise", "7.0.0"]), @"
    ---- standard error
    error[set.pinned]: `pintle.toml` asks for `acme-a ^1`, which 7.0.0 is not
    help: to ask for it there: `pintle install acme-a@7.0.0`
    ---- exit code 1
    ");
}

#[test]
fn case_18_the_mark_of_a_killed_update_blocks_nothing() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    // What a command killed after it began to commit leaves: the mark, and no new current generation.
    let pending = "{\"version\":1,\"generation\":2,\"origin\":\"new\",\"files\":[]}";
    sandbox.write(&sandbox.home("state/pending.json"), pending);
    assert_eq!(sandbox.installed(), "acme-a 1.0.0", "looking needs no recovery");
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    ~ acme-a 1.0.0 -> 1.1.0  from registry main
        asks for nothing; runs with your full rights
    1 updated (generation 2)
    ---- standard error
    note: dropped what an interrupted command had begun (generation 2)
    ---- exit code 0
    ");
    sandbox.assert_no_leftovers();
    // A command that has nothing to do clears the mark as well.
    sandbox.write(&sandbox.home("state/pending.json"), pending.replace(":2,", ":3,"));
    sandbox.pintle(["sync"]).succeeds();
    sandbox.assert_no_leftovers();
    assert_eq!(sandbox.installed(), "acme-a 1.1.0");
}

#[test]
fn case_53_a_dependency_that_an_update_brings_is_shown() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-fmt", &["1.0.0"]);
    sandbox.package("zz-runtime").permission("\"process.run\" = [\"curl\"]").publish_to("main");
    sandbox.pintle(["install", "acme-fmt"]).succeeds();
    sandbox.package("acme-fmt").version("1.0.1").depends("zz-runtime", "^1").publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["update", "--dry-run"]), @"
    ~ acme-fmt 1.0.0 -> 1.0.1  from registry main
        asks for nothing; runs with your full rights
    + zz-runtime 1.0.0  from registry main
        wants to run these programs, as you: curl (high risk)
        runs with your full rights
    Would be: 1 installed, 1 updated (dry run, nothing was changed)
    ---- standard error
    note: to allow exactly what is asked for: `pintle update --accept-permissions [digest]`
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-fmt 1.0.0");
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    Nothing was changed: what is newer waits until it is allowed
    ---- standard error
    note: acme-fmt stays at 1.0.0: 1.0.1 brings zz-runtime, which asks for what nobody has allowed
      zz-runtime 1.0.0
        wants to run these programs, as you: curl (high risk)
        runs with your full rights
    note: to allow exactly what is asked for: `pintle update --accept-permissions [digest]`
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-fmt 1.0.0", "what it would bring was not fetched either");
    sandbox.allowing(["update"]).run().succeeds();
    insta::assert_snapshot!(sandbox.pintle(["why", "zz-runtime"]), @"
    zz-runtime 1.0.0
      you asked for acme-fmt (^1.0.0)
        which needs zz-runtime (^1)
    ---- exit code 0
    ");
}

fn move_away(registry: &Path) {
    std::fs::rename(registry, registry.with_extension("gone")).unwrap();
}
