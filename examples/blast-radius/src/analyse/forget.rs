//! Subcommands of git after which something can't be found again that no name leads to: the reflog, objects that nothing
//! names, work trees and submodules, and whole histories that are written anew.

use super::danger::GitAction;
use super::subcommand::Arguments;

pub(super) fn stash(arguments: &Arguments) -> Option<GitAction> {
    match arguments.operands.split_first() {
        Some((verb, _)) if verb == "clear" => Some(GitAction::DropStash { which: None }),
        Some((verb, rest)) if verb == "drop" => Some(GitAction::DropStash {
            which: Some(rest.first().map_or("stash@{0}".to_owned(), stash_name)),
        }),
        Some(_) | None => None,
    }
}

fn stash_name(name: &String) -> String {
    if name.chars().all(|c| c.is_ascii_digit()) { format!("stash@{{{name}}}") } else { name.clone() }
}

/// Without a time of its own, `git reflog expire` forgets only what is old.
pub(super) fn reflog(arguments: &Arguments) -> Option<GitAction> {
    let takes = match arguments.operands.first().map(String::as_str) {
        Some("delete" | "drop") => true,
        Some("expire") => arguments
            .options
            .iter()
            .any(|option| option.starts_with("--expire") && !option.ends_with("=never")),
        Some(_) | None => false,
    };
    (takes && !arguments.is_dry_run()).then_some(GitAction::Forget { expire: None, reflog: true })
}

/// Without a time of its own, `git gc` deletes only what is old.
pub(super) fn gc(arguments: &Arguments, settings: &[(String, String)]) -> Option<GitAction> {
    let last =
        |name: &str| settings.iter().rfind(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, text)| text);
    let asked = arguments.options.iter().rev().find_map(|option| option.strip_prefix("--prune="));
    let expire = asked.or(last("gc.pruneExpire").map(String::as_str)).filter(|time| *time != "never");
    let reflog = last("gc.reflogExpire").is_some() || last("gc.reflogExpireUnreachable").is_some();
    let is_kept = arguments.has("--no-prune", 6);
    let expire = expire.filter(|_| !is_kept).map(str::to_owned);
    (expire.is_some() || reflog).then_some(GitAction::Forget { expire, reflog })
}

/// Without a time, `git prune` deletes everything that nothing names.
pub(super) fn prune(arguments: &Arguments) -> Option<GitAction> {
    if arguments.is_dry_run() {
        return None;
    }
    let attached = arguments.options.iter().rev().find_map(|option| option.strip_prefix("--expire="));
    let is_next = arguments.options.iter().any(|option| option == "--expire");
    let next = arguments.operands.first().filter(|_| is_next).map(String::as_str);
    let expire = attached.or(next).unwrap_or("now").to_owned();
    Some(GitAction::Forget { expire: Some(expire), reflog: false })
}

pub(super) fn worktree(arguments: &Arguments) -> Option<GitAction> {
    let is_forced = arguments.has("--force", 4) || arguments.has_letter('f');
    match arguments.operands.as_slice() {
        [verb, name, ..] if verb == "remove" && is_forced => {
            Some(GitAction::RemoveWorktree { name: name.clone() })
        }
        [verb, name, ..] if verb == "add" && arguments.has_letter('B') => {
            Some(GitAction::DropRefs { names: vec![format!("refs/heads/{name}")], to: None })
        }
        [..] => None,
    }
}

pub(super) fn submodule(arguments: &Arguments) -> Option<GitAction> {
    let is_forced = arguments.has("--force", 4) || arguments.has_letter('f');
    let (verb, rest) = arguments.operands.split_first()?;
    if !is_forced || verb != "deinit" {
        return None;
    }
    let paths: Vec<String> = rest.iter().chain(arguments.paths.iter().flatten()).cloned().collect();
    let paths = if paths.is_empty() { vec![":/".to_owned()] } else { paths };
    Some(GitAction::EmptySubmodules { paths })
}
