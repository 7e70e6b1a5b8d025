//! `sync`: makes what is installed be what the lock says, and the lock be what the wishes say.

use super::choose::{Freed, Intent, PlanError, choose};
use super::consent::Held;
use super::context::Access;
use super::context::Context;
use super::plan::{Fetch, Note, Plan};
use super::snapshot::Snapshot;
use super::sources;
use crate::set::{LockedSource, Wishes};
use crate::store::commit::{self, MAX_TEXT};
use crate::store::fs;
use crate::store::{Installed, Set, Source, Store};
use crate::trust::Grants;
use pintle_manifest::{Digest, Name};
use std::collections::{BTreeMap, BTreeSet};

/// Plans whatever brings the set in line with its wishes, keeping to the lock.
pub fn prepare(context: &Context<'_>, snapshot: &Snapshot) -> Result<Plan, PlanError> {
    let intent = Intent {
        wishes: snapshot.wishes.clone(),
        lock: snapshot.lock.clone(),
        fill: BTreeSet::new(),
        freed: Freed::Nothing,
        held: Held::new(),
        exact: BTreeMap::new(),
        prereleases: false,
    };
    let mut plan = choose(context, snapshot, intent)?;
    plan.look_into(&Store::new(context.scope.home.store()));
    plan.notes.extend(yanked_among(context, snapshot, &plan));
    Ok(plan)
}

/// Says which of the releases that are about to be fetched were yanked. A lock is installed without asking a registry
/// what to choose, so this is asked apart, and only where a registry is needed anyway; one that does not answer here
/// does so when the archive is fetched.
fn yanked_among(context: &Context<'_>, snapshot: &Snapshot, plan: &Plan) -> Vec<Note> {
    let known: Vec<&Name> = plan.notes.iter().filter_map(Note::yanked_name).collect();
    let new = plan.fetches.iter().filter(|fetch| !known.contains(&&fetch.name)).collect::<Vec<_>>();
    // What was chosen anew has its notes already.
    if new.is_empty() || plan.lock_changes() || context.access == Access::Offline {
        return Vec::new();
    }
    let Ok(registries) = sources::open(context, &snapshot.wishes) else { return Vec::new() };
    let note = |fetch: &&Fetch| {
        let LockedSource::Registry(registry) = &fetch.source else { return None };
        let release = registries.get(registry).ok()?.release(&fetch.name, &fetch.version).ok()??;
        let (name, version) = (fetch.name.clone(), fetch.version.clone());
        release.yanked.map(|yank| Note::Yanked { name, version, yank: Some(yank) })
    };
    let notes = new.iter().filter_map(note).collect();
    sources::close(context, &registries);
    notes
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
        // A folder or an archive file may have changed since.
        (Source::Folder(_) | Source::Archive(_), _) | (Source::Registry(_), None) => false,
        (Source::Registry(_), Some(tree)) => store.has(tree),
    };
    let same = set.wishes == Digest::of(&wishes)
        && set.lock == Digest::of(&lock)
        && set.target == context.target
        && set.hosts == context.hosts_for(&parsed)
        && set.extensions.values().all(is_whole)
        && is_granted(context, &set);
    same.then_some(set)
}

/// Tells whether everything of a set was granted what it asks for.
fn is_granted(context: &Context<'_>, set: &Set) -> bool {
    let mut asking = set.extensions.iter().filter(|(_, one)| !one.permissions.is_empty()).peekable();
    if asking.peek().is_none() {
        return true;
    }
    let Ok(grants) = Grants::read(&context.scope.home) else { return false };
    asking.all(|(name, one)| grants.covers_installed(name, one, &context.meaning))
}
