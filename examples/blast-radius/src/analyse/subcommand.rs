//! Subcommands of git, their arguments, and which of them throw something away.

use super::danger::GitAction;
use super::program::is_flag;
use super::push::{push, send_pack};
use super::word::{Value, Word};
use super::{discard, forget, refs};

/// The arguments of a subcommand, sorted.
pub(super) struct Arguments {
    /// Options, up to `--`.
    pub(super) options: Vec<String>,
    /// What is no option, up to `--`.
    pub(super) operands: Vec<String>,
    /// What follows `--`, if there is one.
    pub(super) paths: Option<Vec<String>>,
}

/// Subcommands that can throw something away.
pub(super) const DESTRUCTIVE: [&str; 26] = [
    "reset",
    "clean",
    "checkout",
    "restore",
    "switch",
    "stash",
    "branch",
    "push",
    "rm",
    "read-tree",
    "checkout-index",
    "tag",
    "update-ref",
    "symbolic-ref",
    "fetch",
    "pull",
    "reflog",
    "gc",
    "prune",
    "worktree",
    "submodule",
    "filter-branch",
    "filter-repo",
    "send-pack",
    "http-push",
    "fast-import",
];

/// Returns what a subcommand would throw away.
pub(super) fn action(
    subcommand: &str,
    arguments: &Arguments,
    settings: &[(String, String)],
) -> Option<GitAction> {
    match subcommand {
        "reset" => discard::reset(arguments),
        "clean" => discard::clean(arguments),
        "checkout" => discard::checkout(arguments),
        "restore" => discard::restore(arguments),
        "switch" => discard::switch(arguments),
        "rm" => discard::rm(arguments),
        "read-tree" => discard::read_tree(arguments),
        "checkout-index" => discard::checkout_index(arguments),
        "branch" => refs::branch(arguments),
        "tag" => refs::tag(arguments),
        "update-ref" => refs::update_ref(arguments),
        "symbolic-ref" => refs::symbolic_ref(arguments),
        "fetch" | "pull" => refs::fetch(arguments),
        "stash" => forget::stash(arguments),
        "reflog" => forget::reflog(arguments),
        "gc" => forget::gc(arguments, settings),
        "prune" => forget::prune(arguments),
        "worktree" => forget::worktree(arguments),
        "submodule" => forget::submodule(arguments),
        "filter-branch" => Some(GitAction::Rewrite { keeps_old: true }),
        "filter-repo" => {
            let only_looks = arguments.is_dry_run() || arguments.has("--analyze", 5);
            (!only_looks).then_some(GitAction::Rewrite { keeps_old: false })
        }
        "push" => push(arguments),
        "send-pack" | "http-push" => send_pack(arguments),
        "fast-import" => arguments.has("--force", 4).then_some(GitAction::Rewrite { keeps_old: true }),
        _ => None,
    }
}

/// Tells whether a subcommand with a word that can't be told may be destructive.
pub(super) fn may_be_meant(subcommand: &str, rest: &[Word]) -> bool {
    let has = |list: &[&str]| {
        rest.iter().filter_map(Word::known).any(|word| list.iter().any(|want| word.starts_with(want)))
    };
    let flag = |letter: char| rest.iter().filter_map(Word::known).any(|word| is_flag(word, letter));
    // One word can become several, and those can be options.
    let can_be_options = rest.iter().any(|word| match &word.value {
        Value::Unknown { splits, lead, .. } => {
            lead.is_empty() && (*splits || word.shown.starts_with("$(")) || lead.starts_with('-')
        }
        Value::Known(_) | Value::Glob(_) | Value::Fresh => false,
    });
    let forced = has(&["--force", "--forc"]) || flag('f');
    match subcommand {
        "reset" => has(&["--har", "--merge", "--keep"]) || can_be_options,
        "clean" => !has(&["--dry-run", "-n"]),
        "checkout" => !has(&["-b", "-t"]),
        "restore" | "update-ref" | "filter-branch" | "filter-repo" | "prune" => true,
        "switch" => has(&["-f", "-C", "--force", "--discard"]) || can_be_options,
        "stash" => has(&["drop", "clear"]) || rest.first().is_some_and(|word| word.known().is_none()),
        "branch" => forced || has(&["-D", "-M"]) || flag('D') || can_be_options,
        "rm" => !has(&["--cached"]) && forced,
        "read-tree" => flag('u') || can_be_options,
        "checkout-index" | "fast-import" => forced || can_be_options,
        "tag" => forced || flag('d') || has(&["--del"]),
        "symbolic-ref" => flag('d') || has(&["--del"]),
        "worktree" => has(&["remove"]) && forced || flag('B'),
        "submodule" => has(&["deinit"]) && forced,
        "reflog" => has(&["expire", "delete", "drop"]),
        "gc" => has(&["--prune"]),
        "fetch" | "pull" => forced || rest.iter().any(|word| word.lead().starts_with('+')),
        "push" | "send-pack" | "http-push" => {
            forced
                || has(&["--mirror", "--del", "-d", "--prune"])
                || rest.iter().any(|word| word.lead().starts_with(['+', ':']))
                || can_be_options
        }
        _ => false,
    }
}

/// Sorts arguments; `None` if one isn't known. A pattern that a shell would expand is a pathspec for git as well.
pub(super) fn sorted(words: &[Word]) -> Option<Arguments> {
    let mut all = Arguments { options: Vec::new(), operands: Vec::new(), paths: None };
    for word in words {
        let text = match &word.value {
            Value::Known(text) => text.clone(),
            Value::Glob(_) => word.shown.clone(),
            Value::Unknown { .. } | Value::Fresh => return None,
        };
        match &mut all.paths {
            Some(paths) => paths.push(text),
            None if text == "--" => all.paths = Some(Vec::new()),
            None if text.starts_with('-') && text != "-" => all.options.push(text),
            None => all.operands.push(text),
        }
    }
    Some(all)
}

impl Arguments {
    /// Tells whether an option is there, also when it is shortened as git allows.
    pub(super) fn has(&self, long: &str, least: usize) -> bool {
        self.options.iter().any(|option| {
            let option = option.split('=').next().unwrap_or(option);
            option.len() >= least && option.starts_with("--") && long.starts_with(option)
        })
    }

    pub(super) fn has_letter(&self, letter: char) -> bool {
        self.options.iter().any(|option| is_flag(option, letter))
    }

    pub(super) fn is_dry_run(&self) -> bool {
        self.has("--dry-run", 4) || self.has_letter('n')
    }

    /// Returns everything that may be a path.
    pub(super) fn all_paths(&self) -> Vec<String> {
        self.operands.iter().chain(self.paths.iter().flatten()).cloned().collect()
    }
}
