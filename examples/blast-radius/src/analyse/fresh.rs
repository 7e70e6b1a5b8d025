//! Tells whether a variable holds nothing but the name of what `mktemp` made for this very line: then there is nothing to
//! lose in it yet. It looks at the line as text, for a trap runs when the line ends, whatever comes between. Where the
//! line does anything that could put something else into the variable or something of worth into the directory, the
//! variable is like any other.

use super::shell::Shell;
use super::word::{Value, Word};
use brush_parser::ParserOptions;
use brush_parser::word::{WordPiece, parse};

/// Words of a line with which nothing in it counts as fresh: they move or mount something into a directory, set
/// variables without naming them, or say where `mktemp` is.
const SPOILERS: [&str; 13] = [
    "mv", "rename", "mount", "rsync", "sshfs", "bindfs", "bind", "remove", "eval", "source", "PATH", "alias",
    "hash",
];

/// Returns the line of a command substitution that is all there is in a word.
pub(super) fn only_substitution(text: &str, options: &ParserOptions) -> Option<String> {
    let pieces = parse(text, options).ok()?;
    let [only] = pieces.as_slice() else { return None };
    let piece = match &only.piece {
        WordPiece::DoubleQuotedSequence(inner) => match inner.as_slice() {
            [only] => &only.piece,
            _ => return None,
        },
        piece => piece,
    };
    match piece {
        WordPiece::CommandSubstitution(line) | WordPiece::BackquotedCommandSubstitution(line) => {
            Some(line.clone())
        }
        _ => None,
    }
}

/// Tells whether words are a plain `mktemp` that writes one name and nothing else.
pub(super) fn is_mktemp(words: &[Word], shell: &Shell) -> bool {
    let Some((first, rest)) = words.split_first() else { return false };
    let is_plain = |word: &Word| match &word.value {
        Value::Known(text) if text.starts_with('-') => {
            let name = text.split('=').next().unwrap_or(text);
            ["-d", "-t", "-q", "-p", "-dt", "-td", "-dq", "-qd", "-dp"].contains(&name)
                || ["--directory", "--quiet", "--tmpdir", "--suffix"].contains(&name)
        }
        Value::Known(_) => true,
        Value::Unknown { splits, lead, .. } => !splits && !lead.starts_with('-'),
        Value::Glob(_) | Value::Fresh => false,
    };
    first.known() == Some("mktemp") && !shell.functions.contains_key("mktemp") && rest.iter().all(is_plain)
}

/// Tells whether a line assigns a variable once, and does nothing that could spoil it.
pub(super) fn is_assigned_once(line: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    // As in `printf -vname` and `read -aname`.
    let is_attached = ["-v", "-a"].iter().any(|option| line.contains(&format!("{option}{name}")));
    let may_assign = |at: &usize| {
        let (before, after) = (&line[..*at], &line[at + name.len()..]);
        if before.ends_with(is_part) || after.starts_with(is_part) || before.ends_with('$') {
            return false;
        }
        // `${name}` only looks; `${name:=value}` and its like may set it. In a path the name is just a text.
        if before.ends_with("${") {
            return !after.starts_with('}');
        }
        after.starts_with(['=', '+', '[']) || !before.ends_with(['/', '.', '-', ':'])
    };
    let assigned = line.match_indices(name).filter(|(at, _)| may_assign(at)).count();
    let mut words = line.split(|c: char| !is_part(c));
    let sources_a_file = line.split([';', '&', '|', '\n']).any(|part| part.trim_start().starts_with(". "));
    assigned == 1 && !is_attached && !words.any(|word| SPOILERS.contains(&word)) && !sources_a_file
}
