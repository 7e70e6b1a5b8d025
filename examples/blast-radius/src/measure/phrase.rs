//! Numbers, sizes, times and names as a person reads them. Names come from outside, so nothing in them may move a
//! cursor or hide: what is not plain is written as an escape.

use std::path::Path;
use std::time::{Duration, SystemTime};

/// Longest command that is shown in a title, in characters.
const LONGEST_COMMAND: usize = 72;

/// Longest name that is shown whole among others, in characters.
const LONGEST_NAME: usize = 60;

/// Returns a number with commas: 1,204.
pub(super) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a number with what is counted: "1 file", "1,204 files".
pub(super) fn count(n: u64, one: &str) -> String {
    let many = match one.strip_suffix("ry") {
        Some(stem) => format!("{stem}ries"),
        None if one.ends_with("sh") || one.ends_with("ch") => format!("{one}es"),
        None => format!("{one}s"),
    };
    format!("{} {}", number(n), if n == 1 { one } else { &many })
}

/// Returns a size: "38 MB", "1.2 GB".
pub(super) fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["KB", "MB", "GB", "TB", "PB"];
    if bytes == 1 {
        return "1 byte".to_owned();
    }
    if bytes < 1000 {
        return format!("{bytes} bytes");
    }
    let mut value = bytes as f64 / 1000.0;
    let mut unit = 0;
    // 999.5 would be shown as 1000 of the smaller unit.
    while value >= 999.5 && unit + 1 < UNITS.len() {
        value /= 1000.0;
        unit += 1;
    }
    if value < 9.95 { format!("{value:.1} {}", UNITS[unit]) } else { format!("{value:.0} {}", UNITS[unit]) }
}

/// Returns how long ago something was: "5 minutes ago".
pub(super) fn ago(then: SystemTime, now: SystemTime) -> String {
    let Ok(passed) = now.duration_since(then) else { return "just now".to_owned() };
    let steps =
        [(86_400 * 365, "year"), (86_400 * 30, "month"), (86_400, "day"), (3600, "hour"), (60, "minute")];
    for (seconds, unit) in steps {
        if passed >= Duration::from_secs(seconds) {
            return format!("{} ago", count(passed.as_secs() / seconds, unit));
        }
    }
    "just now".to_owned()
}

/// Returns a path or a name so that it can be shown.
pub(super) fn name(path: impl AsRef<Path>) -> String {
    plain(&path.as_ref().to_string_lossy())
}

/// Returns a path or a name as [`name`] does, and cuts a long one in its middle: both ends say most.
pub(super) fn short(path: impl AsRef<Path>) -> String {
    let text = name(path);
    let length = text.chars().count();
    if length <= LONGEST_NAME {
        return text;
    }
    let half = LONGEST_NAME / 2;
    text.chars().take(half).chain(['…']).chain(text.chars().skip(length - half)).collect()
}

/// Returns a text in which everything that does not print plainly is an escape.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let hides = c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}');
        if hides { out.extend(c.escape_default()) } else { out.push(c) }
    }
    out
}

/// Returns a command in backticks, on one line and not too long.
pub(super) fn command(text: &str) -> String {
    let text = plain(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if text.chars().count() <= LONGEST_COMMAND {
        return format!("`{text}`");
    }
    format!("`{}…`", text.chars().take(LONGEST_COMMAND - 1).collect::<String>())
}

/// Returns some names, and how many more there are.
pub(super) fn some(names: &[String], most: usize) -> String {
    let shown: Vec<String> = names.iter().take(most).map(short).collect();
    match names.len().saturating_sub(most) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), number(more as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::{ago, command, count, name, short, size, some};
    use std::time::{Duration, SystemTime};

    #[test]
    fn sizes() {
        let check = |bytes, expected: &str| assert_eq!(size(bytes), expected);
        check(0, "0 bytes");
        check(1, "1 byte");
        check(999, "999 bytes");
        check(1000, "1.0 KB");
        check(9_949, "9.9 KB");
        check(9_950, "10 KB");
        check(999_499, "999 KB");
        check(999_500, "1.0 MB");
        check(38_000_000, "38 MB");
        check(u64::MAX, "18447 PB");
    }

    #[test]
    fn counts_and_times() {
        assert_eq!(count(1, "file"), "1 file");
        assert_eq!(count(1_204_000, "file"), "1,204,000 files");
        assert_eq!(count(2, "directory"), "2 directories");
        assert_eq!(count(2, "stash"), "2 stashes");
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(100_000_000);
        let check =
            |seconds, expected: &str| assert_eq!(ago(now - Duration::from_secs(seconds), now), expected);
        check(0, "just now");
        check(59, "just now");
        check(60, "1 minute ago");
        check(7200, "2 hours ago");
        check(86_400 * 3, "3 days ago");
        check(86_400 * 800, "2 years ago");
        assert_eq!(ago(now + Duration::from_secs(9), now), "just now");
    }

    #[test]
    fn names_that_would_move_the_cursor_are_escaped() {
        assert_eq!(name("a\nb\u{1b}[2J\u{202e}c"), "a\\nb\\u{1b}[2J\\u{202e}c");
        assert_eq!(command("rm -rf\n  x"), "`rm -rf x`");
        assert!(command(&"x".repeat(500)).chars().count() <= 74);
        assert_eq!(short("x".repeat(60)), "x".repeat(60));
        assert_eq!(short("x".repeat(61)), format!("{0}…{0}", "x".repeat(30)));
        assert_eq!(some(&["a".into(), "b".into(), "c".into()], 2), "a, b and 1 more");
    }
}
