//! What reaches a terminal: colours only where they are wanted, and nothing that acts on it from outside.

use crate::kit::{Output, Sandbox};
use pintle_manifest::{HostName, PermissionValue, Requirement, Target, Version};
use pintle_registry::archive::Archive;
use pintle_registry::index::{self, Artifact, NewRelease, Runtime};
use std::collections::BTreeMap;
use std::path::Path;

/// Clears the screen, turns the direction of reading, hides, and pretends to be a question.
const HOSTILE: &str =
    "ok\x1b[2J\x1b]0;title\x07 \u{202e}txt.exe\u{200b}\u{9b}31m\r\nDelete everything? [y/N] ";

#[track_caller]
fn is_plain(output: &Output) {
    for text in [&output.raw_stdout, &output.raw_stderr] {
        let acts = |c: &char| {
            (c.is_control() && *c != '\n')
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{200b}'..='\u{200f}' | '\u{2066}'..='\u{2069}')
        };
        let found: Vec<char> = text.chars().filter(acts).collect();
        assert!(found.is_empty(), "{found:?} reaches the terminal:\n{output:?}");
        // A readme is shown line by line; there a line may say anything.
        let is_readme = output.command.contains("--readme");
        assert!(
            is_readme || !text.lines().any(|line| line.trim_start().starts_with("Delete everything?")),
            "a question of someone else's:\n{output}"
        );
    }
}

/// A registry whose maintainer wrote it with another tool: no manifest could say this.
fn hostile() -> Sandbox {
    let sandbox = Sandbox::with_registry();
    for version in ["1.0.0", "1.1.0"] {
        let archive = sandbox.package("acme-evil").version(version).archive();
        let said = Some(HOSTILE.to_owned());
        let release = NewRelease {
            name: "acme-evil".to_owned().try_into().unwrap(),
            version: Version::parse(version).unwrap(),
            published: "2030-01-10T00:00:00Z".parse().unwrap(),
            description: HOSTILE.to_owned(),
            license: said.clone(),
            keywords: vec![HOSTILE.to_owned()],
            repository: said.clone(),
            homepage: said,
            hosts: BTreeMap::from([(
                HostName::parse("agent").unwrap(),
                Requirement::parse(">=1, <2").unwrap(),
            )]),
            dependencies: BTreeMap::new(),
            permissions: BTreeMap::from([
                (HOSTILE.to_owned(), PermissionValue::All),
                ("process.run".to_owned(), PermissionValue::Only(vec![HOSTILE.to_owned()])),
            ]),
            runtime: Runtime::Process,
            target: Target::ANY,
            artifact: measure(&archive),
            archive,
            readme: Some(HOSTILE.as_bytes().to_vec()),
        };
        let _published = index::publish(&sandbox.registry_dir("main"), &release).unwrap();
    }
    sandbox
}

fn measure(path: &Path) -> Artifact {
    let archive = Archive::open(path).and_then(Archive::measure).unwrap();
    let tree = archive.scan().unwrap().tree;
    let files = u32::try_from(tree.len()).unwrap();
    let (unpacked, digest) = (tree.unpacked_size(), tree.digest());
    Artifact { archive: archive.digest(), size: archive.size(), tree: digest, unpacked, files }
}

