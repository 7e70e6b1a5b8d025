//! `rm` in all its spellings, and `find` where it deletes.

use super::danger::{Action, Remove, Target};
use super::reader::Reader;
use super::shell::Shell;
use super::word::{Value, Word, joined};
use super::wrapper::{through, with_unknown};

/// Reads the arguments of an `rm`. Without `-r` and `-f` it asks by itself where it matters, and is none of ours.
pub(super) fn rm(reader: &mut Reader, program: &str, words: &[Word], shell: &Shell) {
    let goes_deep = matches!(program, "srm" | "rimraf" | "del-cli");
    let mut remove = Remove { targets: Vec::new(), recursive: goes_deep, one_file_system: false };
    let mut is_forced = goes_deep || program == "shred";
    let mut takes_options = true;
    let mut is_harmless = false;
    for word in &words[1..] {
        match &word.value {
            Value::Known(text) if takes_options && text == "--" => takes_options = false,
            Value::Known(text) if takes_options && text.starts_with("--") => {
                match text.split('=').next().unwrap_or(text) {
                    long if is_short_for(long, "--recursive", 5) => remove.recursive = true,
                    long if is_short_for(long, "--force", 3) => is_forced = true,
                    long if is_short_for(long, "--one-file-system", 3) => remove.one_file_system = true,
                    "--help" | "--version" => is_harmless = true,
                    _ => {}
                }
            }
            Value::Known(text) if takes_options && text.starts_with('-') && text.len() > 1 => {
                remove.recursive |= text.contains(['r', 'R']) && program != "shred";
                is_forced |= text.contains('f');
            }
            // What is unknown can be an option as well.
            Value::Unknown { lead, .. } if takes_options && (lead.is_empty() || lead.starts_with('-')) => {
                is_forced = true;
                remove.recursive = true;
                remove.targets.push(Target::Unknown(word.shown.clone()));
            }
            // What the line made itself a moment ago has nothing in it yet that could be lost.
            Value::Fresh => {}
            Value::Known(_) | Value::Glob(_) | Value::Unknown { .. } => remove.targets.push(target(word)),
        }
    }
    if is_harmless || !(is_forced || remove.recursive) || remove.targets.is_empty() {
        return;
    }
    reader.add(joined(words), Action::Remove(remove), shell);
}

fn is_short_for(text: &str, long: &str, least: usize) -> bool {
    text.len() >= least && long.starts_with(text)
}

pub(super) fn target(word: &Word) -> Target {
    match &word.value {
        Value::Known(text) => Target::Path(text.clone()),
        Value::Glob(pattern) => Target::Glob(pattern.clone()),
        Value::Unknown { .. } | Value::Fresh => Target::Unknown(word.shown.clone()),
    }
}

/// Reads the arguments of a `find`, and of `fd`, which takes a pattern first and has `-x` in place of `-exec`.
pub(super) fn find(reader: &mut Reader, words: &[Word], shell: &Shell) {
    let is_find = words[0]
        .program()
        .is_some_and(|program| program.ends_with("find") && program != "fdfind" || program == "bfs");
    let begins = |word: &Word| match word.known() {
        Some(text) => is_find && (text.starts_with('-') || text == "(" || text == "!"),
        None => false,
    };
    let mut rest = &words[1..];
    while is_find && matches!(rest.first().and_then(Word::known), Some("-H" | "-L" | "-P")) {
        rest = &rest[1..];
    }
    let roots_end = rest.iter().position(begins).unwrap_or(rest.len());
    let mut roots: Vec<Target> =
        if is_find { rest[..roots_end].iter().map(target).collect() } else { Vec::new() };
    if roots.is_empty() {
        roots.push(Target::Path(".".to_owned()));
    }
    let expression = if is_find { &rest[roots_end..] } else { rest };
    let is_delete = |word: &Word| word.known() == Some("-delete") && is_find;
    // A word that can't be told may be `-delete` as well.
    let may_delete = expression
        .iter()
        .any(|word| is_delete(word) || matches!(word.value, Value::Unknown { splits: true, .. }));
    if may_delete {
        reader.add(joined(words), Action::Find { roots: roots.clone() }, shell);
        return;
    }
    let mut at = 0;
    while let Some(word) = expression.get(at) {
        at += 1;
        let is_exec = match word.known() {
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => is_find,
            Some("-x" | "-X" | "--exec" | "--exec-batch") => !is_find,
            Some(_) | None => false,
        };
        if !is_exec {
            continue;
        }
        let tail = &expression[at..];
        let end = tail.iter().position(|word| matches!(word.known(), Some(";" | "+"))).unwrap_or(tail.len());
        let mut command = with_unknown(&tail[..end], "{");
        if !is_find && !tail[..end].iter().any(|word| word.shown.contains('{')) {
            command.push(Word::unknown("{}"));
        }
        at += end;
        let Some(first) = command.first() else { continue };
        if matches!(first.program(), Some("rm" | "grm" | "shred" | "srm" | "unlink")) {
            reader.add(joined(words), Action::Find { roots: roots.clone() }, shell);
        } else {
            through(reader, &command, words, shell);
        }
    }
}
