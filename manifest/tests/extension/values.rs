//! What a manifest is read to.

use crate::check::{ENTRY, FULL, HEAD, check, check_line, check_part, manifest};
use pintle_manifest::{
    Dependency, Entry, HookUse, HostName, Manifest, Name, PackagePath, PermissionValue, Requirement,
    Selection, SlotUse, Target, Version,
};
use std::collections::BTreeMap;
use std::time::Duration;

fn requirement(text: &str) -> Requirement {
    Requirement::parse(text).expect("a requirement")
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
