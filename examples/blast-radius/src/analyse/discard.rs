//! Subcommands of git that throw away what is in the work tree: changes that are not committed, and files that are not
//! tracked.

use super::danger::GitAction;
use super::refs::moved;
use super::subcommand::Arguments;

pub(super) fn reset(arguments: &Arguments) -> Option<GitAction> {
    let to = arguments.operands.first().map_or("HEAD", String::as_str).to_owned();
    if arguments.has("--hard", 4) || arguments.has("--merge", 4) {
        return Some(GitAction::Reset { to });
    }
    // It keeps what is not committed, but leaves commits behind, and takes their files away.
    arguments.has("--keep", 4).then(|| GitAction::DropRefs { names: vec!["HEAD".to_owned()], to: Some(to) })
}

pub(super) fn clean(arguments: &Arguments) -> Option<GitAction> {
    if arguments.has("--dry-run", 4) || arguments.has_letter('n') {
        return None;
    }
    let mut flags = Vec::new();
    let mut operands = arguments.operands.iter();
    for option in &arguments.options {
        match option.strip_prefix("--") {
            Some(long) if long.starts_with("exc") => flags.push(option.clone()),
            Some(_) => {}
            None => {
                let (letters, exclude) =
                    option[1..].split_once('e').map_or((&option[1..], None), |(a, b)| (a, Some(b)));
                flags.extend(letters.chars().filter(|c| "dxXf".contains(*c)).map(|c| format!("-{c}")));
                // The value of `-e` is the next word, which is among the operands then.
                let pattern = exclude.map(|text| {
                    if text.is_empty() { operands.next().cloned() } else { Some(text.to_owned()) }
                });
                flags.extend(pattern.flatten().map(|pattern| format!("--exclude={pattern}")));
            }
        }
    }
    if arguments.has("--force", 4) {
        flags.push("-f".to_owned());
    }
    let paths = operands.chain(arguments.paths.iter().flatten()).cloned().collect();
    Some(GitAction::Clean { flags, paths })
}

pub(super) fn checkout(arguments: &Arguments) -> Option<GitAction> {
    let makes_branch = arguments.options.iter().any(|option| option.starts_with("-b") || option == "-t");
    if arguments.has("--patch", 4) || arguments.options.iter().any(|option| option == "-p") {
        return None;
    }
    if arguments.has("--pathspec-from-file", 5) {
        return Some(GitAction::DiscardAll);
    }
    if let Some(paths) = arguments.paths.as_ref().filter(|paths| !paths.is_empty()) {
        return Some(GitAction::Discard { from: arguments.operands.first().cloned(), paths: paths.clone() });
    }
    // What follows `b` in one word is the name of a branch.
    let is_forced = |option: &String| {
        !option.starts_with("--")
            && option.split(['b', 'B']).next().is_some_and(|letters| letters.contains('f'))
    };
    if arguments.has("--force", 4) || arguments.options.iter().any(is_forced) {
        return Some(GitAction::DiscardAll);
    }
    if let Some(option) = arguments.options.iter().find(|option| option.starts_with("-B")) {
        let attached = (option.len() > 2).then(|| option[2..].to_owned());
        return moved(&attached.into_iter().chain(arguments.operands.iter().cloned()).collect::<Vec<_>>());
    }
    match (
        arguments.operands.as_slice(),
        arguments.paths.is_some() || makes_branch || arguments.has("--orphan", 4),
    ) {
        (_, true) | ([], _) => None,
        // The branch from which one came.
        ([only], false) if only == "-" || only.starts_with("@{") => None,
        ([only], false) if is_plainly_path(only) => {
            Some(GitAction::Discard { from: None, paths: vec![only.clone()] })
        }
        ([only], false) => Some(GitAction::DiscardIfPath { name: only.clone() }),
        ([first, rest @ ..], false) if is_plainly_path(first) => {
            let paths = std::iter::once(first).chain(rest).cloned().collect();
            Some(GitAction::Discard { from: None, paths })
        }
        ([first, rest @ ..], false) => {
            Some(GitAction::Discard { from: Some(first.clone()), paths: rest.to_vec() })
        }
    }
}

fn is_plainly_path(text: &str) -> bool {
    text == "."
        || text == ".."
        || text.starts_with("./")
        || text.starts_with("../")
        || text.starts_with(':')
        || text.contains('*')
}

pub(super) fn restore(arguments: &Arguments) -> Option<GitAction> {
    let staged = arguments.has("--staged", 5) || arguments.has_letter('S');
    let worktree = arguments.has("--worktree", 4) || arguments.has_letter('W');
    if staged && !worktree
        || arguments.has("--patch", 4)
        || arguments.options.iter().any(|option| option == "-p")
    {
        return None;
    }
    if arguments.has("--pathspec-from-file", 5) {
        return Some(GitAction::DiscardAll);
    }
    let mut from = staged.then(|| "HEAD".to_owned());
    let mut paths = arguments.all_paths();
    for option in &arguments.options {
        if let Some(source) = option.strip_prefix("--source=") {
            from = Some(source.to_owned());
        } else if matches!(option.as_str(), "-s" | "--source") && !paths.is_empty() {
            from = Some(paths.remove(0));
        } else if let Some(source) = option.strip_prefix("-s") {
            from = Some(source.to_owned());
        }
    }
    (!paths.is_empty()).then_some(GitAction::Discard { from, paths })
}

pub(super) fn switch(arguments: &Arguments) -> Option<GitAction> {
    if arguments.has("--force", 4) || arguments.has("--discard-changes", 5) || arguments.has_letter('f') {
        return Some(GitAction::DiscardAll);
    }
    let forced = arguments.has_letter('C') || arguments.has("--force-create", 8);
    forced.then(|| moved(&arguments.operands)).flatten()
}

/// `git rm` refuses by itself to delete what is changed, unless it is forced.
pub(super) fn rm(arguments: &Arguments) -> Option<GitAction> {
    let is_forced = arguments.has("--force", 3) || arguments.has_letter('f');
    if !is_forced || arguments.has("--cached", 3) || arguments.is_dry_run() {
        return None;
    }
    if arguments.has("--pathspec-from-file", 4) {
        return Some(GitAction::DiscardAll);
    }
    let paths = arguments.all_paths();
    (!paths.is_empty()).then(|| GitAction::Discard { from: Some("HEAD".to_owned()), paths })
}

/// `git read-tree` with `-u` writes the work tree. Of two trees or more it keeps what is changed, and of one it does not.
pub(super) fn read_tree(arguments: &Arguments) -> Option<GitAction> {
    let is_written = arguments.has_letter('u') && !arguments.is_dry_run();
    let is_reset = arguments.has("--reset", 3);
    let is_merge_of_one = arguments.has_letter('m') && arguments.operands.len() < 2;
    (is_written && (is_reset || is_merge_of_one)).then_some(GitAction::DiscardAll)
}

/// `git checkout-index` overwrites files only if it is forced.
pub(super) fn checkout_index(arguments: &Arguments) -> Option<GitAction> {
    let is_forced = arguments.has("--force", 3) || arguments.has_letter('f');
    if !is_forced || arguments.has("--prefix", 4) || arguments.has("--temp", 4) {
        return None;
    }
    let is_all = arguments.has("--all", 3) || arguments.has_letter('a') || arguments.has("--stdin", 4);
    let paths = if is_all { vec![":/".to_owned()] } else { arguments.all_paths() };
    (!paths.is_empty()).then_some(GitAction::Discard { from: None, paths })
}
