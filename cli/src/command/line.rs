//! Shows the words of a command as one line that a person can read, and paste into a shell. It runs nothing.

use pintle_manifest::Untrusted;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

/// Returns the line. Only what can act on a terminal, or is no text, is written as `$'…'`, which bash, zsh, ksh and
/// newer plain shells read; everything else as every shell reads it.
pub(crate) fn line<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> String {
    let words: Vec<String> = words.into_iter().map(|one| word(one.as_ref())).collect();
    words.join(" ")
}

fn word(word: &OsStr) -> String {
    match word.to_str().filter(|text| Untrusted(text).is_plain()) {
        Some(text) if may_stand(text) => text.to_owned(),
        Some(text) => match shlex::try_quote(text) {
            Ok(quoted) if *quoted == *text => format!("'{text}'"),
            Ok(quoted) => quoted.into_owned(),
            // Words with a zero byte can't be given to a program, and can still be shown.
            Err(_) => escaped(word.as_bytes()),
        },
        None => escaped(word.as_bytes()),
    }
}

/// Tells whether a word means itself in every shell, wherever it stands in a line.
fn may_stand(text: &str) -> bool {
    let is_harmless = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    let is_assignment = text
        .split_once('=')
        .is_some_and(|(name, _)| name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric()));
    !text.is_empty() && text.chars().all(is_harmless) && !is_assignment && !RESERVED.contains(&text)
}

/// Words that mean something to a shell where a command begins.
const RESERVED: [&str; 17] = [
    "case", "do", "done", "elif", "else", "esac", "fi", "for", "if", "in", "then", "until", "while",
    "function", "select", "time", "coproc",
];

fn escaped(word: &[u8]) -> String {
    let mut text = String::from("$'");
    for chunk in word.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\\' | '\'' => text.extend(['\\', character]),
                '\n' => text.push_str("\\n"),
                '\t' => text.push_str("\\t"),
                '\r' => text.push_str("\\r"),
                _ if Untrusted(character.encode_utf8(&mut [0; 4])).is_plain() => text.push(character),
                _ => text.push_str(&octal(character.encode_utf8(&mut [0; 4]).as_bytes())),
            }
        }
        text.push_str(&octal(chunk.invalid()));
    }
    text.push('\'');
    text
}

/// Three digits each, so that what follows is no part of it. A digit after `\x` would be.
fn octal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("\\{byte:03o}")).collect()
}

#[cfg(test)]
mod tests {
    use super::line;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    #[track_caller]
    fn check(words: &[&[u8]], expected: &str) {
        assert_eq!(line(words.iter().map(|word| OsStr::from_bytes(word))), expected);
    }

    #[test]
    fn a_line_reads_as_it_would_be_typed_and_pastes_as_it_was() {
        check(&[], "");
        check(&[b"git", b"push", b"--force", b"origin", b"HEAD:main"], "git push --force origin HEAD:main");
        check(&[b"rm", b"-rf", b"a b", b"", b"*"], "rm -rf 'a b' '' '*'");
        check(&[b"sh", b"-c", b"cd x && echo \"$HOME\""], "sh -c 'cd x && echo \"$HOME\"'");
        check(&[b"it's"], "\"it's\"");
        check(&[b"echo", b"~", b"~root/x", b"a~"], "echo '~' '~root/x' 'a~'");
        check(&[b"A=1", b"--a=1", b"=ls"], "'A=1' --a=1 '=ls'");
        check(&[b"if", b"time", b"{", b"!"], "'if' 'time' '{' '!'");
        check(&["größe".as_bytes(), b"a#b", b"#"], "'größe' 'a#b' '#'");
    }

    #[test]
    fn nothing_in_a_line_acts_on_a_terminal() {
        check(&[b"a\nb", b"\x1b[2J1", b"\r"], "$'a\\nb' $'\\033[2J1' $'\\r'");
        check(&[b"it's\\\t"], "$'it\\'s\\\\\\t'");
        check(&["\u{202e}txt.exe".as_bytes()], "$'\\342\\200\\256txt.exe'");
        check(&[b"\xff\xfe7", b"a\0b"], "$'\\377\\3767' $'a\\000b'");
        check(&["\u{9b}31m é\n".as_bytes()], "$'\\302\\23331m é\\n'");
    }

    #[test]
    fn what_needs_no_escape_is_read_back_by_the_rules_of_a_shell() {
        let pieces = ["a", " ", "'", "\"", "\\", "$x", "`", "!", "*", "~", "=", "#", "(", "é", "-", "^", "{"];
        for one in pieces {
            for other in pieces {
                for third in pieces {
                    let words = vec![format!("{one}{other}{third}"), other.to_owned(), String::new()];
                    assert_eq!(shlex::split(&line(&words)), Some(words));
                }
            }
        }
    }
}
