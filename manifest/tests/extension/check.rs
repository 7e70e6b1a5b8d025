//! How the tests of this suite look at a manifest: as lines of `line:column code message | help`.

use pintle_manifest::{Manifest, Parsed, parse};

pub(crate) const FULL: &str = include_str!("../fixtures/manifest-v1.toml");

/// The head of a manifest that is whole but for `[entry]`.
pub(crate) const HEAD: &str = r#"manifest_version = 1
[extension]
name = "abc"
version = "1.0.0"
description = "A thing"
license = "MIT"
[hosts.agent]
api_version = "^1"
"#;
pub(crate) const ENTRY: &str = "[entry]\nruntime = \"wasm\"\ncomponent = \"x.wasm\"\n";

/// Renders problems as `line:column code message | help`, warnings with a `~` before the code.
pub(crate) fn rendered(text: &str) -> Vec<String> {
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

pub(crate) fn check(text: &str, expected: &[&str]) {
    assert_eq!(rendered(text), expected, "\n{text}");
}

/// Checks a part of a manifest that is whole but for it; lines count from its own first.
pub(crate) fn check_part(part: &str, expected: &[&str]) {
    let text = format!("{HEAD}{ENTRY}{part}");
    let above = HEAD.lines().count() + ENTRY.lines().count();
    let moved = |line: String| {
        let (number, rest) = line.split_once(':').expect("a line begins with its place");
        format!("{}:{rest}", number.parse::<usize>().expect("a place begins with a number") - above)
    };
    assert_eq!(rendered(&text).into_iter().map(moved).collect::<Vec<_>>(), expected, "\n{part}");
}

/// Returns the number of the line of the fixture in which this begins.
pub(crate) fn line_of(text: &str) -> usize {
    let above = FULL.split_once(text).expect("the fixture has this text").0;
    above.matches('\n').count() + 1
}

/// Checks one line in place of the `with` of the fixture, which is otherwise whole.
pub(crate) fn check_line(with: &str, instead: &str, expected: &[&str]) {
    let line = line_of(with);
    let text = FULL.replacen(with, instead, 1);
    let expected: Vec<_> = expected.iter().map(|rest| format!("{line}:{rest}")).collect();
    assert_eq!(rendered(&text), expected, "{instead}");
}

/// Reads a text of which nothing is to be said.
pub(crate) fn manifest(text: &str) -> Manifest {
    let parsed = parse(text.as_bytes());
    assert_eq!(parsed.problems, [], "\n{text}");
    parsed.manifest.expect("a manifest in which nothing is wrong is read")
}
