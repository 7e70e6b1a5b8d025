//! State that can't be read, homes in odd places, links, and files that can't be removed.

use crate::kit::Sandbox;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};

#[test]
fn case_38_state_that_can_not_be_read_is_never_taken_for_empty() {
    let damages: [&dyn Fn(&str) -> String; 4] =
        [&|text| text.chars().take(100).collect(), &|_| String::new(), &|_| "[]".to_owned(), &|text| {
            text.replacen("\"version\": 1", "\"version\": \"one\"", 1).replacen(
                "\"version\":1",
                "\"version\":\"one\"",
                1,
            )
        }];
    for damage in damages {
        let sandbox = installed();
        let state = sandbox.home("generations/2/set.json");
        let damaged = damage(&sandbox.read(&state));
        std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o644)).unwrap();
        sandbox.write(&state, &damaged);
        let before = sandbox.listing();
        for verb in
            [&["list"][..], &["install", "acme-c"], &["sync"], &["update"], &["gc"], &["tree"], &["verify"]]
        {
            sandbox.pintle(verb).fails(1, "state.unreadable").says("set.json");
        }
        before.without_traces().assert_same(&sandbox.listing().without_traces(), "damaged state");
        // What needs no set works: turning off, looking back, going back.
        sandbox.pintle(["disable", "acme-b"]).succeeds();
        sandbox.pintle(["history"]).succeeds().says("set.json");
        sandbox.pintle(["rollback"]).succeeds();
        assert_eq!(sandbox.installed(), "acme-a 1.0.0");
        sandbox.pintle(["install", "acme-b"]).succeeds();
        sandbox.pintle(["list"]).succeeds().says("acme-b  1.0.0  registry main, disabled");
    }
}

/// What was turned off before is not known any more. What may have been off does not run, and what may have been on, as a
/// guard, is not missed in silence.
#[test]
fn case_38_what_is_turned_off_is_never_forgotten() {
    for text in [
        "",
        "{\"version\":",
        "[]",
        "{\"version\":1}",
        "{\"version\":1,\"disabled\":{},\"lost\":null,\"x\":1}",
    ] {
        let sandbox = Sandbox::with_registry();
        for name in ["acme-a", "acme-b", "acme-c"] {
            sandbox.actor(name).at("tool.call", json!([])).install();
        }
        sandbox.pintle(["disable", "acme-a"]).succeeds();
        let state = sandbox.home("state/disabled.json");
        sandbox.write(&state, text);
        let exec = || sandbox.pintle(["exec", "--", "true"]);
        exec().fails(126, "state.unreadable").says("disabled.json").says("pintle disable NAME");
        let dry = sandbox.pintle(["disable", "acme-b", "--dry-run"]).succeeds();
        dry.says("would be put aside").says("acme-a, acme-c");
        assert_eq!(sandbox.read(&state), text);
        sandbox
            .pintle(["disable", "acme-b"])
            .succeeds()
            .says("disabled.json.damaged-1")
            .says("acme-a, acme-c");
        assert_eq!(sandbox.read(&sandbox.home("state/disabled.json.damaged-1")), text);
        exec().fails(126, "state.undecided").says("`acme-a`, `acme-c`").says("pintle enable acme-a");
        sandbox.pintle(["load"]).fails(1, "state.undecided");
        sandbox.pintle(["doctor"]).exits(1).says("state.undecided").says("disabled.json");
        sandbox.pintle(["list"]).succeeds().says("not known whether disabled");
        // Who knows what they do goes round.
        sandbox.pintle(["exec", "--without", "acme-a", "--without", "acme-c", "--", "true"]).succeeds();
        sandbox.pintle(["enable", "acme-c"]).succeeds().says("disabled: acme-a");
        exec().fails(126, "state.undecided").says("`acme-a`").does_not_say("acme-c");
        // What is installed meanwhile may have been off, too.
        sandbox.actor("acme-d").at("tool.call", json!([])).install();
        exec().fails(126, "state.undecided").says("`acme-a`, `acme-d`");
        sandbox.pintle(["enable", "acme-d"]).succeeds();
        sandbox.pintle(["disable", "acme-a"]).succeeds().does_not_say("nobody knows");
        exec().succeeds();
        assert!(sandbox.read(&state).contains("\"version\": 1"));
        assert!(sandbox.pintle(["load"]).stdout.contains("off   acme-a"));
    }
}

