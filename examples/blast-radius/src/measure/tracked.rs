//! What git knows of files that are to be deleted: which of them it could bring back, and which are gone for good.

use super::git::GitError;
use super::phrase::{count, name, number, plain, some};
use super::repository::Repository;
use super::survey::Scene;
use super::walk::Tree;
use crate::analyse::GitPlace;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Directories that git is asked in, at most.
const MOST_PLACES: usize = 4;
/// Paths that git is given, at most; with more it is asked about all of the directory, and the answer sorted here.
const MOST_PATHS: usize = 200;

/// What becomes of what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// All of it goes.
    Goes,
    /// Some of it goes, and nobody can tell which.
    MayGo,
}

/// Returns lines about what git knows.
pub(super) fn tracked(scene: &Scene<'_>, there: &[PathBuf], tree: &Tree, fate: Fate) -> Vec<String> {
    if tree.files == 0 {
        return Vec::new();
    }
    let mut lines: Vec<String> =
        tree.repositories.iter().take(2).filter_map(|path| whole_repository(scene, path, fate)).collect();
    if tree.repositories.len() > 2 {
        lines.push(format!("it holds {}", count(tree.repositories.len() as u64, "git repository")));
    }
    // What is in a repository that goes as a whole, git can't bring back.
    let rest: Vec<&PathBuf> = there.iter().filter(|path| !tree.repositories.contains(path)).collect();
    if rest.is_empty() {
        return lines;
    }
    let mut by_parent: BTreeMap<&Path, Vec<&Path>> = BTreeMap::new();
    for path in rest {
        by_parent.entry(path.parent().unwrap_or(path)).or_default().push(path);
    }
    if by_parent.len() > MOST_PLACES {
        lines.push("in too many places to ask git about each".to_owned());
        return lines;
    }
    let mut known = Known::default();
    for (parent, paths) in by_parent {
        match known.ask(scene, parent, &paths) {
            Ok(()) => {}
            Err(error) => {
                lines.push(format!("{}, so what it could restore is not known", plain(&error.to_string())))
            }
        }
    }
    lines.extend(known.lines(tree));
    lines
}

/// What git says about all the paths together.
#[derive(Debug, Default)]
struct Known {
    is_in_repository: bool,
    unchanged: u64,
    changed: Vec<String>,
    untracked: Vec<String>,
    failed: bool,
}

impl Known {
    fn ask(&mut self, scene: &Scene<'_>, parent: &Path, paths: &[&Path]) -> Result<(), GitError> {
        let answer = self.ask_git(scene, parent, paths);
        self.failed |= answer.is_err();
        answer
    }

    fn ask_git(&mut self, scene: &Scene<'_>, parent: &Path, paths: &[&Path]) -> Result<(), GitError> {
        let Some(repository) = Repository::find(scene.survey.git, parent, &GitPlace::default())? else {
            return Ok(());
        };
        self.is_in_repository = true;
        // Paths are given from the top, for that is how git answers.
        let from_top: Option<Vec<&str>> =
            paths.iter().map(|path| path.strip_prefix(&repository.top).ok()?.to_str()).collect();
        let Some(from_top) = from_top else {
            let message = "a name is no text that git can be given".to_owned();
            return Err(GitError::Failed { message });
        };
        let specs: Vec<String> = if from_top.len() > MOST_PATHS {
            Vec::new()
        } else {
            from_top.iter().map(|path| format!(":(top,literal){path}")).collect()
        };
        let is_meant = |path: &str| {
            !specs.is_empty()
                || from_top.iter().any(|own| {
                    path.strip_prefix(own).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                })
        };
        let list =
            ["ls-files", "-z", "--full-name", "--"].into_iter().chain(specs.iter().map(String::as_str));
        let all: BTreeSet<String> = repository
            .ask_list(&list.collect::<Vec<_>>())?
            .into_iter()
            .filter(|path| is_meant(path))
            .collect();
        let changed: Vec<_> =
            repository.changed(&specs)?.into_iter().filter(|file| is_meant(&file.path)).collect();
        let others = ["ls-files", "-z", "--full-name", "--others", "--exclude-standard", "--"].into_iter();
        let others = others.chain(specs.iter().map(String::as_str)).collect::<Vec<_>>();
        self.untracked.extend(repository.ask_list(&others)?.into_iter().filter(|path| is_meant(path)));
        let touched: BTreeSet<&str> = changed.iter().map(|file| file.path.as_str()).collect();
        self.unchanged += all.iter().filter(|path| !touched.contains(path.as_str())).count() as u64;
        self.changed.extend(changed.into_iter().filter(|file| !file.is_missing).map(|file| file.path));
        Ok(())
    }

