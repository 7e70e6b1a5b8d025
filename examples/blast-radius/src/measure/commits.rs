//! Commits that would be on no branch any more, here or on the other side of a push.

use super::git::GitError;
use super::phrase::{ago, count, name, plain, some};
use super::repository::Repository;
use super::survey::{Finding, Scene};
use crate::analyse::PushRef;
use std::path::PathBuf;

/// Measures `git branch -D`, `git tag -d`, and any name of commits that is deleted or moved by force.
pub(super) fn drop_refs(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    names: &[String],
    to: Option<&str>,
) -> Result<Option<Finding>, GitError> {
    let mut tips = Vec::new();
    for name in names {
        tips.extend(repository.commit(name)?);
    }
    if tips.is_empty() {
        return Ok(None);
    }
    let branch = repository.branch()?.map(|branch| format!("refs/heads/{branch}"));
    let moves_head = names.iter().any(|name| name == "HEAD" || Some(name) == branch.as_ref());
    let mut range = tips;
    range.push("--not".to_owned());
    if !moves_head {
        range.extend(repository.commit("HEAD")?);
    }
    if let Some(to) = to {
        range.extend(repository.commit(to)?);
    }
    for kind in ["refs/heads", "refs/remotes", "refs/tags"] {
        let gone = names.iter().chain(branch.iter().filter(|_| moves_head));
        range.extend(gone.map(|name| format!("--exclude={name}")));
        range.push(format!("--glob={kind}"));
    }
    let (lost, titles) = repository.commits(&range)?;
    if lost == 0 {
        return Ok(None);
    }
    let title = format!(
        "{} would lose {} that {} on no other branch, in {}",
        scene.shown,
        count(lost, "commit"),
        if lost == 1 { "is" } else { "are" },
        name(&repository.top)
    );
    let mut details = listed(lost, &titles);
    details.push("git keeps them for some weeks, but under no name".to_owned());
    Ok(Some(Finding { title, details }))
}

pub(super) fn listed(lost: u64, titles: &[String]) -> Vec<String> {
    let mut lines: Vec<String> = titles.iter().map(|title| format!("commit {}", plain(title))).collect();
    if let more @ 1.. = lost.saturating_sub(titles.len() as u64) {
        lines.push(format!("and {}", count(more, "more commit")));
    }
    lines
}

/// Measures a push that overwrites or deletes. What the other side holds is known only as of the last fetch, so it is
/// always asked.
pub(super) fn push(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    remote: Option<&str>,
    refs: &[PushRef],
    mirror: bool,
) -> Result<Finding, GitError> {
    let branch = repository.branch()?;
    let remote = match remote {
        Some(remote) => remote.to_owned(),
        None => usual_remote(repository, branch.as_deref())?,
    };
    let shown_remote = if remote.contains("://") || remote.contains('@') {
        "the other side".to_owned()
    } else {
        plain(&remote)
    };
    let mut details = Vec::new();
    if mirror {
        let here = repository.ask(&["for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads"])?;
        let there = repository.ask(&[
            "for-each-ref",
            "--format=%(refname:lstrip=3)",
            &format!("refs/remotes/{remote}/"),
        ])?;
        let gone: Vec<String> = there
            .lines()
            .filter(|name| *name != "HEAD" && !here.lines().any(|own| own == *name))
            .map(str::to_owned)
            .collect();
        if !gone.is_empty() {
            details.push(format!(
                "{} not here would be deleted there: {}",
                count(gone.len() as u64, "branch"),
                some(&gone, 5)
            ));
        }
        details.push("every branch and tag there is made equal to what is here".to_owned());
        details.push(as_of(scene, repository, &shown_remote)?);
        return Ok(Finding {
            title: format!("{} would overwrite all of {shown_remote}", scene.shown),
            details,
        });
    }
    let mut own: Vec<PushRef> = match (refs, &branch) {
        ([], Some(branch)) => vec![PushRef { source: Some("HEAD".to_owned()), target: branch.clone() }],
        ([], None) => Vec::new(),
        (refs, _) => refs.to_vec(),
    };
    // Where it goes there is the branch that `HEAD` is here.
    for one in own.iter_mut().filter(|one| one.target == "HEAD") {
        one.target = branch.clone().unwrap_or_else(|| "HEAD".to_owned());
    }
    let mut lost = 0;
    let mut unknown = 0;
    for one in &own {
        let target = &one.target;
        let tracking = format!("refs/remotes/{remote}/{target}");
        let (Some(tip), source) = (repository.commit(&tracking)?, one.source.as_deref()) else {
            unknown += 1;
            details.push(format!("what {} on {shown_remote} holds was never seen here", plain(target)));
            continue;
        };
        let mut range = vec![tip, "--not".to_owned()];
        match source {
            Some(source) => range.extend(repository.commit(source)?),
            None => range.extend([
                format!("--exclude={remote}/{target}"),
                "--remotes".to_owned(),
                "--branches".to_owned(),
                "--tags".to_owned(),
            ]),
        }
        let (count_here, titles) = repository.commits(&range)?;
        lost += count_here;
        if count_here > 0 && own.len() > 1 {
            details.push(format!("{} of {} on {shown_remote}:", count(count_here, "commit"), plain(target)));
        }
        details.extend(listed(count_here, &titles));
    }
    let names: Vec<String> = own.iter().map(|one| one.target.clone()).collect();
    let names = if names.is_empty() { "what git chooses".to_owned() } else { some(&names, 3) };
    let deletes = own.iter().all(|one| one.source.is_none()) && !own.is_empty();
    let title = match (deletes, lost) {
        (true, 0) => format!("{} would delete {names} on {shown_remote}", scene.shown),
        (true, lost) => {
            format!(
                "{} would delete {names} on {shown_remote}, with {} found nowhere else",
                scene.shown,
                count(lost, "commit")
            )
        }
        (false, 0) => format!("{} would overwrite {names} on {shown_remote}", scene.shown),
        (false, lost) => {
            format!("{} would take {} off {names} on {shown_remote}", scene.shown, count(lost, "commit"))
        }
    };
    if lost == 0 && unknown == 0 {
        details.push("no commit that is known here would be lost".to_owned());
    }
    details.push(as_of(scene, repository, &shown_remote)?);
    Ok(Finding { title, details })
}

fn usual_remote(repository: &Repository<'_>, branch: Option<&str>) -> Result<String, GitError> {
    let branch = branch.unwrap_or("HEAD");
    for setting in
        [&format!("branch.{branch}.pushRemote"), "remote.pushDefault", &format!("branch.{branch}.remote")]
    {
        if let Some(remote) = repository.setting(setting)? {
            return Ok(remote);
        }
    }
    Ok("origin".to_owned())
}

/// When the other side was last looked at.
fn as_of(scene: &Scene<'_>, repository: &Repository<'_>, remote: &str) -> Result<String, GitError> {
    let path = repository.ask(&["rev-parse", "--git-path", "FETCH_HEAD"])?;
    let path = scene.dir.clone().unwrap_or_default().join(PathBuf::from(path.trim_end_matches('\n')));
    let when = std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
    Ok(match when {
        Some(time) => {
            format!("as of the last fetch, {}; others may have pushed since", ago(time, scene.survey.now))
        }
        None => format!("nothing was fetched since {remote} was cloned or added; others may have pushed"),
    })
}
