//! What a plan asks a person for, and what follows if nobody says yes. Asks nobody itself, and records nothing.
//!
//! A release needs a yes of its own, bound to its tree hash. Where it takes the place of a release of the same registry
//! that was granted the same or more, that grant is carried over to it, and nobody is asked twice.

use super::context::Context;
use super::plan::{Change, Note, Plan};
use super::snapshot::Snapshot;
use super::trust::NewGrant;
use crate::store::{Installed, Source, StateError};
use crate::trust::{Ask, Coverage, Grant, Grants, How, Stake, Subject, carried};
use pintle_manifest::{Digest, Name, Version};
use std::collections::{BTreeMap, BTreeSet};

/// What stays at a version, whatever else moves.
pub type Held = BTreeMap<Name, Version>;

/// What is said to a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Consent {
    /// Do it, and grant this.
    Given(Accepted),
    /// What it asks for is not granted; what then is done, [`Unanswered`] says.
    Refused,
    /// Something else was accepted beforehand than what it asks for, so nothing may be done.
    Mismatched,
    /// Do nothing; it was only to be shown.
    Withheld,
}

/// What a person said yes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Accepted {
    /// The extensions that are granted all that they ask for.
    pub names: BTreeSet<Name>,
    /// How it was said.
    pub how: How,
}

impl Accepted {
    /// Says yes to a plan that asks for nothing.
    pub const fn nothing() -> Self {
        Self { names: BTreeSet::new(), how: How::Asked }
    }
}

/// What is done with a plan whose asks nobody said yes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// Nothing.
    Refuse,
    /// What asks, or brings what asks, stays where it is; the rest is done.
    Hold,
    /// What is new is put in place, and is not loaded. What would take the place of a version that may run is not.
    PutInPlace,
}

/// Finds out what a plan asks for, what is carried over, and what else in the set lacks a grant.
pub(super) fn find_asks(
    context: &Context<'_>,
    snapshot: &Snapshot,
    plan: &mut Plan,
) -> Result<(), StateError> {
    let nothing = BTreeMap::new();
    let before = snapshot.current.as_ref().map_or(&nothing, |set| &set.extensions);
    let asking: Vec<(Name, Installed)> = plan
        .extensions
        .iter()
        .filter(|(_, one)| !one.permissions.is_empty())
        .map(|(name, one)| (name.clone(), one.clone()))
        .collect();
    let moves = |name: &Name, one: &Installed| {
        plan.changes.contains_key(name) || before.get(name).is_some_and(|old| changed_folder(old, one))
    };
    let moving: BTreeSet<Name> =
        asking.iter().filter(|(name, one)| moves(name, one)).map(|(name, _)| name.clone()).collect();
    if asking.is_empty() {
        return Ok(());
    }
    let grants = match Grants::read(&context.scope.home) {
        Ok(grants) => grants,
        // What only stays as it is needs no grant to stay; whoever loads it looks for itself.
        Err(_) if moving.is_empty() => return Ok(()),
        Err(error) => return Err(error),
    };
    for (name, one) in asking {
        let Some(subject) = Subject::of(&one) else { continue };
        let reading = context.meaning.to(&one.hosts);
        let Coverage::Missing(missing) = grants.covers(&name, &subject, &one.permissions, reading) else {
            continue;
        };
        let ask = |missing, stake| Ask {
            name: name.clone(),
            version: one.version.clone(),
            subject: subject.clone(),
            runtime: one.runtime.clone(),
            permissions: one.permissions.clone(),
            missing,
            stake,
        };
        if !moving.contains(&name) {
            plan.ungranted.push(ask(missing, Stake::InPlace));
            continue;
        }
        let old = before.get(&name);
        let lent = old.and_then(|old| lent(&grants, &name, old, &one));
        // What it did not ask for any more was given back, though the grant may be for more.
        let beyond = lent.map_or(missing, |(_, grant)| {
            let lacks = |have| crate::trust::missing(have, &one.permissions, reading);
            let beyond = lacks(&grant.permissions);
            if beyond.is_empty() { old.map_or(beyond, |old| lacks(&old.permissions)) } else { beyond }
        });
        match (lent, beyond.is_empty()) {
            (Some((from, old)), true) => plan.grants.push(NewGrant {
                name: name.clone(),
                subject: subject.clone(),
                grant: Grant {
                    version: one.version.clone(),
                    permissions: carried(&old.permissions, &one.permissions, reading),
                    at: context.now,
                    how: How::Carried { from },
                },
            }),
            (_, _) => plan.asks.push(ask(beyond, stake(context, &grants, &name, old, &subject))),
        }
    }
    Ok(())
}

/// Tells whether a folder that stays linked asks for something else now.
fn changed_folder(old: &Installed, one: &Installed) -> bool {
    matches!(one.source, Source::Folder(_)) && old.permissions != one.permissions
}

