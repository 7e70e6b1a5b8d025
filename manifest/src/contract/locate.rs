//! Finds where a part of a contract or of a manifest stands in its text, so that what is said of it can be shown at its
//! place.

use crate::Span;
use toml::de::{DeTable, DeValue};

/// Returns where the last of these keys stands in the text of a contract, or else the last of them that is there.
/// `None` if the text is no TOML or has not even the first.
pub fn locate(text: &str, path: &[&str]) -> Option<Span> {
    locate_all(text, &[path]).pop().flatten()
}

/// Does the same for several places of one text, which is read once.
pub(super) fn locate_all<K: AsRef<str>>(text: &str, paths: &[&[K]]) -> Vec<Option<Span>> {
    let (shift, text) = match text.strip_prefix('\u{feff}') {
        Some(rest) => (text.len() - rest.len(), rest),
        None => (0, text),
    };
    let Ok(root) = DeTable::parse(text) else { return vec![None; paths.len()] };
    let place = |path: &&[K]| {
        let span = in_table(root.get_ref(), path)?;
        Some(span.start + shift..span.end + shift)
    };
    paths.iter().map(place).collect()
}

/// Returns where the last of these keys stands, or else the last of them that is there.
pub(super) fn in_table<K: AsRef<str>>(root: &DeTable<'_>, path: &[K]) -> Option<Span> {
    let mut table = root;
    let mut found = None;
    for key in path {
        let Some((name, value)) = table.get_key_value(key.as_ref()) else { break };
        found = Some(name.span());
        match value.get_ref() {
            DeValue::Table(next) => table = next,
            _ => break,
        }
    }
    found
}
