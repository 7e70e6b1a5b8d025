//! Registries, locks and states that lie.

use crate::kit::{Sandbox, remove};
use std::process::Command;

/// Replaces a text in the lock of the home.
fn edit_lock(sandbox: &Sandbox, from: &str, to: &str) {
    let lock = sandbox.home("pintle.lock");
    let text = sandbox.read(&lock);
    assert!(text.contains(from), "the lock holds `{from}`");
    sandbox.write(&lock, text.replacen(from, to, 1));
}

#[test]
fn the_tree_of_another_package_is_not_installed_under_a_name() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "acme-b"]).succeeds();
    let text = sandbox.read(&sandbox.home("pintle.lock"));
    let trees: Vec<&str> = text.lines().filter(|line| line.starts_with("tree = ")).collect();
    edit_lock(&sandbox, trees[0], trees[1]);
    sandbox.pintle(["sync"]).fails(4, "integrity.wrong_package");
    assert_eq!(sandbox.generation(), 1);
}

#[test]
fn what_is_shown_of_permissions_is_what_the_manifest_asks_for() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-a").permission("\"process.run\" = [\"rm\"]").publish_to("main");
    sandbox.pintle(["lock"]).succeeds();
    sandbox.allowing(["install", "acme-a"]).run().succeeds();
    for (from, to) in [
        ("permissions = { \"process.run\" = [\"rm\"] }\n", ""),
        ("runtime = \"process\"", "runtime = \"wasm\""),
    ] {
        let other = sandbox.work("other-home");
        remove(&other);
        std::fs::create_dir_all(&other).unwrap();
        std::fs::copy(sandbox.home("pintle.toml"), other.join("pintle.toml")).unwrap();
        let lock = sandbox.read(&sandbox.home("pintle.lock"));
        assert!(lock.contains(from));
        sandbox.write(&other.join("pintle.lock"), lock.replacen(from, to, 1));
        let sync = sandbox.command(["sync", "--home"]).arg(&other).run();
        sync.fails(4, "integrity.other_facts");
    }
}

#[test]
fn numbers_that_would_run_over_are_refused() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    std::fs::create_dir(sandbox.home("generations/18446744073709551615")).unwrap();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    assert_eq!(sandbox.generation(), 2);
    let head = sandbox.registry_dir("main").join("head.json");
    let text = sandbox.read(&head);
    sandbox.write(&head, text.replacen("\"version\":2", "\"version\":18446744073709551615", 1));
    sandbox
        .pintle(["yank", "acme-a@1.0.0", "--registry", "main", "--reason", "x"])
        .fails(4, "registry.bad_head");
    sandbox.write(&head, text);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let size = sandbox.read(&sandbox.home("pintle.lock"));
    let size = size.lines().find(|line| line.starts_with("size = ")).unwrap().to_owned();
    edit_lock(&sandbox, &size, "size = 9223372036854775807");
    sandbox.pintle(["sync"]).fails(1, "lock.unreadable");
}

#[test]
fn a_pipe_in_the_place_of_a_file_is_refused_at_once() {
    let sandbox = Sandbox::with_registry();
    for (path, verb) in [
        (sandbox.home("pintle.toml"), "sync"),
        (sandbox.home("pintle.lock"), "sync"),
        (sandbox.registry_dir("main").join("head.json"), "search"),
    ] {
        let aside = path.with_extension("aside");
        let was_there = std::fs::rename(&path, &aside).is_ok();
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        let code = sandbox.pintle([verb]).code;
        assert!(code != 0 && code != 101, "{} with {verb}: {code}", path.display());
        std::fs::remove_file(&path).unwrap();
        if was_there {
            std::fs::rename(&aside, &path).unwrap();
        }
    }
}

#[test]
fn a_link_of_a_generation_that_leads_elsewhere_is_found_and_mended() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let link = sandbox.home("current/ext/acme-a");
    let target = std::fs::read_link(&link).unwrap();
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(std::path::Path::new("/tmp/evil").join(target.file_name().unwrap()), &link)
        .unwrap();
    sandbox.pintle(["verify"]).exits(4).says("leads to");
    sandbox.pintle(["verify", "--fix"]).succeeds();
    assert_eq!(std::fs::read_link(&link).unwrap(), target);
}

#[test]
fn thousands_of_problems_are_told_in_time() {
    let sandbox = Sandbox::with_registry();
    let lines: String = (0..5_000).map(|number| format!("BAD{number} = \"1\"\n")).collect();
    sandbox.write(&sandbox.home("pintle.toml"), format!("[extensions]\n{lines}"));
    sandbox.pintle(["sync"]).fails(1, "wishes.invalid").says("more problems");
}

#[test]
fn a_yanked_release_of_a_lock_is_said_when_it_is_fetched() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["yank", "acme-a@1.0.0", "--registry", "main", "--reason", "eats files"]).succeeds();
    let other = sandbox.work("other-home");
    std::fs::create_dir_all(&other).unwrap();
    for file in ["pintle.toml", "pintle.lock"] {
        std::fs::copy(sandbox.home(file), other.join(file)).unwrap();
    }
    sandbox.command(["sync", "--home"]).arg(&other).run().succeeds().says("was yanked: eats files");
}
