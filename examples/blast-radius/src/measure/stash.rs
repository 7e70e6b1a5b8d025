//! What `git stash drop` and `git stash clear` would throw away.

use super::git::GitError;
use super::phrase::{count, name, number, plain};
use super::repository::Repository;
use super::survey::{Finding, Scene};

/// Measures them.
pub(super) fn drop(
    scene: &Scene<'_>,
    repository: &Repository<'_>,
    which: Option<&str>,
) -> Result<Option<Finding>, GitError> {
    let all = repository.ask_list(&["stash", "list", "-z", "--format=%gd %gs (%cr)"])?;
    let meant: Vec<&String> = match which {
        None => all.iter().collect(),
        Some(which) => all.iter().filter(|line| line.split(' ').next() == Some(which)).collect(),
    };
    let mut details = Vec::new();
    for line in meant.iter().take(5) {
        let stash = line.split(' ').next().unwrap_or_default();
        let lines = repository.lines(&[&format!("{stash}^1"), stash])?;
        let added: u64 = lines.iter().filter_map(|file| file.added).sum();
        let removed: u64 = lines.iter().filter_map(|file| file.removed).sum();
        let files = count(lines.len() as u64, "file");
        details.push(format!("{}: {files} (+{} -{})", plain(line), number(added), number(removed)));
    }
    if let more @ 1.. = meant.len().saturating_sub(5) {
        details.push(format!("and {}", count(more as u64, "more stash")));
    }
    if meant.is_empty() {
        return Ok(None);
    }
    details.push("a stash that is dropped has no name any more and is hard to find again".to_owned());
    let title = format!(
        "{} would drop {} in {}",
        scene.shown,
        count(meant.len() as u64, "stash"),
        name(&repository.top)
    );
    Ok(Some(Finding { title, details }))
}
