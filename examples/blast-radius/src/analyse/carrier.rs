//! Programs that run what stands somewhere among their arguments, and whose own options are not known one by one. Every
//! place at which a command could begin is tried, and the first that begins something destructive counts.

use super::danger::{Action, Dir, GitAction};
use super::program::SHELLS;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::Word;

/// Words that are tried as the beginning of a command after a program that nobody knows.
const BEGINNINGS: [&str; 12] =
    ["rm", "grm", "srm", "shred", "find", "gfind", "git", "xargs", "env", "sudo", "busybox", "timeout"];

/// Programs that take words as words, and run none of them.
const NO_CARRIERS: [&str; 78] = [
    "echo",
    "printf",
    "test",
    "[",
    ":",
    "true",
    "false",
    "ls",
    "cat",
    "tac",
    "head",
    "tail",
    "grep",
    "egrep",
    "fgrep",
    "zgrep",
    "rg",
    "ag",
    "ack",
    "man",
    "tldr",
    "cheat",
    "info",
    "help",
    "apropos",
    "whatis",
    "which",
    "whereis",
    "type",
    "complete",
    "compgen",
    "bind",
    "sed",
    "awk",
    "gawk",
    "jq",
    "yq",
    "cut",
    "tr",
    "sort",
    "uniq",
    "wc",
    "basename",
    "dirname",
    "touch",
    "mkdir",
    "rmdir",
    "cp",
    "mv",
    "ln",
    "chmod",
    "chown",
    "diff",
    "cmp",
    "less",
    "more",
    "vim",
    "vi",
    "nano",
    "emacs",
    "code",
    "expr",
    "seq",
    "logger",
    "notify-send",
    "say",
    "cowsay",
    "figlet",
    "apt",
    "apt-get",
    "dnf",
    "yum",
    "apk",
    "brew",
    "pacman",
    "pip",
    "pip3",
    "gh",
];

/// Reads what a program that nobody knows would run, if it runs what follows it.
pub(super) fn carried(reader: &mut Reader, program: &str, words: &[Word], shell: &Shell) {
    if NO_CARRIERS.contains(&program) {
        return;
    }
    let begin = reader.found.len();
    for at in 1..words.len() {
        let beginning = words[at].known().and_then(|_| words[at].program());
        if !beginning.is_some_and(|program| BEGINNINGS.contains(&program) || SHELLS.contains(&program)) {
            continue;
        }
        reader.call(&words[at..], &mut shell.clone(), &Feed::Nothing);
        // An alias of git, or a push that its settings may force, would be a guess upon a guess.
        let is_alias = |action: &Action| {
            matches!(
                action,
                Action::Git { action: GitAction::Alias { .. } | GitAction::PushAsSet { .. }, .. }
            )
        };
        let mut index = 0;
        reader.found.retain(|danger| {
            index += 1;
            index <= begin || !is_alias(&danger.action)
        });
        if reader.found.len() > begin || reader.gave_up {
            return;
        }
    }
}

/// Reads a command that runs where nothing can be measured.
pub(super) fn elsewhere(reader: &mut Reader, place: &str, words: &[Word], shell: &Shell, feed: &Feed) {
    let mut own = shell.clone();
    own.elsewhere = Some(place.to_owned());
    own.dir = Dir::Unknown(format!("it runs {place}"));
    lines_and_commands(reader, words, &mut own, feed);
}

/// Looks for a command behind options that aren't known one by one, and for words that are lines of a shell.
pub(super) fn lines_and_commands(reader: &mut Reader, words: &[Word], shell: &mut Shell, feed: &Feed) {
    let begin = reader.found.len();
    for at in 1..words.len() {
        match words[at].known() {
            Some(text) if text.contains(char::is_whitespace) => {
                for line in lines_in(text) {
                    reader.line(line, &mut shell.clone());
                }
            }
            Some(_) => reader.call(&words[at..], &mut shell.clone(), feed),
            None if at == words.len() - 1 && words[0].known() == Some("ssh") => {
                reader.opaque(words, "the line that it would run is known only when it runs", shell);
            }
            None if words[at - 1].known().is_some_and(|option| LINE_FOLLOWS.contains(&option)) => {
                reader.opaque(words, "the line that it would run is known only when it runs", shell);
            }
            None => {}
        }
        if reader.found.len() > begin || reader.gave_up {
            return;
        }
    }
    shell.others_ran = true;
}

/// Options after which a line for a shell stands.
const LINE_FOLLOWS: [&str; 3] = ["-c", "-lc", "--command"];

/// Returns what of a word can be a line: all of it, or what is attached to an option, as in `-qc'line'` or
/// `--command='line'`.
fn lines_in(text: &str) -> Vec<&str> {
    let Some(option) = text.strip_prefix('-') else { return vec![text] };
    if let Some((_, value)) = option.strip_prefix('-').and_then(|option| option.split_once('=')) {
        return vec![value];
    }
    let letters = option.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(option.len());
    (1..=letters.min(4)).filter_map(|at| option.get(at..)).collect()
}
