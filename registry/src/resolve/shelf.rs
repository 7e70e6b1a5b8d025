//! Everything known of one package in one resolution: its candidates by age, which of them may be chosen, and why
//! the others may not.

use super::ranks::Ranks;
use super::{Candidate, Question, Why, eligible};
use pintle_manifest::{Comparator, Name, Operator, Requirement, Version};
use pubgrub::VersionSet;
use std::rc::Rc;
use std::sync::Arc;

/// Holds the candidates of one package. A *rank* is a place among the eligible ones, the oldest being 0.
#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) name: Name,
    /// The name once more, cheap to clone, to break ties.
    pub(super) tie: Rc<str>,
    candidates: Arc<[Candidate]>,
    /// Places of the eligible candidates, oldest first.
    eligible: Vec<usize>,
    /// Places of the others, oldest first, and why they are not eligible.
    passed: Vec<(usize, Why)>,
    /// The rank of the locked version, if it is eligible.
    pub(super) locked: Option<u32>,
    /// Whether a person asks for this package.
    pub(super) direct: bool,
}

impl Shelf {
    pub(super) fn new(question: &Question, name: &Name, candidates: Arc<[Candidate]>) -> Self {
        let mut by_age: Vec<usize> = (0..candidates.len()).collect();
        by_age.sort_by(|left, right| {
            let (left, right) = (&candidates[*left].version, &candidates[*right].version);
            left.cmp(right).then_with(|| left.to_string().cmp(&right.to_string()))
        });
        by_age.dedup_by(|later, kept| candidates[*later].version == candidates[*kept].version);
        let (mut eligible, mut passed) = (Vec::with_capacity(by_age.len()), Vec::new());
        for place in by_age {
            match eligible::objection(question, name, &candidates[place]) {
                None => eligible.push(place),
                Some(why) => passed.push((place, why)),
            }
        }
        let wanted = question.locked.get(name);
        let locked = wanted.and_then(|version| {
            eligible.binary_search_by(|place| candidates[*place].version.cmp(version)).ok()
        });
        Self {
            name: name.clone(),
            tie: Rc::from(name.as_str()),
            locked: locked.map(rank_of),
            direct: question.wishes.contains_key(name),
            candidates,
            eligible,
            passed,
        }
    }

    /// Returns the eligible candidate of a rank.
    pub(super) fn candidate(&self, rank: u32) -> &Candidate {
        &self.candidates[self.eligible[rank as usize]]
    }

    /// Returns the version of a rank.
    pub(super) fn version(&self, rank: u32) -> &Version {
        &self.candidate(rank).version
    }

    /// Returns the number of eligible candidates.
    pub(super) fn height(&self) -> u32 {
        rank_of(self.eligible.len())
    }

    /// Returns the candidates that may not be chosen, oldest first.
    pub(super) fn passed(&self) -> impl DoubleEndedIterator<Item = (&Candidate, &Why)> {
        self.passed.iter().map(|(place, why)| (&self.candidates[*place], why))
    }

    /// Returns every version there is, eligible or not, oldest first.
    pub(super) fn versions(&self) -> Vec<&Version> {
        let mut versions: Vec<&Version> =
            self.candidates.iter().map(|candidate| &candidate.version).collect();
        versions.sort_unstable();
        versions.dedup();
        versions
    }

    /// Returns the ranks whose versions satisfy a requirement.
    pub(super) fn admitted(&self, requirement: &Requirement) -> Ranks {
        let (mut start, mut end, mut holes) = (0, self.height(), None::<Ranks>);
        for comparator in requirement.comparators() {
            if comparator.operator == Operator::Not {
                let excluded = Comparator { operator: Operator::Exact, ..comparator.clone() };
                let (from, to) = self.bounds(&excluded);
                let hole = Ranks::span(from, to);
                holes = Some(holes.map_or_else(|| hole.clone(), |holes| holes.union(&hole)));
            } else {
                let (from, to) = self.bounds(comparator);
                (start, end) = (start.max(from), end.min(to));
            }
        }
        let span = Ranks::span(start, end);
        holes.map_or_else(|| span.clone(), |holes| span.intersection(&holes.complement()))
    }

    /// Returns the first rank that satisfies a comparator and the first after those that do.
    fn bounds(&self, comparator: &Comparator) -> (u32, u32) {
        let count = |below: &dyn Fn(&Version) -> bool| {
            rank_of(self.eligible.partition_point(|place| below(&self.candidates[*place].version)))
        };
        let start = match comparator.lower_bound() {
            None => 0,
            Some((low, true)) => count(&|version| *version < low),
            Some((low, false)) => count(&|version| *version <= low),
        };
        let end = match comparator.upper_bound() {
            None => self.height(),
            Some((high, true)) => count(&|version| *version <= high),
            Some((high, false)) => count(&|version| *version < high),
        };
        (start, end)
    }
}

fn rank_of(place: usize) -> u32 {
    u32::try_from(place).expect("a package document is bounded far below four thousand million releases")
}
