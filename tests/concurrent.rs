//! Several processes at once, processes that wait, and processes that are stopped.

use crate::kit::{Output, Sandbox, interrupt, wait_for};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;

/// Starts a run for each list of arguments, and waits for all of them.
fn at_once(sandbox: &Sandbox, runs: impl IntoIterator<Item = Vec<String>>) -> Vec<Output> {
    let started: Vec<_> = runs.into_iter().map(|run| sandbox.command(run).spawn()).collect();
    started.into_iter().map(|(child, end)| end(child)).collect()
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn case_31_installations_at_once_leave_whole_files() {
    let sandbox = Sandbox::with_registry();
    let large = vec![b'x'; 300_000];
    sandbox.package("acme-big").file("data", 0o644, large).publish_to("main");
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    let outputs = at_once(&sandbox, (0..8).map(|_| words("install acme-big acme-a acme-b")));
    outputs.into_iter().for_each(|output| drop(output.succeeds()));
    assert_eq!(sandbox.installed(), "acme-a 1.0.0, acme-b 1.0.0, acme-big 1.0.0");
    assert_eq!(sandbox.generation(), 1, "the first one did it, and the others found it done");
    sandbox.pintle(["verify"]).succeeds();
    sandbox.assert_no_leftovers();
}

#[test]
fn case_31_killed_installations_leave_whole_files() {
    let sandbox = Sandbox::with_registry();
    let large = vec![b'x'; 300_000];
    sandbox.package("acme-big").file("data", 0o644, large).publish_to("main");
    let mut started: Vec<_> = (0..8).map(|_| sandbox.command(["install", "acme-big"]).spawn()).collect();
    for (child, _) in started.iter_mut().step_by(2) {
        // Some are over already, which is as good.
        let _ = child.kill();
    }
    for (at, (child, end)) in started.into_iter().enumerate() {
        let output = end(child);
        assert!(at % 2 == 0 || output.code == 0, "{output}");
    }
    assert_eq!(sandbox.installed(), "acme-big 1.0.0");
    sandbox.pintle(["verify"]).succeeds();
    sandbox.pintle(["sync"]).succeeds();
    sandbox.pintle(["gc"]).succeeds();
    sandbox.pintle(["verify"]).succeeds();
}

#[test]
fn case_36_a_waiter_says_whom_it_waits_for_and_gives_up_in_time() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["sync"]).succeeds();
    std::fs::create_dir_all(sandbox.home("run")).unwrap();
    let held = hold(&sandbox, "lease");
    sandbox.write(
        &sandbox.home("run/lease"),
        "{\"pid\":4242,\"command\":\"pintle update\",\"since\":\"2030-01-10T11:59:00Z\"}",
    );
    let output = sandbox.pintle(["install", "acme-a", "--lock-timeout", "700ms"]);
    insta::assert_snapshot!(output.fails(1, "lock.timeout"), @"
    ---- standard error
         Waiting for `pintle update` (process [pid], since 2030-01-10T11:59:00Z)
    error[lock.timeout]: waited 0 s for `pintle update` (process [pid], since 2030-01-10T11:59:00Z)
    help: wait for it to end, or wait longer with `--lock-timeout 30m`
    ---- exit code 1
    ");
    let output = sandbox.pintle(["install", "acme-a", "--lock-timeout", "0s", "--format", "json"]);
    output.fails(1, "lock.timeout").says("pintle update");
    // What only reads waits for no one, and neither does turning something off.
    sandbox.pintle(["list"]).succeeds();
    sandbox.pintle(["verify"]).succeeds();
    drop(held);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let _held = hold(&sandbox, "lease");
    sandbox.pintle(["disable", "acme-a", "--lock-timeout", "0s"]).succeeds();
}

#[test]
fn case_36_a_waiter_goes_on_when_the_holder_is_gone() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["sync"]).succeeds();
    let held = hold(&sandbox, "lease");
    let (mut child, _) = sandbox.command(["install", "acme-a"]).spawn();
    let said = first_line(&mut child);
    assert!(said.contains("Waiting for"), "{said}");
    // A killed process loses its lock like this.
    drop(held);
    assert!(child.wait().unwrap().success());
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
}

#[test]
fn case_36_ctrl_c_ends_a_wait() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["sync"]).succeeds();
    let _held = hold(&sandbox, "lease");
    let (mut child, _) = sandbox.command(["install", "acme-a"]).spawn();
    let said = first_line(&mut child);
    assert!(said.contains("Waiting for"), "{said}");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(sandbox.installed(), "");
    sandbox.assert_no_leftovers();
}

