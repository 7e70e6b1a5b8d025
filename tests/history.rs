//! Generations: going back and forth, what is kept, and what is let go.

use crate::kit::{Sandbox, remove};
use std::fs::File;

#[test]
fn a_rollback_restores_the_set_the_wishes_and_the_lock_offline() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let texts = || (sandbox.read(&sandbox.home("pintle.toml")), sandbox.read(&sandbox.home("pintle.lock")));
    let first = texts();
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["update"]).succeeds();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    let third = texts();
    std::fs::rename(sandbox.registry_dir("main"), sandbox.registry_dir("gone")).unwrap();
    insta::assert_snapshot!(sandbox.pintle(["rollback", "1", "--offline"]), @"
    ~ acme-a 1.1.0 -> 1.0.0 (downgrade)  from registry main
        asks for nothing; runs with your full rights
    - acme-b 1.0.0
    Went from generation 3 to generation 1
    ---- exit code 0
    ");
    assert_eq!(sandbox.installed(), "acme-a 1.0.0");
    assert_eq!(texts(), first);
    insta::assert_snapshot!(sandbox.pintle(["history"]), @"
         3  2030-01-10 12:00  2 extensions    pintle install acme-b
         2  2030-01-10 12:00  1 extension     pintle update
    *    1  2030-01-10 12:00  1 extension     pintle install acme-a
    ---- exit code 0
    ");
    sandbox.pintle(["verify"]).succeeds();
    // Forward again is the same.
    sandbox.pintle(["rollback", "3"]).succeeds();
    assert_eq!(texts(), third);
    assert_eq!(sandbox.installed(), "acme-a 1.1.0, acme-b 1.0.0");
    // Without a number it goes to where the current one came from.
    sandbox.pintle(["rollback"]).succeeds();
    assert_eq!(sandbox.installed(), "acme-a 1.1.0");
    insta::assert_snapshot!(sandbox.pintle(["rollback", "2"]), @"
    Generation 2 is current already
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["rollback", "9"]), @"
    ---- standard error
    error[rollback.no_generation]: there is no generation 9
    help: there are: 1, 2, 3 (see `pintle history`)
    ---- exit code 1
    ");
    sandbox.assert_no_leftovers();
}

#[test]
fn a_rollback_keeps_what_was_written_by_hand() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["install", "acme-b"]).succeeds();
    let wishes = sandbox.home("pintle.toml");
    let edited = sandbox.read(&wishes) + "# a thought of mine\n";
    sandbox.write(&wishes, &edited);
    insta::assert_snapshot!(sandbox.pintle(["rollback"]), @"
    - acme-b 1.0.0
    Went from generation 2 to generation 1
    ---- standard error
    note: what you had changed by hand is kept in `[root]/home dir/pintle.toml.saved-1`
    ---- exit code 0
    ");
    assert_eq!(sandbox.read(&sandbox.home("pintle.toml.saved-1")), edited);
    assert!(!sandbox.read(&wishes).contains("acme-b"));
    sandbox.write(&wishes, &edited);
    sandbox.pintle(["rollback", "2"]).succeeds();
    assert_eq!(sandbox.read(&sandbox.home("pintle.toml.saved-2")), edited);
}

#[test]
fn there_is_nothing_to_go_back_to_at_first() {
    let sandbox = Sandbox::with_registry();
    insta::assert_snapshot!(sandbox.pintle(["rollback"]), @"
    ---- standard error
    error[rollback.nothing]: there is nothing to go back to
    help: see what there is with `pintle history`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["history"]), @"
    nothing was ever installed here
    ---- exit code 0
    ");
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    sandbox.pintle(["rollback"]).fails(1, "rollback.nothing");
}

#[test]
fn a_rollback_to_what_the_store_lacks_is_refused() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let root = sandbox.extension("acme-a");
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    let tree = root.with_file_name(format!("{}.tree", root.file_name().unwrap().to_string_lossy()));
    std::fs::remove_file(tree).unwrap();
    insta::assert_snapshot!(sandbox.pintle(["rollback"]), @"
    ---- standard error
    error[rollback.incomplete]: generation 1 lacks `acme-a` in the store
    help: another generation may be whole: see `pintle history`
    help: `pintle verify --fix` mends the current one
    ---- exit code 1
    ");
    assert_eq!(sandbox.installed(), "");
}

#[test]
fn five_generations_are_kept_and_what_a_host_holds() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.publish("acme-b", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let held_root = sandbox.extension("acme-a");
    sandbox.pintle(["install", "acme-b"]).succeeds();
    // A running host holds the generation that it started with.
    let held = File::open(sandbox.home("generations/1/set.json")).unwrap();
    held.lock_shared().unwrap();
    sandbox.pintle(["uninstall", "acme-a"]).succeeds();
    for number in 0..3 {
        let name = format!("acme-z{number}");
        sandbox.publish(&name, &["1.0.0"]);
        sandbox.pintle(["install", &name]).succeeds();
        sandbox.pintle(["uninstall", &name]).succeeds();
    }
    assert_eq!(numbers(&sandbox), [1, 5, 6, 7, 8, 9]);
    sandbox.pintle(["gc"]).succeeds();
    assert!(held_root.join("bin/run").is_file(), "what a host runs stays");
    drop(held);
    sandbox.pintle(["gc"]).succeeds().says("Removed 1 release");
    assert_eq!(numbers(&sandbox), [5, 6, 7, 8, 9]);
    assert!(!held_root.exists());
    sandbox.pintle(["verify"]).succeeds();
}

