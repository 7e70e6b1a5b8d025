//! Reads a git command line: the options before the subcommand, the settings and aliases that the line gives, and what the
//! subcommand throws away or runs.

use super::danger::{Action, GitAction, GitPlace};
use super::hosted::hosted;
use super::reader::{Feed, Reader};
use super::refs::update_refs;
use super::settings::{Given, is_program};
use super::shell::Shell;
use super::subcommand::{DESTRUCTIVE, action, may_be_meant, sorted};
use super::word::{Word, joined};

/// Subcommands of git that are known to be git's own; any other may be an alias.
const OWN: &str = " add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore \
    check-mailmap check-ref-format checkout checkout-index cherry cherry-pick citool clean clone column commit \
    commit-graph commit-tree config count-objects credential daemon describe diagnose diff diff-files diff-index \
    diff-tree difftool fast-export fast-import fetch fetch-pack filter-branch filter-repo fmt-merge-msg for-each-ref for-each-repo \
    format-patch fsck gc get-tar-commit-id grep gui hash-object help hook http-backend http-push init init-db instaweb \
    interpret-trailers lfs log ls-files ls-remote ls-tree mailinfo mailsplit maintenance merge merge-base merge-file \
    merge-index merge-tree mergetool mktag mktree multi-pack-index mv name-rev notes pack-objects pack-refs patch-id \
    prune prune-packed pull push range-diff read-tree rebase receive-pack reflog refs remote repack replace replay \
    request-pull rerere reset restore rev-list rev-parse revert rm send-email send-pack shell shortlog show \
    show-branch show-index show-ref sparse-checkout stash status stripspace submodule subtree svn switch \
    symbolic-ref tag unpack-file unpack-objects update-index update-ref update-server-info upload-archive \
    upload-pack var verify-commit verify-pack verify-tag version whatchanged worktree write-tree gitk flow crypt \
    annex absorb p4 cvsimport cvsexportcommit cvsserver quiltimport refs backfill last-modified repo ";

/// Reads a git command.
pub(super) fn git(reader: &mut Reader, words: &[Word], shell: &mut Shell, feed: &Feed) {
    let mut own = shell.clone();
    let mut given = Given::of(shell);
    let assigned = |name: &str| shell.text(name).map(str::to_owned);
    let mut place = GitPlace {
        git_dir: assigned("GIT_DIR"),
        work_tree: assigned("GIT_WORK_TREE"),
        ..GitPlace::default()
    };
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
            ("-c", _) => given.option(next),
            ("--config-env", value) => given.variable(value, shell),
            ("--help" | "--version" | "-h" | "-v", _) => return,
            _ => {}
        }
        at += if takes_next { 2 } else { 1 };
    }
    place.settings = given.settings;
    place.hidden = given.hidden;
    let Some(name) = words.get(at) else { return };
    let rest = &words[at + 1..];
    let Some(subcommand) = name.known() else {
        let why = "which subcommand of git it is, nobody can tell before it runs";
        return reader.opaque(words, why, &own);
    };
    let set = place.settings.iter().filter(|(name, _)| is_program(name)).map(|(_, program)| program);
    for program in given.programs.iter().chain(set) {
        reader.inner_line(program.trim_start_matches('!'), &own);
    }
    if !OWN.contains(&format!(" {subcommand} ")) {
        return other(reader, words, subcommand, rest, place, &own);
    }
    if matches!(rest.first().and_then(Word::known), Some("--help" | "-h")) {
        return;
    }
    hosted(reader, subcommand, rest, &own);
    if matches!(subcommand, "config" | "remote") {
        return Given::keep(subcommand, rest, shell);
    }
    if !DESTRUCTIVE.contains(&subcommand) {
        return;
    }
    if subcommand == "update-ref" && rest.iter().any(|word| word.known() == Some("--stdin")) {
        match update_refs(feed) {
            Some(actions) => {
                for action in actions {
                    reader.add(joined(words), Action::Git { place: place.clone(), action }, &own);
                }
            }
            None => reader.opaque(words, "it reads what it would delete, which nobody can tell", &own),
        }
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
    if let Some(action) = action(subcommand, &arguments, &place.settings) {
        reader.add(joined(words), Action::Git { place, action }, &own);
    }
}

/// A subcommand that git does not have itself: an alias, here or in the settings of the repository.
fn other(reader: &mut Reader, words: &[Word], name: &str, rest: &[Word], place: GitPlace, shell: &Shell) {
    let is_meant = |key: &str| {
        key.split_once('.').is_some_and(|(section, alias)| {
            section.eq_ignore_ascii_case("alias") && alias.eq_ignore_ascii_case(name)
        })
    };
    if let Some((_, line)) = place.settings.iter().rfind(|(key, _)| is_meant(key)) {
        let line = match line.strip_prefix('!') {
            Some(line) => format!("{line} {}", joined(rest)),
            None => format!("git {line} {}", joined(rest)),
        };
        let begin = reader.found.len();
        reader.inner_line(&line, shell);
        for danger in &mut reader.found[begin..] {
            if let Action::Git { place: own, .. } = &mut danger.action {
                *own = std::mem::take(own).within(&place);
            }
        }
        return;
    }
    let action = GitAction::Alias { name: name.to_owned(), rest: joined(rest) };
    reader.add(joined(words), Action::Git { place, action }, shell);
}
