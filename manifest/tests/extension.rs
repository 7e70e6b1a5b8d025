//! What `extension.toml` may say, and what is said of one that says something else.

use pintle_manifest::{
    Dependency, Entry, HookUse, HostName, Manifest, Name, PackagePath, Parsed, PermissionValue, Requirement,
    Selection, SlotUse, Target, Version, parse,
};
use std::collections::BTreeMap;
use std::time::Duration;

const FULL: &str = include_str!("fixtures/manifest-v1.toml");

/// The head of a manifest that is whole but for `[entry]`.
const HEAD: &str = r#"manifest_version = 1
[extension]
name = "abc"
version = "1.0.0"
description = "A thing"
license = "MIT"
[hosts.agent]
api_version = "^1"
"#;
const ENTRY: &str = "[entry]\nruntime = \"wasm\"\ncomponent = \"x.wasm\"\n";

/// Renders problems as `line:column code message | help`, warnings with a `~` before the code.
fn rendered(text: &str) -> Vec<String> {
    let Parsed { manifest, problems } = parse(text.as_bytes());
    let errors = problems.iter().any(|problem| problem.severity == pintle_manifest::Severity::Error);
    assert_eq!(manifest.is_none(), errors, "there is a manifest if there is no error: {problems:?}");
    let line = |problem: &pintle_manifest::Problem| {
        let (line, column) = problem.line_column(text);
        let mark = if problem.severity == pintle_manifest::Severity::Warning { "~" } else { "" };
        let help = problem.help.as_ref().map_or(String::new(), |help| format!(" | {help}"));
        format!("{line}:{column} {mark}{} {}{help}", problem.code, problem.message)
    };
    problems.iter().map(line).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(rendered(text), expected, "\n{text}");
}

/// Checks a part of a manifest that is whole but for it; lines count from its own first.
fn check_part(part: &str, expected: &[&str]) {
    let text = format!("{HEAD}{ENTRY}{part}");
    let above = HEAD.lines().count() + ENTRY.lines().count();
    let moved = |line: String| {
        let (number, rest) = line.split_once(':').unwrap();
        format!("{}:{rest}", number.parse::<usize>().unwrap() - above)
    };
    assert_eq!(rendered(&text).into_iter().map(moved).collect::<Vec<_>>(), expected, "\n{part}");
}

/// Checks one line in place of the `with` of the fixture, which is otherwise whole.
fn check_line(with: &str, instead: &str, expected: &[&str]) {
    assert!(FULL.contains(with), "{with}");
    let line = FULL[..FULL.find(with).unwrap()].matches('\n').count() + 1;
    let text = FULL.replacen(with, instead, 1);
    let expected: Vec<_> = expected.iter().map(|rest| format!("{line}:{rest}")).collect();
    assert_eq!(rendered(&text), expected, "{instead}");
}

fn manifest(text: &str) -> Manifest {
    let parsed = parse(text.as_bytes());
    assert_eq!(parsed.problems, [], "\n{text}");
    parsed.manifest.unwrap()
}

fn requirement(text: &str) -> Requirement {
    Requirement::parse(text).unwrap()
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(ToString::to_string).collect()
}

#[test]
fn a_whole_manifest_of_version_1_is_read_to_exact_values() {
    let expected = Manifest {
        name: Name::parse("blast-radius").unwrap(),
        version: Version::new(0, 3, 1),
        description: "Shows what a destructive command would change, before it runs".to_owned(),
        license: Some("Apache-2.0".to_owned()),
        authors: texts(&["Ada <ada@example.org>"]),
        keywords: texts(&["safety", "shell"]),
        repository: Some("https://example.org/blast-radius.git".to_owned()),
        homepage: Some("https://example.org/blast-radius".to_owned()),
        readme: Some(PackagePath::parse("README.md").unwrap()),
        selection: Selection { include: texts(&["bin/", "README.md"]), exclude: texts(&["*.log"]) },
        hosts: BTreeMap::from([(HostName::parse("agent").unwrap(), requirement(">=1.0, <2"))]),
        entry: Entry::Process {
            command: texts(&["bin/blast-radius", "--quiet"]),
            requires: BTreeMap::from([("node".to_owned(), requirement(">=20"))]),
        },
        hooks: BTreeMap::from([(
            "tool.call".to_owned(),
            HookUse {
                filter: BTreeMap::from([("tool".to_owned(), "bash".to_owned())]),
                own_time: Some(Duration::from_secs(5)),
            },
        )]),
        permissions: BTreeMap::from([
            ("process.run".to_owned(), PermissionValue::Only(texts(&["du", "find", "git"]))),
            ("ui.prompt".to_owned(), PermissionValue::All),
        ]),
        slots: BTreeMap::from([(
            "command".to_owned(),
            BTreeMap::from([(
                "blast".to_owned(),
                SlotUse { description: "Explain the last hold".to_owned() },
            )]),
        )]),
        dependencies: BTreeMap::from([
            (
                Name::parse("shell-words").unwrap(),
                Dependency { requirement: requirement("^1.2"), path: None },
            ),
            (
                Name::parse("tree-view").unwrap(),
                Dependency { requirement: requirement("~0.4"), path: Some("../tree-view".to_owned()) },
            ),
        ]),
    };
    assert_eq!(manifest(FULL), expected);
}

