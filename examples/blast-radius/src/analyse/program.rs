//! Tells what a program with its arguments is: a builtin of the shell, another shell, something that runs what follows
//! it, or something destructive.

use super::danger::Action;
use super::reader::{Feed, Reader};
use super::setup::sets_up_a_shell;
use super::shell::Shell;
use super::word::{Word, joined};
use super::{alias, carrier, database, git, remove, statement, wrapper};

impl Reader {
    /// Reads one command, all of whose words are expanded.
    pub(super) fn call(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) {
        let Some(first) = words.first() else { return };
        if self.goes_deeper(&first.shown, shell) {
            self.call_within(first, words, shell, feed);
            self.comes_back();
        }
    }

    fn call_within(&mut self, first: &Word, words: &[Word], shell: &mut Shell, feed: &Feed) {
        if self.function(words, shell, feed) {
            return;
        }
        let Some(program) = first.program() else {
            return self.unknown_program(words, shell, feed);
        };
        let program = program.to_owned();
        if self.builtin(&program, words, shell, feed) {
            return;
        }
        self.external(&program, words, shell, feed);
        let only_looks =
            program == "git" && words.get(1).and_then(Word::known).is_some_and(|sub| LOOKS.contains(&sub));
        shell.others_ran |= !only_looks && !HARMLESS.contains(&program.as_str());
    }

