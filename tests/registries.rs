//! Registries: publishing, yanking, checking and looking after one.

use crate::kit::Sandbox;
use std::path::{Path, PathBuf};

#[test]
fn publishing_again_does_nothing_and_says_so() {
    let sandbox = Sandbox::with_registry();
    let folder = sandbox.package("acme-a").write();
    let publish = || sandbox.command(["publish"]).arg(&folder).args(["--registry", "main"]).run();
    insta::assert_snapshot!(publish(), @"
    Published acme-a 1.0.0 for any (287 B)
    ---- exit code 0
    ");
    let before = sandbox.listing();
    insta::assert_snapshot!(publish(), @"
    acme-a 1.0.0 for any is published already, with the same bytes
    ---- exit code 0
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "publishing again");
    // The only registry that is named need not be.
    let output = sandbox.command(["publish"]).arg(&folder).run().succeeds();
    assert!(output.stdout.contains("already"), "{output}");
}

#[test]
fn a_registry_is_named_by_its_directory_or_its_name() {
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.pintle(["registry", "init", "shelf"]), @"
    Made a registry in [root]/work dir/shelf
    ---- standard error
    note: to install from it: `pintle registry add main shelf`
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["registry", "init", "shelf"]), @"
    [root]/work dir/shelf is a registry already
    ---- exit code 0
    ");
    sandbox.package("acme-a").folder(sandbox.work("acme-a")).write();
    insta::assert_snapshot!(sandbox.pintle(["publish", "acme-a"]), @"
    ---- standard error
    error[registry.none]: no registry is named in `pintle.toml`
    help: name one: `pintle registry add main DIR`
    help: or make one: `pintle registry init DIR`
    help: or name its directory: `--registry DIR`
    ---- exit code 1
    ");
    sandbox.pintle(["publish", "acme-a", "--registry", "shelf"]).succeeds();
    sandbox.pintle(["registry", "add", "main", "shelf"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["registry", "add", "main", "elsewhere"]), @"
    ---- standard error
    error[registry.not_a_registry]: there is no directory `[root]/work dir/elsewhere`
    help: make a registry there: `pintle registry init elsewhere`
    ---- exit code 1
    ");
    sandbox.pintle(["registry", "add", "main", "shelf"]).succeeds().says("already");
    sandbox.pintle(["publish", "acme-a", "--registry", "main"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["registry", "init", "acme-a"]), @"
    ---- standard error
    error[registry.not_empty]: `[root]/work dir/acme-a` is neither empty nor a registry: it holds `bin`
    help: name an empty directory, or one that does not exist yet
    ---- exit code 1
    ");
    sandbox.pintle(["registry", "init", "other"]).succeeds();
    insta::assert_snapshot!(sandbox.pintle(["registry", "add", "main", "other"]), @"
    ---- standard error
    error[registry.name_taken]: `main` names `[root]/work dir/shelf`
    help: take that away first: `pintle registry remove main`
    ---- exit code 1
    ");
    insta::assert_snapshot!(sandbox.pintle(["search"]), @"
    acme-a  1.0.0  Does what it is asked to
    ---- exit code 0
    ");
}

#[test]
fn a_yanked_release_is_never_newly_chosen_and_stays_where_it_is_locked() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0", "1.1.0"]);
    sandbox.pintle(["install", "acme-a"]).succeeds();
    let yank =
        |more: &[&str]| sandbox.command(["yank", "acme-a@1.1.0", "--registry", "main"]).args(more).run();
    insta::assert_snapshot!(yank(&["--reason", "loses data", "--use-instead", "^1.1.1"]), @"
    Yanked acme-a 1.1.0
    ---- exit code 0
    ");
    yank(&["--reason", "loses data", "--use-instead", "^1.1.1"]).succeeds().says("already");
    insta::assert_snapshot!(sandbox.pintle(["info", "acme-a@1.1.0"]), @"
    acme-a 1.1.0  registry main
    Does what it is asked to
    yanked: loses data; use ^1.1.1 instead
         installed  1.1.0 (yanked: loses data; use ^1.1.1 instead)
         published  2030-01-10
           license  MIT
             hosts  agent >=1.0, <2
             needs  none
          asks for  nothing
           runtime  process; runs with your full rights
         artifacts  any (287 B, 2 files)
          versions  1.1.0 (yanked), 1.0.0
    ---- exit code 0
    ");
    // Whoever has it keeps it, and is told.
    for verb in [&["sync"][..], &["update"]] {
        sandbox.pintle(verb).succeeds();
        assert_eq!(sandbox.installed(), "acme-a 1.1.0");
    }
    insta::assert_snapshot!(sandbox.pintle(["update"]), @"
    Nothing to do: everything is as wished
    ---- standard error
    warning: acme-a 1.1.0 was yanked: loses data; use ^1.1.1 instead
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["outdated"]), @"
    NAME    INSTALLED  UPDATE  NEWEST
    acme-a  1.1.0      1.1.0   1.1.0   yanked: loses data
    ---- exit code 0
    ");
    // Whoever does not have it gets another.
    let other =
        |words: &[&str]| sandbox.command(words).env("PINTLE_HOME", sandbox.root().join("other")).run();
    other(&["registry", "add", "main", "../registries/main"]).succeeds();
    insta::assert_snapshot!(other(&["install", "acme-a", "-n"]), @"
    + acme-a 1.0.0  from registry main
        asks for nothing; runs with your full rights
    Would be: 1 installed (dry run, nothing was changed)
    ---- exit code 0
    ");
    insta::assert_snapshot!(other(&["install", "acme-a@>=1.1", "-n"]), @"
    ---- standard error
    error[resolve.yanked]: no set of releases fulfils the wishes
      caused by: no version of `acme-a` that matches `>=1.1` can be used: `acme-a 1.1.0` was withdrawn; the older 1.0.0 can be used
      caused by: `acme-a 1.1.0` was yanked: loses data; use ^1.1.1 instead
    help: to take it all the same, name it exactly: `acme-a@1.1.0`
    ---- exit code 5
    ");
    other(&["install", "acme-a@1.1.0", "-n"]).succeeds();
    yank(&["--undo"]).succeeds();
    yank(&["--undo"]).succeeds().says("was not yanked");
    other(&["install", "acme-a"]).succeeds().says("1.1.0");
    sandbox.pintle(["outdated"]).succeeds().does_not_say("yanked");
}

#[test]
fn a_yank_needs_a_release_and_a_reason() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let yank = |words: &str| sandbox.command(["yank", "--registry", "main"]).args(words.split(' ')).run();
    yank("acme-a@1.0.0").exits(2);
    yank("acme-a --reason x").exits(2);
    insta::assert_snapshot!(yank("acme-a@9.0.0 --reason x"), @"
    ---- standard error
    error[yank.unknown_version]: `acme-a` has no version 9.0.0
    help: there are 1.0.0
    ---- exit code 1
    ");
    insta::assert_snapshot!(yank("acme-b@1.0.0 --reason x"), @"
    ---- standard error
    error[yank.unknown_package]: the registry has no package `acme-b`
    help: did you mean `acme-a`?
    ---- exit code 1
    ");
    yank("acme-a@1.0.0 --reason x --use-instead =1.0.0").fails(2, "yank.instead_of_itself");
    sandbox
        .command(["yank", "acme-a@1.0.0", "--reason", " ", "--registry", "main"])
        .run()
        .fails(2, "yank.no_reason");
}

/// Names are never free again: yanking is all that can be done to a release, and nothing removes a package.
#[test]
fn case_54_a_name_that_was_published_stays_taken() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-x", &["1.0.0"]);
    sandbox.pintle(["yank", "acme-x@1.0.0", "--reason", "gone", "--registry", "main"]).succeeds();
    sandbox.pintle(["registry", "gc", "main", "--older-than", "0s"]).succeeds();
    let other = sandbox.package("acme-x").folder(sandbox.work("other")).file("other", 0o644, "other");
    other.try_publish_to("main").fails(1, "publish.version_exists");
    insta::assert_snapshot!(sandbox.pintle(["info", "acme-x"]), @"
    acme-x 1.0.0  registry main
    Does what it is asked to
    yanked: gone
         installed  no
         published  2030-01-10
           license  MIT
             hosts  agent >=1.0, <2
             needs  none
          asks for  nothing
           runtime  process; runs with your full rights
         artifacts  any (287 B, 2 files)
          versions  1.0.0 (yanked)
    ---- exit code 0
    ");
    sandbox.pintle(["install", "acme-x"]).exits(5);
}

fn objects(registry: &Path, kind: &str) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(registry.join(kind)).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.sort();
    all
}

/// What is done to a file of a registry.
type Damage = fn(&Sandbox, &Path);

#[test]
fn check_finds_every_kind_of_damage() {
    let damages: [Damage; 5] = [
        |_, file| std::fs::remove_file(file).unwrap(),
        |sandbox, file| sandbox.write(file, ""),
        |sandbox, file| {
            let bytes = std::fs::read(file).unwrap();
            sandbox.write(file, &bytes[..bytes.len() - 1]);
        },
        |sandbox, file| sandbox.write(file, [std::fs::read(file).unwrap(), b" ".to_vec()].concat()),
        |sandbox, file| {
            let mut bytes = std::fs::read(file).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle] ^= 1;
            sandbox.write(file, bytes);
        },
    ];
    for kind in ["t", "b", "p", "a"] {
        for damage in damages {
            let sandbox = Sandbox::with_registry();
            let registry = sandbox.registry_dir("main");
            let known = objects(&registry, kind);
            sandbox.publish("acme-a", &["1.0.0"]);
            let named: Vec<PathBuf> =
                objects(&registry, kind).into_iter().filter(|file| !known.contains(file)).collect();
            damage(&sandbox, named.last().unwrap());
            let before = sandbox.listing();
            sandbox.pintle(["registry", "check", "main", "--deep"]).exits(4).says("problem");
            sandbox.pintle(["registry", "check", "main"]).exits(4);
            before.without_traces().assert_same(&sandbox.listing().without_traces(), "looking");
            if kind != "a" {
                let gc = sandbox.pintle(["registry", "gc", "main", "--older-than", "0s"]);
                gc.fails(4, "registry.corrupt");
                before
                    .without_traces()
                    .assert_same(&sandbox.listing().without_traces(), "a refused collection");
            }
        }
    }
}

#[test]
fn what_check_finds_is_said_in_words() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    insta::assert_snapshot!(sandbox.pintle(["registry", "check", "main"]), @"
    Checked 1 release of 1 package in [root]/registries/main: all whole
    ---- exit code 0
    ");
    let registry = sandbox.registry_dir("main");
    sandbox.write(&registry.join("notes.txt"), "mine");
    insta::assert_snapshot!(sandbox.pintle(["registry", "check", "main"]), @"
    Checked 1 release of 1 package in [root]/registries/main: 1 problem
    ---- standard error
    warning: `[root]/registries/main/notes.txt` does not belong in a registry
    ---- exit code 4
    ");
    std::fs::remove_file(registry.join("notes.txt")).unwrap();
    for archive in objects(&registry, "a") {
        sandbox.write(&archive, "not what it was");
    }
    insta::assert_snapshot!(sandbox.pintle(["registry", "check", "main"]), @"
    Checked 1 release of 1 package in [root]/registries/main: 2 problems
    ---- standard error
    warning: the archive `sha256:[digest]` of the registry `directory` at `[root]/registries/main` is damaged: its bytes have `sha256:[digest]`
    warning: the archive of `acme-a` 1.0.0 for `any` has 15 bytes, its release says 287
    ---- exit code 4
    ");
    sandbox.write(&registry.join("head.json"), "{}");
    insta::assert_snapshot!(sandbox.pintle(["registry", "check", "main"]), @"
    ---- standard error
    error[registry.bad_head]: the `head.json` of the registry `directory` at `[root]/registries/main` is not one: line 1: `format` is missing
    help: if a web page is there, a proxy or a login may be in the way
    ---- exit code 4
    ");
    insta::assert_snapshot!(sandbox.pintle(["registry", "check", "nowhere"]), @"
    ---- standard error
    error[registry.unknown]: there is no registry `nowhere`
    help: make one with `pintle registry init nowhere`
    ---- exit code 1
    ");
}

#[test]
fn only_what_nothing_names_and_is_old_is_removed_from_a_registry() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let registry = sandbox.registry_dir("main");
    let stray = registry.join("a").join("0".repeat(64));
    sandbox.write(&stray, "left by a publisher that was killed");
    sandbox.pintle(["registry", "gc", "main"]).succeeds();
    assert!(stray.exists(), "a publisher may be at work, so what is young stays");
    sandbox.pintle(["registry", "gc", "main", "--older-than", "0s"]).succeeds();
    assert!(!stray.exists());
    sandbox.pintle(["registry", "check", "main", "--deep"]).succeeds();
    sandbox.pintle(["install", "acme-a"]).succeeds();
}

#[test]
fn an_older_copy_of_a_registry_is_noticed() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let registry = sandbox.registry_dir("main");
    let head = sandbox.read(&registry.join("head.json"));
    sandbox.publish("acme-a", &["1.1.0"]);
    sandbox.pintle(["install", "acme-a", "-n"]).succeeds().says("1.1.0");
    sandbox.write(&registry.join("head.json"), head);
    insta::assert_snapshot!(sandbox.pintle(["install", "acme-a"]).fails(4, "registry.rollback"), @"
    ---- standard error
    error[registry.rollback]: the registry `main` at `[root]/registries/main` went back from version 3 to version 2
    help: an older copy is being served; if you restored it yourself, run `pintle cache clean`
    ---- exit code 4
    ");
    sandbox.pintle(["cache", "clean"]).succeeds();
    sandbox.pintle(["install", "acme-a"]).succeeds().says("1.0.0");
}

#[test]
fn search_and_info_find_what_there_is() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("blast-radius").description("Shows what a command would change").publish_to("main");
    let package = sandbox.package("acme-a").version("1.2.0").depends("blast-radius", "^1");
    package
        .permission("\"process.run\" = [\"git\", \"du\"]")
        .extension("keywords = ['delete']")
        .publish_to("main");
    insta::assert_snapshot!(sandbox.pintle(["search"]), @"
    acme-a        1.2.0  Does what it is asked to
    blast-radius  1.0.0  Shows what a command would change
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["search", "would", "CHANGE"]), @"
    blast-radius  1.0.0  Shows what a command would change
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["search", "delete"]), @"
    acme-a  1.2.0  Does what it is asked to
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["search", "nothing-like-it"]), @"
    nothing was found
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["search", "--limit", "1"]), @"
    acme-a  1.2.0  Does what it is asked to
    and 1 more (`--limit`)
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["info", "acme-a"]), @"
    acme-a 1.2.0  registry main
    Does what it is asked to
         installed  no
         published  2030-01-10
           license  MIT
             hosts  agent >=1.0, <2
             needs  blast-radius ^1
          wants to  run these programs, as you: du, git (high risk)
           runtime  process; runs with your full rights
         artifacts  any (348 B, 2 files)
          versions  1.2.0
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["info", "acme-a", "--readme"]), @"
    ---- standard error
    error[info.no_readme]: `acme-a 1.2.0` has no readme
    ---- exit code 1
    ");
}
