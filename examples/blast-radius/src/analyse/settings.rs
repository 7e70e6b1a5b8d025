//! Settings of git that a line gives by itself: with `-c`, with variables of the environment, or with a `git config` that
//! stands before. What is written in files only a measurement sees.

use super::shell::Shell;
use super::variable::Variable;
use super::word::{Value, Word};

/// More settings than this are not taken from the environment.
const MOST_COUNTED: usize = 1000;

/// Variables that let git read its settings from other files than a measurement would see.
const ELSEWHERE: [&str; 6] = [
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG",
    "HOME",
    "XDG_CONFIG_HOME",
];

/// Variables that name a program which git runs.
const PROGRAMS: [&str; 10] = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_PAGER",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_ASKPASS",
    "GIT_PROXY_COMMAND",
    "EDITOR",
    "VISUAL",
    "PAGER",
];

/// What is known of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Given {
    /// The settings, the later before the earlier of the same name.
    pub(super) settings: Vec<(String, String)>,
    /// Why there are some that nobody can tell.
    pub(super) hidden: Option<String>,
    /// Programs that git runs, as the environment names them.
    pub(super) programs: Vec<String>,
}

impl Given {
    /// Takes them from what was done and assigned before.
    pub(super) fn of(shell: &Shell) -> Given {
        let mut given = shell.given.clone();
        let is_set =
            |name: &str| shell.variables.get(name).is_some_and(|value| value.text() != Some("/dev/null"));
        if let Some(name) = ELSEWHERE.iter().find(|name| is_set(name)) {
            given.hidden = Some(format!("with `{name}`, git takes its settings from elsewhere"));
        }
        given.programs = PROGRAMS.iter().filter_map(|name| shell.text(name)).map(str::to_owned).collect();
        match shell.variables.get("GIT_CONFIG_COUNT").map(Variable::text) {
            None => {}
            Some(count) => {
                let count =
                    count.and_then(|text| text.parse::<usize>().ok()).filter(|count| *count <= MOST_COUNTED);
                if count.is_none() {
                    given.hide("how many settings the environment gives, nobody can tell");
                }
                for index in 0..count.unwrap_or(0) {
                    let key = shell.text(&format!("GIT_CONFIG_KEY_{index}"));
                    let value = shell.text(&format!("GIT_CONFIG_VALUE_{index}"));
                    match (key, value) {
                        (Some(key), Some(value)) => given.settings.push((key.to_owned(), value.to_owned())),
                        (_, _) => given.hide("a setting from the environment, nobody can tell"),
                    }
                }
            }
        }
        given
    }

    /// Takes the word after `-c`.
    pub(super) fn option(&mut self, word: Option<&Word>) {
        // What looks like a pattern is as good as always a text.
        let text = word.and_then(|word| match &word.value {
            Value::Known(text) => Some(text),
            Value::Glob(_) => Some(&word.shown),
            Value::Unknown { .. } | Value::Fresh => None,
        });
        match text {
            Some(text) => {
                let (name, value) = text.split_once('=').unwrap_or((text, "true"));
                self.settings.push((name.to_owned(), value.to_owned()));
            }
            // Of most settings it does not matter what they are.
            None => {
                let lead = word.map_or("", Word::lead).to_ascii_lowercase();
                let matters = lead.is_empty()
                    || ["alias.", "remote.", "include"].iter().any(|head| lead.starts_with(head));
                if matters {
                    self.hide("a setting that is given with `-c`, nobody can tell");
                }
            }
        }
    }

    /// Takes the value of `--config-env`: a name, and the variable that holds its value.
    pub(super) fn variable(&mut self, text: Option<&str>, shell: &Shell) {
        match text.and_then(|text| text.split_once('=')) {
            Some((name, variable)) if shell.text(variable).is_some() => {
                self.settings.push((name.to_owned(), shell.text(variable).unwrap_or_default().to_owned()));
            }
            Some(_) | None => self.hide("a setting that is given with `--config-env`, nobody can tell"),
        }
    }

    /// Keeps what a `git config` or a `git remote add` sets for the rest of the line.
    pub(super) fn keep(subcommand: &str, rest: &[Word], shell: &mut Shell) {
        const LOOKS: [&str; 12] = [
            "--get",
            "--get-all",
            "--get-regexp",
            "--get-urlmatch",
            "--list",
            "-l",
            "--unset",
            "--unset-all",
            "--edit",
            "-e",
            "--remove-section",
            "--rename-section",
        ];
        const WITH_VALUE: [&str; 7] =
            ["-f", "--file", "--blob", "--type", "--default", "--comment", "--value"];
        let mut operands = Vec::new();
        let mut at = 0;
        while let Some(word) = rest.get(at) {
            let text = word.known().unwrap_or_default();
            if LOOKS.contains(&text) && operands.is_empty() {
                return;
            }
            // A value may begin with a dash.
            match word.is_option() && operands.len() < 2 {
                true => at += usize::from(WITH_VALUE.contains(&text)),
                false => operands.push(word),
            }
            at += 1;
        }
        let is_mirror =
            rest.iter().filter_map(Word::known).any(|text| text == "--mirror" || text == "--mirror=push");
        let operands: Vec<&Word> = match (subcommand, operands.as_slice()) {
            ("config", [first, ..]) if matches!(first.known(), Some("get" | "list" | "unset" | "edit")) => {
                return;
            }
            ("config", [first, rest @ ..]) if first.known() == Some("set") => rest.to_vec(),
            ("config", rest) => rest.to_vec(),
            ("remote", [verb, name, ..]) if verb.known() == Some("add") && is_mirror => {
                let name = format!("remote.{}.mirror", name.known().unwrap_or("origin"));
                return shell.given.settings.push((name, "true".to_owned()));
            }
            (_, _) => return,
        };
        let [name, value, ..] = operands.as_slice() else { return };
        match (name.known(), value.known()) {
            (Some(name), Some(value)) => shell.given.settings.push((name.to_owned(), value.to_owned())),
            (_, _) if name.lead().to_ascii_lowercase().starts_with("user.") => {}
            (_, _) => shell.given.hide("a setting that is made in the same line, nobody can tell"),
        }
    }

    fn hide(&mut self, why: &str) {
        self.hidden.get_or_insert_with(|| why.to_owned());
    }
}

/// Tells whether the value of a setting may be a program that git runs. More are taken for one than are: what is none
/// reads as nothing destructive.
pub(super) fn is_program(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let is_alias = lower.starts_with("alias.");
    let is_text = ["user.", "commit.", "branch.", "remote.", "url.", "color.", "format."];
    !is_alias && !is_text.iter().any(|head| lower.starts_with(head))
}
