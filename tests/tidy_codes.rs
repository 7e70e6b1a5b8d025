//! That every code of a failure that the sources make is in the document, and every code in the document is made.

use crate::tidy::{none, read, shipped, sources};
use std::collections::{BTreeMap, BTreeSet};

/// The first words of codes. A code is such a word, a dot, and what happened.
const FAMILIES: [&str; 40] = [
    "archive",
    "bisect",
    "command",
    "compat",
    "contract",
    "doctor",
    "entry",
    "env",
    "exec",
    "fault",
    "fs",
    "guard",
    "info",
    "install",
    "integrity",
    "load",
    "local",
    "lock",
    "manifest",
    "new",
    "offline",
    "package",
    "platform",
    "protocol",
    "publish",
    "quarantine",
    "registry",
    "resolve",
    "rollback",
    "set",
    "spec",
    "start",
    "state",
    "tour",
    "trace",
    "trust",
    "uninstall",
    "verify",
    "wishes",
    "yank",
];
/// Texts that look like codes and are names of files, or of calls of the host.
const FILES: [&str; 5] = ["contract.toml", "fs.read", "quarantine.json", "set.json", "state.json"];

fn is_code(text: &str) -> bool {
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    text.split_once('.')
        .is_some_and(|(family, rest)| FAMILIES.contains(&family) && is_word(rest) && !FILES.contains(&text))
}

/// Returns every text in double quotes of a source, as it stands there.
fn literals(source: &str) -> impl Iterator<Item = &str> {
    let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split('"').skip(1).step_by(2))
}

/// Returns the first argument of every failure that is made, also one without a dot, such as `usage`.
fn codes_of_failures(source: &str) -> Vec<String> {
    let mut codes = Vec::new();
    for call in ["Failure::new(", "Failure::of(", "Self::new(", "Self::of("] {
        for rest in source.split(call).skip(1) {
            let literal = rest.trim_start().strip_prefix('"').and_then(|rest| rest.split('"').next());
            codes.extend(literal.map(str::to_owned));
        }
    }
    codes
}

fn codes_in_sources() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for path in sources() {
        let source = shipped(&path);
        codes.extend(literals(&source).filter(|text| is_code(text)).map(str::to_owned));
        if path.starts_with("cli/src/") {
            codes.extend(codes_of_failures(&source));
        }
    }
    codes
}

/// Returns the rows that the document lists: a code and its exit code, as in ``| `fs.full` | 1 | … |``.
fn rows_in_document() -> Vec<(String, String)> {
    let text = read("docs/exit-codes.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| {
        let mut cells = row.split('|').map(|cell| cell.trim().trim_matches('`').to_owned());
        Some((cells.next()?, cells.next()?))
    })
    .collect()
}

fn codes_in_document() -> BTreeMap<String, String> {
    rows_in_document().into_iter().collect()
}

#[test]
fn every_code_has_one_row_in_the_document() {
    let mut seen = BTreeSet::new();
    let twice = rows_in_document().into_iter().filter(|(code, _)| !seen.insert(code.clone()));
    none("more than one row", &twice.map(|(code, _)| code).collect::<Vec<_>>());
}

#[test]
fn every_code_is_in_the_document_and_every_code_in_the_document_is_real() {
    let (sources, document) = (codes_in_sources(), codes_in_document());
    assert!(sources.len() > 100, "codes are found in the sources: {}", sources.len());
    let missing: Vec<String> = sources.iter().filter(|code| !document.contains_key(*code)).cloned().collect();
    let gone: Vec<String> = document.keys().filter(|code| !sources.contains(*code)).cloned().collect();
    none("in the sources and not in docs/exit-codes.md", &missing);
    none("in docs/exit-codes.md and in no source", &gone);
}

#[test]
fn every_exit_code_is_in_the_document() {
    let document = read("docs/exit-codes.md");
    let source = read("cli/src/exit.rs");
    let numbers: Vec<&str> = source
        .lines()
        .filter_map(|line| line.trim().strip_suffix(',')?.split_once(" => "))
        .map(|(_, number)| number)
        .filter(|number| number.parse::<u8>().is_ok())
        .collect();
    assert!(numbers.len() > 8, "exit codes are found in the source: {numbers:?}");
    let missing: Vec<String> = numbers
        .iter()
        .filter(|number| !document.lines().any(|line| line.starts_with(&format!("| {number} |"))))
        .map(|number| (*number).to_owned())
        .collect();
    none("no row in docs/exit-codes.md", &missing);
    let known: BTreeSet<&str> = numbers.into_iter().chain(["—"]).collect();
    let odd: Vec<String> = codes_in_document()
        .into_iter()
        .filter(|(_, exit)| !exit.split(", ").all(|one| known.contains(one)))
        .map(|(code, exit)| format!("{code}: {exit}"))
        .collect();
    none("no exit code", &odd);
}