#[test]
fn ctrl_c_in_the_middle_of_an_installation_leaves_a_clean_state() {
    let sandbox = Sandbox::with_registry();
    let mut package = sandbox.package("acme-big");
    for number in 0..900 {
        package = package.file(&format!("data/{number}"), 0o644, format!("{number}"));
    }
    package.publish_to("main");
    // The first command that changes anything makes the directories.
    sandbox.pintle(["sync"]).succeeds();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    // On a machine under load the installation may be done before the signal comes; then it is done again.
    for _ in 0..10 {
        let before = sandbox.listing();
        let (child, end) = sandbox.command(["install", "acme-big"]).spawn();
        wait_for("unpacking", || is_unpacking(&sandbox));
        interrupt(&child);
        let output = end(child);
        if output.code != 0 {
            insta::assert_snapshot!(output.fails(130, "interrupted"), @"
            ---- standard error
            error[interrupted]: interrupted; nothing was changed
            ---- exit code 130
            ");
            sandbox.assert_no_leftovers();
            before.without_traces().assert_same(&sandbox.listing().without_traces(), "Ctrl-C");
            sandbox.pintle(["install", "acme-big"]).succeeds();
            return;
        }
        sandbox.pintle(["uninstall", "acme-big"]).succeeds();
        sandbox.pintle(["gc"]).succeeds();
    }
    panic!("ten installations were over before they could be interrupted");
}

fn is_unpacking(sandbox: &Sandbox) -> bool {
    let store = std::fs::read_dir(sandbox.home("store")).into_iter().flatten().flatten();
    let mut staging = store.filter(|entry| entry.file_name().to_string_lossy().starts_with(".staging-"));
    staging.any(|entry| entry.path().read_dir().is_ok_and(|mut trees| trees.next().is_some()))
}

#[test]
fn case_37_everyone_who_turns_something_off_is_heard() {
    let sandbox = Sandbox::with_registry();
    let names: Vec<String> = (0..12).map(|number| format!("acme-{number}")).collect();
    names.iter().for_each(|name| sandbox.publish(name, &["1.0.0"]));
    sandbox.command(["install"]).args(&names).run().succeeds();
    let disabling = names.iter().map(|name| vec!["disable".to_owned(), name.clone()]);
    let reading = (0..12).map(|_| words("list --format json"));
    let outputs = at_once(&sandbox, disabling.zip(reading).flat_map(|(one, other)| [one, other]));
    for output in outputs {
        let output = output.succeeds();
        if output.raw_stdout.starts_with('{') {
            assert_eq!(output.json()["extensions"].as_array().unwrap().len(), 12);
        }
    }
    let document = sandbox.pintle(["list", "--format", "json"]).json();
    let disabled = document["extensions"].as_array().unwrap().iter().filter(|one| !one["disabled"].is_null());
    assert_eq!(disabled.count(), 12);
    sandbox.assert_no_leftovers();
}

#[test]
fn case_37_different_changes_at_once_all_count() {
    let sandbox = Sandbox::with_registry();
    let names: Vec<String> = (0..8).map(|number| format!("acme-{number}")).collect();
    names.iter().for_each(|name| sandbox.publish(name, &["1.0.0"]));
    let outputs = at_once(&sandbox, names.iter().map(|name| vec!["install".to_owned(), name.clone()]));
    outputs.into_iter().for_each(|output| drop(output.succeeds()));
    let expected: Vec<String> = names.iter().map(|name| format!("{name} 1.0.0")).collect();
    assert_eq!(sandbox.installed(), expected.join(", "));
    assert_eq!(sandbox.generation(), 8);
    sandbox.pintle(["verify"]).succeeds();
    sandbox.assert_no_leftovers();
}

#[test]
fn publishers_at_once_all_succeed() {
    let sandbox = Sandbox::with_registry();
    let registry = sandbox.registry_dir("main").display().to_string();
    let folders: Vec<String> = (0..8)
        .map(|number| sandbox.package(&format!("acme-{number}")).write().display().to_string())
        .collect();
    let runs = folders
        .iter()
        .map(|folder| vec!["publish".to_owned(), folder.clone(), "--registry".to_owned(), registry.clone()]);
    at_once(&sandbox, runs).into_iter().for_each(|output| drop(output.succeeds()));
    let document =
        sandbox.pintle(["registry", "check", "main", "--deep", "--format", "json"]).succeeds().json();
    assert_eq!((&document["packages"], &document["whole"]), (&8.into(), &true.into()));
    sandbox.assert_no_leftovers();
}

#[test]
fn of_publishers_of_one_version_with_different_bytes_one_succeeds() {
    let sandbox = Sandbox::with_registry();
    let registry = sandbox.registry_dir("main").display().to_string();
    let folder = |number: usize| {
        let package = sandbox.package("acme-a").folder(sandbox.work(&format!("copy-{number}")));
        package.file("which", 0o644, format!("{number}")).write().display().to_string()
    };
    let runs = (0..8)
        .map(|number| vec!["publish".to_owned(), folder(number), "--registry".to_owned(), registry.clone()]);
    let outputs = at_once(&sandbox, runs.collect::<Vec<_>>());
    let (done, refused): (Vec<_>, Vec<_>) = outputs.into_iter().partition(|output| output.code == 0);
    assert_eq!(done.len(), 1);
    refused.into_iter().for_each(|output| drop(output.fails(1, "publish.version_exists")));
    sandbox.pintle(["registry", "check", "main", "--deep"]).succeeds();
}

/// Holds a lock of the user's set, as a running command does.
fn hold(sandbox: &Sandbox, name: &str) -> File {
    let file = File::options().read(true).write(true).open(sandbox.home("run").join(name)).unwrap();
    file.lock().unwrap();
    file
}

fn first_line(child: &mut Child) -> String {
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    // The rest is read too, so that the child never writes into a closed pipe.
    std::thread::spawn(move || {
        let mut rest = String::new();
        stderr.read_to_string(&mut rest)
    });
    line
}
