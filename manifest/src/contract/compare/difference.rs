//! One difference between two contracts, and the collection of them.

use super::bump::Bump;
use super::schema::Toward;
use crate::contract::model::Contract;
use std::collections::{BTreeMap, BTreeSet};

/// One thing that is different.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// In which of the two texts it stands.
    pub side: Side,
    /// Where, as the keys that lead there.
    pub place: Vec<String>,
    /// What notices it: the hook, call, slot or permission.
    pub part: String,
    /// What is different.
    pub what: String,
    /// What that does to an extension that was written for the old one.
    pub why: String,
    /// How large a step of the version it needs.
    pub needs: Bump,
    /// Why no version number admits it at all, if that is so.
    pub refused: Option<String>,
}

/// One of the two contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The earlier.
    Old,
    /// The later.
    New,
}

/// Two contracts and what was found to differ so far.
pub(crate) struct Comparing<'a> {
    pub(crate) old: &'a Contract,
    pub(crate) new: &'a Contract,
    found: BTreeMap<(Vec<String>, Side, String), Difference>,
    /// The pairs of named types that were compared already, or are being compared, in each direction.
    seen: BTreeSet<(Toward, String, String)>,
    /// What is compared at the moment.
    part: String,
}

impl<'a> Comparing<'a> {
    pub(crate) fn new(old: &'a Contract, new: &'a Contract) -> Self {
        Self { old, new, found: BTreeMap::new(), seen: BTreeSet::new(), part: String::new() }
    }

    /// Says what is compared from now on.
    pub(super) fn begin(&mut self, noun: &str, name: &str) {
        self.part = format!("{noun} `{name}`");
    }

    /// Adds a difference that stands in the later contract.
    pub(super) fn add(
        &mut self,
        place: &[&str],
        needs: Bump,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.push(Side::New, place, needs, what.into(), why.into(), None);
    }

    /// Adds a difference that stands in the earlier contract, since it is gone from the later.
    pub(super) fn add_gone(
        &mut self,
        place: &[&str],
        needs: Bump,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        self.push(Side::Old, place, needs, what.into(), why.into(), None);
    }

    /// Adds a difference that no version number admits.
    pub(super) fn refuse(&mut self, side: Side, place: &[&str], what: impl Into<String>, because: String) {
        let why = "extensions must have had the time to follow";
        self.push(side, place, Bump::Major, what.into(), why.to_owned(), Some(because));
    }

    fn push(
        &mut self,
        side: Side,
        place: &[&str],
        needs: Bump,
        what: String,
        why: String,
        refused: Option<String>,
    ) {
        let place: Vec<String> = place.iter().map(|key| (*key).to_owned()).collect();
        let key = (place.clone(), side, what.clone());
        let difference = Difference { side, place, part: self.part.clone(), what, why, needs, refused };
        // A type that is used twice is judged twice; the worse judgement counts.
        match self.found.get_mut(&key) {
            Some(earlier) if earlier.needs >= difference.needs => {}
            Some(earlier) => *earlier = difference,
            None => {
                self.found.insert(key, difference);
            }
        }
    }

    /// Notes that two named types are compared. Tells whether they were not, in this direction.
    pub(super) fn see(&mut self, toward: Toward, old: &str, new: &str) -> bool {
        self.seen.insert((toward, old.to_owned(), new.to_owned()))
    }

    /// Returns what was found, in order of place.
    pub(crate) fn finish(self) -> Vec<Difference> {
        self.found.into_values().collect()
    }
}
