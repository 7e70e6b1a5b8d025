//! `tree` and `why`: how what is installed hangs together, from the current set alone.

use crate::store::Set;
use pintle_manifest::{Name, Requirement, Version};
use std::collections::{BTreeSet, VecDeque};

/// One extension in the tree, with what it needs below it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Branch {
    /// Its name.
    pub name: Name,
    /// Its version.
    pub version: Version,
    /// The requirement by which what is above it needs it; for a root, the wish.
    pub requirement: Requirement,
    /// What it needs; left out where it was shown before.
    pub needs: Vec<Branch>,
    /// Whether it was shown before, so that its needs are left out here.
    pub repeated: bool,
}

/// Returns what a person asked for, each with what it needs. What an extension needs is shown once.
pub fn tree(set: &Set) -> Vec<Branch> {
    let mut shown = BTreeSet::new();
    let wishes = set.extensions.iter().filter_map(|(name, one)| Some((name, one.wish.as_ref()?)));
    wishes.filter_map(|(name, requirement)| branch(set, name, requirement, &mut shown)).collect()
}

fn branch(set: &Set, name: &Name, requirement: &Requirement, shown: &mut BTreeSet<Name>) -> Option<Branch> {
    let one = set.extensions.get(name)?;
    let repeated = !shown.insert(name.clone()) && !one.dependencies.is_empty();
    let needs = match repeated {
        true => Vec::new(),
        false => {
            one.dependencies.iter().filter_map(|(name, needs)| branch(set, name, needs, shown)).collect()
        }
    };
    let (name, version, requirement) = (name.clone(), one.version.clone(), requirement.clone());
    Some(Branch { name, version, requirement, needs, repeated })
}

/// One way from a wish to an extension: each step is needed by the one before it.
pub type Chain = Vec<(Name, Requirement)>;

/// Returns the shortest way from each wish that leads to an extension, shortest first.
pub fn why(set: &Set, name: &Name) -> Vec<Chain> {
    let wishes = set.extensions.iter().filter_map(|(root, one)| Some((root, one.wish.as_ref()?)));
    let mut chains: Vec<Chain> =
        wishes.filter_map(|(root, requirement)| chain(set, root, requirement, name)).collect();
    chains.sort_by_key(Vec::len);
    chains
}

fn chain(set: &Set, root: &Name, requirement: &Requirement, goal: &Name) -> Option<Chain> {
    let mut seen = BTreeSet::from([root.clone()]);
    let mut open = VecDeque::from([vec![(root.clone(), requirement.clone())]]);
    while let Some(chain) = open.pop_front() {
        let (last, _) = chain.last()?;
        if last == goal {
            return Some(chain);
        }
        for (next, needs) in &set.extensions.get(last)?.dependencies {
            if seen.insert(next.clone()) {
                let mut longer = chain.clone();
                longer.push((next.clone(), needs.clone()));
                open.push_back(longer);
            }
        }
    }
    None
}