#[test]
fn each_runtime_has_its_entry() {
    let entry = |entry: &str| manifest(&format!("{HEAD}[entry]\n{entry}")).entry;
    assert_eq!(
        entry("runtime = \"wasm\"\ncomponent = \"x.wasm\""),
        Entry::Wasm { component: PackagePath::parse("x.wasm").unwrap() }
    );
    let linux = Target::parse("x86_64-unknown-linux-gnu").unwrap();
    assert_eq!(
        entry("runtime = \"native\"\nlibrary = { \"x86_64-unknown-linux-gnu\" = \"lib/x.so\" }"),
        Entry::Native { library: BTreeMap::from([(linux, PackagePath::parse("lib/x.so").unwrap())]) }
    );
    assert_eq!(
        entry("runtime = \"process\"\ncommand = [\"node\", \"main.mjs\", \"\u{e9} \\n\"]"),
        Entry::Process { command: texts(&["node", "main.mjs", "\u{e9} \n"]), requires: BTreeMap::new() }
    );
}

#[test]
fn own_time_is_a_number_and_a_unit() {
    let time = |text: &str| {
        let manifest = manifest(&format!("{HEAD}{ENTRY}[hooks.x]\nown_time = \"{text}\""));
        manifest.hooks["x"].own_time.unwrap().as_millis()
    };
    assert_eq!(time("250ms"), 250);
    assert_eq!(time("5s"), 5_000);
    assert_eq!(time("2m"), 120_000);
    assert_eq!(time("3600s"), 3_600_000);
    let refused = |text: &str, expected: &str| {
        check_part(&format!("[hooks.x]\nown_time = \"{text}\""), &[&format!("2:12 {expected}")]);
    };
    refused("5", "manifest.bad_time the time `5` has no unit | add one: `5ms`, `5s` or `5m`");
    refused("s", "manifest.bad_time `s` is not a time | write a number and a unit, such as `250ms`");
    refused("-5s", "manifest.bad_time `-5s` is not a time | write a number and a unit, such as `250ms`");
    refused(
        "5 s",
        "manifest.bad_time `5 s` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused(
        "1.5s",
        "manifest.bad_time `1.5s` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused(
        "1h",
        "manifest.bad_time `1h` is not a time | the units are `ms`, `s` and `m`, right after the number",
    );
    refused("0ms", "manifest.bad_time a callback that has no time can't run");
    refused("61m", "manifest.too_long a time is at most an hour");
    refused("9999999999999ms", "manifest.too_long a time is at most an hour");
    refused("99999999999999999999s", "manifest.too_long a time has at most 16 characters, this has 21");
}

