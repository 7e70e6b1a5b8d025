//! State that can't be read, homes in odd places, links, and files that can't be removed.

use crate::kit::Sandbox;
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

#[test]
fn case_38_what_is_turned_off_is_never_forgotten() {
    let sandbox = installed();
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    let state = sandbox.home("state/disabled.json");
    for text in ["", "{\"version\":", "[]", "{\"version\":1}"] {
        sandbox.write(&state, text);
        sandbox.pintle(["disable", "acme-b"]).fails(1, "state.unreadable").says("disabled.json");
        sandbox.pintle(["enable", "acme-a"]).fails(1, "state.unreadable");
        sandbox.pintle(["list"]).succeeds().says("disabled.json");
        assert_eq!(sandbox.read(&state), text);
    }
    sandbox.write(&state, "{\"version\":7,\"disabled\":{}}");
    sandbox.pintle(["disable", "acme-b"]).fails(1, "state.newer");
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
    ---- exit code 1
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
