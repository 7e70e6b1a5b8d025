//! Uninstalling: what goes, what stays and why, and how data is deleted only on purpose.

use crate::kit::{Sandbox, remove};
use std::io::Read as _;
use std::process::Stdio;

#[test]
fn case_88_data_is_deleted_only_with_an_answer_that_can_be_given() {
    let sandbox = with_data();
    let before = sandbox.listing();
    let purge = || sandbox.command(["uninstall", "acme-a", "--purge"]);
    insta::assert_snapshot!(purge().run(), @"
    ---- standard error
    error[needs_input]: `[root]/home dir/data/acme-a`, `[root]/home dir/config/acme-a.toml` would be deleted, and no one can be asked
    help: to delete without being asked, add `--yes`
    ---- exit code 1
    ");
    // A pipe that stays open without a word in it.
    let (reader, writer) = std::io::pipe().unwrap();
    purge().stdin(reader).run().fails(1, "needs_input").says("--yes");
    drop(writer);
    // A pipe with an answer is no person, and what is in it is left to whoever reads next.
    let (mut reader, writer) = std::io::pipe().unwrap();
    std::io::Write::write_all(&mut &writer, b"y\nrm -rf x\n").unwrap();
    drop(writer);
    purge().stdin(reader.try_clone().unwrap()).run().fails(1, "needs_input");
    let mut left = String::new();
    reader.read_to_string(&mut left).unwrap();
    assert_eq!(left, "y\nrm -rf x\n");
    // No standard input at all.
    purge().after("exec 0<&-").run().fails(1, "needs_input");
    purge().stdin(Stdio::null()).env("CI", "1").run().fails(1, "needs_input");
    purge().arg("--format=json").run().fails(1, "needs_input");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a question without an answer");
    purge().arg("--yes").run().succeeds();
    assert_eq!(sandbox.installed(), "acme-b 1.0.0");
    assert!(!sandbox.home("data/acme-a").exists() && !sandbox.home("config/acme-a.toml").exists());
    assert!(sandbox.home("data/acme-b").exists(), "the data of others stays");
}

#[test]
fn a_purge_without_anything_to_delete_asks_nothing() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["uninstall", "acme-a", "--purge"]).succeeds();
    assert_eq!(sandbox.installed(), "");
}

#[test]
fn case_92_configuration_and_data_survive_every_change() {
    let sandbox = with_data();
    let kept =
        || (sandbox.read(&sandbox.home("config/acme-a.toml")), sandbox.read(&sandbox.home("data/acme-a/d")));
    let before = kept();
    sandbox.publish("acme-a", &["1.1.0"]);
    let all = [
        &["update"][..],
        &["update", "acme-a", "--precise", "1.0.0"],
        &["disable", "acme-a"],
        &["enable", "acme-a"],
        &["rollback"],
        &["uninstall", "acme-a"],
        &["gc"],
        &["install", "acme-a"],
        &["verify"],
    ];
    for verb in all {
        sandbox.pintle(verb).succeeds();
        assert_eq!(kept(), before, "{verb:?}");
    }
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-a"]), @"
    - acme-a 1.1.0
    1 removed (generation 6)
    ---- standard error
    note: `[root]/home dir/data/acme-a` stays; `--purge` deletes it
    note: `[root]/home dir/config/acme-a.toml` stays; `--purge` deletes it
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-b"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    note: acme-b 1.0.0 is installed already
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-b", "--purge", "--dry-run"]), @"
    - acme-b 1.0.0
    Would be: 1 removed (dry run, nothing was changed)
    ---- standard error
    note: `[root]/home dir/data/acme-b` would be deleted
    note: `[root]/home dir/config/acme-b.toml` would be deleted
    ---- exit code 0
    ");
}