#[test]
fn every_key_misspelt_names_the_one_that_was_meant() {
    let misspelt = |with: &str, instead: &str, column: usize, key: &str, place: &str, meant: &str| {
        let problem =
            format!("{column} manifest.unknown_key unknown key `{key}` {place} | did you mean `{meant}`?");
        check_line(with, instead, &[&problem]);
    };
    misspelt("manifest_version", "manifest_verison", 1, "manifest_verison", "at the top", "manifest_version");
    misspelt("[extension]", "[extention]", 2, "extention", "at the top", "extension");
    misspelt("[hosts.", "[host.", 2, "host", "at the top", "hosts");
    misspelt("[entry]", "[enty]", 2, "enty", "at the top", "entry");
    misspelt("[hooks.", "[hoks.", 2, "hoks", "at the top", "hooks");
    misspelt("[permissions]", "[permission]", 2, "permission", "at the top", "permissions");
    misspelt("[slots.", "[slot.", 2, "slot", "at the top", "slots");
    misspelt("[dependencies]", "[dependancies]", 2, "dependancies", "at the top", "dependencies");
    for key in [
        "name",
        "version",
        "description",
        "license",
        "authors",
        "keywords",
        "repository",
        "homepage",
        "readme",
        "include",
        "exclude",
    ] {
        let (first, rest) = key.split_at(key.len() - 2);
        let slip: String = first.chars().chain(rest.chars().rev()).collect();
        let (with, instead) = (format!("\n{key} ="), format!("\n{slip} ="));
        let line = FULL[..FULL.find(&with).unwrap()].matches('\n').count() + 2;
        let mut expected = vec![format!(
            "{line}:1 manifest.unknown_key unknown key `{slip}` in `extension` | did you mean `{key}`?"
        )];
        expected.retain(|_| slip != key);
        assert_eq!(rendered(&FULL.replacen(&with, &instead, 1)), expected);
    }
    misspelt("api_version", "apiversion", 1, "apiversion", "in `hosts.agent`", "api_version");
    misspelt("runtime", "runtim", 1, "runtim", "in `entry`", "runtime");
    misspelt("command =", "comand =", 1, "comand", "in `entry`", "command");
    misspelt("requires", "require", 1, "require", "in `entry`", "requires");
    misspelt("filter", "fliter", 1, "fliter", "in `hooks.\"tool.call\"`", "filter");
    misspelt("own_time", "own-time", 1, "own-time", "in `hooks.\"tool.call\"`", "own_time");
    misspelt(
        "description = \"Explain",
        "descripton = \"Explain",
        1,
        "descripton",
        "in `slots.command.blast`",
        "description",
    );
    misspelt(
        "version = \"~0.4\"",
        "vesion = \"~0.4\"",
        15,
        "vesion",
        "in `dependencies.tree-view`",
        "version",
    );
    misspelt("path =", "paht =", 33, "paht", "in `dependencies.tree-view`", "path");
    check_part(
        "[extras]\nx = 1",
        &["1:2 manifest.unknown_key unknown key `extras` at the top | known here: `manifest_version`, \
           `extension`, `hosts`, `entry`, `hooks`, `permissions`, `slots`, `dependencies`"],
    );
}

