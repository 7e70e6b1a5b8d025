//! What a shell knows while it reads a line: where it is, and what was assigned. Only what the line itself says is
//! known; the environment of the shell is not.

use super::danger::Dir;
use super::settings::Given;
use super::variable::Variable;
use super::word::Word;
use brush_parser::ast::FunctionBody;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// The state of a shell. A subshell is a clone.
#[derive(Debug, Clone)]
pub(super) struct Shell {
    pub(super) dir: Dir,
    pub(super) previous: Option<Dir>,
    pub(super) pushed: Vec<Dir>,
    pub(super) home: Option<PathBuf>,
    /// Variables that the line assigned.
    pub(super) variables: BTreeMap<String, Variable>,
    pub(super) positional: Option<Vec<Word>>,
    pub(super) functions: BTreeMap<String, Rc<FunctionBody>>,
    /// Aliases that the line defined; `None` for one that can't be told.
    pub(super) aliases: BTreeMap<String, Option<String>>,
    /// Settings of git that the line made.
    pub(super) given: Given,
    /// Whether a command that fails ends the line.
    pub(super) ends_on_failure: bool,
    /// Whether any other program ran before.
    pub(super) others_ran: bool,
    /// On which other machine or in which container the commands run.
    pub(super) elsewhere: Option<String>,
}

impl Shell {
    pub(super) fn new(cwd: &Path, home: Option<&Path>) -> Shell {
        Shell {
            dir: Dir::Known { path: cwd.to_owned(), fallback: None },
            previous: None,
            pushed: Vec::new(),
            home: home.map(Path::to_owned),
            variables: BTreeMap::new(),
            positional: None,
            functions: BTreeMap::new(),
            aliases: BTreeMap::new(),
            given: Given::default(),
            ends_on_failure: false,
            others_ran: false,
            elsewhere: None,
        }
    }

    /// Goes to a directory, as `cd` does: a shell takes `..` off the text and doesn't look at links.
    pub(super) fn change_dir(&mut self, to: &Word) {
        let next = match (to.known(), &self.dir) {
            (Some("-"), _) => self.previous.clone().unwrap_or_else(|| unknown_dir("cd -")),
            (Some(text), _) if text.starts_with('/') => known_dir(Path::new(text)),
            (Some(text), Dir::Known { path, .. }) => known_dir(&path.join(text)),
            (Some(_), Dir::Unknown(why)) => Dir::Unknown(why.clone()),
            (None, _) => unknown_dir(&format!("cd {}", to.shown)),
        };
        self.previous = Some(std::mem::replace(&mut self.dir, next));
    }

    /// Forgets what two ways through a line leave different.
    pub(super) fn merge(&mut self, other: &Shell) {
        if self.dir != other.dir {
            self.dir = Dir::Unknown("it depends on what happens before".to_owned());
        }
        for (name, value) in &other.variables {
            if self.variables.get(name) != Some(value) {
                self.variables.insert(name.clone(), Variable::Unknown);
            }
        }
        for (name, value) in &mut self.variables {
            if other.variables.get(name) != Some(value) {
                *value = Variable::Unknown;
            }
        }
        if self.positional != other.positional {
            self.positional = None;
        }
        self.functions.extend(other.functions.iter().map(|(name, body)| (name.clone(), body.clone())));
        self.aliases.extend(other.aliases.iter().map(|(name, line)| (name.clone(), line.clone())));
        let more = other.given.settings.iter().filter(|setting| !self.given.settings.contains(setting));
        let more: Vec<_> = more.cloned().collect();
        self.given.settings.extend(more);
        self.given.hidden = self.given.hidden.take().or_else(|| other.given.hidden.clone());
        self.others_ran |= other.others_ran;
    }

    /// Notes where the line goes on if the `cd` in what just ran fails.
    pub(super) fn remember_fallback(&mut self, before: &Dir) {
        let Dir::Known { path: old, .. } = before else { return };
        if self.ends_on_failure {
            return;
        }
        if let Dir::Known { path, fallback } = &mut self.dir
            && path != old
        {
            *fallback = Some(old.clone());
        }
    }
}

fn unknown_dir(command: &str) -> Dir {
    Dir::Unknown(format!("nobody can tell where `{command}` leads"))
}

fn known_dir(path: &Path) -> Dir {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = clean.pop(),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) | Component::Normal(_) => clean.push(part),
        }
    }
    Dir::Known { path: clean, fallback: None }
}
