//! What of the sets can be handed over although something can't be read, for whoever only looks. What can't be read is
//! told apart, and the rest is handed over as if it said nothing. Nothing of this may be run.

use super::{Installation, Members, add, not_known_to_be_on, require, required, scopes};
use crate::failure::Failure;
use crate::situation::Situation;
use pintle_loader::bundle::{Candidate, Rank};
use pintle_manifest::Name;
use pintle_registry::store::{Disabled, Scope, Set};
use pintle_registry::trust::Grants;
use std::collections::BTreeSet;

/// What could be read.
#[derive(Debug, Default)]
pub(crate) struct Salvaged {
    /// Each member of the sets that can be read, of a name that several have all of them.
    pub candidates: Vec<Candidate>,
    /// What is installed in each scope, as far as that can be read.
    pub sets: Vec<(Scope, Option<Set>)>,
    /// What can't be read.
    pub unreadable: Vec<Failure>,
}

/// Reads whatever can be read.
pub(crate) fn salvage(situation: &Situation<'_>) -> Salvaged {
    let mut unreadable = Vec::new();
    let grants = kept(Grants::read(&situation.home), &mut unreadable);
    let mut is_whole = true;
    let (mut sets, mut members, mut all_required) = (Vec::new(), Members::new(), Vec::new());
    for (scope, rank) in scopes(situation) {
        let read = scope.generations().read_current();
        is_whole &= read.is_ok();
        let set = kept(read, &mut unreadable);
        let disabled = kept(Disabled::read(&scope), &mut unreadable);
        all_required.push((rank, kept(required(&scope), &mut unreadable)));
        if let Some(set) = &set {
            unreadable.extend(not_known_to_be_on(disabled.undecided(set)).map(|failure| {
                failure.detail("path", Disabled::path(&scope).to_string_lossy().into_owned())
            }));
            let (scope, disabled, grants) = (&scope, &disabled, &grants);
            let source = Installation { scope, set, disabled, grants, rank };
            for (name, one) in &set.extensions {
                add(&mut members, source.candidate(name, one), BTreeSet::new());
            }
        }
        sets.push((scope, set));
    }
    // What a set that can't be read would hold is not missing, and what to do about that set was told.
    if !is_whole {
        all_required.iter_mut().for_each(|(_, names): &mut (Rank, BTreeSet<Name>)| {
            names.retain(|name| members.contains_key(name))
        });
    }
    require(&all_required, &mut members);
    let candidates = members.into_values().flatten().map(|(candidate, _)| candidate).collect();
    Salvaged { candidates, sets, unreadable }
}

fn kept<T: Default, E: Into<Failure>>(read: Result<T, E>, unreadable: &mut Vec<Failure>) -> T {
    read.unwrap_or_else(|error| {
        unreadable.push(error.into());
        T::default()
    })
}
