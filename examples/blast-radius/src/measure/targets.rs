//! From the paths that a command names to the paths that are there. Patterns are matched as a shell does it: a component
//! at a time, and a leading dot only where it is written.

use super::walk::Budget;
use crate::analyse::Target;
use glob::{MatchOptions, Pattern};
use std::path::{Path, PathBuf};
use std::{fs, io};

const LIKE_A_SHELL: MatchOptions =
    MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// What the targets of a command are.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Those that are there.
    pub(super) there: Vec<PathBuf>,
    /// Those that nobody can tell, and why.
    pub(super) unknown: Vec<String>,
}

impl Found {
    /// Adds a path if it is there. What can't be looked at may be there: another user may see more.
    fn look_at(&mut self, path: PathBuf, text: &str) {
        match fs::symlink_metadata(&path) {
            Ok(_) => self.there.push(path),
            Err(error) if is_absent(&error) => {}
            Err(error) => self.unknown.push(format!("`{text}` can't be looked at: {}", error.kind())),
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Looks for targets; those that are relative need the directory.
pub(super) fn find(targets: &[Target], dir: Option<&Path>, budget: &mut Budget) -> Found {
    let mut found = Found::default();
    for target in targets {
        match target {
            Target::Unknown(text) => {
                found.unknown.push(format!("`{text}` is known only when the command runs"))
            }
            Target::Path(text) | Target::Glob(text) if !text.starts_with('/') && dir.is_none() => {
                found.unknown.push(format!("`{text}` is in a directory that can't be looked into now"));
            }
            Target::Path(text) if text.is_empty() => {}
            Target::Path(text) => {
                let path = dir.map_or_else(|| PathBuf::from(text), |dir| dir.join(text));
                found.look_at(path, text);
            }
            Target::Glob(pattern) => matches(pattern, dir.unwrap_or(Path::new("/")), budget, &mut found),
        }
    }
    found.there.sort();
    found.there.dedup();
    found
}

fn matches(pattern: &str, dir: &Path, budget: &mut Budget, found: &mut Found) {
    let (mut level, rest) = match pattern.strip_prefix('/') {
        Some(rest) => (vec![PathBuf::from("/")], rest),
        None => (vec![dir.to_owned()], pattern),
    };
    for part in rest.split('/').filter(|part| !part.is_empty()) {
        let Ok(matcher) = Pattern::new(part) else {
            found.unknown.push(format!("`{pattern}` is a pattern that can't be read"));
            return;
        };
        let mut next = Vec::new();
        for parent in level {
            if !part.contains(['*', '?', '[']) {
                next.push(parent.join(part));
                continue;
            }
            let entries = match fs::read_dir(&parent) {
                Ok(entries) => entries,
                Err(error) if is_absent(&error) => continue,
                Err(_) => {
                    found.unknown.push(format!("`{pattern}` leads through a directory that can't be read"));
                    continue;
                }
            };
            for entry in entries.flatten() {
                if !budget.take() {
                    found.unknown.push(format!("`{pattern}` matches more than can be looked at"));
                    return;
                }
                let name = entry.file_name();
                if matcher.matches_with(&name.to_string_lossy(), LIKE_A_SHELL) {
                    next.push(parent.join(name));
                }
            }
        }
        level = next;
    }
    for path in level {
        found.look_at(path, pattern);
    }
}
