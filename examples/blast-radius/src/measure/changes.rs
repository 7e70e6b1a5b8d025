//! Changes that are not committed, and that a reset, a checkout or a restore would throw away.

use super::git::GitError;
use super::phrase::{count, name, number, plain};
use super::repository::{FileLines, Repository};
use super::survey::{Finding, Scene};

/// Files and commits that are shown by name.
const SHOWN: usize = 5;

/// Measures `git reset --hard`.
pub(super) fn reset(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    to: &str,
) -> Result<Option<Finding>, GitError> {
    let head = repository.commit("HEAD")?;
    let target = repository.commit(to)?;
    if target.is_none() && (to != "HEAD" || head.is_some()) {
        let why = format!("git knows no commit `{}`", plain(to));
        return Ok(Some(scene.cannot_tell("throw away", vec![why])));
    }
    let changed: Vec<String> = repository.changed(&[])?.into_iter().map(|file| file.path).collect();
    let (left, titles, alone) = match (&head, &target) {
        (Some(head), Some(target)) if head != target => {
            let (left, titles) = repository.commits(&[head, &format!("^{target}")])?;
            let mut range = vec![head.clone(), format!("^{target}"), "--not".to_owned()];
            range.extend(repository.branch()?.map(|branch| format!("--exclude={branch}")));
            range.extend(["--branches", "--remotes", "--tags"].map(str::to_owned));
            (left, titles, repository.commits(&range)?.0)
        }
        _ => (0, Vec::new(), 0),
    };
    if changed.is_empty() && left == 0 {
        return Ok(None);
    }
    let mut lost = Vec::new();
    if !changed.is_empty() {
        lost.push(format!("changes in {}", count(changed.len() as u64, "file")));
    }
    if left > 0 {
        lost.push(count(left, "commit"));
    }
    let title =
        format!("{} would throw away {} in {}", scene.shown, lost.join(" and "), name(&repository.top));
    let mut details = Vec::new();
    if !changed.is_empty() {
        let lines = if head.is_some() { repository.lines(&["HEAD"])? } else { Vec::new() };
        details.extend(files(&changed, &lines));
        details.push("what was never committed can't be restored".to_owned());
    }
    if left > 0 {
        details.extend(titles.iter().take(3).map(|title| format!("commit {}", plain(title))));
        details.push(match alone {
            0 => "all of the commits are on another branch, too".to_owned(),
            alone => {
                format!("{} on no other branch; `git reflog` finds them for some weeks", are(alone, left))
            }
        });
    }
    Ok(Some(Finding { title, details }))
}

/// Measures `git checkout -- PATH` and `git restore PATH`.
pub(super) fn discard(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    from: Option<&str>,
    paths: &[String],
) -> Result<Option<Finding>, GitError> {
    let below: Vec<&str> = std::iter::once("--").chain(paths.iter().map(String::as_str)).collect();
    let (changed, lines) = match from {
        None => {
            let lines = repository.lines(&below)?;
            (lines.iter().map(|file| file.path.clone()).collect::<Vec<_>>(), lines)
        }
        Some(_) => {
            let changed: Vec<String> = repository.changed(paths)?.into_iter().map(|file| file.path).collect();
            let has_head = !changed.is_empty() && repository.commit("HEAD")?.is_some();
            let lines = if has_head {
                repository.lines(&[&["HEAD"], below.as_slice()].concat())?
            } else {
                Vec::new()
            };
            (changed, lines)
        }
    };
    Ok(thrown_away(scene, repository, &changed, &lines))
}

/// Measures `git checkout NAME`, which throws something away only if the name is a file.
pub(super) fn discard_if_path(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    name: &str,
) -> Result<Option<Finding>, GitError> {
    match repository.commit(name)? {
        Some(_) => Ok(None),
        None => discard(scene, repository, None, &[name.to_owned()]),
    }
}

/// Measures `git checkout --force` and `git switch --discard-changes`.
pub(super) fn discard_all(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
) -> Result<Option<Finding>, GitError> {
    discard(scene, repository, Some("HEAD"), &[])
}

fn thrown_away(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    changed: &[String],
    lines: &[FileLines],
) -> Option<Finding> {
    if changed.is_empty() {
        return None;
    }
    let what = count(changed.len() as u64, "file");
    let title = format!("{} would throw away changes in {what} in {}", scene.shown, name(&repository.top));
    let mut details = files(changed, lines);
    details.push("what was never committed can't be restored".to_owned());
    Some(Finding { title, details })
}

/// A line for each of the files with the largest changes, and one for the rest.
fn files(changed: &[String], lines: &[FileLines]) -> Vec<String> {
    let of = |path: &String| lines.iter().find(|file| file.path == *path);
    let weight = |path: &&String| {
        of(path).map_or(0, |file| file.added.unwrap_or(0).saturating_add(file.removed.unwrap_or(0)))
    };
    let mut sorted: Vec<&String> = changed.iter().collect();
    sorted.sort_by_key(|path| std::cmp::Reverse(weight(path)));
    let mut shown: Vec<String> = sorted
        .iter()
        .take(SHOWN)
        .map(|path| match of(path) {
            Some(FileLines { added: Some(added), removed: Some(removed), .. }) => {
                format!("{} (+{} -{})", plain(path), number(*added), number(*removed))
            }
            Some(FileLines { .. }) => format!("{} (no text)", plain(path)),
            None => plain(path),
        })
        .collect();
    if let more @ 1.. = changed.len().saturating_sub(SHOWN) {
        shown.push(format!("and {}", count(more as u64, "more file")));
    }
    shown
}

fn are(alone: u64, left: u64) -> String {
    match (alone, left) {
        (1, 1) => "it is".to_owned(),
        (alone, left) if alone == left => "they are".to_owned(),
        (1, _) => "1 of them is".to_owned(),
        (alone, _) => format!("{} of them are", number(alone)),
    }
}