    /// Reads what a shell does itself; says whether it was that.
    fn builtin(&mut self, program: &str, words: &[Word], shell: &mut Shell, feed: &Feed) -> bool {
        match program {
            "cd" | "chdir" | "pushd" => {
                let to = words[1..].iter().find(|word| !word.is_option());
                let home = shell.home.as_ref().and_then(|home| home.to_str()).map(Word::literal);
                if program == "pushd" {
                    shell.pushed.push(shell.dir.clone());
                }
                let to = to.cloned().or(home.filter(|_| program != "pushd"));
                shell.change_dir(&to.unwrap_or_else(|| Word::unknown(program)));
            }
            "popd" => match shell.pushed.pop() {
                Some(dir) => shell.previous = Some(std::mem::replace(&mut shell.dir, dir)),
                None => shell.change_dir(&Word::unknown("popd")),
            },
            "set" => set(words, shell),
            "export" | "local" | "declare" | "typeset" | "readonly" => {
                for word in &words[1..] {
                    if let Some((name, value)) = word.lead().split_once('=') {
                        shell.assign(name, word.known().is_some().then(|| value.to_owned()));
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "getopts" | "let" => {
                for text in words[1..].iter().filter_map(Word::known) {
                    let name = text.split(['=', '+', '-', '*', '/', '%', '<', '>', '&', '^', '|']).next();
                    shell.assign(name.unwrap_or(text), None);
                }
            }
            "printf" => {
                if let [_, option, name, ..] = words
                    && option.known() == Some("-v")
                {
                    shell.assign(name.known().unwrap_or_default(), None);
                }
            }
            "unset" => {
                for name in words[1..].iter().filter_map(Word::known) {
                    match name {
                        "IFS" => _ = shell.variables.remove(name),
                        name => shell.assign(name, None),
                    }
                    shell.functions.remove(name);
                }
            }
            "shift" => {
                let count = match words.get(1) {
                    None => Some(1),
                    Some(word) => word.known().and_then(|text| text.parse::<usize>().ok()),
                };
                shell.positional = match (shell.positional.take(), count) {
                    (Some(words), Some(count)) => {
                        Some(words.get(count..).map_or(words.clone(), <[Word]>::to_vec))
                    }
                    (_, _) => None,
                };
            }
            "alias" | "unalias" | "hash" => alias::define(program, words, shell),
            "eval" => self.joined_line(&words[1..], words, shell),
            "trap" => {
                if let Some(line) = words[1..].iter().find(|word| !word.is_option()) {
                    self.word_as_line(line, words, &mut shell.clone());
                }
            }
            "source" | "." => self.sourced(words, shell, feed),
            _ => return false,
        }
        true
    }

    /// A file that is read into the shell itself.
    fn sourced(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) {
        const WHY: &str = "what it reads and runs, nobody can tell before it runs";
        match (words.get(1), feed) {
            (Some(file), Feed::Text(text)) if is_standard_input(file) => self.line(text, shell),
            (Some(file), _) if sets_up_a_shell(file, &self.options) => {}
            (Some(file), _) if is_standard_input(file) || file.may_split() => self.opaque(words, WHY, shell),
            (Some(_) | None, _) => {}
        }
        shell.others_ran = true;
    }

    fn external(&mut self, program: &str, words: &[Word], shell: &mut Shell, feed: &Feed) {
        match program {
            "rm" | "grm" | "srm" | "shred" | "rimraf" | "del-cli" => remove::rm(self, program, words, shell),
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => remove::find(self, words, shell),
            "git" => git::git(self, words, shell, feed),
            _ if SHELLS.contains(&program) => self.another_shell(words, shell, feed),
            _ => {
                if let Some(subcommand) = program.strip_prefix("git-") {
                    let words: Vec<Word> = [Word::literal("git"), Word::literal(subcommand)]
                        .into_iter()
                        .chain(words[1..].iter().cloned())
                        .collect();
                    return git::git(self, &words, shell, feed);
                }
                if !wrapper::wrapper(self, program, words, shell, feed) {
                    let begin = self.found.len();
                    database::database(self, program, words, shell);
                    let is_client = statement::statement(self, program, words, shell, feed);
                    if self.found.len() == begin && !is_client {
                        carrier::carried(self, program, words, shell);
                    }
                }
            }
        }
    }

    /// `sh -c 'line' name arguments…`, or a shell that reads what it is given.
    fn another_shell(&mut self, words: &[Word], shell: &Shell, feed: &Feed) {
        let mut takes_line = false;
        let mut reads_input = false;
        let mut rest = words[1..].iter().enumerate();
        let mut own = Shell { functions: shell.functions.clone(), ..shell.clone() };
        let first = loop {
            let Some((at, word)) = rest.next() else { break None };
            match word.known() {
                Some("--rcfile" | "--init-file") => _ = rest.next(),
                Some("--") => break rest.next().map(|(at, _)| at),
                Some("-") => {}
                Some("--command") => takes_line = true,
                Some(text) if text.starts_with("--") => {}
                Some(text) if text.starts_with(['-', '+']) => {
                    takes_line |= is_flag(text, 'c');
                    reads_input |= is_flag(text, 's');
                    if text.ends_with(['o', 'O']) {
                        rest.next();
                    }
                    own.ends_on_failure |= is_flag(text, 'e');
                }
                Some(_) | None => break Some(at),
            }
        };
        let reads_input =
            reads_input || first.is_none_or(|at| words.get(1 + at).is_some_and(is_standard_input));
        match (first, takes_line) {
            (_, false) if reads_input => {
                own.positional = Some(first.map_or(&[][..], |at| &words[1 + at..]).to_vec());
                match feed {
                    Feed::Nothing => {}
                    Feed::Text(text) => self.inner_line(text, &own),
                    Feed::Partly(_) | Feed::Unknown => {
                        self.opaque(words, "it would run what a pipe brings, which nobody can tell", shell);
                    }
                }
            }
            (Some(at), true) => {
                let arguments = words[1..].get(at + 2..).unwrap_or_default();
                own.positional = Some(arguments.to_vec());
                self.word_as_line(&words[1 + at], words, &mut own);
            }
            (None, true) => {}
            (Some(at), false) if words[1 + at].may_split() => {
                self.opaque(words, "what it would run, nobody can tell before it runs", shell);
            }
            (Some(_) | None, _) => {}
        }
    }

    /// Reads a word that is a line for a shell.
    pub(super) fn word_as_line(&mut self, line: &Word, words: &[Word], shell: &mut Shell) {
        match line.known() {
            Some(text) => self.line(text, shell),
            None => self.opaque(words, "the line that it would run is known only when it runs", shell),
        }
    }

    /// Reads words that become a line when they are put together.
    pub(super) fn joined_line(&mut self, line: &[Word], words: &[Word], shell: &mut Shell) {
        let texts: Option<Vec<_>> = line.iter().map(Word::known).collect();
        match texts {
            Some(texts) => self.line(&texts.join(" "), shell),
            None if matches!(line, [only] if sets_up_a_shell(only, &self.options)) => {}
            None => self.opaque(words, "the line that it would run is known only when it runs", shell),
        }
    }

    pub(super) fn opaque(&mut self, words: &[Word], why: &str, shell: &Shell) {
        self.add(joined(words), Action::Opaque { why: why.to_owned() }, shell);
    }
}

/// `set`: options, and the arguments that `"$@"` stands for.
fn set(words: &[Word], shell: &mut Shell) {
    let mut at = 1;
    while let Some(word) = words.get(at) {
        let text = word.known().unwrap_or_default();
        at += 1;
        match text {
            "--" | "-" => {
                shell.positional = Some(words[at..].to_vec());
                return;
            }
            _ if text.starts_with(['-', '+']) => {
                shell.ends_on_failure |= is_flag(text, 'e');
                if text.ends_with('o') {
                    let option = words.get(at).and_then(Word::known);
                    shell.ends_on_failure |= text.starts_with('-') && option == Some("errexit");
                    at += 1;
                }
            }
            _ => {
                shell.positional = Some(words[at - 1..].to_vec());
                return;
            }
        }
    }
}

/// Tells whether a word names what a program is given to read.
fn is_standard_input(file: &Word) -> bool {
    let Some(path) = file.known() else { return false };
    path == "/dev/stdin" || path.starts_with("/dev/fd/") || path.starts_with("/proc/self/fd/")
}

/// Shells, as far as they are alike.
pub(super) const SHELLS: [&str; 14] = [
    "sh", "bash", "dash", "ash", "zsh", "ksh", "ksh93", "mksh", "fish", "rbash", "csh", "tcsh", "yash",
    "posh",
];

/// Tells whether a word is a cluster of one-letter options with a letter in it.
pub(super) fn is_flag(text: &str, letter: char) -> bool {
    text.strip_prefix('-').is_some_and(|letters| !letters.starts_with('-') && letters.contains(letter))
}

/// Programs that change nothing that a later command could lose.
const HARMLESS: [&str; 25] = [
    "echo", "printf", "true", "false", "test", "[", ":", "ls", "pwd", "cat", "head", "tail", "grep", "rg",
    "wc", "date", "which", "type", "stat", "du", "df", "exit", "return", "command", "sleep",
];

/// Subcommands of git that only look.
const LOOKS: [&str; 7] = ["status", "log", "diff", "show", "rev-parse", "ls-files", "describe"];
