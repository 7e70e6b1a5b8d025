//! Names that would be taken for another, and manifests with mistakes: every way in uses the same checks.

use crate::kit::{RawEntry, Sandbox, archive_of};
use serde_json::Value;

#[test]
fn case_82_a_name_that_could_be_taken_for_another_is_refused_on_every_way_in() {
    let sandbox = Sandbox::with_registry();
    let long = "x".repeat(300);
    let names = ["Install", "inst\u{430}ll", "--help", "a/b", "", &long, "a b", "pintle"];
    for name in names {
        let folder = sandbox.package(name).folder(sandbox.work("package")).write();
        let manifest = sandbox.read(&folder.join("extension.toml"));
        let entries = [
            RawEntry { mode: 0o755, ..RawEntry::file(b"bin/run", b"#!/bin/sh\n") },
            RawEntry::file(b"extension.toml", manifest.as_bytes()),
        ];
        sandbox.write(&sandbox.work("package.tar.gz"), archive_of(&entries));
        let before = sandbox.listing();
        let ways = [
            &["check", "package"][..],
            &["package", "package"],
            &["publish", "package", "--registry", "main"],
            &["publish", "package.tar.gz", "--registry", "main"],
            &["install", "./package"],
            &["install", "./package.tar.gz"],
        ];
        for way in ways {
            let output = sandbox.pintle(way);
            assert_eq!(output.code, 1, "`{name}` by {way:?}:\n{output}");
            assert!(output.stderr.contains("error[manifest."), "`{name}` by {way:?}:\n{output}");
        }
        before.without_traces().assert_same(&sandbox.listing().without_traces(), name);
    }
}

/// Words of Pintle itself are reserved, its verbs are not: no extension ever becomes a verb, so none can hide one.
#[test]
fn case_82_an_extension_that_is_called_like_a_verb_hides_none() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("install", &["1.0.0"]);
    sandbox.pintle(["install", "install"]).succeeds();
    sandbox.pintle(["install"]).succeeds().says("Nothing to do");
    sandbox.pintle(["list"]).succeeds().says("install  1.0.0");
    sandbox.pintle(["uninstall", "install"]).succeeds();
}

#[test]
fn case_82_a_name_that_can_not_be_one_is_told_so_when_it_is_typed() {
    let sandbox = Sandbox::with_registry();
    insta::assert_snapshot!(sandbox.pintle(["install", "Acme"]), @"
    ---- standard error
    error[spec.invalid]: `Acme` is not the name of an extension
      caused by: a name is in lower case; write `acme`
    help: name an extension (`blast-radius`), a folder (`./blast-radius`) or an archive
    ---- exit code 2
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acme_a"]), @"
    ---- standard error
    error[spec.invalid]: `acme_a` is not the name of an extension
      caused by: a name is made of `a-z`, `0-9` and `-`; `_` is not
    help: name an extension (`blast-radius`), a folder (`./blast-radius`) or an archive
    ---- exit code 2
    ");
    insta::assert_snapshot!(sandbox.pintle(["install", "acm\u{435}-a"]), @r"
    ---- standard error
    error[spec.invalid]: `acmе-a` is not the name of an extension
      caused by: a name is made of `a-z`, `0-9` and `-`; `\u{435}` is not
    help: name an extension (`blast-radius`), a folder (`./blast-radius`) or an archive
    ---- exit code 2
    ");
    sandbox.pintle(["install", ""]).fails(2, "spec.invalid");
    sandbox.pintle(["new", "Acme"]).exits(2);
}

#[test]
fn a_name_too_like_one_that_is_there_is_not_published() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-tool", &["1.0.0"]);
    let output = sandbox.package("acmetool").try_publish_to("main");
    assert_eq!(output.code, 1, "{output}");
    let output = sandbox.package("acme-too1").try_publish_to("main");
    insta::assert_snapshot!(output, @"
    ---- standard error
    error[publish.name_confusable]: the name `acme-too1` looks too much like `acme-tool`, which is taken
    help: choose another name
    ---- exit code 1
    ");
}

/// What a package folder may not be, `check` says with the same codes as everything that would read it later.
#[test]
fn case_75_check_finds_what_every_later_step_would_refuse() {
    let sandbox = Sandbox::with_registry();
    let good = sandbox.package("acme-a").manifest();
    let broken = [
        good.replace("manifest_version = 1", "manifest_version = 9"),
        good.replace("manifest_version = 1\n", ""),
        good.replace("version = \"1.0.0\"", "version = \"1.0\""),
        good.replace("license", "licence"),
        good.replace("[hosts.agent]", "[host.agent]"),
        good.replace("runtime = \"process\"", "runtime = \"proces\""),
        good.replace("command = [\"bin/run\"]", "command = \"bin/run\""),
        good.replace("[entry]", "[entry"),
        format!("{good}[hooks.\"tool.call\"]\nown_time = \"soon\"\n"),
        format!("{good}[permissions]\n\"process.run\" = 7\n[permissions]\n"),
        format!("{good}[dependencies]\nacme-b = \"not a version\"\n"),
    ];
    for manifest in broken {
        let folder = sandbox.package("acme-a").folder(sandbox.work("package")).write();
        sandbox.write(&folder.join("extension.toml"), &manifest);
        let before = sandbox.listing();
        let codes = |arguments: &[&str], problems: &dyn Fn(&Value) -> Value| {
            let document = sandbox.command(arguments).arg("--format=json").run().exits(1).json();
            let problems = problems(&document);
            let all = problems.as_array().unwrap_or_else(|| panic!("{document:#}")).iter();
            let errors = all.filter(|one| one["severity"] == "error");
            errors.map(|one| one["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let found = codes(&["check", "package"], &|document| document["problems"].clone());
        assert!(!found.is_empty(), "{manifest}");
        for way in [
            &["install", "./package"][..],
            &["publish", "package", "--registry", "main"],
            &["package", "package"],
        ] {
            let later = codes(way, &|document| document["error"]["problems"].clone());
            assert_eq!(later, found, "{way:?}");
        }
        before.without_traces().assert_same(&sandbox.listing().without_traces(), "a refused package");
    }
}

#[test]
fn check_reports_every_problem_at_once() {
    let sandbox = Sandbox::new();
    let folder = sandbox
        .package("Acme")
        .version("1")
        .extension("licens = 'x'")
        .folder(sandbox.work("package"))
        .write();
    std::fs::remove_file(folder.join("bin/run")).unwrap();
    insta::assert_snapshot!(sandbox.pintle(["check", "package"]), @r#"
    [root]/work dir/package/extension.toml: 3 errors
    ---- standard error
    error[manifest.bad_name]: a name is in lower case; write `acme`
     --> [root]/work dir/package/extension.toml:3:8
      |
    3 | name = "Acme"
      |        ^^^^^^

    error[manifest.bad_version]: `1` is not a version (three numbers like `1.4.0`): it has one number
     --> [root]/work dir/package/extension.toml:4:11
      |
    4 | version = "1"
      |           ^^^
      |
      = help: did you mean `1.0.0`?

    error[manifest.unknown_key]: unknown key `licens` in `extension`
     --> [root]/work dir/package/extension.toml:7:1
      |
    7 | licens = 'x'
      | ^^^^^^
      |
      = help: did you mean `license`?

    ---- exit code 1
    "#);
    insta::assert_snapshot!(sandbox.pintle(["check", "nowhere"]), @"
    ---- standard error
    error[local.not_an_extension]: `[root]/work dir/nowhere` has no `extension.toml`
    help: go to the folder of an extension, or start one with `pintle new NAME`
    ---- exit code 1
    ");
}
