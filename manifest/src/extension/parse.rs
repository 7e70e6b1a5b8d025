//! Reads `extension.toml`: one pass that finds every problem there is. Gives a manifest only if none is an error.

use super::build::build;
use super::encoding::{Decoded, decode};
use super::manifest::{MANIFEST_VERSION, Manifest, Parsed};
use super::report::Report;
use super::walk::Walk;
use super::{rules, syntax};
use crate::{Problem, Span};
use toml::de::{DeTable, DeValue};

/// Reads a manifest from the bytes of the file, and reports every problem in it.
///
/// Spans are into the bytes as given, on the borders of characters wherever the bytes are UTF-8.
pub fn parse(bytes: &[u8]) -> Parsed {
    let Decoded { text, start } = match decode(bytes) {
        Ok(decoded) => decoded,
        Err(problem) => return Parsed { manifest: None, problems: vec![problem] },
    };
    let mut report = Report::default();
    let manifest = read(text, &mut report);
    Parsed { manifest, problems: report.finish(start) }
}

fn read(text: &str, report: &mut Report) -> Option<Manifest> {
    let (root, errors) = DeTable::parse_recoverable(text);
    if let Some((version, span)) = newer_version(root.get_ref()) {
        report.add(too_new(&version, span));
        return None;
    }
    if errors.is_empty() {
        return judge(text, root.get_ref(), report);
    }
    let repaired = syntax::repair(text, report);
    let (root, _) = DeTable::parse_recoverable(&repaired);
    judge(text, root.get_ref(), report)
}

fn judge(text: &str, root: &DeTable<'_>, report: &mut Report) -> Option<Manifest> {
    let fields = Walk::document(text, report, root);
    rules::check(root, report);
    if report.has_errors() {
        return None;
    }
    let manifest = build(fields);
    debug_assert!(manifest.is_some(), "what the grammar lets through can be built");
    manifest
}

/// Finds a `manifest_version` that this Pintle does not read. What is written in one can't be judged.
fn newer_version(root: &DeTable<'_>) -> Option<(String, Span)> {
    let value = root.get("manifest_version")?;
    let DeValue::Integer(integer) = value.get_ref() else { return None };
    match i128::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(number) => (number > i128::from(MANIFEST_VERSION)).then(|| (number.to_string(), value.span())),
        Err(_) => None,
    }
}

fn too_new(version: &str, span: Span) -> Problem {
    let message =
        format!("this is written in manifest_version {version}, and this Pintle reads {MANIFEST_VERSION}");
    Problem::error("manifest.newer_version", span, message).help("a newer Pintle is needed to read it")
}
