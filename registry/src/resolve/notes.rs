//! What a person should hear about a choice: which newer release was passed over and why, and what was withdrawn.

use super::shelf::Shelf;
use super::solve::Choice;
use super::{Note, Question, Why};
use pintle_manifest::{Name, Requirement, Version};
use std::collections::{BTreeMap, HashMap};

/// Returns the notes on a choice, by name. A package that stays as it was locked gets none about newer releases.
pub(super) fn about(question: &Question, chosen: &BTreeMap<Name, Choice>) -> Vec<Note> {
    let requirements = requirements_on(question, chosen);
    let mut notes = Vec::new();
    for (name, Choice { shelf, rank }) in chosen {
        let candidate = shelf.candidate(*rank);
        let version = &candidate.version;
        let locked = question.locked.get(name) == Some(version);
        if candidate.yanked {
            notes.push(Note::YankedButLocked { name: name.clone(), version: version.clone() });
            continue;
        }
        if locked {
            continue;
        }
        let on = requirements.get(name).map_or(&[][..], Vec::as_slice);
        let unavailable = newest_unavailable(shelf, version, on);
        let held = question.wishes.get(name).and_then(|wish| newest_held(shelf, *rank, wish, chosen));
        let newest = unavailable.into_iter().chain(held).max_by(|left, right| left.0.cmp(&right.0));
        notes.extend(newest.map(|(version, why)| Note::PassedOver { name: name.clone(), version, why }));
    }
    notes
}

fn requirements_on<'a>(
    question: &'a Question,
    chosen: &'a BTreeMap<Name, Choice>,
) -> HashMap<&'a Name, Vec<&'a Requirement>> {
    let mut requirements: HashMap<&Name, Vec<&Requirement>> = HashMap::new();
    let needed = chosen.values().flat_map(|choice| choice.shelf.candidate(choice.rank).dependencies.iter());
    for (name, requirement) in question.wishes.iter().chain(needed) {
        requirements.entry(name).or_default().push(requirement);
    }
    requirements
}

/// Finds the newest full release above the chosen one that all requirements admit and the host or target does not.
fn newest_unavailable(shelf: &Shelf, above: &Version, on: &[&Requirement]) -> Option<(Version, Why)> {
    let newer = shelf.passed().rev().take_while(|(candidate, _)| candidate.version > *above);
    newer
        .filter(|(candidate, why)| {
            matches!(why, Why::NeedsHost { .. } | Why::NotForHost | Why::NoArtifact { .. })
                && !candidate.version.is_prerelease()
                && on.iter().all(|requirement| requirement.matches(&candidate.version))
        })
        .map(|(candidate, why)| (candidate.version.clone(), why.clone()))
        .next()
}

/// Finds the newest release that the wish admits and another chosen package stands against.
fn newest_held(
    shelf: &Shelf,
    chosen_rank: u32,
    wish: &Requirement,
    chosen: &BTreeMap<Name, Choice>,
) -> Option<(Version, Why)> {
    let rank = shelf.admitted(wish).highest().filter(|rank| *rank > chosen_rank)?;
    let candidate = shelf.candidate(rank);
    let holders = chosen.iter().filter_map(|(by, Choice { shelf: other, rank })| {
        let needs = other.candidate(*rank).dependencies.get(&shelf.name)?;
        let version = other.version(*rank).clone();
        let movable = *rank + 1 < other.height();
        let why = Why::HeldBack { by: by.clone(), version, needs: needs.clone() };
        (!needs.matches(&candidate.version)).then_some((movable, why))
    });
    // One that has nowhere newer to go is more likely the cause than one that is held back itself.
    let holder = holders.min_by_key(|(movable, _)| *movable).map(|(_, why)| why);
    let clash = || {
        candidate.dependencies.iter().find_map(|(on, needs)| {
            let choice = chosen.get(on)?;
            let have = choice.shelf.version(choice.rank);
            (!needs.matches(have)).then(|| Why::Clashes {
                on: on.clone(),
                needs: needs.clone(),
                have: have.clone(),
            })
        })
    };
    holder.or_else(clash).map(|why| (candidate.version.clone(), why))
}