#[test]
fn a_list_of_what_is_off_that_a_newer_pintle_wrote_or_that_may_not_be_read_is_left_alone() {
    let sandbox = installed();
    let state = sandbox.home("state/disabled.json");
    let newer = "{\"version\":7,\"disabled\":{}}";
    sandbox.write(&state, newer);
    sandbox.pintle(["disable", "acme-b"]).fails(1, "state.newer");
    sandbox.pintle(["enable", "acme-b"]).fails(1, "state.newer");
    assert_eq!(sandbox.read(&state), newer);
    sandbox.write(&state, "{\"version\":1,\"disabled\":{}}");
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o000)).unwrap();
    sandbox.give_to_nobody();
    sandbox.command(["disable", "acme-b"]).by_nobody().run().fails(1, "fs.permission_denied");
    assert!(!sandbox.home("state/disabled.json.damaged-1").exists());
}

#[test]
fn a_damaged_list_of_what_is_off_and_a_damaged_set_keep_nobody_from_turning_off() {
    let sandbox = installed();
    sandbox.write(&sandbox.home("state/disabled.json"), "torn");
    let set = sandbox.home("generations/2/set.json");
    std::fs::set_permissions(&set, std::fs::Permissions::from_mode(0o644)).unwrap();
    sandbox.write(&set, "torn");
    for file in ["state/quarantine.json", "trust/grants.json", "pintle.toml", "pintle.lock"] {
        sandbox.write(&sandbox.home(file), "torn");
    }
    sandbox.command(["disable", "acme-b", "--offline"]).run().succeeds().says("acme-b is now disabled");
    sandbox.pintle(["enable", "acme-a"]).succeeds().says("quarantine.json");
    // A second damage is put beside the first.
    sandbox.write(&sandbox.home("state/disabled.json"), "torn again");
    sandbox.pintle(["disable", "acme-b"]).succeeds().says("disabled.json.damaged-2");
    sandbox.pintle(["exec", "--no-extensions", "--", "true"]).succeeds();
}

