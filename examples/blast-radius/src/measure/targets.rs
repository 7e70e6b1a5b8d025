//! From the paths that a command names to the paths that are there. Patterns are matched as a shell does it: a component
//! at a time, and a leading dot only where it is written.

use super::walk::Budget;
use crate::analyse::Target;
use glob::{MatchOptions, Pattern};
use std::fs;
use std::path::{Path, PathBuf};

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

/// Looks for targets; those that are relative need the directory.
pub(super) fn find(targets: &[Target], dir: Option<&Path>, budget: &mut Budget) -> Found {
    let mut found = Found::default();
    for target in targets {
        match target {
            Target::Unknown(text) => {
                found.unknown.push(format!("`{text}` is known only when the command runs"))
            }
            Target::Path(text) | Target::Glob(text) if !text.starts_with('/') && dir.is_none() => {
                found.unknown.push(format!("`{text}` is in a directory that nobody can tell"));
            }
            Target::Path(text) => {
                let path = dir.map_or_else(|| PathBuf::from(text), |dir| dir.join(text));
                if !text.is_empty() && fs::symlink_metadata(&path).is_ok() {
                    found.there.push(path);
                }
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
                let path = parent.join(part);
                next.extend(fs::symlink_metadata(&path).is_ok().then_some(path));
                continue;
            }
            let entries = match fs::read_dir(&parent) {
                Ok(entries) => entries,
                Err(error)
                    if matches!(
                        error.kind(),
                        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
                    ) =>
                {
                    continue;
                }
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
    found.there.extend(level);
}
