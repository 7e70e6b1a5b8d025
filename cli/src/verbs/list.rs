//! `pintle list`: shows what is installed, from the current generation alone.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{permission, table, words};
use clap::Args;
use pintle_registry::store::{Disabled, Scope, Set, StateError};
use serde_json::{Map, Value, json};

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
                "runtime": one.runtime,
                "permissions": one.permissions,
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
                if self.disabled.names.contains_key(name) {
                    facts.push("disabled".to_owned());
                }
                facts.push(permission::confinement(&one.runtime).to_owned());
                vec![name.to_string(), one.version.to_string(), facts.join(", ")]
            })
            .collect();
        match rows.is_empty() {
            true => paint.dim("nothing is installed here; try `pintle install NAME`") + "\n",
            false => table::columns(&rows),
        }
    }
}

impl List {
    fn rows(&self) -> impl Iterator<Item = (&pintle_manifest::Name, &pintle_registry::store::Installed)> {
        let all = self.set.iter().flat_map(|set| &set.extensions);
        all.filter(|(_, one)| !self.only_wishes || one.wish.is_some())
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ListArgs) -> Result<Exit, Failure> {
    let scope = situation.scope();
    let set = scope.generations().read_current()?;
    // What is disabled is a remark here; that it can't be read is said, and the list is shown all the same.
    let disabled = Disabled::read(&scope).unwrap_or_else(|error: StateError| {
        situation.ui.warning(error);
        Disabled::default()
    });
    situation.ui.document(&List { scope, set, disabled, only_wishes: arguments.wishes });
    Ok(Exit::Done)
}