#[test]
fn what_a_registry_says_never_acts_on_a_terminal() {
    let sandbox = hostile();
    let all = [
        &["search"][..],
        &["search", "acme"],
        &["info", "acme-evil"],
        &["info", "acme-evil", "--readme"],
        &["install", "acme-evil@^1", "--dry-run"],
        &["install", "acme-evil@1.0.0"],
        &["list"],
        &["outdated"],
        &["tree"],
        &["history"],
        &["install", "acme-evil@7"],
        &["yank", "acme-evil@1.0.0", "--registry", "main", "--reason", HOSTILE],
        &["info", "acme-evil@1.0.0"],
        &["outdated"],
        &["sync"],
        &["update"],
    ];
    for verb in all {
        is_plain(&sandbox.pintle(verb));
        is_plain(&sandbox.command(verb).arg("--format=json").run());
    }
    // Nor does it break what is written down of it.
    sandbox.pintle(["sync"]).succeeds();
    // What it says of permissions is not what its manifest asks for, so it is shown and never installed.
    sandbox.pintle(["install", "acme-evil@1.0.0"]).fails(3, "trust.needs_consent");
    sandbox.allowing(["install", "acme-evil@1.0.0"]).run().fails(4, "integrity.other_facts");
    assert_eq!(sandbox.installed(), "");
    insta::assert_snapshot!(sandbox.pintle(["info", "acme-evil"]), @r#"
    acme-evil 1.1.0  registry main
    ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] 
         installed  no
         published  2030-01-10
           license  ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] 
             hosts  agent >=1, <2
             needs  none
          wants to  use "ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] ", which this Pintle does not know (unknown risk)
                    run these programs, as you: "ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] " (high risk)
           runtime  process; runs with your full rights
         artifacts  any (291 B, 2 files)
        repository  ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] 
          homepage  ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N] 
          versions  1.1.0, 1.0.0 (yanked)
    ---- exit code 0
    "#);
    insta::assert_snapshot!(sandbox.pintle(["search"]), @r"
    acme-evil  1.1.0  ok\u{1b}[2J\u{1b}]0;title\u{7} \u{202e}txt.exe\u{200b}\u{9b}31m\u{d}\u{a}Delete everything? [y/N]
    ---- exit code 0
    ");
}

#[test]
fn what_a_person_types_or_a_file_holds_never_acts_on_a_terminal() {
    let sandbox = hostile();
    let name = "a\x1b[2J\u{202e}b";
    sandbox.write(
        &sandbox.work("package/extension.toml"),
        format!("{HOSTILE} = 1\n[extension]\nname = \"{name}\"\n"),
    );
    sandbox.publish("acme-good", &["1.0.0"]);
    sandbox.pintle(["install", "acme-good"]).succeeds();
    let all = [
        &["install", name][..],
        &["install", "./a\x1b[2Jb"],
        &["install", "a\x1b[2Jb.tar.gz"],
        &["why", name],
        &["info", name],
        &["man", name],
        &["yank", name, "--reason", "x"],
        &["search", name],
        &["check", "package"],
        &["install", "./package"],
        &["disable", "acme-evil", "--reason", HOSTILE],
        &["list"],
        &["publish", "package", "--registry", name],
        &["list", "--home", name],
        &[name],
    ];
    for verb in all {
        is_plain(&sandbox.pintle(verb));
        is_plain(&sandbox.command(verb).arg("--format=json").run());
    }
}

#[test]
fn colours_are_used_only_where_they_are_wanted() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    let escapes =
        |output: &Output| output.raw_stdout.contains('\u{1b}') || output.raw_stderr.contains('\u{1b}');
    let install = || sandbox.command(["install", "acme-a", "--dry-run"]);
    assert!(!escapes(&install().run()), "a pipe");
    assert!(escapes(&install().arg("--color=always").run()));
    assert!(escapes(&install().env("CLICOLOR_FORCE", "1").run()));
    assert!(!escapes(&install().env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").run()));
    assert!(!escapes(&install().env("CLICOLOR_FORCE", "1").arg("--color=never").run()));
    assert!(!escapes(&install().args(["--color=always", "--format=json"]).run()), "a document has none");
    for verb in [&["--help"][..], &["help", "install"], &["nonsense"], &["install", "acme-zzz"], &["man"]] {
        assert!(!escapes(&sandbox.pintle(verb)), "{verb:?}");
    }
}

#[test]
fn quiet_says_only_what_was_asked_for_and_errors() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    for verb in
        [&["install", "acme-a"][..], &["install", "acme-a"], &["sync"], &["update"], &["uninstall", "acme-a"]]
    {
        let output = sandbox.command(verb).arg("--quiet").run().succeeds();
        assert_eq!((output.stdout.as_str(), output.stderr.as_str()), ("", ""), "{verb:?}");
    }
    sandbox.pintle(["install", "acme-zzz", "-q"]).fails(5, "resolve.unknown_package");
    sandbox.pintle(["search", "-q"]).succeeds().says("acme-a");
    sandbox.publish("acme-b", &["1.0.0"]);
    let output = sandbox.pintle(["install", "acme-b", "-v"]).succeeds();
    assert!(output.stderr.contains("unpacked acme-b 1.0.0"), "{output}");
    sandbox.pintle(["list", "-q", "-v"]).exits(2);
}
