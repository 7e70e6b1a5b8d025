//! What a machine can check of how the house is built: the edges between crates, the rules of reading, and that the
//! documents speak of what is there. Reads the files of the repository, and runs nothing of Pintle.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The root of the workspace, which is the directory above the crate that this test belongs to.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate is in the workspace").to_owned()
}

pub(crate) fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns every file of the repository, relative to its root, sorted: as git knows them, or where there is no git,
/// all but what is built.
fn files() -> Vec<String> {
    let listed = std::process::Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output();
    let mut found: Vec<String> = match listed {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
        }
        Ok(_) | Err(_) => walk(),
    };
    found.retain(|path| !path.ends_with("Cargo.lock") && root().join(path).is_file());
    found.sort();
    found.dedup();
    found
}

fn walk() -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(directory) = open.pop() {
        let listing = std::fs::read_dir(root().join(&directory)).expect("a directory of the repository");
        for entry in listing.flatten() {
            let path = directory.join(entry.file_name());
            let text = path.to_str().expect("paths here are UTF-8").to_owned();
            let is_left_out = text == ".git" || text == "target" || text.starts_with("target-");
            match (is_left_out, entry.file_type().is_ok_and(|kind| kind.is_dir())) {
                (true, _) => {}
                (false, true) => open.push(path),
                (false, false) => found.push(text),
            }
        }
    }
    found
}

fn with_ending(ending: &str) -> Vec<String> {
    files().into_iter().filter(|path| path.ends_with(ending)).collect()
}

/// Returns the sources of the crates, without tests, benches and examples.
pub(crate) fn sources() -> Vec<String> {
    let crates = ["manifest/src/", "registry/src/", "sdk/src/", "loader/src/", "cli/src/"];
    with_ending(".rs").into_iter().filter(|path| crates.iter().any(|start| path.starts_with(start))).collect()
}

/// Returns a source without its tests, which stand at its end.
pub(crate) fn shipped(path: &str) -> String {
    let text = read(path);
    text.split("\n#[cfg(test)]\nmod ").next().expect("a split has a first part").to_owned()
}

