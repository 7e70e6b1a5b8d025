//! Reads the arguments of a `git push`, which overwrites or deletes something on the other side if they or the settings
//! say so.

use super::danger::{GitAction, PushRef};
use super::subcommand::Arguments;

/// Options that take a value as the next word.
const WITH_VALUE: [&str; 5] = ["-o", "--push-option", "--repo", "--receive-pack", "--exec"];

/// Returns what a push overwrites or deletes.
pub(super) fn push(arguments: &Arguments) -> Option<GitAction> {
    if arguments.has("--dry-run", 4) || arguments.has_letter('n') {
        return None;
    }
    let deletes = arguments.has("--delete", 4) || arguments.has_letter('d');
    let mirror = arguments.has("--mirror", 3) || arguments.has("--prune", 5);
    // `--force-with-lease` and `--force-if-includes` begin with `--force` as well, so one look is enough.
    let forced = arguments.options.iter().any(|option| option.starts_with("--force") || option == "--forc")
        || arguments.has_letter('f');
    let mut operands =
        arguments.operands.iter().chain(arguments.paths.iter().flatten()).cloned().collect::<Vec<_>>();
    for option in &arguments.options {
        if WITH_VALUE.contains(&option.as_str()) && !operands.is_empty() {
            operands.remove(0);
        }
    }
    let mut operands = operands.into_iter();
    let remote = operands.next();
    let named: Vec<String> = operands.collect();
    let refs: Vec<PushRef> = named.iter().filter_map(|text| push_ref(text, deletes, forced)).collect();
    // Named branches that are pushed without force lose nothing, if nothing forces all of them.
    let everything = (forced || mirror) && named.is_empty();
    if everything || mirror || !refs.is_empty() {
        return Some(GitAction::Push { remote, refs, mirror });
    }
    // Settings hold for what is named without saying what it becomes, and where nothing is named.
    let has_own = arguments.has("--all", 5) || arguments.has("--branches", 4) || arguments.has("--tags", 4);
    let plain: Vec<String> = named.iter().filter(|text| !text.contains(':')).cloned().collect();
    let is_open = if named.is_empty() { !has_own } else { !plain.is_empty() };
    is_open.then_some(GitAction::PushAsSet { remote, names: plain })
}

/// `git send-pack` and `git http-push`: what `git push` does, and no settings.
pub(super) fn send_pack(arguments: &Arguments) -> Option<GitAction> {
    match push(arguments)? {
        action @ GitAction::Push { .. } => Some(action),
        _ => None,
    }
}

/// Returns what a value of `remote.NAME.push` overwrites or deletes.
pub fn configured_ref(text: &str) -> Option<PushRef> {
    push_ref(text, false, false)
}

fn push_ref(text: &str, deletes: bool, forced: bool) -> Option<PushRef> {
    let plus = text.strip_prefix('+');
    let spec = plus.unwrap_or(text);
    let short = |name: &str| name.strip_prefix("refs/heads/").unwrap_or(name).to_owned();
    match spec.split_once(':') {
        _ if deletes => Some(PushRef { source: None, target: short(spec) }),
        Some(("", target)) if !target.is_empty() => Some(PushRef { source: None, target: short(target) }),
        Some((source, target)) if plus.is_some() || forced => {
            Some(PushRef { source: Some(source.to_owned()), target: short(target) })
        }
        None if plus.is_some() || forced => {
            Some(PushRef { source: Some(spec.to_owned()), target: short(spec) })
        }
        Some(_) | None => None,
    }
}
