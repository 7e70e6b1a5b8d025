//! Every verb that changes anything has `--dry-run`, which says what would change and changes nothing.

use crate::kit::{Sandbox, remove};

/// What is done before a run, so that there is something to do for it.
type Prepare = fn(&Sandbox);

/// A set, a project, a package folder, garbage of both kinds and damage: something to do for every verb.
fn filled() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.package("acme-new").folder(sandbox.work("acme-new")).write();
    sandbox
}

#[test]
fn a_dry_run_changes_nothing_and_the_run_it_is_about_does() {
    let prepare_garbage = |sandbox: &Sandbox| {
        sandbox.pintle(["uninstall", "acme-a"]).succeeds();
        remove(sandbox.home("generations/1"));
    };
    let nothing: Prepare = |_| {};
    let rows: [(&str, Prepare); 21] = [
        ("install acme-b", nothing),
        ("install", |sandbox| {
            let wishes = sandbox.read(&sandbox.home("pintle.toml"));
            sandbox.write(&sandbox.home("pintle.toml"), wishes + "acme-b = \"^1\"\n");
        }),
        ("uninstall acme-a", nothing),
        ("uninstall acme-a --purge --yes", |sandbox| sandbox.write(&sandbox.home("data/acme-a/d"), "d")),
        ("update", nothing),
        ("update acme-a --precise 1.1.0", nothing),
        ("sync", |sandbox| remove(sandbox.extension("acme-a"))),
        ("lock", |sandbox| std::fs::remove_file(sandbox.home("pintle.lock")).unwrap()),
        ("disable acme-a", nothing),
        ("enable acme-a", |sandbox| drop(sandbox.pintle(["disable", "acme-a"]).succeeds())),
        ("trust revoke acme-asks", |sandbox| {
            sandbox.package("acme-asks").permission("\"ui.prompt\" = true").publish_to("main");
            sandbox.allowing(["install", "acme-asks"]).run().succeeds();
        }),
        ("rollback", |sandbox| drop(sandbox.pintle(["update"]).succeeds())),
        ("gc", prepare_garbage),
        ("new acme-other", nothing),
        ("package acme-new", nothing),
        ("publish acme-new --registry main", nothing),
        ("yank acme-a@1.0.0 --reason x --registry main", nothing),
        ("yank acme-a@1.0.0 --undo --registry main", |sandbox| {
            sandbox.pintle(["yank", "acme-a@1.0.0", "--reason", "x", "--registry", "main"]).succeeds();
        }),
        ("registry init elsewhere", nothing),
        ("registry remove main", nothing),
        ("registry gc main --older-than 0s", |sandbox| {
            sandbox.write(&sandbox.registry_dir("main").join("a").join("0".repeat(64)), "nobody names this");
        }),
    ];
    for (text, prepare) in rows {
        let sandbox = filled();
        prepare(&sandbox);
        let before = sandbox.listing();
        let words = || text.split(' ');
        for option in [&["--dry-run"][..], &["-n"], &["-n", "--format=json"], &["-n", "-q"]] {
            let output = sandbox.command(words()).args(option).on("2040-01-01T00:00:00Z").run().succeeds();
            if option.len() == 2 && option[1] != "-q" {
                assert_eq!(output.json()["dry_run"], true, "{text}");
            }
        }
        before.without_traces().assert_same(&sandbox.listing().without_traces(), text);
        sandbox.command(words()).on("2040-01-01T00:00:00Z").run().succeeds();
        let after = sandbox.listing().without_traces();
        assert_ne!(
            before.without_traces(),
            after,
            "`{text}` has something to do, or this test shows nothing"
        );
    }
}

#[test]
fn a_dry_run_of_what_adds_a_registry_changes_nothing() {
    let sandbox = filled();
    sandbox.make_registry("second");
    let before = sandbox.listing();
    let add = || sandbox.command(["registry", "add", "second"]).arg(sandbox.registry_dir("second"));
    insta::assert_snapshot!(add().arg("--dry-run").run(), @"
    Extensions would be looked for in `second` ([root]/registries/second) (dry run)
    ---- exit code 0
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "registry add");
    add().run().succeeds();
    sandbox.pintle(["registry", "list"]).succeeds().says("second");
}

#[test]
fn a_dry_run_in_a_home_that_is_not_there_makes_none() {
    let sandbox = Sandbox::new();
    for text in ["install", "sync", "update", "lock", "gc", "verify --fix", "new acme-new", "cache clean"] {
        sandbox.command(text.split(' ')).arg("--dry-run").run().succeeds();
        assert!(!sandbox.home("").exists(), "{text}");
    }
}

#[test]
fn a_dry_run_fails_as_the_run_would() {
    let sandbox = filled();
    let rows = [
        "install acme-zzz",
        "uninstall acme-zzz",
        "update acme-zzz",
        "disable acme-zzz",
        "rollback 9",
        "new acme-new",
        "publish nowhere --registry main",
        "yank acme-a@9.0.0 --reason x --registry main",
        "yank acme-zzz@9.0.0 --reason x --registry main",
        "registry init acme-new",
        "registry add x acme-new",
        "registry remove nothing",
        "install acme-b --locked",
    ];
    for text in rows {
        let dry = sandbox.command(text.split(' ')).args(["--dry-run", "--format=json"]).run();
        let real = sandbox.command(text.split(' ')).arg("--format=json").run();
        assert_ne!(real.code, 0, "{text}");
        assert_eq!(dry.code, real.code, "{text}:\n{dry}");
        assert_eq!(dry.json()["error"]["code"], real.json()["error"]["code"], "{text}");
    }
}
