//! `sync`: makes what is installed be what the lock says, and the lock be what the wishes say.

use super::choose::{Freed, Intent, PlanError, choose};
use super::context::Context;
use super::plan::Plan;
use super::snapshot::Snapshot;
use crate::set::Wishes;
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

/// Tells, without reading a registry, a lock or a package, that there is nothing to do: the files are those of the
/// current generation and every release of it is in the store. `false` means only that it takes a closer look.
pub fn is_current(context: &Context<'_>, wishes: &[u8], lock: &[u8], set: &Set) -> bool {
    let store = Store::new(context.scope.home.store());
    let is_whole = |one: &Installed| match (&one.source, &one.tree) {
        (Source::Folder(_), _) | (_, None) => false,
        (Source::Registry(_) | Source::Archive(_), Some(tree)) => store.has(tree),
    };
    let parsed = std::str::from_utf8(wishes).ok().and_then(|text| Wishes::parse(text).ok());
    set.wishes == Digest::of(wishes)
        && set.lock == Digest::of(lock)
        && set.target == context.target
        && parsed.is_some_and(|wishes| context.hosts_for(&wishes) == set.hosts)
        && set.extensions.values().all(is_whole)
}