    fn lines(&self, tree: &Tree) -> Vec<String> {
        if self.failed {
            return Vec::new();
        }
        let is_one = tree.files == 1;
        if !self.is_in_repository {
            let has_own = !tree.repositories.is_empty();
            return if has_own { Vec::new() } else { vec!["not in git: can't be restored".to_owned()] };
        }
        let mut lines = Vec::new();
        let changed = self.changed.len() as u64;
        let untracked = self.untracked.len() as u64;
        let ignored = tree.files.saturating_sub(self.unchanged + changed + untracked);
        let are = |n: u64| if n == 1 { "is" } else { "are" };
        if changed > 0 {
            let what = if is_one {
                "it is".to_owned()
            } else {
                format!("{} of them {}", number(changed), are(changed))
            };
            lines.push(format!("{what} changed and not committed{}", list(&self.changed, is_one)));
        }
        if untracked > 0 {
            let what =
                if is_one { "it is".to_owned() } else { format!("{} {}", number(untracked), are(untracked)) };
            lines.push(format!("{what} not in git: can't be restored{}", list(&self.untracked, is_one)));
        }
        lines.extend(match (ignored, self.unchanged + changed + untracked) {
            (0, _) => None,
            (1, 0) if is_one => Some("git ignores it, and can't restore it".to_owned()),
            (_, 0) if tree.is_partial => {
                Some("git ignores all that was counted, and can't restore it".to_owned())
            }
            (_, 0) => Some("git ignores all of them, and can't restore them".to_owned()),
            (1, _) => Some("1 is ignored by git, which can't restore it".to_owned()),
            (ignored, _) => Some(format!("{} are ignored by git, which can't restore them", number(ignored))),
        });
        if self.unchanged > 0 {
            let what = if is_one {
                "it is".to_owned()
            } else {
                format!("{} {}", number(self.unchanged), are(self.unchanged))
            };
            lines.push(format!("{what} in git as committed, and can be restored"));
        }
        lines
    }
}

fn list(names: &[String], is_one: bool) -> String {
    if is_one { String::new() } else { format!(": {}", some(names, 4)) }
}

/// A repository with its history: what of it is nowhere else.
fn whole_repository(scene: &Scene<'_>, path: &Path, fate: Fate) -> Option<String> {
    let shown = name(path);
    // Of a linked work tree or a submodule, `.git` is a file that says where the history is.
    let has_history = path.join(".git").is_dir();
    let facts = Repository::find(scene.survey.git, path, &GitPlace::default()).and_then(|found| {
        let Some(repository) = found else { return Ok(None) };
        unsaved(&repository, has_history).map(Some)
    });
    let what = match (fate, has_history) {
        (Fate::Goes, true) => format!("the git repository {shown} goes with its history"),
        (Fate::Goes, false) => format!("{shown} is a work tree; its history is elsewhere and stays"),
        (Fate::MayGo, _) => format!("the git repository {shown} is in it"),
    };
    match (facts, fate) {
        (Ok(Some(parts)), _) if !parts.is_empty() => Some(format!("{what}: {}", parts.join(", "))),
        (Ok(Some(_)), Fate::Goes) if has_history => Some(format!("{what}; all its commits are on a remote")),
        (Ok(Some(_)), _) => Some(what),
        (Ok(None), Fate::Goes) => Some(format!("the .git in {shown} goes too")),
        (Ok(None), Fate::MayGo) => None,
        (Err(error), _) => Some(format!("{what}; {}", plain(&error.to_string()))),
    }
}

/// What a repository holds that no remote has.
fn unsaved(repository: &Repository<'_>, has_history: bool) -> Result<Vec<String>, GitError> {
    let mut parts = Vec::new();
    let mut add = |n: u64, what: String| {
        if n > 0 {
            parts.push(what);
        }
    };
    if has_history {
        let unpushed =
            repository.ask(&["rev-list", "--count", "--branches", "--tags", "--not", "--remotes", "--"])?;
        let unpushed = unpushed.trim().parse().unwrap_or(0);
        add(unpushed, format!("{} on no remote", count(unpushed, "commit")));
    }
    let changed = repository.changed(&[])?.len() as u64;
    add(changed, format!("{} not committed", count(changed, "changed file")));
    let untracked = repository.ask_list(&["ls-files", "-z", "--others", "--exclude-standard"])?.len() as u64;
    add(untracked, format!("{} not in git", count(untracked, "file")));
    if has_history {
        let stashes = repository.ask_list(&["stash", "list", "-z", "--format=%gd"])?.len() as u64;
        add(stashes, count(stashes, "stash"));
    }
    Ok(parts)
}
