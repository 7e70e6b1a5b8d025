//! Tells what a program with its arguments is: a builtin of the shell, another shell, something that runs what follows
//! it, or something destructive.

use super::danger::Action;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Value, Word, joined};
use super::{database, git, remove, wrapper};

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
            return self.unknown_program(words, shell);
        };
        let program = program.to_owned();
        if self.builtin(&program, words, shell) {
            return;
        }
        self.external(&program, words, shell, feed);
        let only_looks =
            program == "git" && words.get(1).and_then(Word::known).is_some_and(|sub| LOOKS.contains(&sub));
        shell.others_ran |= !only_looks && !HARMLESS.contains(&program.as_str());
    }

    fn unknown_program(&mut self, words: &[Word], shell: &mut Shell) {
        let is_whole = matches!(words[0].value, Value::Unknown { splits: false, .. } | Value::Glob(_));
        let looks_bad = words[1..].iter().any(|word| match word.known() {
            Some(
                "clean" | "reset" | "push" | "checkout" | "restore" | "stash" | "--recursive" | "--force"
                | "migrate",
            ) => true,
            Some(text) => {
                let letters = text.strip_prefix('-').unwrap_or_default();
                !letters.is_empty()
                    && letters.chars().all(|c| "rRfvdIiD".contains(c))
                    && letters.contains(['r', 'R', 'f', 'D'])
            }
            None => matches!(word.value, Value::Unknown { splits: true, .. }),
        });
        if !is_whole || looks_bad {
            let why = format!("which program `{}` is, nobody can tell before it runs", words[0].shown);
            self.add(joined(words), Action::Opaque { why }, shell);
        }
        shell.others_ran = true;
    }

    /// Reads what a shell does itself; says whether it was that.
    fn builtin(&mut self, program: &str, words: &[Word], shell: &mut Shell) -> bool {
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
            "set" => {
                let mut options = words[1..].iter().filter_map(Word::known);
                shell.ends_on_failure |= options.any(|text| text == "errexit" || is_flag(text, 'e'));
                if let Some(at) = words.iter().position(|word| word.known() == Some("--")) {
                    shell.positional = Some(words[at + 1..].to_vec());
                }
            }
            "export" | "local" | "declare" | "typeset" | "readonly" => {
                for word in &words[1..] {
                    let (Value::Known(text) | Value::Unknown { lead: text, .. } | Value::Glob(text)) =
                        &word.value;
                    if let Some((name, value)) = text.split_once('=') {
                        let value = word.known().is_some().then(|| value.to_owned());
                        shell.variables.insert(name.to_owned(), value);
                    }
                }
            }
            "read" | "mapfile" | "readarray" | "unset" | "getopts" => {
                for name in words[1..].iter().filter_map(Word::known) {
                    shell.variables.insert(name.to_owned(), None);
                }
            }
            "shift" => shell.positional = None,
            "eval" => self.joined_line(&words[1..], words, shell),
            "trap" => {
                if let Some(line) = words[1..].iter().find(|word| !word.is_option()) {
                    self.word_as_line(line, words, &mut shell.clone());
                }
            }
            "source" | "." => {
                if let Some(Value::Unknown { splits: true, .. }) = words.get(1).map(|word| &word.value) {
                    self.opaque(words, "what it reads and runs, nobody can tell before it runs", shell);
                }
                shell.others_ran = true;
            }
            _ => return false,
        }
        true
    }

    fn external(&mut self, program: &str, words: &[Word], shell: &mut Shell, feed: &Feed) {
        match program {
            "rm" | "grm" | "srm" | "shred" => remove::rm(self, program, words, shell),
            "find" | "gfind" | "fd" | "fdfind" | "bfs" => remove::find(self, words, shell),
            "git" => git::git(self, words, shell),
            "sh" | "bash" | "dash" | "ash" | "zsh" | "ksh" | "mksh" | "fish" | "rbash" => {
                self.another_shell(words, shell, feed);
            }
            _ => {
                if !wrapper::wrapper(self, program, words, shell, feed) {
                    database::database(self, program, words, shell);
                }
            }
        }
    }

    /// `sh -c 'line' name arguments…`, or a shell that reads what it is given.
    fn another_shell(&mut self, words: &[Word], shell: &Shell, feed: &Feed) {
        let mut takes_line = false;
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
                    if text.ends_with(['o', 'O']) {
                        rest.next();
                    }
                    own.ends_on_failure |= is_flag(text, 'e');
                }
                Some(_) | None => break Some(at),
            }
        };
        match (first, takes_line) {
            (Some(at), true) => {
                let arguments = words[1..].get(at + 2..).unwrap_or_default();
                own.positional = Some(arguments.to_vec());
                self.word_as_line(&words[1 + at], words, &mut own);
            }
            (None, true) => {}
            (Some(at), false) => match &words[1 + at].value {
                Value::Unknown { splits: true, .. } => {
                    self.opaque(words, "what it would run, nobody can tell before it runs", shell);
                }
                Value::Known(_) | Value::Glob(_) | Value::Unknown { .. } => {}
            },
            (None, false) => match feed {
                Feed::Nothing => {}
                Feed::Text(text) => self.inner_line(text, shell),
                Feed::Unknown => {
                    self.opaque(words, "it would run what a pipe brings, which nobody can tell", shell)
                }
            },
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
            None => self.opaque(words, "the line that it would run is known only when it runs", shell),
        }
    }

    pub(super) fn opaque(&mut self, words: &[Word], why: &str, shell: &Shell) {
        self.add(joined(words), Action::Opaque { why: why.to_owned() }, shell);
    }
}

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
