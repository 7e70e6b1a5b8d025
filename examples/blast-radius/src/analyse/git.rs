//! Reads a git command line: the options before the subcommand, and the subcommands that throw something away.

use super::danger::{Action, GitAction, GitPlace};
use super::program::is_flag;
use super::push::push;
use super::reader::{Feed, Reader};
use super::shell::Shell;
use super::word::{Value, Word, joined};

/// Subcommands of git that are known to be git's own; any other may be an alias.
const OWN: &str = " add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore \
    check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit \
    commit-graph commit-tree config count-objects credential daemon describe diagnose diff diff-files diff-index \
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch fmt-merge-msg for-each-ref for-each-repo \
    format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-backend init init-db instaweb \
    interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file \
    merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id \
    prune prune-packed pull push range-diff read-tree rebase receive-pack reflog refs remote repack replace replay \
    request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shell shortlog show \
    show-branch show-index show-ref sparse-checkout stash status stripspace submodule subtree svn switch \
    symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive \
    upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree gitk flow crypt \
    annex absorb ";

/// The arguments of a subcommand, sorted.
pub(super) struct Arguments {
    /// Options, up to `--`.
    pub(super) options: Vec<String>,
    /// What is no option, up to `--`.
    pub(super) operands: Vec<String>,
    /// What follows `--`, if there is one.
    pub(super) paths: Option<Vec<String>>,
}

/// Reads a git command.
pub(super) fn git(reader: &mut Reader, words: &[Word], shell: &Shell, _feed: &Feed) {
    let mut own = shell.clone();
    let assigned = |name: &str| shell.text(name).map(str::to_owned);
    let mut place = GitPlace { git_dir: assigned("GIT_DIR"), work_tree: assigned("GIT_WORK_TREE") };
    let mut aliases: Vec<(String, String)> = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.is_option()) {
        let text = word.known().unwrap_or_default();
        let (option, attached) =
            text.split_once('=').map_or((text, None), |(option, value)| (option, Some(value)));
        let next = words.get(at + 1);
        let value = attached.map(Word::literal).or_else(|| next.cloned());
        let takes_next = option == "-c"
            || attached.is_none()
                && ["-C", "--git-dir", "--work-tree", "--namespace", "--config-env", "--attr-source"]
                    .contains(&option);
        match (option, value.as_ref().and_then(Word::known)) {
            ("-C", _) => own.change_dir(next.unwrap_or(word)),
            ("--git-dir", value) => place.git_dir = Some(value.unwrap_or("?").to_owned()),
            ("--work-tree", value) => place.work_tree = Some(value.unwrap_or("?").to_owned()),
            ("-c", _) => {
                let setting = next.and_then(Word::known).unwrap_or_default();
                if let Some((name, value)) =
                    setting.strip_prefix("alias.").and_then(|rest| rest.split_once('='))
                {
                    aliases.push((name.to_owned(), value.to_owned()));
                }
            }
            ("--help" | "--version" | "-h" | "-v", _) => return,
            _ => {}
        }
        at += if takes_next { 2 } else { 1 };
    }
    let Some(name) = words.get(at) else { return };
    let rest = &words[at + 1..];
    let Some(subcommand) = name.known() else {
        let why = "which subcommand of git it is, nobody can tell before it runs";
        return reader.opaque(words, why, &own);
    };
    if let Some((_, line)) = aliases.iter().find(|(alias, _)| alias == subcommand) {
        let line = match line.strip_prefix('!') {
            Some(line) => format!("{line} {}", joined(rest)),
            None => format!("git {line} {}", joined(rest)),
        };
        return reader.inner_line(&line, &own);
    }
    if rest.iter().any(|word| word.known() == Some("--help")) {
        return;
    }
    if !OWN.contains(&format!(" {subcommand} ")) {
        let action = GitAction::Alias { name: subcommand.to_owned(), rest: joined(rest) };
        return reader.add(joined(words), Action::Git { place, action }, &own);
    }
    if !DESTRUCTIVE.contains(&subcommand) {
        return;
    }
    let Some(arguments) = sorted(rest) else {
        let word = rest.iter().find(|word| word.known().is_none()).map_or("?", |word| word.shown.as_str());
        if may_be_meant(subcommand, rest) {
            let why = format!("what `{word}` is, nobody can tell before it runs");
            reader.add(joined(words), Action::Opaque { why }, &own);
        }
        return;
    };
    if let Some(action) = action(subcommand, &arguments) {
        reader.add(joined(words), Action::Git { place, action }, &own);
    }
}

const DESTRUCTIVE: [&str; 8] = ["reset", "clean", "checkout", "restore", "switch", "stash", "branch", "push"];