#[test]
fn every_key_with_a_wrong_type_says_what_it_is() {
    let wrong = |with: &str, instead: &str, expected: &str| {
        check_line(with, instead, &[&expected.replacen(' ', " manifest.wrong_type ", 1)]);
    };
    wrong(
        "manifest_version = 1",
        "manifest_version = \"1\"",
        "20 `manifest_version` is a whole number, this is a text | for example `manifest_version = 1`",
    );
    for (key, value, column) in
        [("name", "true", 8), ("version", "0.3", 11), ("license", "2", 11), ("readme", "1979-05-27", 10)]
    {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let kind = match value {
            "true" => "a truth value",
            "0.3" => "a fraction",
            "2" => "a whole number",
            _ => "a date",
        };
        let expected =
            format!("{column} `extension.{key}` is a text, this is {kind} | put it in quotes: `\"{value}\"`");
        wrong(line, &format!("{key} = {value}"), &expected);
    }
    for key in ["authors", "keywords", "include", "exclude"] {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let expected = format!(
            "{} `extension.{key}` is a list of texts, this is a text | put it in brackets: `[\"x\"]`",
            key.len() + 4
        );
        wrong(line, &format!("{key} = \"x\""), &expected);
    }
    for key in ["repository", "homepage", "description"] {
        let line = FULL.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
        let example = match key {
            "repository" => "https://example.org/blast-radius.git",
            "homepage" => "https://example.org/blast-radius",
            _ => "Shows what a command would change, before it runs",
        };
        let expected = format!(
            "{} `extension.{key}` is a text, this is a list | for example `{key} = \"{example}\"`",
            key.len() + 4
        );
        wrong(line, &format!("{key} = [\"x\"]"), &expected);
    }
    wrong(
        "authors = [\"Ada <ada@example.org>\"]",
        "authors = [\"Ada\", 3]",
        "19 each item of `extension.authors` is a text, this is a whole number | put it in quotes: `\"3\"`",
    );
    wrong(
        "api_version = \">=1.0, <2\"",
        "api_version = 1",
        "15 `hosts.agent.api_version` is a text, this is a whole number | put it in quotes: `\"1\"`",
    );
    wrong(
        "runtime = \"process\"\ncommand = [\"bin/blast-radius\", \"--quiet\"]\nrequires = { node = \">=20\" }",
        "runtime = 1",
        "11 `entry.runtime` is a text, this is a whole number | put it in quotes: `\"1\"`",
    );
    wrong(
        "[\"bin/blast-radius\", \"--quiet\"]",
        "\"run\"",
        "11 `entry.command` is a list of texts, this is a text | put it in brackets: `[\"run\"]`",
    );
    wrong(
        "{ node = \">=20\" }",
        "[\"node\"]",
        "12 `entry.requires` is a table, this is a list | for example `requires = { node = \">=20\" }`",
    );
    wrong(
        "{ node = \">=20\" }",
        "{ node = 20 }",
        "21 `entry.requires.node` is a text, this is a whole number | put it in quotes: `\"20\"`",
    );
    wrong(
        "{ tool = \"bash\" }",
        "\"bash\"",
        "10 `hooks.\"tool.call\".filter` is a table, this is a text | for example `filter = { tool = \"bash\" }`",
    );
    wrong(
        "{ tool = \"bash\" }",
        "{ tool = true }",
        "19 `hooks.\"tool.call\".filter.tool` is a text, this is a truth value | put it in quotes: `\"true\"`",
    );
    wrong(
        "own_time = \"5s\"",
        "own_time = 5",
        "12 `hooks.\"tool.call\".own_time` is a text, this is a whole number | put it in quotes: `\"5\"`",
    );
    wrong(
        "\"ui.prompt\" = true",
        "\"ui.prompt\" = \"yes\"",
        "15 `permissions.\"ui.prompt\"` is `true` or a list of texts, this is a text | put it in brackets: \
         `[\"yes\"]`",
    );
    wrong(
        "\"^1.2\"",
        "1.2",
        "15 `dependencies.shell-words` is a text or a table, this is a fraction | put it in quotes: `\"1.2\"`",
    );
    wrong(
        "\"~0.4\"",
        "0.4",
        "25 `dependencies.tree-view.version` is a text, this is a fraction | put it in quotes: `\"0.4\"`",
    );
    wrong(
        "\"../tree-view\"",
        "true",
        "40 `dependencies.tree-view.path` is a text, this is a truth value | put it in quotes: `\"true\"`",
    );
    check(
        &format!(
            "{}hooks = 1\nslots = []\npermissions = \"x\"\ndependencies = [\"x\"]\n{}",
            &HEAD[..21],
            &format!("{HEAD}{ENTRY}")[21..]
        ),
        &[
            "2:9 manifest.wrong_type `hooks` is a table, this is a whole number | write it as a table: \
             `[hooks.\"tool.call\"]`",
            "3:9 manifest.wrong_type `slots` is a table, this is a list | write it as a table: \
             `[slots.command.NAME]`",
            "4:15 manifest.wrong_type `permissions` is a table, this is a text | write it as a table: \
             `[permissions]`",
            "5:16 manifest.wrong_type `dependencies` is a table, this is a list | write it as a table: \
             `[dependencies]`",
        ],
    );
    check(
        "manifest_version = 1\nextension = \"x\"\nhosts = \"x\"\nentry = \"x\"",
        &[
            "2:13 manifest.wrong_type `extension` is a table, this is a text | write it as a table: \
             `[extension]`",
            "3:9 manifest.wrong_type `hosts` is a table, this is a text | write it as a table: `[hosts.NAME]`",
            "4:9 manifest.wrong_type `entry` is a table, this is a text | write it as a table: `[entry]`",
        ],
    );
    check_part(
        "[hosts]\neditor = \"1\"\n[slots.command]\nx = \"Say x\"",
        &[
            "2:10 manifest.wrong_type `hosts.editor` is a table, this is a text | write `editor = { \
             api_version = \"1\" }`",
            "4:5 manifest.wrong_type `slots.command.x` is a table, this is a text | write `x = { description \
             = \"Say x\" }`",
        ],
    );
    check_part(
        "[[hooks]]\nx = 1",
        &["1:1 manifest.wrong_type `hooks` is a table, this is a list | write it as a table: \
           `[hooks.\"tool.call\"]`"],
    );
}

