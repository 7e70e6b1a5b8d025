//! What git runs for somebody: `bisect run`, `rebase --exec`, `submodule foreach` and their like.

use super::danger::Dir;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Value, Word};

/// Reads the commands among the arguments of a subcommand.
pub(super) fn hosted(reader: &mut Reader, subcommand: &str, rest: &[Word], shell: &Shell) {
    let after = |want: &str| {
        let at = rest.iter().position(|word| word.known() == Some(want))?;
        let behind = &rest[at + 1..];
        let begin = behind.iter().position(|word| !word.is_option())?;
        Some(&behind[begin..])
    };
    match subcommand {
        "bisect" => {
            if let Some(command) = after("run") {
                reader.call(command, &mut shell.clone(), &Feed::Nothing);
            }
        }
        "submodule" => {
            if let Some(line) = after("foreach") {
                let mut own = shell.clone();
                own.dir = Dir::Unknown("it runs in each submodule".to_owned());
                match line {
                    [only] => reader.word_as_line(only, rest, &mut own),
                    [..] => reader.call(line, &mut own, &Feed::Nothing),
                }
            }
        }
        "for-each-repo" => {
            let mut own = shell.clone();
            own.dir = Dir::Unknown("it runs in each of many repositories".to_owned());
            if let Some(begin) = rest.iter().position(|word| !word.is_option()) {
                let command: Vec<Word> =
                    std::iter::once(Word::literal("git")).chain(rest[begin..].iter().cloned()).collect();
                reader.call(&command, &mut own, &Feed::Nothing);
            }
        }
        "rebase" => lines_of(reader, rest, &["-x", "--exec"], shell),
        "difftool" => lines_of(reader, rest, &["-x", "--extcmd"], shell),
        _ => {}
    }
}

/// Reads the values of options that are lines for a shell.
fn lines_of(reader: &mut Reader, rest: &[Word], options: &[&str], shell: &Shell) {
    for (at, word) in rest.iter().enumerate() {
        let Value::Known(text) = &word.value else { continue };
        if options.contains(&text.as_str())
            && let Some(line) = rest.get(at + 1)
        {
            reader.word_as_line(line, rest, &mut shell.clone());
        }
        let attached = options.iter().find_map(|option| text.strip_prefix(option));
        if let Some(line) = attached.filter(|line| !line.is_empty()) {
            reader.inner_line(line.trim_start_matches('='), shell);
        }
    }
}
