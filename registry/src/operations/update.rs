//! `update`: moves what is installed to what is newest within the wishes, never down, and never what is pinned or
//! linked.

use super::choose::{Freed, Intent, PlanError, choose};
use super::consent::Held;
use super::context::Context;
use super::outdated::{self, Outdated};
use super::plan::{Note, Plan};
use super::snapshot::Snapshot;
use super::uninstall::not_installed;
use crate::set::WishOrigin;
use pintle_manifest::{Name, Requirement, Version};
use std::collections::{BTreeMap, BTreeSet};

/// What to update.
#[derive(Debug, Clone)]
pub struct Update {
    /// The names; none means everything.
    pub names: Vec<Name>,
    /// The exact version that the one name is to have, up or down.
    pub precise: Option<Version>,
    /// Whether pre-releases may be chosen.
    pub prereleases: bool,
    /// What stays where it is, since nobody allowed what its newer version asks for.
    pub held: Held,
}

/// Plans an update.
pub fn prepare(context: &Context<'_>, snapshot: &Snapshot, update: &Update) -> Result<Plan, PlanError> {
    let mut exact = BTreeMap::new();
    for name in &update.names {
        let known =
            snapshot.lock.extensions.contains_key(name) || snapshot.wishes.extensions.contains_key(name);
        if !known {
            return Err(not_installed(snapshot, name));
        }
        if let Some(version) = &update.precise {
            check_pin(snapshot, name, version)?;
            exact.insert(name.clone(), version.clone());
        }
    }
    let freed = match update.names.is_empty() {
        true => Freed::Everything,
        false => Freed::Names(update.names.iter().cloned().collect()),
    };
    let intent = Intent {
        wishes: snapshot.wishes.clone(),
        lock: snapshot.lock.clone(),
        fill: BTreeSet::new(),
        freed,
        held: update.held.clone(),
        exact,
        prereleases: update.prereleases,
    };
    let mut plan = choose(context, snapshot, intent)?;
    plan.notes.extend(unmoved(snapshot, update, &plan));
    plan.notes.extend(held_back(context, snapshot, update, &plan));
    Ok(plan)
}

fn check_pin(snapshot: &Snapshot, name: &Name, asked: &Version) -> Result<(), PlanError> {
    let Some(wish) = snapshot.wishes.extensions.get(name) else { return Ok(()) };
    match wish.requirement.matches(asked) {
        true => Ok(()),
        false => Err(PlanError::Pinned {
            name: name.clone(),
            pinned: wish.requirement.clone(),
            asked: asked.clone(),
        }),
    }
}

/// Says what is newer than the person's own requirements allow. What is pinned is told as such.
fn held_back(context: &Context<'_>, snapshot: &Snapshot, update: &Update, plan: &Plan) -> Vec<Note> {
    if update.precise.is_some() {
        return Vec::new();
    }
    let is_bounded = |name: &Name| {
        let wish = snapshot.wishes.extensions.get(name);
        wish.is_some_and(|wish| wish.requirement.pinned().is_none() && wish.requirement != Requirement::any())
    };
    let is_meant = |name: &Name| update.names.is_empty() || update.names.contains(name);
    let found = outdated::among(context, snapshot, &|name| is_meant(name) && is_bounded(name));
    let told = found
        .into_iter()
        .filter(|one| plan.extensions.get(&one.name).is_some_and(|installed| installed.version < one.newest));
    told.filter_map(Outdated::held_back).collect()
}

/// Says why something that an update looked at stays where it is, if the person decided so.
fn unmoved(snapshot: &Snapshot, update: &Update, plan: &Plan) -> Vec<Note> {
    let meant = |name: &Name| update.names.is_empty() || update.names.contains(name);
    let stays = snapshot.wishes.extensions.iter().filter(|(name, _)| meant(name));
    let stays = stays.filter(|(name, _)| !plan.changes.contains_key(*name));
    stays
        .filter_map(|(name, wish)| match (&wish.origin, wish.requirement.pinned()) {
            (WishOrigin::Folder(_), _) => Some(Note::Local { name: name.clone() }),
            (WishOrigin::Archive(_), _) => {
                let version = plan.extensions.get(name)?.version.clone();
                Some(Note::Pinned { name: name.clone(), version })
            }
            (WishOrigin::Any | WishOrigin::Registry(_), Some(version)) => {
                Some(Note::Pinned { name: name.clone(), version: version.clone() })
            }
            (WishOrigin::Any | WishOrigin::Registry(_), None) => None,
        })
        .collect()
}