#[test]
fn garbage_is_what_no_set_of_anyone_needs() {
    let sandbox = Sandbox::with_registry();
    for name in ["acme-a", "acme-b", "acme-c"] {
        sandbox.publish(name, &["1.0.0"]);
    }
    sandbox.pintle(["install", "acme-a", "acme-c", "--user"]).succeeds();
    let unneeded = sandbox.extension("acme-c");
    sandbox.pintle(["install", "acme-b", "--project"]).succeeds();
    sandbox.pintle(["uninstall", "acme-c", "--user"]).succeeds();
    for generation in 1..=1 {
        let path = sandbox.home(&format!("generations/{generation}"));
        remove(path);
    }
    insta::assert_snapshot!(sandbox.pintle(["gc", "--dry-run"]), @"
    Would remove 1 release (246 B) (dry run)
    ---- exit code 0
    ");
    assert!(unneeded.exists());
    insta::assert_snapshot!(sandbox.pintle(["gc"]), @"
    Removed 1 release (246 B)
    ---- exit code 0
    ");
    assert!(!unneeded.exists());
    sandbox.pintle(["verify", "--user"]).succeeds().says("Compared 1 extension: all as installed");
    sandbox.pintle(["verify", "--project"]).succeeds().says("Compared 1 extension: all as installed");
}

#[test]
fn a_project_that_is_away_keeps_what_it_needs() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "--project"]).succeeds();
    let away = sandbox.root().join("elsewhere");
    std::fs::rename(sandbox.work(""), &away).unwrap();
    std::fs::create_dir(sandbox.work("")).unwrap();
    std::fs::remove_dir(sandbox.work("")).unwrap();
    insta::assert_snapshot!(sandbox.command(["gc"]).at(sandbox.root()).run(), @"
    Removed 0 releases (0 B)
    ---- standard error
    note: the project `[root]/work dir` is not there; what is installed for it is kept
    ---- exit code 0
    ");
    std::fs::rename(&away, sandbox.work("")).unwrap();
    sandbox.pintle(["verify"]).succeeds().says("Compared 1 extension: all as installed");
}

#[test]
fn garbage_is_not_collected_while_a_set_can_not_be_read() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.pintle(["install", "acme-a", "--project"]).succeeds();
    let projects = sandbox.home("projects");
    let project = std::fs::read_dir(&projects).unwrap().next().unwrap().unwrap().path();
    let state = project.join("generations/1/set.json");
    std::fs::remove_file(&state).unwrap();
    sandbox.write(&state, "{");
    let before = sandbox.listing();
    sandbox.pintle(["gc", "--user"]).fails(1, "state.unreadable").says("nothing is collected");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a refused collection");
}

#[test]
fn an_earlier_generation_that_can_not_be_read_is_let_go_of_by_hand() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a@1.0.0"]).succeeds();
    sandbox.pintle(["install", "acme-a@1.1.0"]).succeeds();
    sandbox.write(&sandbox.home("generations/2/set.json"), "{\"broken");
    // The one that is current is told otherwise than the one that was.
    sandbox
        .pintle(["list"])
        .fails(1, "state.unreadable")
        .says("go back to a whole set with `pintle rollback`");
    sandbox.pintle(["rollback", "1"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["gc"]), @"
    ---- standard error
    error[state.unreadable]: can't read `[root]/home dir/generations/2/set.json`: line 1: it ends in the middle
    help: generation 2 is not the current one: restore the file, or remove `[root]/home dir/generations/2`; then nobody can go back to it
    help: nothing is collected while it is not known what is needed
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["doctor"]), @"
    warning can't read `[root]/home dir/generations/2/set.json`: line 1: it ends in the middle [doctor.generation]
            at: [root]/home dir/generations/2
            next: generation 2 is not the current one: restore the file, or remove `[root]/home dir/generations/2`; then nobody can go back to it; `pintle gc` waits for that

    1 warning; looked at 1 extension and 0 runs
    ---- exit code 1
    ");
    remove(sandbox.home("generations/2"));
    sandbox.pintle(["gc"]).succeeds();
    sandbox.pintle(["doctor"]).succeeds();
}

fn numbers(sandbox: &Sandbox) -> Vec<u64> {
    let listing = std::fs::read_dir(sandbox.home("generations")).unwrap();
    let names = listing.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    let mut numbers: Vec<u64> = names.map(|name| name.parse().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}