#[test]
fn what_is_missing_is_named_with_a_line_to_add() {
    check(
        "manifest_version = 1",
        &[
            "1:1 manifest.missing_key `extension` is missing | add `[extension]`",
            "1:1 manifest.no_host `hosts` is missing | add `[hosts.NAME]`",
            "1:1 manifest.missing_key `entry` is missing | add `[entry]`",
        ],
    );
    check(
        "[extension]\n[hosts]\n[entry]",
        &[
            "1:1 manifest.missing_key `manifest_version` is missing | add `manifest_version = 1`",
            "1:2 manifest.missing_key `extension.name` is missing | add `name = \"blast-radius\"`",
            "1:2 manifest.missing_key `extension.version` is missing | add `version = \"0.1.0\"`",
            "1:2 manifest.missing_key `extension.description` is missing | add `description = \"Shows what a \
             command would change, before it runs\"`",
            "1:2 ~manifest.no_license `extension.license` is missing | add `license = \"Apache-2.0\"`",
            "2:2 manifest.no_host `hosts` is empty",
            "3:2 manifest.missing_key `entry.runtime` is missing | add `runtime = \"process\"`",
        ],
    );
    let entry = |runtime: &str, expected: &str| {
        let text = format!("{HEAD}[entry]\nruntime = \"{runtime}\"");
        check(&text, &[&format!("9:2 manifest.missing_key {expected}")]);
    };
    entry("process", "`entry.command` is missing | add `command = [\"bin/run\"]`");
    entry(
        "native",
        "`entry.library` is missing | add `library = { x86_64-unknown-linux-gnu = \"lib/x.so\" }`",
    );
    entry("wasm", "`entry.component` is missing | add `component = \"x.wasm\"`");
    check_part(
        "[hosts.editor]\n[slots.a.b]\n[dependencies]\nxyz = {}",
        &[
            "1:8 manifest.missing_key `hosts.editor.api_version` is missing | add `api_version = \">=1.0, <2\"`",
            "2:10 manifest.missing_key `slots.a.b.description` is missing | add `description = \"Explain the \
             last hold\"`",
            "4:1 manifest.missing_key `dependencies.xyz.version` is missing | add `version = \"^1.2\"`",
        ],
    );
}

#[test]
fn a_manifest_without_a_license_is_read_with_a_warning() {
    let text = format!("{HEAD}{ENTRY}").replace("license = \"MIT\"\n", "");
    check(
        &text,
        &["2:2 ~manifest.no_license `extension.license` is missing | add `license = \"Apache-2.0\"`"],
    );
    check_part(
        "[dependencies]\nxyz = \"*\"\nuvw = { version = \" * \" }",
        &[
            "2:7 ~manifest.any_version `*` accepts versions that no one has tried yet | name the versions \
             that will do, such as `^1.2`",
            "3:19 ~manifest.any_version `*` accepts versions that no one has tried yet | name the versions \
             that will do, such as `^1.2`",
        ],
    );
}

#[test]
fn a_newer_manifest_version_is_the_only_thing_said() {
    let newer = |version: &str, shown: &str| {
        let text = format!("manifest_version = {version}\nfrob = 1\n[extension]\nname = 3\nx = [\n");
        let expected = format!(
            "1:20 manifest.newer_version this is written in manifest_version {shown}, and this Pintle reads \
             1 | a newer Pintle is needed to read it"
        );
        check(&text, &[&expected]);
    };
    newer("2", "2");
    newer("0x10", "16");
    newer("99999999999999999999", "99999999999999999999");
    for version in ["0", "-1"] {
        let expected = format!(
            "20 manifest.bad_manifest_version there is no manifest_version {version} | write \
             `manifest_version = 1`"
        );
        check_line("manifest_version = 1", &format!("manifest_version = {version}"), &[&expected]);
    }
}

#[test]
fn a_host_requirement_has_an_end() {
    let unbounded = |requirement: &str, shown: &str, bounded: &str| {
        let expected = format!(
            "15 manifest.host_unbounded `{shown}` admits every later version of the host, and no one knows \
             those | bound it above, such as `{bounded}`"
        );
        check_line("\">=1.0, <2\"", &format!("\"{requirement}\""), &[&expected]);
        assert!(Requirement::parse(bounded).unwrap().has_upper_bound());
    };
    unbounded("*", "*", ">=1.0, <2");
    unbounded(">=1.0", ">=1.0", ">=1.0, <2");
    unbounded(">= 2.4.1", ">=2.4.1", ">=2.4.1, <3");
    unbounded(">=0.3", ">=0.3", ">=0.3, <0.4");
    unbounded(">0.0.3", ">0.0.3", ">0.0.3, <0.1");
    unbounded("!=1.4", "!=1.4", ">=1.0, <2");
    unbounded(">=1, !=1.4", ">=1, !=1.4", ">=1, !=1.4, <2");
    for bounded in ["^1", "1.2", "~1", "=1.2.3", "<2", "1.*"] {
        check_line("\">=1.0, <2\"", &format!("\"{bounded}\""), &[]);
    }
}

