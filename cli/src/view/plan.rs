//! A plan on the screen and in a document.

use super::{note, permission, trust, words};
use crate::ui::Paint;
use pintle_manifest::{Name, Permissions, Requirement};
use pintle_registry::operations::change::Changed;
use pintle_registry::operations::plan::{Change, Plan};
use pintle_registry::store::{Installed, Scope, Source};
use pintle_registry::trust::{Ask, combined};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Returns the lines that say what changes, the risky facts with it.
pub(crate) fn change_lines(
    changes: &BTreeMap<Name, Change>,
    after: &BTreeMap<Name, Installed>,
    asks: &[Ask],
    paint: Paint,
) -> String {
    let ask = |name: &Name| asks.iter().find(|ask| ask.name == *name);
    changes.iter().map(|(name, change)| line(name, change, after.get(name), ask(name), paint)).collect()
}

/// Returns the lines that say what is asked for by what does not change: a linked folder whose manifest asks for more.
pub(crate) fn unchanged_lines(changes: &BTreeMap<Name, Change>, asks: &[Ask], paint: Paint) -> String {
    let unchanged = asks.iter().filter(|ask| !changes.contains_key(&ask.name));
    unchanged.map(|ask| ask_lines(ask, paint)).collect()
}

/// Returns the lines of one that asks for something.
pub(crate) fn ask_lines(ask: &Ask, paint: Paint) -> String {
    let nothing = Permissions::new();
    let new = if ask.missing == ask.permissions { &nothing } else { &ask.missing };
    let lines = permission::lines(&ask.permissions, new, &ask.runtime, paint);
    format!("  {} {}\n{lines}", paint.bold(ask.name.as_str()), ask.version)
}

/// Returns the same for a document.
pub(crate) fn changes_document(changes: &BTreeMap<Name, Change>, after: &BTreeMap<Name, Installed>) -> Value {
    changes.iter().map(|(name, change)| change_document(name, change, after.get(name))).collect()
}

fn line(
    name: &Name,
    change: &Change,
    installed: Option<&Installed>,
    ask: Option<&Ask>,
    paint: Paint,
) -> String {
    let Some(one) = installed else {
        let Change::Remove { from } = change else { return String::new() };
        return format!("{} {} {from}\n", paint.bad("-"), paint.bold(name.as_str()));
    };
    let to = &one.version;
    let (mark, versions) = match change {
        Change::Add | Change::Remove { .. } => (paint.good("+"), to.to_string()),
        Change::Upgrade { from } => (paint.good("~"), format!("{from} -> {to}")),
        Change::Downgrade { from } => (paint.warn("~"), format!("{from} -> {to} (downgrade)")),
        Change::Replace { from } => (paint.warn("~"), format!("{to} (was from {from})")),
    };
    let from = paint.dim(&format!("from {}", one.source));
    let mut text = format!("{mark} {} {versions}  {from}\n", paint.bold(name.as_str()));
    let nothing = Permissions::new();
    let new = match (change, ask) {
        // Of what is new as a whole no part needs to be marked.
        (Change::Add, _) | (_, None) => &nothing,
        (
            Change::Remove { .. }
            | Change::Upgrade { .. }
            | Change::Downgrade { .. }
            | Change::Replace { .. },
            Some(ask),
        ) => &ask.missing,
    };
    text.push_str(&permission::lines(&one.permissions, new, &one.runtime, paint));
    text
}

/// Returns the one line that says what was done, or would be.
pub(crate) fn summary(changed: &Changed) -> String {
    let Changed { plan, set, done, refused } = changed;
    let (set, done) = (set.as_ref(), *done);
    if let (true, None, false) = (done, set, plan.grants.is_empty()) {
        let names = plan.grants.iter().map(|new| &new.name);
        return format!("Granted what {} asked for\n", words::list(names));
    }
    let count = |wanted: fn(&Change) -> bool| plan.changes.values().filter(|change| wanted(change)).count();
    let parts: Vec<String> = [
        (count(|change| matches!(change, Change::Add)), "installed"),
        (count(|change| matches!(change, Change::Upgrade { .. })), "updated"),
        (count(|change| matches!(change, Change::Downgrade { .. })), "downgraded"),
        (count(|change| matches!(change, Change::Replace { .. })), "replaced"),
        (count(|change| matches!(change, Change::Remove { .. })), "removed"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, what)| format!("{count} {what}"))
    .collect();
    match (done, parts.is_empty(), set) {
        (false, false, _) => format!("Would be: {} (dry run, nothing was changed)\n", parts.join(", ")),
        (false, true, _) if !plan.fetches.is_empty() => {
            let count = words::count(plan.fetches.len(), "release", "releases");
            format!("Would put {count} back into the store (dry run)\n")
        }
        (false, true, _) if !plan.is_empty() => format!("{} (dry run)\n", recorded(plan, done)),
        (false, true, _) => "Nothing would change (dry run)\n".to_owned(),
        (true, false, Some(set)) => {
            let mut text = parts.join(", ");
            text[..1].make_ascii_uppercase();
            format!("{text} (generation {})\n", set.generation)
        }
        (true, true, _) if !plan.fetches.is_empty() => {
            format!("Put {} back into the store\n", words::count(plan.fetches.len(), "release", "releases"))
        }
        (true, true, Some(set)) => format!("{} (generation {})\n", recorded(plan, done), set.generation),
        (true, _, None) if !refused.is_empty() => {
            "Nothing was changed: what is newer waits until it is allowed\n".to_owned()
        }
        (true, _, None) => "Nothing to do: everything is as wished\n".to_owned(),
    }
}

