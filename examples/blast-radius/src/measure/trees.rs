//! Work trees that git would delete by force: other work trees of the repository, and those of its submodules. Their
//! history is elsewhere and stays, so only what is not committed in them counts.

use super::git::GitError;
use super::remove::remove;
use super::repository::Repository;
use super::survey::{Finding, Scene};
use super::walk::resolved;
use crate::analyse::{GitPlace, Remove, Target};
use std::path::{Path, PathBuf};

/// More submodules than this are not looked at one by one, and count as changed.
const MOST_TREES: usize = 20;

/// Measures `git worktree remove --force`.
pub(super) fn remove_worktree(
    scene: &mut Scene<'_>,
    repository: &Repository<'_>,
    wanted: &str,
) -> Result<Option<Finding>, GitError> {
    let said = repository.ask(&["worktree", "list", "--porcelain"])?;
    let meant = resolved(&scene.dir.clone().unwrap_or_else(|| repository.top.clone()).join(wanted));
    let all = said.lines().filter_map(|line| line.strip_prefix("worktree ")).map(PathBuf::from);
    let is_meant = |path: &PathBuf| resolved(path) == meant || path.ends_with(wanted);
    dirty(scene, all.filter(is_meant).collect())
}

/// Measures `git submodule deinit --force`.
pub(super) fn empty_submodules(
    scene: &mut Scene<'_>,
    repository: &Repository<'_>,
    paths: &[String],
) -> Result<Option<Finding>, GitError> {
    let list = ["ls-files", "--stage", "--full-name", "-z", "--"]
        .into_iter()
        .chain(paths.iter().map(String::as_str));
    let said = repository.ask_list(&list.collect::<Vec<_>>())?;
    let links =
        said.iter().filter(|line| line.starts_with("160000 ")).filter_map(|line| line.split_once('\t'));
    dirty(scene, links.map(|(_, path)| repository.top.join(path)).collect())
}

/// Returns what those of the work trees hold that is not committed.
fn dirty(scene: &mut Scene<'_>, all: Vec<PathBuf>) -> Result<Option<Finding>, GitError> {
    let mut targets = Vec::new();
    for (index, path) in all.into_iter().filter(|path| path.is_dir()).enumerate() {
        if index >= MOST_TREES || is_dirty(scene, &path)? {
            targets.push(Target::Path(path.to_string_lossy().into_owned()));
        }
    }
    if targets.is_empty() {
        return Ok(None);
    }
    Ok(remove(scene, &Remove { targets, recursive: true, one_file_system: false }))
}

fn is_dirty(scene: &Scene<'_>, path: &Path) -> Result<bool, GitError> {
    let Some(repository) = Repository::find(scene.survey.git, path, &GitPlace::default())? else {
        return Ok(true);
    };
    if resolved(&repository.top) != resolved(path) {
        // It was never checked out: what answers is the repository around it.
        return Ok(std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()));
    }
    let has_changes = !repository.changed(&[])?.is_empty();
    Ok(has_changes || !repository.ask_list(&["ls-files", "-z", "--others"])?.is_empty())
}