#[test]
fn names_versions_and_paths_are_parsed_with_a_hint() {
    check_line(
        "name = \"blast-radius\"",
        "name = \"Blast-Radius\"",
        &["8 manifest.bad_name a name is in lower case; write `blast-radius`"],
    );
    check_line(
        "name = \"blast-radius\"",
        "name = \"\"",
        &["8 manifest.empty the name of an extension is never empty"],
    );
    let long = format!(
        "8 manifest.too_long the name of an extension has at most 64 characters, this has {}",
        "a".repeat(65).len()
    );
    check_line("name = \"blast-radius\"", &format!("name = \"{}\"", "a".repeat(65)), &[&long]);
    let version = |text: &str, help: &str| {
        let line = FULL.lines().find(|line| line.starts_with("version =")).unwrap();
        let rendered = rendered(&FULL.replacen(line, &format!("version = \"{text}\""), 1));
        assert_eq!(rendered.len(), 1);
        assert!(
            rendered[0].contains(":11 manifest.bad_version") && rendered[0].ends_with(help),
            "{rendered:?}"
        );
    };
    version("1", "| did you mean `1.0.0`?");
    version("v1.2", "| did you mean `1.2.0`?");
    version("1.2.3.4", "after patch version number");
    check_line(
        "[hosts.agent]",
        "[hosts.a_b]",
        &["8 manifest.bad_name a name is made of `a-z`, `0-9` and `-`; `\\u{5f}` is not"],
    );
    check_line(
        "readme = \"README.md\"",
        "readme = \"./README.md\"",
        &["10 manifest.bad_path a path in a package has no `.` or `..` part | write `README.md`"],
    );
    check_line(
        "\"bin/blast-radius\"",
        "\"bin\\\\run\"",
        &[
            "12 manifest.bad_path a path in a package is made of `A-Z`, `a-z`, `0-9` and `._+@-/`; `\\u{5c}` is \
           not | write `bin/run`",
        ],
    );
    check_line(
        "\"bin/blast-radius\"",
        "\"/bin/sh\"",
        &["12 manifest.bad_path a path in a package is relative and has no empty part"],
    );
    check_line(
        "\"../tree-view\"",
        "\"/home\"",
        &["40 manifest.bad_path the path of a folder is relative to this file"],
    );
    check_line(
        "https://example.org/blast-radius.git",
        "http://example.org",
        &["14 manifest.bad_address an address begins with `https://` | write `https://example.org`"],
    );
    check_line(
        "https://example.org/blast-radius.git",
        "https://a b",
        &["14 manifest.bad_address an address is `https://` and visible ASCII characters"],
    );
}

#[test]
fn contract_names_are_dotted_words() {
    check_part(
        "[hooks.\"Tool.Call\"]\n[hooks.\"a..b\"]\n[slots.\"x-y\".z]\ndescription = \"z\"\n[permissions]\n\"\" = true",
        &[
            "1:8 manifest.bad_name this name is made of `a-z`, `0-9`, `_` and `.`; `T` is not | did you mean \
             `tool.call`?",
            "2:8 manifest.bad_name this name has single `.` between words, and none at its ends",
            "3:8 manifest.bad_name this name is made of `a-z`, `0-9`, `_` and `.`; `-` is not | did you mean \
             `x_y`?",
            "6:1 manifest.empty a name of the contract is never empty",
        ],
    );
    check_part(
        "[hooks.tool.call]\n[slots.status.line.x]\ndescription = \"x\"\n[permissions]\nprocess.run = true",
        &[
            "1:13 manifest.unknown_key unknown key `call` in `hooks.tool` | put a name that has dots in \
             quotes: `[hooks.\"tool.call\"]`",
            "2:15 manifest.missing_key `slots.status.line.description` is missing | add `description = \
             \"Explain the last hold\"`",
            "2:20 manifest.unknown_key unknown key `x` in `slots.status.line` | put a name that has dots in \
             quotes: `[slots.\"status.line\".x]`",
            "5:1 manifest.wrong_type `permissions.process` is `true` or a list of texts, this is a table | put \
             a name that has dots in quotes: `\"process.run\"`",
        ],
    );
}