/// Says what a generation records that changes no extension.
fn recorded(plan: &Plan, done: bool) -> String {
    let verb = if done { "Recorded" } else { "Would record" };
    if !plan.wished.is_empty() {
        let told = plan.wished.iter().map(|(name, wish)| wished(name, wish.as_ref(), done));
        return told.collect::<Vec<_>>().join(", ");
    }
    match (plan.wishes_change(), plan.lock_changes()) {
        (true, _) => format!("{verb} what pintle.toml says now"),
        (false, true) => format!("{verb} what pintle.lock says now; what is installed stays as it is"),
        (false, false) if plan.required_changes => format!("{verb} what is required"),
        (false, false) => {
            let hosts = words::list(plan.hosts.iter().map(|(host, version)| format!("{host} {version}")));
            format!("{verb} that this was chosen for {hosts}")
        }
    }
}

/// Says what is asked for now of one that stays as it is.
fn wished(name: &Name, wish: Option<&Requirement>, done: bool) -> String {
    let is = if done { "is now" } else { "would be" };
    match wish {
        None => format!("{name} {is} here only because something needs it"),
        Some(wish) => match wish.pinned() {
            Some(version) => format!("{name} {is} pinned at {version}"),
            None if *wish == Requirement::any() => format!("{name} {is} free to be any version"),
            None => format!("{name} {is} held to `{wish}`"),
        },
    }
}

/// Returns a plan, and what became of it, for a document.
pub(crate) fn document(scope: &Scope, changed: &Changed) -> Map<String, Value> {
    let Changed { plan, set, done, refused } = changed;
    let mut map = Map::new();
    map.insert("scope".to_owned(), words::scope(scope));
    map.insert("dry_run".to_owned(), json!(!done));
    map.insert("changed".to_owned(), json!(set.is_some()));
    map.insert("generation".to_owned(), json!(set.as_ref().map(|set| set.generation)));
    map.insert("wishes_changed".to_owned(), json!(plan.wishes_change()));
    map.insert("lock_changed".to_owned(), json!(plan.lock_changes()));
    map.insert("changes".to_owned(), changes_document(&plan.changes, &plan.extensions));
    let fetches = plan.fetches.iter().map(|fetch| {
        json!({ "name": fetch.name, "version": fetch.version, "target": fetch.target, "bytes": fetch.artifact.size })
    });
    map.insert("fetches".to_owned(), fetches.collect());
    map.insert("asks".to_owned(), refused.iter().map(trust::ask_document).collect());
    map.insert("accept_permissions".to_owned(), json!(combined(refused).map(|hash| hash.to_hex())));
    let granted = if *done { plan.grants.as_slice() } else { &[] };
    map.insert("granted".to_owned(), granted.iter().map(trust::grant_document).collect());
    map.insert("notes".to_owned(), plan.notes.iter().map(note::document).collect());
    map
}

/// Returns the document of a plan that was not even made, since nothing is to be done.
pub(crate) fn document_of_nothing(scope: &Scope, dry_run: bool) -> Map<String, Value> {
    let nothing = || Value::Array(Vec::new());
    let pairs = [
        ("scope", words::scope(scope)),
        ("dry_run", json!(dry_run)),
        ("changed", json!(false)),
        ("generation", Value::Null),
        ("wishes_changed", json!(false)),
        ("lock_changed", json!(false)),
        ("changes", nothing()),
        ("fetches", nothing()),
        ("asks", nothing()),
        ("accept_permissions", Value::Null),
        ("granted", nothing()),
        ("notes", nothing()),
    ];
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn change_document(name: &Name, change: &Change, installed: Option<&Installed>) -> Value {
    let (kind, from) = match change {
        Change::Add => ("add", None),
        Change::Remove { from } => ("remove", Some(from)),
        Change::Upgrade { from } => ("upgrade", Some(from)),
        Change::Downgrade { from } => ("downgrade", Some(from)),
        Change::Replace { .. } => ("replace", None),
    };
    json!({
        "name": name,
        "change": kind,
        "from": from,
        "to": installed.map(|one| &one.version),
        "source": installed.map(|one| words::source(&one.source)),
        "linked": installed.is_some_and(|one| matches!(one.source, Source::Folder(_))),
        "runtime": installed.map(|one| &one.runtime),
        "permissions": installed.map(|one| &one.permissions),
        "sentences": installed.map(|one| permission::document(&one.permissions)),
    })
}
