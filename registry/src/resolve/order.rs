//! The order in which chosen packages can be put in place: each after all that it needs.

use super::Question;
use super::solve::Choice;
use pintle_manifest::Name;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Returns every chosen name, dependencies first and otherwise by name, or a circle that makes this impossible.
pub(super) fn dependencies_first(
    question: &Question,
    chosen: &BTreeMap<Name, Choice>,
) -> Result<Vec<Name>, Vec<Name>> {
    // A place in this list stands for a name, and comes before another exactly if the name does.
    let names: Vec<&Name> = chosen.keys().collect();
    let places: HashMap<&Name, usize> = names.iter().copied().zip(0..).collect();
    let needs: Vec<Vec<usize>> = chosen
        .values()
        .map(|choice| &choice.shelf.candidate(choice.rank).dependencies)
        .map(|on| on.keys().filter_map(|name| places.get(name).copied()).collect())
        .collect();
    let mut needed_by: Vec<Vec<usize>> = vec![Vec::new(); names.len()];
    for (place, on) in needs.iter().enumerate() {
        for dependency in on {
            needed_by[*dependency].push(place);
        }
    }
    let mut waits_for: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut ready: BTreeSet<usize> = (0..names.len()).filter(|place| waits_for[*place] == 0).collect();
    let mut order = Vec::with_capacity(names.len());
    while let Some(place) = ready.pop_first() {
        order.push(names[place].clone());
        for dependent in &needed_by[place] {
            waits_for[*dependent] -= 1;
            if waits_for[*dependent] == 0 {
                ready.insert(*dependent);
            }
        }
    }
    if order.len() == names.len() {
        return Ok(order);
    }
    let mut circle: Vec<&Name> = circle(&needs, &waits_for).into_iter().map(|place| names[place]).collect();
    // Told from what the person asked for, if that is part of it, else from the first by name.
    let start = (0..circle.len())
        .min_by_key(|place| (!question.wishes.contains_key(circle[*place]), circle[*place]))
        .unwrap_or(0);
    circle.rotate_left(start);
    circle.extend(circle.first().copied());
    Err(circle.into_iter().cloned().collect())
}

/// Finds a circle among places each of which waits for another one of them.
fn circle(needs: &[Vec<usize>], waits_for: &[usize]) -> Vec<usize> {
    let waiting = |place: &usize| waits_for[*place] > 0;
    let mut walk = Vec::new();
    let mut steps: HashMap<usize, usize> = HashMap::new();
    let mut next = (0..needs.len()).find(waiting);
    while let Some(place) = next {
        if let Some(start) = steps.insert(place, walk.len()) {
            walk.drain(..start);
            break;
        }
        walk.push(place);
        next = needs[place].iter().copied().find(waiting);
    }
    walk
}