#[test]
fn permissions_are_true_or_a_list() {
    check_part(
        "[permissions]\na = false\nb = []\nc = [\"\"]\nd = [1]",
        &[
            "2:5 manifest.bad_permission `permissions.a` is `true` or a list, never `false` | leave it out, \
             which is how nothing is asked for",
            "3:5 manifest.empty `permissions.b` is never empty",
            "4:6 manifest.empty an item of a permission is never empty",
            "5:6 manifest.wrong_type each item of `permissions.d` is a text, this is a whole number | put it \
             in quotes: `\"1\"`",
        ],
    );
}

#[test]
fn an_entry_has_the_keys_of_its_runtime_only() {
    let entry = |entry: &str, expected: &[&str]| check(&format!("{HEAD}[entry]\n{entry}"), expected);
    entry(
        "runtime = \"proces\"\ncommand = [\"x\"]",
        &["10:11 manifest.unknown_runtime `proces` is not a known runtime | did you mean `process`?"],
    );
    entry(
        "runtime = \"python\"",
        &["10:11 manifest.unknown_runtime `python` is not a known runtime | it is one of `process`, \
           `native`, `wasm`"],
    );
    entry(
        "runtime = \"wasm\"\ncomponent = \"x.wasm\"\ncommand = [\"x\"]\nlibrary = {}",
        &[
            "12:1 manifest.other_runtime `command` belongs to the runtime `process` | take it out, or write \
             `runtime = \"process\"`",
            "13:1 manifest.other_runtime `library` belongs to the runtime `native` | take it out, or write \
             `runtime = \"native\"`",
        ],
    );
    entry(
        "runtime = \"process\"\ncommand = []\nrequires = { \"/bin/x\" = \"1\", y = \"z\" }",
        &[
            "11:11 manifest.empty `entry.command` is never empty",
            "12:14 manifest.bad_name a program that is required is looked up by its name, not by a path",
            "12:34 manifest.bad_requirement `z` is not a version requirement (such as `^1.2` or `>=1.0, <2`): \
             unexpected character 'z' while parsing major version number",
        ],
    );
    entry(
        "runtime = \"process\"\ncommand = [\"\", \"\", \"a\\u0000\"]",
        &[
            "11:12 manifest.empty a program is never empty",
            "11:16 manifest.empty a part of a command is never empty",
            "11:20 manifest.control_character no program can be given a NUL character",
        ],
    );
    entry(
        "runtime = \"native\"\nlibrary = { any = \"a\", x86_64-unknow-linux-gnu = \"b\", aarch64-apple-darwin = \
         \"../c\" }",
        &[
            "11:13 manifest.unknown_target a library is built for one target, never for `any`",
            "11:24 manifest.unknown_target `x86_64-unknow-linux-gnu` is not a known target | did you mean \
             `x86_64-unknown-linux-gnu`?",
            "11:78 manifest.bad_path a path in a package has no `.` or `..` part",
        ],
    );
    entry("runtime = \"native\"\nlibrary = {}", &["11:1 manifest.empty `entry.library` is empty"]);
}

#[test]
fn texts_are_short_plain_and_in_one_line() {
    let description = |text: &str, expected: &str| {
        let line = FULL.lines().find(|line| line.starts_with("description =")).unwrap();
        check_line(line, &format!("description = {text}"), &[&format!("15 {expected}")]);
    };
    let long = format!("\"{}\"", "\u{e9}".repeat(301));
    description(&long, "manifest.too_long a description has at most 300 characters, this has 301");
    description("\"\"", "manifest.empty a description is never empty");
    description("\"a\\nb\"", "manifest.control_character a line break can't stand in this text");
    description(
        "\"a\\u001b[2J\"",
        "manifest.control_character this text has no control characters; `\\u{1b}` is one",
    );
    description("\"a\u{202e}b\"", "manifest.control_character `\\u{202e}` turns the direction of reading");
    let eleven = format!("keywords = [{}]", "\"k\", ".repeat(11));
    check_line(
        "keywords = [\"safety\", \"shell\"]",
        &eleven,
        &["12 manifest.too_long `extension.keywords` has at most 10 items, this has 11"],
    );
    check_line("exclude = [\"*.log\"]", "exclude = [\"\"]", &["12 manifest.empty a pattern is never empty"]);
    let hostile = rendered(&format!("{HEAD}{ENTRY}\"\\u001b]0;\\u0007{}\" = 1", "x".repeat(500)));
    assert!(
        hostile[0].contains("`component` or") || hostile[0].contains("`\\u{1b}]0;\\u{7}xxx"),
        "{hostile:?}"
    );
    assert!(hostile[0].len() < 400 && !hostile[0].contains('\u{1b}'));
}

