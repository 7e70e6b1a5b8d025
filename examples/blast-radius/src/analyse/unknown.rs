//! A command whose first word can't be told. What follows it is looked at: it asks where that could be destructive, or
//! where nobody can tell even that, and lets pass what can hardly be.

use super::carrier::lines_and_commands;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Value, Word};

/// Variables of the environment that by custom name one program, and that program, if it is one that matters here.
const CUSTOMARY: [(&str, &str); 42] = [
    ("RM", "rm"),
    ("GIT", "git"),
    ("FIND", "find"),
    ("XARGS", "xargs"),
    ("SHELL", "sh"),
    ("BASH", "bash"),
    ("SUDO", "sudo"),
    ("DOCKER", "docker"),
    ("KUBECTL", "kubectl"),
    ("PYTHON", "python"),
    ("PYTHON3", "python"),
    ("RUBY", "ruby"),
    ("PHP", "php"),
    ("PERL", "perl"),
    ("NODE", "node"),
    ("NPM", "npm"),
    ("NPX", "npx"),
    ("YARN", "yarn"),
    ("PNPM", "pnpm"),
    ("PIP", ""),
    ("EDITOR", ""),
    ("VISUAL", ""),
    ("PAGER", ""),
    ("BROWSER", ""),
    ("MAKE", "make"),
    ("CMAKE", ""),
    ("NINJA", ""),
    ("CC", ""),
    ("CXX", ""),
    ("CPP", ""),
    ("LD", ""),
    ("AR", ""),
    ("AS", ""),
    ("NM", ""),
    ("STRIP", ""),
    ("OBJDUMP", ""),
    ("CARGO", "cargo"),
    ("RUSTC", ""),
    ("GO", ""),
    ("JAVA", ""),
    ("JAVAC", ""),
    ("TERMINAL", ""),
];

impl Reader {
    pub(super) fn unknown_program(&mut self, words: &[Word], shell: &mut Shell, feed: &Feed) {
        if let Some(program) = customary(&words[0], shell) {
            if !program.is_empty() {
                let named = Word { shown: words[0].shown.clone(), value: Value::Known(program.to_owned()) };
                let words: Vec<Word> = std::iter::once(named).chain(words[1..].iter().cloned()).collect();
                return self.call(&words, shell, feed);
            }
            shell.others_ran = true;
            return;
        }
        // It may be a shell, or something that runs what follows.
        let begin = self.found.len();
        lines_and_commands(self, words, &mut shell.clone(), &Feed::Nothing);
        if self.found.len() == begin && (words[0].may_split() || words[1..].iter().any(looks_bad)) {
            let why = format!("which program `{}` is, nobody can tell before it runs", words[0].shown);
            self.opaque(words, &why, shell);
        }
        shell.others_ran = true;
    }
}

/// Returns the program that a word names by custom, if it is a variable that the line does not set itself.
fn customary(word: &Word, shell: &Shell) -> Option<&'static str> {
    let plain = word.shown.trim_matches('"');
    let name = plain.strip_prefix('$')?;
    let name = name.strip_prefix('{').map_or(Some(name), |name| name.strip_suffix('}'))?;
    let (_, program) = CUSTOMARY.iter().find(|(variable, _)| *variable == name)?;
    (!shell.variables.contains_key(name)).then_some(*program)
}

/// Tells whether a word after an unknown program is what destructive commands are given.
fn looks_bad(word: &Word) -> bool {
    match word.known() {
        Some(
            "clean" | "reset" | "push" | "checkout" | "restore" | "stash" | "--recursive" | "--force"
            | "--hard" | "migrate" | "-delete" | "-exec" | "-execdir" | "-c" | "-lc" | "-ec",
        ) => true,
        Some(text) => {
            let letters = text.strip_prefix('-').unwrap_or_default();
            !letters.is_empty()
                && letters.chars().all(|c| "rRfvdIiD".contains(c))
                && letters.contains(['r', 'R', 'f', 'D'])
        }
        None => word.may_split(),
    }
}
