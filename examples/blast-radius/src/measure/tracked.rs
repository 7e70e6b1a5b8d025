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

/// Returns lines about what git knows.
pub(super) fn tracked(scene: &Scene<'_>, there: &[PathBuf], tree: &Tree) -> Vec<String> {
    if tree.files == 0 {
        return Vec::new();
    }
    let mut lines: Vec<String> =
        tree.repositories.iter().take(2).map(|path| whole_repository(scene, path)).collect();
    if tree.repositories.len() > 2 {
        lines.push(format!(
            "{} in all go, with their history",
            count(tree.repositories.len() as u64, "git repository")
        ));
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
        match (ignored, self.unchanged + changed + untracked) {
            (0, _) => {}
            (_, 0) if tree.is_partial => lines.push("git ignores all that was counted".to_owned()),
            (_, 0) => lines.push(format!(
                "git ignores {}: can't be restored from it",
                if is_one { "it" } else { "all of them" }
            )),
            (ignored, _) => lines.push(format!(
                "{} {} ignored by git: can't be restored from it",
                number(ignored),
                are(ignored)
            )),
        }
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

/// A repository that goes with its history: what of it is nowhere else.
fn whole_repository(scene: &Scene<'_>, path: &Path) -> String {
    let shown = name(path);
    let facts = Repository::find(scene.survey.git, path, &GitPlace::default()).and_then(|found| {
        let Some(repository) = found else { return Ok(None) };
        let unpushed =
            repository.ask(&["rev-list", "--count", "--branches", "--tags", "--not", "--remotes", "--"])?;
        let changed = repository.changed(&[])?.len() as u64;
        let stashes = repository.ask_list(&["stash", "list", "-z", "--format=%gd"])?.len() as u64;
        Ok(Some((unpushed.trim().parse::<u64>().unwrap_or(0), changed, stashes)))
    });
    match facts {
        Ok(Some((unpushed, changed, stashes))) => {
            let mut parts = Vec::new();
            if unpushed > 0 {
                parts.push(format!("{} on no remote", count(unpushed, "commit")));
            }
            if changed > 0 {
                parts.push(format!("{} not committed", count(changed, "changed file")));
            }
            if stashes > 0 {
                parts.push(count(stashes, "stash"));
            }
            match parts.as_slice() {
                [] => format!(
                    "the git repository {shown} goes with its history; all its commits are on a remote"
                ),
                parts => format!("the git repository {shown} goes with its history: {}", parts.join(", ")),
            }
        }
        Ok(None) => format!("the .git in {shown} goes too"),
        Err(error) => {
            format!("the git repository {shown} goes with its history; {}", plain(&error.to_string()))
        }
    }
}