/// Collects `path:line: text` for the lines of code of which `is_wrong` holds. Comments are not looked at.
fn wrong_lines(paths: &[String], is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let mut wrong = Vec::new();
    for path in paths {
        for (number, line) in read(path).lines().enumerate() {
            if !line.trim_start().starts_with("//") && is_wrong(line) {
                wrong.push(format!("{path}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    wrong
}

#[track_caller]
pub(crate) fn none(what: &str, found: &[String]) {
    assert!(found.is_empty(), "{what}:\n{}", found.join("\n"));
}

/// Returns the crates of this workspace that a crate depends on when it is shipped.
fn edges(member: &str) -> BTreeSet<String> {
    dependencies(member).into_iter().filter(|name| name.starts_with("pintle")).collect()
}

/// Returns the crates that a crate depends on when it is shipped.
fn dependencies(member: &str) -> BTreeSet<String> {
    let text = read(&format!("{member}/Cargo.toml"));
    let mut found = BTreeSet::new();
    let mut is_shipped = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with('[') {
            is_shipped = line.ends_with("dependencies]") && !line.contains("dev-dependencies");
        } else if let (true, Some((name, _))) = (is_shipped, line.split_once(['.', ' ', '='])) {
            found.insert(name.to_owned());
        }
    }
    found
}

#[test]
fn edges_between_crates_point_down() {
    let check = |member: &str, expected: &[&str]| {
        let expected: BTreeSet<String> = expected.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(edges(member), expected, "{member}");
    };
    check("manifest", &[]);
    check("registry", &["pintle-manifest"]);
    check("sdk", &[]);
    check("loader", &["pintle-manifest", "pintle-sdk"]);
    check("cli", &["pintle-loader", "pintle-manifest", "pintle-registry"]);
}

#[test]
fn every_member_of_the_workspace_has_its_edges_checked() {
    let text = read("Cargo.toml");
    let members = text.lines().find_map(|line| line.strip_prefix("members = [")).expect("there are members");
    let members: Vec<&str> =
        members.trim_end_matches(']').split(", ").map(|name| name.trim_matches('"')).collect();
    // Examples are leaves: nothing depends on them.
    let crates: Vec<&str> = members.into_iter().filter(|member| !member.starts_with("examples/")).collect();
    assert_eq!(crates, ["manifest", "registry", "sdk", "loader", "cli"]);
}

#[test]
fn the_locked_dependencies_of_the_benches_are_those_of_the_crates() {
    // That workspace is not built here, so nobody else would notice.
    let lock = read("benches/runtime/Cargo.lock");
    for member in ["manifest", "sdk", "loader"] {
        let head = format!("name = \"pintle-{member}\"\n");
        let (_, after) = lock.split_once(&head).unwrap_or_else(|| panic!("{member} is in the lock"));
        let entry = after.split("[[package]]").next().expect("there is always a first part");
        let locked = |name: &String| {
            let mut lines = entry.lines().map(|line| line.trim_start_matches([' ', '"']));
            lines
                .any(|line| line.strip_prefix(name.as_str()).is_some_and(|rest| rest.starts_with(['"', ' '])))
        };
        let missing: Vec<String> = dependencies(member).into_iter().filter(|name| !locked(name)).collect();
        none(&format!("run `cargo metadata` in benches/runtime: not locked for {member}"), &missing);
    }
}

#[test]
fn the_manifest_crate_knows_no_file_clock_network_or_thread() {
    let paths: Vec<_> = sources().into_iter().filter(|path| path.starts_with("manifest/")).collect();
    let foreign = ["std::fs", "std::net", "std::thread", "std::process", "SystemTime", "Instant", "std::io"];
    none("not pure", &wrong_lines(&paths, |line| foreign.iter().any(|word| line.contains(word))));
}

#[test]
fn the_resolver_knows_no_file_clock_or_registry() {
    let paths: Vec<_> =
        sources().into_iter().filter(|path| path.starts_with("registry/src/resolve/")).collect();
    let foreign =
        ["std::fs", "std::io", "std::thread", "SystemTime", "Instant", "crate::index", "crate::store"];
    none("not pure", &wrong_lines(&paths, |line| foreign.iter().any(|word| line.contains(word))));
}

#[test]
fn what_the_loader_promises_to_others_names_none_of_its_own_libraries() {
    let own = [
        "tokio",
        "watch::",
        "oneshot::",
        "mpsc::",
        "Join",
        "Notify",
        "rustix",
        "nix::",
        "object::",
        "jsonschema",
    ];
    let sources: Vec<String> = sources().into_iter().filter(|path| path.starts_with("loader/src/")).collect();
    let wrong = wrong_lines(&sources, |line| {
        line.trim().starts_with("pub ") && own.iter().any(|name| line.contains(name))
    });
    none("public items of the loader leak a library", &wrong);
}

#[test]
fn every_source_file_opens_with_what_it_is_for() {
    let without: Vec<String> =
        with_ending(".rs").into_iter().filter(|path| !read(path).starts_with("//! ")).collect();
    none("no `//!` in the first line", &without);
}

#[test]
fn no_source_file_is_longer_than_500_lines() {
    let long: Vec<String> =
        with_ending(".rs").into_iter().filter(|path| read(path).lines().count() > 500).collect();
    none("two ideas in one file", &long);
}

#[test]
fn every_module_is_named_for_an_idea() {
    let vague = ["util", "utils", "common", "helper", "helpers", "misc", "manager"];
    let is_vague = |path: &String| {
        let parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
        parts.iter().any(|part| vague.contains(part))
    };
    none("named for nothing", &with_ending(".rs").into_iter().filter(is_vague).collect::<Vec<_>>());
}

#[test]
fn imports_name_what_they_import() {
    let grandparent = concat!("super::", "super");
    let is_wrong = |line: &str| {
        let import = line.trim_start().trim_start_matches("pub ").trim_start_matches("pub(crate) ");
        line.contains(grandparent) || (import.starts_with("use ") && import.contains("::*"))
    };
    none("a glob, or a leap of two modules", &wrong_lines(&with_ending(".rs"), is_wrong));
}

#[test]
fn nothing_is_left_undone_ignored_or_allowed() {
    let words = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("dbg", "!("),
        concat!("#[", "ignore"),
        concat!("#[", "allow("),
        concat!("#![", "allow("),
    ];
    let is_wrong = |line: &str| words.iter().any(|word| line.contains(word));
    none("left undone, ignored or allowed", &wrong_lines(&with_ending(".rs"), is_wrong));
}

#[test]
fn only_the_ui_prints() {
    let paths: Vec<_> = sources().into_iter().filter(|path| path != "cli/src/ui.rs").collect();
    let is_wrong = |line: &str| ["println!(", "print!("].iter().any(|word| line.contains(word));
    none("prints past the ui", &wrong_lines(&paths, is_wrong));
}

#[test]
fn the_environment_and_the_clock_are_read_in_one_file() {
    let mut wrong = Vec::new();
    // A worker is this program started anew, and knows itself by its name; what a host holds is noted with the time.
    let may = ["cli/src/situation.rs", "loader/src/worker/inside/mod.rs", "loader/src/keep/files.rs"];
    for path in sources().into_iter().filter(|path| !may.contains(&path.as_str())) {
        let reads =
            ["env::var", "env::args", "env::current_dir", "env::vars", "Timestamp::now", "SystemTime::now"];
        for line in shipped(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            if reads.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{path}: {}", line.trim()));
            }
        }
    }
    none("reads the environment or the clock", &wrong);
}

#[test]
fn no_file_names_a_place_of_one_machine_or_a_public_registry() {
    let words = [
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("crates", ".io"),
        concat!("pypi", ".org"),
        concat!("npmjs", ".", "org"),
        concat!("npmjs", ".", "com"),
    ];
    let mut wrong = Vec::new();
    for path in files() {
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        wrong.extend(words.iter().filter(|word| text.contains(**word)).map(|word| format!("{path}: {word}")));
    }
    none("of one machine, or the name of a public registry", &wrong);
}

/// Returns the documents whose words are checked against the repository.
fn documents() -> Vec<String> {
    let is_document = |path: &String| {
        path.ends_with(".md") && (path.starts_with("docs/") || !path.contains('/')) && path != "LICENSE"
    };
    files().into_iter().filter(is_document).collect()
}

/// Returns what stands in single backticks outside blocks of code.
fn quoted(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        } else if !in_block {
            found.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    found
}

/// Tells whether a word in backticks names a file or directory of this repository.
fn is_repository_path(word: &str) -> bool {
    let starts = [
        "cli/",
        "registry/",
        "loader/",
        "sdk/",
        "manifest/",
        "examples/",
        "tests/",
        "docs/",
        "benches/",
        ".ci/",
    ];
    starts.iter().any(|start| word.starts_with(start)) && !word.contains([' ', '*', '<', '>', '{', '…'])
}

#[test]
fn every_path_that_a_document_names_is_there() {
    let mut missing = Vec::new();
    for path in documents() {
        let text = read(&path);
        for word in quoted(&text).into_iter().filter(|word| is_repository_path(word)) {
            if !root().join(&word).exists() {
                missing.push(format!("{path}: `{word}`"));
            }
        }
    }
    none("not there", &missing);
}

#[test]
fn the_code_of_the_embedding_document_is_that_of_its_example() {
    let (document, example) = (read("docs/embedding.md"), read("examples/embed/src/main.rs"));
    let known: BTreeSet<&str> = example.lines().map(str::trim).collect();
    let blocks = document.split("```rust\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines = blocks.flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty());
    let other: Vec<String> = lines.filter(|line| !known.contains(line)).map(str::to_owned).collect();
    none("not in examples/embed", &other);
}

#[test]
fn every_link_between_documents_leads_somewhere() {
    let mut missing = Vec::new();
    for path in documents() {
        let text = read(&path);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let file = target.split('#').next().unwrap_or(target);
            let place = root().join(&path).parent().expect("a file is in a directory").join(file);
            if !place.exists() {
                missing.push(format!("{path}: {target}"));
            }
        }
    }
    none("a link to nothing", &missing);
}

/// Turns the name of a variant into that of a verb.
fn verbs() -> Vec<String> {
    let source = read("cli/src/arguments.rs");
    let list = source.split("enum Verb {").nth(1).and_then(|rest| rest.split('}').next());
    let variants =
        list.expect("the verbs are an enum").lines().filter_map(|line| line.trim().split_once('('));
    variants.map(|(variant, _)| variant.to_lowercase()).collect()
}

#[test]
fn every_verb_has_a_file_and_a_section_in_the_json_document() {
    let document = read("docs/json.md");
    let verbs = verbs();
    assert!(verbs.len() > 20, "{verbs:?}");
    for verb in verbs {
        assert!(root().join(format!("cli/src/verbs/{verb}.rs")).exists(), "{verb} has no file of its own");
        let heading = |line: &str| {
            line.strip_prefix("## ").is_some_and(|title| {
                title.split(", ").any(|one| one.trim_matches('`').split(' ').next() == Some(verb.as_str()))
            })
        };
        assert!(document.lines().any(heading), "docs/json.md has no section for `{verb}`");
    }
}

#[test]
fn decisions_are_numbered_without_gaps_and_say_the_same_four_things() {
    let decisions: Vec<String> =
        files().into_iter().filter(|path| path.starts_with("docs/decisions/")).collect();
    assert!(!decisions.is_empty());
    for (at, path) in decisions.iter().enumerate() {
        assert!(
            path.starts_with(&format!("docs/decisions/{:04}-", at + 1)),
            "{path} is not number {}",
            at + 1
        );
        let text = read(path);
        for heading in ["## Context", "## Choice", "## Alternatives", "## Consequences"] {
            assert!(text.lines().any(|line| line == heading), "{path} has no `{heading}`");
        }
    }
}

#[test]
fn the_schema_of_the_manifest_is_there() {
    assert!(read("manifest/extension.schema.json").contains("\"extension.toml\""));
}

#[test]
fn the_commands_of_the_readme_are_those_of_continuous_integration() {
    let (readme, ci) = (read("README.md"), read(".ci/run"));
    for command in ["cargo test --workspace", "sh docs/first-steps.sh", "tour"] {
        assert!(readme.contains(command), "the README does not say `{command}`");
        assert!(ci.contains(command), ".ci/run does not run `{command}`");
    }
}
