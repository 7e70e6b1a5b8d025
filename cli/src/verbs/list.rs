//! `pintle list`: shows what is installed, from the current generation alone.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::lower;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{permission, table, words};
use clap::Args;
use pintle_loader::keep::{Places, Quarantine};
use pintle_manifest::{Name, Untrusted};
use pintle_registry::operations::switch_off::dependents;
use pintle_registry::set::Lock;
use pintle_registry::store::commit::MAX_TEXT;
use pintle_registry::store::{Disabled, Installed, Scope, Set, StateError, fs};
use pintle_registry::trust::{Grants, Meaning};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Lists what is installed
#[derive(Debug, Args)]
#[command(visible_alias = "ls")]
pub(crate) struct ListArgs {
    /// Lists only what was asked for, not what that needs
    #[arg(long)]
    wishes: bool,
}

struct List {
    scope: Scope,
    set: Option<Set>,
    disabled: Disabled,
    /// `None` if it can't be read.
    grants: Option<Grants>,
    meaning: Meaning,
    /// What is left out because something it needs is disabled, and what that is.
    left_out: BTreeMap<Name, Name>,
    /// What no command is run without, as far as that can be read.
    required: BTreeSet<Name>,
    quarantine: Quarantine,
    /// How many extensions the lock names, if nothing was ever installed.
    locked: usize,
    only_wishes: bool,
}

impl Document for List {
    fn verb(&self) -> &'static str {
        "list"
    }
    fn json(&self) -> Map<String, Value> {
        let rows = self.rows().map(|(name, one)| {
            json!({
                "name": name,
                "version": one.version,
                "source": words::source(&one.source),
                "target": one.target,
                "tree": one.tree,
                "wish": one.wish,
                "pinned": one.wish.as_ref().is_some_and(|wish| wish.pinned().is_some()),
                "disabled": self.disabled.names.get(name).map(|why| json!({ "since": why.since, "reason": why.reason })),
                "undecided": self.disabled.is_undecided(name),
                "left_out": self.left_out.get(name),
                "required": self.required.contains(name),
                "quarantined": self.quarantined(name, one),
                "runtime": one.runtime,
                "permissions": one.permissions,
                "sentences": permission::document(&one.permissions),
                "granted": self.grants.as_ref().map(|grants| grants.covers_installed(name, one, &self.meaning)),
                "hosts": one.hosts,
                "dependencies": one.dependencies,
            })
        });
        let mut map = Map::new();
        map.insert("scope".to_owned(), words::scope(&self.scope));
        map.insert("generation".to_owned(), json!(self.set.as_ref().map(|set| set.generation)));
        map.insert("extensions".to_owned(), rows.collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let rows: Vec<Vec<String>> = self
            .rows()
            .map(|(name, one)| {
                let mut facts = vec![one.source.to_string()];
                if one.wish.as_ref().is_some_and(|wish| wish.pinned().is_some()) {
                    facts.push("pinned".to_owned());
                }
                if one.wish.is_none() {
                    facts.push("dependency".to_owned());
                }
                if let Some(why) = self.disabled.names.get(name) {
                    let reason = why.reason.as_ref().map(|reason| format!(" ({})", Untrusted(reason)));
                    facts.push(format!("disabled{}", reason.unwrap_or_default()));
                } else if self.disabled.is_undecided(name) {
                    facts.push("not known whether disabled".to_owned());
                } else if let Some(needed) = self.left_out.get(name) {
                    facts.push(format!("left out (needs {needed})"));
                }
                if self.quarantined(name, one) {
                    facts.push("in quarantine".to_owned());
                }
                if self.required.contains(name) {
                    facts.push("required".to_owned());
                }
                if self
                    .grants
                    .as_ref()
                    .is_some_and(|grants| !grants.covers_installed(name, one, &self.meaning))
                {
                    facts.push("not granted".to_owned());
                }
                facts.push(permission::confinement(&one.runtime).to_owned());
                vec![name.to_string(), one.version.to_string(), facts.join(", ")]
            })
            .collect();
        match rows.is_empty() {
            true if self.locked > 0 => {
                let count = words::count(self.locked, "extension", "extensions");
                paint.dim(&format!("nothing is installed here; pintle.lock names {count}: run `pintle sync`"))
                    + "\n"
            }
            true => paint.dim("nothing is installed here; try `pintle install NAME`") + "\n",
            false => table::columns(&rows),
        }
    }
}

impl List {
    fn quarantined(&self, name: &Name, one: &Installed) -> bool {
        self.quarantine.of(name, &one.version, one.tree).is_some()
    }

    fn rows(&self) -> impl Iterator<Item = (&Name, &Installed)> {
        let all = self.set.iter().flat_map(|set| &set.extensions);
        all.filter(|(_, one)| !self.only_wishes || one.wish.is_some())
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ListArgs) -> Result<Exit, Failure> {
    let scope = situation.scope();
    let set = scope.generations().read_current()?;
    // What is disabled is a remark here; that it can't be read is said, and the list is shown all the same.
    let warn = |error: StateError| situation.ui.warning_of(&error.into());
    let disabled = Disabled::read(&scope).map_err(warn).unwrap_or_else(|()| Disabled::unknown(situation.now));
    // So is what was granted.
    let grants = Grants::read(&situation.home).map_err(warn).ok();
    // And so is what failed too often.
    let quarantine = Quarantine::read(&Places::below(&scope.base).state);
    let quarantine = quarantine.map_err(|error| situation.ui.warning_of(&error.into())).unwrap_or_default();
    // And what is required, which the wishes alone say.
    let required = lower::required(&scope).map_err(|failure| situation.ui.warning_of(&failure));
    let required = required.unwrap_or_default();
    let left_out = set.as_ref().map(|set| left_out(set, &disabled)).unwrap_or_default();
    let locked = if set.is_none() { locked(situation, &scope) } else { 0 };
    situation.ui.document(&List {
        scope,
        set,
        disabled,
        grants,
        meaning: crate::host::meaning(),
        left_out,
        required,
        quarantine,
        locked,
        only_wishes: arguments.wishes,
    });
    Ok(Exit::Done)
}

fn left_out(set: &Set, disabled: &Disabled) -> BTreeMap<Name, Name> {
    let mut left_out = BTreeMap::new();
    for name in disabled.names.keys() {
        for dependent in dependents(set, std::slice::from_ref(name)) {
            left_out.entry(dependent).or_insert_with(|| name.clone());
        }
    }
    left_out
}

/// A hint is not worth a failure: a lock that can't be read names nothing here, and that is said.
fn locked(situation: &Situation<'_>, scope: &Scope) -> usize {
    let bytes = fs::read_if_present(&scope.lock, MAX_TEXT)
        .map_err(|error| situation.ui.warning_of(&error.into()))
        .unwrap_or_default();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.and_then(|text| Lock::parse(&text).ok()).map_or(0, |lock| lock.extensions.len())
}
