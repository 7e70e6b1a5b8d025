//! Small pieces of sentences.

use jiff::Timestamp;
use pintle_manifest::Untrusted;
use pintle_registry::store::{Scope, ScopeKind, Source};
use serde_json::{Value, json};
use std::path::Path;

/// Returns a time that is kept in milliseconds since 1970; `None` if there is no such time.
pub(crate) fn timestamp(ms: u64) -> Option<Timestamp> {
    i64::try_from(ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok())
}

/// Returns a time in the largest unit that it fills.
pub(crate) fn duration(time: std::time::Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        seconds @ 1..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} days", seconds / 86400),
    }
}

/// Returns a number and its noun.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Returns a number of bytes in words.
pub(crate) fn bytes(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let (mut tenths, mut unit) = (bytes / 100, 0);
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    while tenths >= 10_000 && unit + 1 < UNITS.len() {
        (tenths, unit) = (tenths / 1000, unit + 1);
    }
    match tenths < 100 {
        true => format!("{}.{} {}", tenths / 10, tenths % 10, UNITS[unit]),
        false => format!("{} {}", tenths / 10, UNITS[unit]),
    }
}

/// Returns names in a row.
pub(crate) fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

/// Returns a path for a screen: what could act on a terminal is escaped.
pub(crate) fn path(path: &Path) -> String {
    Untrusted(&path.to_string_lossy()).to_string()
}

/// Returns whose set is meant, for a document.
pub(crate) fn scope(scope: &Scope) -> Value {
    match &scope.kind {
        ScopeKind::User => json!({ "kind": "user", "path": scope.base.to_string_lossy() }),
        ScopeKind::Project(directory) => json!({ "kind": "project", "path": directory.to_string_lossy() }),
    }
}

/// Returns where an extension comes from, for a document.
pub(crate) fn source(source: &Source) -> Value {
    match source {
        Source::Registry(name) => json!({ "kind": "registry", "registry": name }),
        Source::Folder(path) => json!({ "kind": "folder", "path": path.to_string_lossy() }),
        Source::Archive(path) => json!({ "kind": "archive", "path": path.to_string_lossy() }),
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn bytes_are_told_in_the_unit_that_fits() {
        let check = |number: u64, expected: &str| assert_eq!(bytes(number), expected);
        check(0, "0 B");
        check(999, "999 B");
        check(1_000, "1.0 kB");
        check(9_999, "9.9 kB");
        check(12_345, "12 kB");
        check(1_500_000, "1.5 MB");
        check(2_000_000_000, "2.0 GB");
    }
}