/// Returns the grant that a release may take over from the one whose place it takes: one of the same registry, which is
/// all that is known of who published it, and one whose code was not confined more.
fn lent<'a>(
    grants: &'a Grants,
    name: &Name,
    old: &Installed,
    one: &Installed,
) -> Option<(Digest, &'a Grant)> {
    let same_registry =
        matches!((&old.source, &one.source), (Source::Registry(a), Source::Registry(b)) if a == b);
    let gains_rights = old.runtime == "wasm" && one.runtime != "wasm";
    let tree = old.tree.filter(|_| same_registry && !gains_rights)?;
    Some((tree, grants.get(name, &Subject::Tree(tree))?))
}

fn stake(
    context: &Context<'_>,
    grants: &Grants,
    name: &Name,
    old: Option<&Installed>,
    subject: &Subject,
) -> Stake {
    let Some(old) = old else { return Stake::New };
    let old_subject = Subject::of(old);
    if subject.is_folder() && old_subject.as_ref() == Some(subject) {
        return Stake::InPlace;
    }
    let may_run = grants.covers_installed(name, old, &context.meaning);
    if may_run { Stake::Replaces } else { Stake::ReplacesUngranted }
}

impl Plan {
    /// Takes what a person said yes to from what is asked to what is granted; the rest is left without a grant.
    pub(super) fn accept(&mut self, accepted: &Accepted, context: &Context<'_>) {
        let asks = std::mem::take(&mut self.asks).into_iter().chain(std::mem::take(&mut self.ungranted));
        for ask in asks {
            match accepted.names.contains(&ask.name) {
                true => self.grants.push(NewGrant::of(&ask, accepted.how.clone(), context.now)),
                false => self.ungranted.push(ask),
            }
        }
        self.ungranted.sort_by(|left, right| left.name.cmp(&right.name));
    }

    /// Puts back among those without a grant what was to be carried over from a grant that is no more.
    pub(super) fn drop_grants(&mut self, names: &[Name]) {
        for new in self.grants.extract_if(.., |new| names.contains(&new.name)) {
            let Some(one) = self.extensions.get(&new.name) else { continue };
            self.ungranted.push(Ask {
                name: new.name,
                version: new.grant.version,
                subject: new.subject,
                runtime: one.runtime.clone(),
                missing: new.grant.permissions.clone(),
                permissions: new.grant.permissions,
                stake: Stake::InPlace,
            });
        }
    }

    /// Adds what is to be said of those without a grant.
    pub(super) fn tell_ungranted(&mut self) {
        let note = |ask: &Ask| Note::NotGranted { name: ask.name.clone(), version: ask.version.clone() };
        self.notes.extend(self.ungranted.iter().map(note));
    }

    /// Tells whether it can be carried out without the grants that it asks for.
    pub(super) fn may_be_put_in_place(&self, unanswered: Unanswered) -> bool {
        self.asks.iter().all(|ask| match (unanswered, ask.stake) {
            (_, Stake::InPlace) | (Unanswered::PutInPlace, Stake::New | Stake::ReplacesUngranted) => true,
            (Unanswered::PutInPlace, Stake::Replaces)
            | (
                Unanswered::Refuse | Unanswered::Hold,
                Stake::New | Stake::Replaces | Stake::ReplacesUngranted,
            ) => false,
        })
    }

    /// Returns who must stay where it is so that nothing is asked, and the notes that say so. `None` if that can't be.
    pub(super) fn held_back(&self, snapshot: &Snapshot) -> Option<(Held, Vec<Note>)> {
        let before = &snapshot.current.as_ref()?.extensions;
        let mut asking: BTreeMap<&Name, Vec<Name>> = BTreeMap::new();
        for ask in self.asks.iter().filter(|ask| ask.stake != Stake::InPlace) {
            for name in self.who_brings(before, &ask.name)? {
                asking.entry(name).or_default().push(ask.name.clone());
            }
        }
        let mut held = Held::new();
        let mut notes = Vec::new();
        for (name, asking) in asking {
            let (version, to) =
                (before.get(name)?.version.clone(), self.extensions.get(name)?.version.clone());
            held.insert(name.clone(), version.clone());
            notes.push(Note::Waits { name: name.clone(), version, to, asking });
        }
        Some((held, notes))
    }

    /// Returns who has to stay so that a name stays, or stays away: itself, or those that bring it.
    fn who_brings<'a>(
        &'a self,
        before: &BTreeMap<Name, Installed>,
        name: &'a Name,
    ) -> Option<BTreeSet<&'a Name>> {
        let (mut found, mut seen, mut open) = (BTreeSet::new(), BTreeSet::new(), vec![name]);
        while let Some(name) = open.pop() {
            if !seen.insert(name) {
                continue;
            }
            match (before.get(name), self.changes.get(name)) {
                (Some(_), Some(Change::Upgrade { .. } | Change::Downgrade { .. })) => {
                    found.insert(name);
                }
                (None, _) if self.extensions.get(name)?.wish.is_none() => {
                    let needs = |one: &Installed| one.dependencies.contains_key(name);
                    open.extend(self.extensions.iter().filter(|(_, one)| needs(one)).map(|(by, _)| by));
                }
                // A person wants it for itself, or it comes from another place: there is nothing to go back to.
                (Some(_) | None, _) => return None,
            }
        }
        Some(found)
    }
}
