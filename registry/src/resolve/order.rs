//! The order in which chosen packages can be put in place: each after all that it needs.

use super::Question;
use super::solve::Choice;
use pintle_manifest::Name;
use std::collections::{BTreeMap, BTreeSet};

type Edges<'a> = BTreeMap<&'a Name, BTreeSet<&'a Name>>;

/// Returns every chosen name, dependencies first and otherwise by name, or a circle that makes this impossible.
pub(super) fn dependencies_first(
    question: &Question,
    chosen: &BTreeMap<Name, Choice>,
) -> Result<Vec<Name>, Vec<Name>> {
    let mut needs: Edges<'_> = BTreeMap::new();
    let mut needed_by: Edges<'_> = BTreeMap::new();
    for (name, choice) in chosen {
        let on = &choice.shelf.candidate(choice.rank).dependencies;
        needs.insert(name, on.keys().collect());
        for dependency in on.keys() {
            needed_by.entry(dependency).or_default().insert(name);
        }
    }
    let free = |needs: &Edges<'_>, name: &Name| needs.get(name).is_some_and(BTreeSet::is_empty);
    let mut ready: BTreeSet<&Name> = chosen.keys().filter(|name| free(&needs, name)).collect();
    let mut order = Vec::with_capacity(chosen.len());
    while let Some(name) = ready.pop_first() {
        needs.remove(name);
        order.push(name.clone());
        for dependent in needed_by.get(name).into_iter().flatten().copied() {
            needs.entry(dependent).and_modify(|left| {
                left.remove(name);
            });
            if free(&needs, dependent) {
                ready.insert(dependent);
            }
        }
    }
    if needs.is_empty() { Ok(order) } else { Err(circle(question, &needs)) }
}

/// Finds a circle among packages each of which waits for another one of them.
fn circle(question: &Question, waiting: &Edges<'_>) -> Vec<Name> {
    let mut walk: Vec<&Name> = Vec::new();
    let mut places: BTreeMap<&Name, usize> = BTreeMap::new();
    let mut next = waiting.keys().copied().next();
    while let Some(name) = next {
        if let Some(start) = places.insert(name, walk.len()) {
            walk.drain(..start);
            break;
        }
        walk.push(name);
        next = waiting.get(name).and_then(|needs| needs.first().copied());
    }
    // Told from what the person asked for, if that is part of it, else from the first by name.
    let first =
        walk.iter().enumerate().min_by_key(|(_, name)| (!question.wishes.contains_key(**name), **name));
    let start = first.map_or(0, |(place, _)| place);
    walk.rotate_left(start);
    walk.extend(walk.first().copied());
    walk.into_iter().cloned().collect()
}