/// Tells whether a subcommand with a word that can't be told may be destructive.
fn may_be_meant(subcommand: &str, rest: &[Word]) -> bool {
    let has = |list: &[&str]| {
        rest.iter().filter_map(Word::known).any(|word| list.iter().any(|want| word.starts_with(want)))
    };
    // One word can become several, and those can be options.
    let can_be_options = rest.iter().any(|word| match &word.value {
        Value::Unknown { splits, lead, .. } => {
            lead.is_empty() && (*splits || word.shown.starts_with("$(")) || lead.starts_with('-')
        }
        Value::Known(_) | Value::Glob(_) | Value::Fresh => false,
    });
    match subcommand {
        "reset" => has(&["--har", "--merge"]) || can_be_options,
        "clean" => !has(&["--dry-run", "-n"]),
        "checkout" => !has(&["-b", "-t"]),
        "restore" => true,
        "switch" => has(&["-f", "-C", "--force", "--discard"]) || can_be_options,
        "stash" => has(&["drop", "clear"]) || rest.first().is_some_and(|word| word.known().is_none()),
        "branch" => has(&["-D", "-f", "-M", "--force"]) || can_be_options,
        "push" => {
            let refs = |word: &Word| word.lead().starts_with(['+', ':']);
            has(&["-f", "--force", "--mirror", "--del", "-d", "--prune"])
                || rest.iter().any(refs)
                || can_be_options
        }
        _ => false,
    }
}

/// Sorts arguments; `None` if one isn't known. A pattern that a shell would expand is a pathspec for git as well.
fn sorted(words: &[Word]) -> Option<Arguments> {
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

    /// Returns everything that may be a path.
    fn all_paths(&self) -> Vec<String> {
        self.operands.iter().chain(self.paths.iter().flatten()).cloned().collect()
    }
}

fn action(subcommand: &str, arguments: &Arguments) -> Option<GitAction> {
    match subcommand {
        "reset" => (arguments.has("--hard", 4) || arguments.has("--merge", 4)).then(|| GitAction::Reset {
            to: arguments.operands.first().map_or("HEAD", String::as_str).to_owned(),
        }),
        "clean" => clean(arguments),
        "checkout" => checkout(arguments),
        "restore" => restore(arguments),
        "switch" => switch(arguments),
        "stash" => match arguments.operands.split_first() {
            Some((verb, _)) if verb == "clear" => Some(GitAction::DropStash { which: None }),
            Some((verb, rest)) if verb == "drop" => Some(GitAction::DropStash {
                which: Some(rest.first().map_or("stash@{0}".to_owned(), stash_name)),
            }),
            Some(_) | None => None,
        },
        "branch" => branch(arguments),
        "push" => push(arguments),
        _ => None,
    }
}

fn stash_name(name: &String) -> String {
    if name.chars().all(|c| c.is_ascii_digit()) { format!("stash@{{{name}}}") } else { name.clone() }
}

fn clean(arguments: &Arguments) -> Option<GitAction> {
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

fn checkout(arguments: &Arguments) -> Option<GitAction> {
    let makes_branch = ["b", "B", "t"].iter().any(|letter| arguments.options.contains(&format!("-{letter}")));
    if arguments.has("--patch", 4) || arguments.options.iter().any(|option| option == "-p") {
        return None;
    }
    if arguments.has("--pathspec-from-file", 5) {
        return Some(GitAction::DiscardAll);
    }
    if let Some(paths) = arguments.paths.as_ref().filter(|paths| !paths.is_empty()) {
        return Some(GitAction::Discard { from: arguments.operands.first().cloned(), paths: paths.clone() });
    }
    if arguments.has("--force", 4) || arguments.has_letter('f') && !makes_branch {
        return Some(GitAction::DiscardAll);
    }
    match (
        arguments.operands.as_slice(),
        arguments.paths.is_some() || makes_branch || arguments.has("--orphan", 4),
    ) {
        (_, true) | ([], _) => None,
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

fn restore(arguments: &Arguments) -> Option<GitAction> {
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

fn switch(arguments: &Arguments) -> Option<GitAction> {
    if arguments.has("--force", 4) || arguments.has("--discard-changes", 5) || arguments.has_letter('f') {
        return Some(GitAction::DiscardAll);
    }
    let forced = arguments.has_letter('C') || arguments.has("--force-create", 8);
    forced.then(|| moved(&arguments.operands)).flatten()
}

fn branch(arguments: &Arguments) -> Option<GitAction> {
    let forced = arguments.has("--force", 4) || arguments.has_letter('f');
    let deletes =
        arguments.has_letter('D') || forced && (arguments.has("--delete", 4) || arguments.has_letter('d'));
    if deletes {
        let remote = arguments.has_letter('r') || arguments.has("--remotes", 5);
        let names = arguments.operands.clone();
        return (!names.is_empty()).then_some(GitAction::DropBranches { names, to: None, remote });
    }
    let renames = arguments.has_letter('M') || arguments.has_letter('C');
    match arguments.operands.as_slice() {
        [.., over] if renames => {
            Some(GitAction::DropBranches { names: vec![over.clone()], to: None, remote: false })
        }
        [_, ..] if forced => moved(&arguments.operands),
        [..] => None,
    }
}

fn moved(operands: &[String]) -> Option<GitAction> {
    let (name, rest) = operands.split_first()?;
    let to = Some(rest.first().map_or("HEAD", String::as_str).to_owned());
    Some(GitAction::DropBranches { names: vec![name.clone()], to, remote: false })
}
