//! `sync`: makes what is installed be what the lock says, and the lock be what the wishes say.

use super::choose::{Freed, Intent, PlanError, choose};
use super::context::Context;
use super::plan::Plan;
use super::snapshot::Snapshot;
use crate::set::Wishes;
use crate::store::commit::{self, MAX_TEXT};
use crate::store::fs;
use crate::store::{Installed, Set, Source, Store};
use pintle_manifest::Digest;
use std::collections::{BTreeMap, BTreeSet};

/// Plans whatever brings the set in line with its wishes, keeping to the lock.
pub fn prepare(context: &Context<'_>, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let intent = Intent {
        wishes: snapshot.wishes.clone(),
        lock: snapshot.lock.clone(),
        fill: BTreeSet::new(),
        freed: Freed::Nothing,
        exact: BTreeMap::new(),
        prereleases: false,
    };
    choose(context, snapshot, intent)
}

/// Returns the current set if there is nothing to do: the files are those of the current generation and every release
/// of it is in the store. Reads no registry, no lock and no package. `None` means only that it takes a closer look.
pub fn up_to_date(context: &Context<'_>) -> Option<Set> {
    let scope = &context.scope;
    if commit::is_pending(scope) {
        return None;
    }
    let set = scope.generations().read_current().ok()??;
    let wishes = fs::read(&scope.wishes, MAX_TEXT).ok()?;
    let lock = fs::read(&scope.lock, MAX_TEXT).ok()?;
    let parsed = Wishes::parse(std::str::from_utf8(&wishes).ok()?).ok()?;
    let store = Store::new(scope.home.store());
    let is_whole = |one: &Installed| match (&one.source, &one.tree) {
        (Source::Folder(_), _) | (_, None) => false,
        (Source::Registry(_) | Source::Archive(_), Some(tree)) => store.has(tree),
    };
    let same = set.wishes == Digest::of(&wishes)
        && set.lock == Digest::of(&lock)
        && set.target == context.target
        && set.hosts == context.hosts_for(&parsed)
        && set.extensions.values().all(is_whole);
    same.then_some(set)
}