#[test]
fn case_92_a_file_written_into_the_installed_tree_is_found() {
    let sandbox = with_data();
    sandbox.write(&sandbox.extension("acme-a").join("settings.json"), "{}");
    insta::assert_snapshot!(sandbox.pintle(["verify"]), @"
    acme-a
        extra file `settings.json`
    Compared 2 extensions: 1 broken
    ---- standard error
    note: `pintle verify --fix` fetches what is broken anew
    ---- exit code 4
    ");
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.pintle(["update"]).succeeds();
    assert!(!sandbox.extension("acme-a").join("settings.json").exists());
}

#[test]
fn case_94_what_is_removed_stays_removed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-d", &["1.0.0"]);
    sandbox.package("acme-a").depends("acme-d", "^1").publish_to("main");
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.package("acme-a").version("1.1.0").depends("acme-d", "^1").publish_to("main");
    sandbox.pintle(["update"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-a"]), @"
    - acme-a 1.1.0
    - acme-d 1.0.0
    2 removed (generation 3)
    ---- exit code 0
    ");
    for verb in ["sync", "update", "install"] {
        sandbox.pintle([verb]).succeeds();
        assert_eq!(sandbox.installed(), "", "{verb}");
    }
    assert!(!sandbox.read(&sandbox.home("pintle.toml")).contains("acme-a"));
    assert!(!sandbox.read(&sandbox.home("pintle.lock")).contains("acme-a"));
    assert!(std::fs::read_dir(sandbox.home("current/ext")).unwrap().next().is_none());
    // It stays in the store as long as it can be rolled back to, and gc says so by what it counts.
    assert_eq!(sandbox.pintle(["gc", "--format", "json"]).json()["releases"].as_array().unwrap().len(), 0);
    for _ in 0..5 {
        sandbox.publish("acme-z", &["1.0.0"]);
        sandbox.pintle(["install", "acme-z"]).succeeds();
        sandbox.pintle(["uninstall", "acme-z"]).succeeds();
    }
    sandbox.pintle(["gc"]).succeeds().says("Removed 3 releases");
    let listing = sandbox.listing();
    assert!(!listing.paths().any(|path| path.contains("home dir/store/") && path.contains("acme-a")));
}

#[test]
fn case_95_what_was_removed_or_turned_off_comes_back_on_request() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-s", &["1.0.0"]);
    sandbox.pintle(["install", "acme-s"]).succeeds();
    sandbox.pintle(["uninstall", "acme-s"]).succeeds();
    // The release is in the store still, so nothing has to be fetched.
    remove(sandbox.registry_dir("main").join("a"));
    sandbox.pintle(["install", "acme-s", "--offline"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-s 1.0.0");
    // What a person turned off stays off until they say otherwise, also if it was away meanwhile.
    sandbox.pintle(["disable", "acme-s"]).succeeds();
    sandbox.pintle(["uninstall", "acme-s"]).succeeds();
    sandbox.pintle(["install", "acme-s", "--offline"]).succeeds();
    sandbox.pintle(["list"]).succeeds().says("disabled");
    sandbox.pintle(["enable", "acme-s"]).succeeds();
    sandbox.pintle(["list"]).succeeds().does_not_say("disabled");
}

#[test]
fn case_96_a_dependency_goes_only_when_nothing_needs_it() {
    let sandbox = family();
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-a"]), @"
    - acme-a 1.0.0
    1 removed (generation 2)
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-b 1.0.0, acme-d 1.0.0");
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-b"]), @"
    - acme-b 1.0.0
    - acme-d 1.0.0
    2 removed (generation 3)
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "");
}

#[test]
fn case_96_what_was_asked_for_stays_though_nothing_needs_it() {
    let sandbox = family();
    sandbox.pintle(["install", "acme-d"]).succeeds();
    sandbox.pintle(["uninstall", "acme-a", "acme-b"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-d 1.0.0");
}

#[test]
fn case_96_what_is_needed_goes_only_with_what_needs_it() {
    let sandbox = family();
    let before = sandbox.listing();
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-d"]), @"
    ---- standard error
    error[uninstall.needed]: `acme-d` is needed by `acme-a`, `acme-b`
    help: remove them with it: `--cascade`
    ---- exit code 1
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a refused removal");
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-d", "--cascade"]), @"
    - acme-a 1.0.0
    - acme-b 1.0.0
    - acme-d 1.0.0
    3 removed (generation 2)
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "");
}

#[test]
fn what_is_not_installed_can_not_be_removed() {
    let sandbox = family();
    insta::assert_snapshot!(sandbox.pintle(["uninstall", "acme-aa"]), @"
    ---- standard error
    error[set.not_installed]: `acme-aa` is not installed
    help: did you mean `acme-a`?
    help: see what is installed with `pintle list`
    ---- exit code 1
    ");
    // All or nothing.
    sandbox.pintle(["uninstall", "acme-a", "nothing-like-it"]).fails(1, "set.not_installed");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0, acme-d 1.0.0");
}

/// Two extensions that need a third.
fn family() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-d", &["1.0.0"]);
    sandbox.package("acme-a").depends("acme-d", "^1").publish_to("main");
    sandbox.package("acme-b").depends("acme-d", "^1").publish_to("main");
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    sandbox
}

/// Two extensions, each with data and configuration.
fn with_data() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b"] {
        sandbox.publish(name, &["1.0.0"]);
        sandbox.write(&sandbox.home(&format!("data/{name}/d")), name);
        sandbox.write(&sandbox.home(&format!("config/{name}.toml")), "k = 'v' # mine\n");
    }
    sandbox.pintle(["install", "acme-a@^1", "acme-b"]).succeeds();
    sandbox
}