#[test]
fn an_extension_does_not_depend_on_itself() {
    check_part(
        "[dependencies]\nabc = \"1\"\nab = \"1\"\n",
        &[
            "2:1 manifest.own_dependency `abc` depends on itself",
            "3:1 manifest.bad_name a name has at least 3 characters, this has 2",
        ],
    );
}

#[test]
fn a_key_above_its_header_is_told_where_it_belongs() {
    check(
        &format!("runtime = \"wasm\"\nname = \"x\"\n{HEAD}{ENTRY}"),
        &[
            "1:1 manifest.unknown_key unknown key `runtime` at the top | it belongs below `[entry]`",
            "2:1 manifest.unknown_key unknown key `name` at the top | it belongs below `[extension]`",
        ],
    );
}

#[test]
fn one_slip_in_the_toml_does_not_hide_the_next() {
    check(
        "manifest_version = 1\n[extension]\nname \"foo\"\nversion = \"1\"\ndescription = A thing\nlicense = MIT\n\
         readme =\nkeywords = [ \"a\"\nauthors = [ 3 ]\n[hosts.agent]\napi_version = \"*\"\n[entry\nruntime = 3\n\
         [hooks.x]\nown_time = 5\n[hooks.x]\nfilter = 1\n[permissions]\na = false\na = true\n[dependencies]\n\
         abd = \"\"\"x\nabe = \"*\"\n",
        &[
            "3:6 manifest.syntax key with no value, expected `=`",
            "4:11 manifest.bad_version `1` is not a version (three numbers like `1.4.0`): unexpected end of \
             input while parsing major version number | did you mean `1.0.0`?",
            "5:15 manifest.syntax a text is written without quotes | put it in quotes: `\"A thing\"`",
            "6:11 manifest.syntax a text is written without quotes | put it in quotes: `\"MIT\"`",
            "7:9 manifest.syntax the key has no value",
            "8:12 manifest.syntax what begins here has no end",
            "9:13 manifest.wrong_type each item of `extension.authors` is a text, this is a whole number | put \
             it in quotes: `\"3\"`",
            "11:15 manifest.host_unbounded `*` admits every later version of the host, and no one knows those \
             | bound it above, such as `>=1.0, <2`",
            "12:7 manifest.syntax unclosed table, expected `]`",
            "15:12 manifest.wrong_type `hooks.x.own_time` is a text, this is a whole number | put it in \
             quotes: `\"5\"`",
            "16:8 manifest.syntax `x` is written twice",
            "19:5 manifest.bad_permission `permissions.a` is `true` or a list, never `false` | leave it out, \
             which is how nothing is asked for",
            "20:1 manifest.syntax `a` is written twice",
            "22:7 manifest.syntax what begins here has no end",
            "23:7 ~manifest.any_version `*` accepts versions that no one has tried yet | name the versions \
             that will do, such as `^1.2`",
        ],
    );
}

#[test]
fn what_is_missing_elsewhere_is_told_beside_a_slip() {
    check(
        &format!("{HEAD}[entry]\nruntime = \"wasm\"\n[slots.a.b]\n[dependencies]\nxyz = 1 2\n"),
        &[
            "9:2 manifest.missing_key `entry.component` is missing | add `component = \"x.wasm\"`",
            "11:10 manifest.missing_key `slots.a.b.description` is missing | add `description = \"Explain the \
             last hold\"`",
            "13:7 manifest.syntax a text is written without quotes | put it in quotes: `\"1 2\"`",
        ],
    );
}

#[test]
fn no_more_problems_are_told_than_one_can_read() {
    let text: String = (0..1000).map(|number| format!("k{number} = 1\n")).collect();
    let rendered = rendered(&text);
    assert_eq!(rendered.len(), 501);
    assert!(
        rendered[500].ends_with("manifest.too_many_problems 504 more problems are not shown"),
        "{}",
        rendered[500]
    );
}
