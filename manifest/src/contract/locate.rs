//! Finds where a part of a contract stands in its text, so that a difference between two contracts can be shown at
//! its place.

use crate::Span;
use toml::de::{DeTable, DeValue};

/// Returns where the last of these keys stands in the text of a contract, or else the last of them that is there.
/// `None` if the text is no TOML or has not even the first.
pub fn locate(text: &str, path: &[&str]) -> Option<Span> {
    let (shift, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (text.len() - rest.len(), rest),
        None => (0, text),
    };
    let root = DeTable::parse(text).ok()?;
    let span = in_table(root.get_ref(), path)?;
    Some(span.start + shift..span.end + shift)
}

/// Returns where the last of these keys stands, or else the last of them that is there.
pub(super) fn in_table(root: &DeTable<'_>, path: &[&str]) -> Option<Span> {
    let mut table = root;
    let mut found = None;
    for key in path {
        let Some((name, value)) = table.get_key_value(*key) else { break };
        found = Some(name.span());
        match value.get_ref() {
            DeValue::Table(next) => table = next,
            _ => break,
        }
    }
    found
}
