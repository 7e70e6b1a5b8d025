//! `uninstall`: takes from the wishes, and with them what nothing needs any more.

use super::choose::{Freed, Intent, PlanError, choose, reachable};
use super::consent::Held;
use super::context::Context;
use super::plan::Plan;
use super::snapshot::Snapshot;
use pintle_manifest::{Name, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// What to uninstall.
#[derive(Debug, Clone)]
pub struct Uninstall {
    /// The names.
    pub names: Vec<Name>,
    /// What happens to what needs them.
    pub dependents: Dependents,
}

/// What happens to extensions that need one which is to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dependents {
    /// They stay, so the removal is refused.
    Keep,
    /// They go with it.
    Remove,
}

/// Plans a removal.
pub fn prepare(context: &Context<'_>, snapshot: &Snapshot, uninstall: &Uninstall) -> Result<Plan, PlanError> {
    let mut going: BTreeSet<Name> = BTreeSet::new();
    for name in &uninstall.names {
        let known =
            snapshot.wishes.extensions.contains_key(name) || snapshot.lock.extensions.contains_key(name);
        if !known {
            return Err(not_installed(snapshot, name));
        }
        going.insert(name.clone());
    }
    loop {
        let needing = needing(snapshot, &going);
        match (needing.is_empty(), uninstall.dependents) {
            (true, _) => break,
            (false, Dependents::Remove) => going.extend(needing.into_values().flatten()),
            (false, Dependents::Keep) => {
                let (name, by) = needing.into_iter().next().expect("it is not empty");
                return Err(PlanError::Needed { name, by });
            }
        }
    }
    let mut wishes = snapshot.wishes.clone();
    for name in &going {
        wishes.remove(name);
    }
    let mut lock = snapshot.lock.clone();
    let wanted = reachable(&wishes, &snapshot.lock);
    lock.extensions.retain(|name, _| wanted.contains(name));
    let intent = Intent {
        wishes,
        lock,
        fill: BTreeSet::new(),
        freed: Freed::Nothing,
        held: Held::new(),
        exact: BTreeMap::new(),
        prereleases: false,
    };
    choose(context, snapshot, intent)
}

/// Returns, for each that is to go, who is to stay and needs it.
fn needing(snapshot: &Snapshot, going: &BTreeSet<Name>) -> BTreeMap<Name, Vec<Name>> {
    let mut wishes = snapshot.wishes.clone();
    for name in going {
        wishes.remove(name);
    }
    // Only what someone still wants counts: a dependency of what is going does not hold it back.
    let wanted = reachable(&wishes, &snapshot.lock);
    let mut needing: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    for (name, locked) in snapshot.lock.extensions.iter().filter(|(name, _)| wanted.contains(name)) {
        for needed in
            locked.dependencies.keys().filter(|needed| going.contains(*needed) && !going.contains(name))
        {
            needing.entry(needed.clone()).or_default().push(name.clone());
        }
    }
    needing
}

pub(super) fn not_installed(snapshot: &Snapshot, name: &Name) -> PlanError {
    let known = snapshot.lock.extensions.keys().chain(snapshot.wishes.extensions.keys()).map(Name::as_str);
    PlanError::NotInstalled { name: name.clone(), similar: nearest(name.as_str(), known).map(str::to_owned) }
}