#[test]
fn case_38_a_current_link_to_nowhere_is_said() {
    let sandbox = installed();
    std::fs::remove_file(sandbox.home("current")).unwrap();
    symlink("generations/77", sandbox.home("current")).unwrap();
    let output = sandbox.pintle(["list"]);
    assert_ne!(output.code, 0, "{output}");
    sandbox.pintle(["rollback", "2"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
}

#[test]
fn wishes_with_mistakes_are_drawn_and_left_alone() {
    let sandbox = installed();
    let wishes = sandbox.home("pintle.toml");
    let text = sandbox.read(&wishes).replace("[extensions]", "[extentions]") + "acme-z = 7\n";
    sandbox.write(&wishes, &text);
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-c"]).fails(1, "wishes.invalid"), @"
    ---- standard error
    error[wishes.unknown_key]: unknown key `extentions`
     --> [root]/home dir/pintle.toml:4:2
      |
    4 | [extentions]
      |  ^^^^^^^^^^
      |
      = help: did you mean `extensions`?

    error[wishes.invalid]: `[root]/home dir/pintle.toml` has an error
    help: mend what is marked; what is installed was made from the copy `[root]/home dir/current/pintle.toml`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["list"]), @"
    acme-a  1.0.0  registry main, runs with your full rights
    acme-b  1.0.0  registry main, runs with your full rights
    ---- standard error
    warning: `[root]/home dir/pintle.toml` can't be read, so it is not known which extensions are required; line 4: unknown key `extentions`
    help: mend what is marked; what is installed was made from the copy `[root]/home dir/generations/2/pintle.toml`
    ---- exit code 0
    ");
    assert_eq!(sandbox.read(&wishes), text);
}

#[test]
fn case_39_and_40_a_home_may_be_called_anything() {
    let names: [&[u8]; 9] = [
        b"x y",
        b"x'y",
        b"x\"y",
        b"x$HOME y",
        b"x;touch pwned",
        b"-x",
        b"x\ny",
        "\u{17c}\u{f3}\u{142}\u{107} \u{914d}\u{4fe1}".as_bytes(),
        "z\u{307}o\u{301}".as_bytes(),
    ];
    for name in names {
        let sandbox = Sandbox::with_home(OsStr::from_bytes(name));
        sandbox.registry("main");
        round(&sandbox);
        assert!(!sandbox.work("pwned").exists());
        let document = sandbox.pintle(["list", "--format", "json"]).json();
        let path = document["scope"]["path"].as_str().unwrap();
        assert_eq!(std::path::Path::new(path), sandbox.home(""), "the path in a document can be used");
    }
}

/// A path that is no Unicode has no lossless form in a document; there it is shown with replacement characters.
#[test]
fn case_40_a_home_whose_name_is_no_unicode_works() {
    let sandbox = Sandbox::with_home(OsStr::from_bytes(b"home \xff dir"));
    sandbox.registry("main");
    round(&sandbox);
}

fn round(sandbox: &Sandbox) {
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.pintle(["update"]).succeeds();
    sandbox.pintle(["verify"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.1.0");
    assert!(sandbox.extension("acme-a").join("bin/run").is_file());
    sandbox.pintle(["rollback"]).succeeds();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    sandbox.pintle(["gc"]).succeeds();
    assert_eq!(sandbox.installed(), "");
    sandbox.assert_no_leftovers();
}

#[test]
fn case_42_a_home_reached_through_links_is_one_home() {
    let sandbox = installed();
    let link = sandbox.root().join("link to home");
    symlink(sandbox.home(""), &link).unwrap();
    let store = sandbox.root().join("store elsewhere");
    std::fs::rename(sandbox.home("store"), &store).unwrap();
    symlink(&store, sandbox.home("store")).unwrap();
    let through = |words: &[&str]| sandbox.command(words).env("PINTLE_HOME", &link);
    assert_eq!(sandbox.installed_by(through(&["list", "--format", "json"])), "acme-a 1.0.0, acme-b 1.0.0");
    through(&["verify"]).run().succeeds();
    through(&["install", "acme-c"]).run().succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0, acme-c 1.0.0");
    sandbox.pintle(["verify"]).succeeds();
    assert!(sandbox.home("store").is_symlink());
}

#[test]
fn case_42_a_linked_file_of_wishes_stays_a_link() {
    let sandbox = installed();
    for name in ["pintle.toml", "pintle.lock"] {
        let real = sandbox.root().join("dotfiles").join(name);
        sandbox.write(&real, sandbox.read(&sandbox.home(name)));
        std::fs::remove_file(sandbox.home(name)).unwrap();
        symlink(&real, sandbox.home(name)).unwrap();
    }
    sandbox.pintle(["install", "acme-c"]).succeeds();
    for name in ["pintle.toml", "pintle.lock"] {
        assert!(sandbox.home(name).is_symlink(), "{name}");
        assert!(sandbox.read(&sandbox.root().join("dotfiles").join(name)).contains("acme-c"), "{name}");
    }
    sandbox.assert_no_leftovers();
}

#[test]
fn case_42_one_folder_reached_by_two_paths_is_one_extension() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-dev").write();
    let link = sandbox.work("link");
    symlink(&folder, &link).unwrap();
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    sandbox.pintle(["install", "./link"]).succeeds().says("Nothing to do");
    assert_eq!(sandbox.installed(), "acme-dev 1.0.0");
    std::fs::remove_file(&link).unwrap();
    symlink("loop", sandbox.work("loop")).unwrap();
    for path in ["./link", "./loop"] {
        let output = sandbox.pintle(["install", path]);
        assert_eq!(output.code, 1, "{output}");
    }
    assert_eq!(sandbox.installed(), "acme-dev 1.0.0");
}

/// A linked folder that is gone keeps nobody from changing what else is installed, and can be removed.
#[test]
fn case_42_a_linked_folder_that_is_gone_can_be_removed() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-dev").write();
    sandbox.command(["install"]).arg(&folder).run().succeeds();
    std::fs::rename(&folder, folder.with_extension("gone")).unwrap();
    sandbox.pintle(["list"]).succeeds().says("acme-dev");
    sandbox.pintle(["verify"]).exits(4).says("acme-dev");
    sandbox.pintle(["uninstall", "acme-dev"]).succeeds();
    assert_eq!(sandbox.installed(), "");
}

/// Files in use can always be unlinked here; what can be shown is that the old tree stays whole for whoever uses it.
#[test]
fn case_43_a_tree_that_is_in_use_stays_whole_and_blocks_nothing() {
    let sandbox = installed();
    let root = sandbox.extension("acme-a");
    let open = std::fs::File::open(root.join("bin/run")).unwrap();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    assert!(root.join("bin/run").is_file(), "a host may go on with it");
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["verify"]).succeeds();
    drop(open);
}

fn installed() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b", "acme-c"] {
        sandbox.publish(name, &["1.0.0"]);
    }
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    sandbox
}
