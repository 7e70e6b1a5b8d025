//! What is gone, or came to be by an interruption, keeps nothing else from being changed, and is told.

use crate::kit::{Sandbox, remove};
use std::os::unix::fs::{PermissionsExt as _, symlink};

fn installed() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox
}

#[test]
fn a_folder_that_is_gone_stays_as_it_was_and_blocks_nothing() {
    let sandbox = installed();
    sandbox.package("acme-dev").folder(sandbox.work("dev")).write();
    sandbox.pintle(["install", "./dev"]).succeeds();
    remove(sandbox.work("dev"));
    sandbox.pintle(["install", "acme-b"]).succeeds().says("acme-dev stays as it was");
    sandbox.pintle(["update"]).succeeds();
    sandbox.pintle(["uninstall", "acme-dev"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
}

#[test]
fn an_archive_that_is_gone_stays_installed_and_blocks_nothing() {
    let sandbox = installed();
    let archive = sandbox.package("acme-file").archive();
    sandbox.pintle([std::ffi::OsStr::new("install"), archive.as_os_str()]).succeeds();
    std::fs::remove_file(&archive).unwrap();
    sandbox.pintle(["install", "acme-b"]).succeeds().says("acme-file stays as it was");
    sandbox.pintle(["verify"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0, acme-file 1.0.0");
}

#[test]
fn wishes_that_are_gone_are_not_taken_for_wanting_nothing() {
    let sandbox = installed();
    let wishes = sandbox.home("pintle.toml");
    let before = sandbox.read(&wishes);
    std::fs::remove_file(&wishes).unwrap();
    for verb in [&["sync"][..], &["install", "acme-b"], &["uninstall", "acme-a"], &["update"]] {
        sandbox.pintle(verb).fails(1, "wishes.gone").says("pintle rollback 1");
    }
    sandbox.pintle(["rollback", "1"]).succeeds().says("Brought back the files of generation 1");
    assert_eq!(sandbox.read(&wishes), before);
    sandbox.pintle(["sync"]).succeeds().says("Nothing to do");
}

#[test]
fn a_current_link_that_is_gone_is_said_and_garbage_is_not_collected() {
    let sandbox = installed();
    std::fs::remove_file(sandbox.home("current")).unwrap();
    for verb in [&["list"][..], &["verify"], &["gc"], &["sync"]] {
        sandbox.pintle(verb).fails(1, "state.unreadable").says("current");
    }
    sandbox.pintle(["rollback"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
    sandbox.pintle(["verify"]).succeeds();
}

#[test]
fn a_registry_that_no_longer_has_a_release_leaves_it_installed() {
    let sandbox = installed();
    remove(sandbox.registry_dir("main"));
    sandbox.make_registry("main");
    sandbox.publish("acme-c", &["1.0.0"]);
    sandbox.pintle(["cache", "clean"]).succeeds();
    sandbox.pintle(["install", "acme-c"]).succeeds();
    sandbox.pintle(["outdated"]).succeeds().says("no registry has these any more");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-c 1.0.0");
}

#[test]
fn links_that_lead_nowhere_are_no_missing_files() {
    let sandbox = installed();
    sandbox.pintle(["disable", "acme-a"]).succeeds();
    let disabled = sandbox.home("state/disabled.json");
    std::fs::remove_file(&disabled).unwrap();
    symlink("/nowhere/at/all", &disabled).unwrap();
    // What it said is not known, so nothing is taken to be on.
    sandbox.pintle(["list"]).succeeds().says("leads nowhere").says("not known whether disabled");
    sandbox.pintle(["exec", "--", "true"]).fails(126, "fs.in_the_way").says("disabled.json");
    let project = sandbox.work("project");
    std::fs::create_dir_all(&project).unwrap();
    symlink("/nowhere/at/all", project.join("pintle.toml")).unwrap();
    // A project whose wishes can't be read is not passed over for the person's own set.
    sandbox.command(["uninstall", "acme-a"]).at(&project).run().exits(1);
    assert_eq!(sandbox.generation(), 1);
}

#[test]
fn wishes_behind_a_link_are_written_where_they_are_and_keep_their_mode() {
    let sandbox = installed();
    let (wishes, dotfile) = (sandbox.home("pintle.toml"), sandbox.work("dotfiles/wishes.toml"));
    sandbox.write(&dotfile, sandbox.read(&wishes));
    std::fs::set_permissions(&dotfile, std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::remove_file(&wishes).unwrap();
    symlink(&dotfile, &wishes).unwrap();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    assert!(wishes.is_symlink() && sandbox.read(&dotfile).contains("acme-b"));
    assert_eq!(dotfile.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_first_installation_that_was_killed_is_finished_by_the_same_command() {
    let sandbox = installed();
    // As a kill leaves it between the commit and the writing of the wishes, of which there were none before.
    let (wishes, lock) = (sandbox.home("pintle.toml"), sandbox.home("pintle.lock"));
    let texts = [sandbox.read(&wishes), sandbox.read(&lock)];
    let digest = |text: &str| pintle_manifest::Digest::of(text.as_bytes()).to_string();
    let file = |path: &std::path::Path, copy: &str, text: &str| {
        serde_json::json!({
            "path": path, "temporary": path.with_file_name(format!(".{copy}.tmp-1-1")), "copy": copy,
            "before": null, "after": digest(text),
        })
    };
    let files = [file(&wishes, "pintle.toml", &texts[0]), file(&lock, "pintle.lock", &texts[1])];
    let pending = serde_json::json!({ "version": 1, "generation": 1, "origin": "new", "files": files });
    sandbox.write(&sandbox.home("state/pending.json"), pending.to_string());
    std::fs::remove_file(&wishes).unwrap();
    std::fs::remove_file(&lock).unwrap();
    sandbox.pintle(["install", "acme-a"]).succeeds().says("finished the change to generation 1");
    assert_eq!([sandbox.read(&wishes), sandbox.read(&lock)], texts);
    sandbox.assert_no_leftovers();
}

#[test]
fn a_pending_file_writes_and_removes_only_what_is_its_own() {
    let sandbox = installed();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    let victim = sandbox.work("victim");
    sandbox.write(&victim, "mine");
    let state = sandbox.home("state/pending.json");
    let of = |generation: u64, copy: &str| {
        serde_json::json!({ "version": 1, "generation": generation, "origin": "new", "files": [{
            "path": victim, "temporary": victim, "copy": copy, "before": null,
            "after": pintle_manifest::Digest::of(b"x").to_string(),
        }] })
    };
    for pending in [of(2, "../../../victim"), of(1, "pintle.toml"), of(2, "pintle.toml")] {
        sandbox.write(&state, pending.to_string());
        sandbox.pintle(["gc"]).succeeds();
        assert_eq!(sandbox.read(&victim), "mine");
        assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0");
        assert!(sandbox.home("generations/1/set.json").exists(), "an older generation is not removed");
    }
}
