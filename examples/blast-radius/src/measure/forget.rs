//! What git could not find again: commits that only the reflog names, objects that nothing names, and histories that are
//! written anew.

use super::commits::listed;
use super::git::GitError;
use super::phrase::{count, name, plain};
use super::repository::Repository;
use super::survey::{Finding, Scene};

/// Measures `git reflog expire`, `git gc --prune=now` and `git prune`.
pub(super) fn forget(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    expire: Option<&str>,
    reflog: bool,
) -> Result<Option<Finding>, GitError> {
    let mut lost = Vec::new();
    let mut details = Vec::new();
    if reflog {
        let (commits, titles) = repository.commits(&["--reflog", "--not", "--all"])?;
        if commits > 0 {
            lost.push(format!("{} that only the reflog names", count(commits, "commit")));
            details.extend(listed(commits, &titles));
        }
    }
    if let Some(expire) = expire {
        let said = repository.ask(&["prune", "-n", &format!("--expire={expire}")])?;
        let all = said.lines().count() as u64;
        let commits: Vec<&str> = said.lines().filter_map(|line| line.strip_suffix(" commit")).collect();
        if all > 0 {
            lost.push(format!("{} that nothing names", count(all, "object")));
        }
        if !commits.is_empty() {
            details.push(format!("{} among them", count(commits.len() as u64, "commit")));
        }
        for commit in commits.iter().take(3) {
            let said =
                repository.ask_list(&["log", "-z", "--max-count=1", "--format=%h %s", *commit, "--"])?;
            details.extend(said.iter().map(|title| format!("commit {}", plain(title))));
        }
    }
    if lost.is_empty() {
        return Ok(None);
    }
    details.push("git could not bring them back afterwards".to_owned());
    let title = format!("{} would lose {} in {}", scene.shown, lost.join(" and "), name(&repository.top));
    Ok(Some(Finding { title, details }))
}

/// Measures `git filter-branch` and `git filter-repo`: how much there is that they may write anew.
pub(super) fn rewrite(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    keeps_old: bool,
) -> Result<Option<Finding>, GitError> {
    let (commits, _) = repository.commits(&["--all"])?;
    if commits == 0 {
        return Ok(None);
    }
    let title =
        format!("{} may write {} in {} anew", scene.shown, count(commits, "commit"), name(&repository.top));
    let fate = match keeps_old {
        true => "the old ones can be found for some weeks, but under other names",
        false => "the old ones are deleted at once, and so is what was not committed",
    };
    Ok(Some(Finding { title, details: vec![fate.to_owned()] }))
}
