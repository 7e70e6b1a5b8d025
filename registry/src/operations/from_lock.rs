//! What a lock means on this machine: which artifact of each release, where its files will be, what differs from
//! what is installed, and what has to be fetched for that.

use super::choose::PlanError;
use super::context::Context;
use super::plan::{Fetch, Note, Plan, compare};
use super::snapshot::Snapshot;
use crate::set::{Lock, Locked, LockedArtifact, LockedSource, Wishes};
use crate::store::{Installed, Set, Source};
use pintle_manifest::{Digest, HostName, Name, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Makes the plan that leads from a snapshot to a lock.
pub(super) fn make_plan(
    context: &Context<'_>,
    snapshot: &Snapshot,
    wishes: &Wishes,
    lock: Lock,
    hosts: BTreeMap<HostName, Version>,
    mut notes: Vec<Note>,
) -> Result<Plan, PlanError> {
    let (mut extensions, mut roots, mut archives) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
    for (name, locked) in &lock.extensions {
        let artifact = artifact_here(context, name, locked)?;
        if let Some((target, artifact)) = artifact.clone() {
            let (version, source) = (locked.version.clone(), locked.source.clone());
            archives.push(Fetch { name: name.clone(), version, source, artifact, target });
        }
        let root = match (&locked.source, &artifact) {
            (LockedSource::Folder(path), _) | (LockedSource::Archive(path), None) => {
                context.scope.directory().join(path)
            }
            (_, Some((_, artifact))) => link_to_store(context, &artifact.tree),
            (LockedSource::Registry(_), None) => continue,
        };
        roots.insert(name.clone(), root);
        extensions.insert(name.clone(), installed(context, wishes, name, locked, artifact));
    }
    let current = snapshot.current.as_ref();
    notes.extend(extensions.iter().filter_map(|(name, one)| incompatible(name, one, &hosts)));
    let set_changes = match current {
        None => !extensions.is_empty(),
        Some(set) => set.extensions != extensions || set.hosts != hosts || set.target != context.target,
    };
    // A host goes by the copy that a generation keeps, if the file is gone.
    let required_changes = snapshot.required_before.as_ref().is_some_and(|before| *before != wishes.required);
    // The same choice stays written as it is, however an editor may have left it.
    let lock_text = match &snapshot.lock_text {
        Some(text) if snapshot.lock == lock => text.clone(),
        None if lock.extensions.is_empty() => String::new(),
        _ => lock.to_text(),
    };
    Ok(Plan {
        wishes_text: wishes.to_text(),
        wished: wished(current, &extensions),
        wishes_before: snapshot.wishes_digest,
        lock_text,
        lock_before: snapshot.lock_digest(),
        lock,
        changes: compare(current.map(|set| &set.extensions), &extensions),
        extensions,
        roots,
        fetches: Vec::new(),
        archives,
        parent: current.map(|set| set.generation),
        hosts,
        target: context.target,
        notes,
        set_changes: set_changes || required_changes,
        required_changes,
        asks: Vec::new(),
        ungranted: Vec::new(),
        grants: Vec::new(),
    })
}

/// Says of what stays in the set which requirements of the person differ from those that it was made for.
fn wished(before: Option<&Set>, after: &BTreeMap<Name, Installed>) -> BTreeMap<Name, Option<Requirement>> {
    let stays = after.iter().filter_map(|(name, one)| Some((name, one, before?.extensions.get(name)?)));
    let changed = stays.filter(|(_, one, old)| one.wish != old.wish);
    changed.map(|(name, one, _)| (name.clone(), one.wish.clone())).collect()
}

/// Says which host an extension does not fit.
fn incompatible(name: &Name, one: &Installed, hosts: &BTreeMap<HostName, Version>) -> Option<Note> {
    let mut at_hand = one.hosts.iter().filter_map(|(host, needs)| Some((host, needs, hosts.get(host)?)));
    let (name, version) = (name.clone(), one.version.clone());
    if !hosts.is_empty() && !one.hosts.keys().any(|host| hosts.contains_key(host)) {
        return Some(Note::ForOtherHosts { name, version });
    }
    let (host, needs, have) = at_hand.find(|(_, needs, have)| !needs.matches(have))?;
    Some(Note::Incompatible { name, version, host: host.clone(), needs: needs.clone(), have: have.clone() })
}

fn artifact_here(
    context: &Context<'_>,
    name: &Name,
    locked: &Locked,
) -> Result<Option<(Target, LockedArtifact)>, PlanError> {
    if matches!(locked.source, LockedSource::Folder(_)) {
        return Ok(None);
    }
    match locked.artifact_for(context.target) {
        Some((target, artifact)) => Ok(Some((target, artifact.clone()))),
        None => Err(PlanError::NoArtifact {
            name: name.clone(),
            version: locked.version.clone(),
            target: context.target,
            offered: locked.artifacts.keys().copied().collect(),
        }),
    }
}

/// A relative link, so that a home can be moved.
pub(super) fn link_to_store(context: &Context<'_>, tree: &Digest) -> PathBuf {
    let up = match context.scope.kind {
        crate::store::ScopeKind::User => "../../../store",
        crate::store::ScopeKind::Project(_) => "../../../../../store",
    };
    PathBuf::from(up).join(tree.to_hex())
}

fn installed(
    context: &Context<'_>,
    wishes: &Wishes,
    name: &Name,
    locked: &Locked,
    artifact: Option<(Target, LockedArtifact)>,
) -> Installed {
    let place = |path: &str| context.scope.directory().join(path);
    Installed {
        version: locked.version.clone(),
        source: match &locked.source {
            LockedSource::Registry(registry) => Source::Registry(registry.clone()),
            LockedSource::Folder(path) => Source::Folder(place(path)),
            LockedSource::Archive(path) => Source::Archive(place(path)),
        },
        target: artifact.as_ref().map_or(Target::ANY, |(target, _)| *target),
        tree: artifact.map(|(_, artifact)| artifact.tree),
        wish: wishes.extensions.get(name).map(|wish| wish.requirement.clone()),
        dependencies: locked.dependencies.clone(),
        hosts: locked.hosts.clone(),
        permissions: locked.permissions.clone(),
        runtime: locked.runtime.clone(),
    }
}
