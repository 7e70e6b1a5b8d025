//! Subcommands of git that delete a name of commits or let it point elsewhere: branches, tags, and every other ref. All
//! of them are named in full.

use super::danger::GitAction;
use super::reader::Feed;
use super::subcommand::Arguments;

pub(super) fn branch(arguments: &Arguments) -> Option<GitAction> {
    let forced = arguments.has("--force", 4) || arguments.has_letter('f');
    let deletes =
        arguments.has_letter('D') || forced && (arguments.has("--delete", 4) || arguments.has_letter('d'));
    if deletes {
        let remote = arguments.has_letter('r') || arguments.has("--remotes", 5);
        let kind = if remote { "refs/remotes" } else { "refs/heads" };
        let names: Vec<String> = arguments.operands.iter().map(|name| format!("{kind}/{name}")).collect();
        return (!names.is_empty()).then_some(GitAction::DropRefs { names, to: None });
    }
    let renames = arguments.has_letter('M') || arguments.has_letter('C');
    match arguments.operands.as_slice() {
        [.., over] if renames => {
            Some(GitAction::DropRefs { names: vec![format!("refs/heads/{over}")], to: None })
        }
        [_, ..] if forced => moved(&arguments.operands),
        [..] => None,
    }
}

/// A branch that is let point elsewhere by force: its name, and to where.
pub(super) fn moved(operands: &[String]) -> Option<GitAction> {
    let (name, rest) = operands.split_first()?;
    let to = Some(rest.first().map_or("HEAD", String::as_str).to_owned());
    Some(GitAction::DropRefs { names: vec![format!("refs/heads/{name}")], to })
}

pub(super) fn tag(arguments: &Arguments) -> Option<GitAction> {
    let full = |name: &String| format!("refs/tags/{name}");
    if arguments.has("--delete", 4) || arguments.has_letter('d') {
        let names: Vec<String> = arguments.operands.iter().map(full).collect();
        return (!names.is_empty()).then_some(GitAction::DropRefs { names, to: None });
    }
    // The message of a tag is an operand, too, so which of them is the name is not certain: no other is a tag.
    let is_forced = arguments.has("--force", 4) || arguments.has_letter('f');
    (is_forced && !arguments.operands.is_empty())
        .then(|| GitAction::DropRefs { names: arguments.operands.iter().map(full).collect(), to: None })
}

pub(super) fn update_ref(arguments: &Arguments) -> Option<GitAction> {
    let deletes = arguments.has_letter('d');
    // The reason for the log is the word after `-m`.
    let skipped = usize::from(arguments.options.iter().any(|option| option == "-m"));
    match (arguments.operands.get(skipped..)?, deletes) {
        ([name, ..], true) => Some(GitAction::DropRefs { names: vec![name.clone()], to: None }),
        ([name, to, ..], false) => {
            Some(GitAction::DropRefs { names: vec![name.clone()], to: Some(to.clone()) })
        }
        ([..], _) => None,
    }
}

/// Reads the orders that `git update-ref --stdin` is given; `None` if they can't be read in full.
pub(super) fn update_refs(feed: &Feed) -> Option<Vec<GitAction>> {
    let Feed::Text(text) = feed else { return None };
    let mut actions = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let plain = |word: &str| !word.contains(['"', '\\', '\0']);
        if !words.iter().all(|word| plain(word)) {
            return None;
        }
        match words.as_slice() {
            ["delete", name, ..] => {
                actions.push(GitAction::DropRefs { names: vec![(*name).to_owned()], to: None });
            }
            ["update", name, to, ..] => {
                let to = Some((*to).to_owned());
                actions.push(GitAction::DropRefs { names: vec![(*name).to_owned()], to });
            }
            ["create" | "verify" | "start" | "prepare" | "commit" | "abort" | "option", ..] => {}
            [..] => return None,
        }
    }
    Some(actions)
}

pub(super) fn symbolic_ref(arguments: &Arguments) -> Option<GitAction> {
    let deletes = arguments.has("--delete", 4) || arguments.has_letter('d');
    deletes.then(|| GitAction::DropRefs { names: arguments.operands.clone(), to: None })
}

/// A fetch may write branches of this side: `+theirs:ours`.
pub(super) fn fetch(arguments: &Arguments) -> Option<GitAction> {
    let is_forced = arguments.has("--force", 4) || arguments.has_letter('f');
    if arguments.has("--dry-run", 4) {
        return None;
    }
    let ours = |text: &String| {
        let plus = text.strip_prefix('+');
        let (_, ours) = plus.unwrap_or(text).split_once(':').filter(|_| plus.is_some() || is_forced)?;
        match ours {
            "" => None,
            name if name.starts_with("refs/remotes/") || name.contains("://") => None,
            name if name.starts_with("refs/") => Some(name.to_owned()),
            name => Some(format!("refs/heads/{name}")),
        }
    };
    let names: Vec<String> = arguments.all_paths().iter().skip(1).filter_map(ours).collect();
    (!names.is_empty()).then_some(GitAction::DropRefs { names, to: None })
}
