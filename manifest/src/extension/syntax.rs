//! Finds every error in the TOML itself. The parser can go on after some errors; after others it loses what
//! follows. Those lines are blanked, byte for byte, and the rest is read again, so that places stay true and one
//! slip does not hide the next.

use super::report::{Report, shown};
use crate::{Problem, Span};
use toml::de::{DeTable, DeValue, Error};

/// How often a text is blanked and read again at most. Whoever needs more has more than enough to read.
const ROUNDS: usize = 64;
/// How many bytes are read again at most, so that a large text is not read that often.
const WORK: usize = 1024 * 1024;

/// Reports the errors of a broken text, and returns one that can be read, with blanks in place of what can't.
pub(super) fn repair(text: &str, report: &mut Report) -> String {
    let mut repaired = text.to_owned();
    for _ in 0..ROUNDS.min(WORK / text.len().max(1)) {
        let (root, mut errors) = DeTable::parse_recoverable(&repaired);
        errors.sort_by_key(|error| place(text, error).start);
        let mut fatal = None;
        for error in &errors {
            fatal = tell(text, root.get_ref(), error, report);
            if fatal.is_some() || report.is_full() {
                break;
            }
        }
        let Some(blank) = fatal else { return repaired };
        repaired = blanked(&repaired, &blank);
    }
    report.lose_tables();
    repaired
}

/// Reports one error, and returns what must be blanked before anything after it can be trusted.
fn tell(text: &str, root: &DeTable<'_>, error: &Error, report: &mut Report) -> Option<Span> {
    let (mut at, mut message) = (place(text, error), error.message());
    if is_survived(message) && report.is_in_doubt(&at) {
        return None;
    }
    let mut lost = lost_lines(text, at.start, report);
    if let Some(start) = unclosed(root, text, at.start).filter(|start| !same_line(text, *start, at.start)) {
        at = start..start + 1;
        message = "what begins here has no end";
        lost = statement(text, start);
    }
    match report.is_in_doubt(&at) {
        true => report.widen_doubt(lost.clone()),
        false => report.add_syntax(worded("manifest.syntax", text, at, message), lost.clone()),
    }
    (!is_survived(message)).then_some(lost)
}

/// Tells whether the parser goes on as if nothing had been, after an error that ends where its value does.
fn is_survived(message: &str) -> bool {
    let survived = ["duplicate key", "invalid ", "string values must", "missing comma between array"];
    survived.iter().any(|start| message.starts_with(start))
}

/// Returns the place of an error, on the borders of characters.
fn place(text: &str, error: &Error) -> Span {
    let span = error.span().unwrap_or(0..0);
    let start = text.floor_char_boundary(span.start);
    start..text.ceil_char_boundary(span.end).max(start)
}

fn line_around(text: &str, at: usize) -> Span {
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    start..text[at..].find('\n').map_or(text.len(), |length| at + length)
}

fn same_line(text: &str, one: usize, other: usize) -> bool {
    line_around(text, one) == line_around(text, other)
}

/// A broken line loses itself; a broken header loses the whole table below it.
fn lost_lines(text: &str, at: usize, report: &mut Report) -> Span {
    let line = line_around(text, at);
    match text[line.clone()].trim_start().starts_with('[') {
        true => {
            report.lose_tables();
            line.start..section_end(text, line.end)
        }
        false => line,
    }
}

/// Returns where the next header begins.
fn section_end(text: &str, from: usize) -> usize {
    text[from..].find("\n[").map_or(text.len(), |length| from + length)
}

/// Returns where the outermost list, inline table or text begins that holds `at` and has no end of its own.
fn unclosed(table: &DeTable<'_>, text: &str, at: usize) -> Option<usize> {
    table.values().find_map(|value| {
        let (span, written) = (value.span(), text.get(value.span())?);
        let ends = |open: &str, close: &str| {
            written.starts_with(open)
                && (written.len() < open.len() + close.len() || !written.ends_with(close))
        };
        let open = match value.get_ref() {
            DeValue::Table(inner) if !written.starts_with('{') => return unclosed(inner, text, at),
            DeValue::Table(_) => ends("{", "}"),
            DeValue::Array(_) => ends("[", "]"),
            _ => ends("\"\"\"", "\"\"\"") || ends("'''", "'''"),
        };
        (open && span.start <= at && at <= span.end).then_some(span.start)
    })
}

/// Returns the lines from that of `start` to before the next that looks like a key or a header.
fn statement(text: &str, start: usize) -> Span {
    let first = line_around(text, start);
    let mut end = first.end;
    for line in text[first.end..].split_inclusive('\n').skip(1) {
        let key = line.split('=').next().filter(|key| key.len() < line.len()).unwrap_or("").trim();
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.\"".contains(c));
        if is_key || line.starts_with('[') {
            break;
        }
        end += line.len();
    }
    first.start..end.min(text.len())
}

fn blanked(text: &str, blank: &Span) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for byte in bytes[blank.clone()].iter_mut().filter(|byte| **byte != b'\n') {
        *byte = b' ';
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Says what is wrong with a TOML text at a place, by what its parser says and what stands there.
pub fn worded(code: &'static str, text: &str, span: Span, message: &str) -> Problem {
    let start = text.floor_char_boundary(span.start);
    let span = start..text.ceil_char_boundary(span.end).max(start);
    let written = &text[span.clone()];
    let problem = |message: String| Problem::error(code, span.clone(), message);
    let is_curly = |c: char| matches!(c, '\u{2018}'..='\u{201f}');
    let is_bare = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    if message == "duplicate key" {
        return problem(format!("`{}` is written twice", shown(written)));
    }
    let number = message.starts_with("invalid float") || message.starts_with("invalid boolean");
    if number && !written.is_empty() && written.chars().all(is_bare) {
        let written = shown(written);
        return problem(format!("`{written}` is not a value"))
            .help(format!("put a text in quotes: `\"{written}\"`"));
    }
    if message.starts_with("string values must be quoted") {
        return match written.trim().is_empty() {
            true => problem("the key has no value".to_owned()),
            false => problem("a text is written without quotes".to_owned())
                .help(format!("put it in quotes: `\"{}\"`", shown(written.trim_matches(is_curly)))),
        };
    }
    let rest = &text[span.start..line_around(text, span.start).end];
    if message.starts_with("invalid unquoted key") && rest.starts_with(':') {
        return problem("a key ends at `:`".to_owned()).help("write `=` between a key and its value");
    }
    if rest.starts_with("//") {
        return problem("`//` begins no comment".to_owned()).help("a comment begins with `#`");
    }
    problem(message.replace(", expected nothing", ""))
}
