//! What stands between the wishes and an answer, as facts that a program can use. The words are in `explain`.

use super::core::Core;
use super::pool::{Id, Pool, Stop};
use super::shelf::Shelf;
use super::solve::{Effort, Gone, Outcome, search};
use super::{Catalog, Question, Why, explain};
use pintle_manifest::{Comparator, Name, Requirement, Version};
use std::collections::BTreeMap;
use std::fmt::{self, Display};

/// Past this many wishes a proof is not tried again with fewer: the time is better spent than on that.
const MOST_WISHES_TRIED: usize = 24;
/// What it may cost to make an explanation better, in rounds of search that lead nowhere.
const EFFORT_FOR_WORDS: u32 = 1_000;

/// Explains why wishes can't be had together, or not here. Displayed as its sentences, one a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The wishes that can't be had: leave out any one of them, and the others could be.
    pub wishes: BTreeMap<Name, Requirement>,
    /// What the conflict stands on, from the wishes down.
    pub facts: Vec<Fact>,
    /// The older versions that would do, if packages were allowed to move below their floors.
    pub downgrades: BTreeMap<Name, Version>,
}

/// States one thing that a conflict stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// A person or some versions of a package need another package.
    Needs {
        /// Who needs it.
        asker: Asker,
        /// What is needed.
        name: Name,
        /// Which versions of it, as written.
        requirement: Requirement,
    },
    /// Something needs a package that does not exist.
    Unknown {
        /// Who needs it.
        asker: Asker,
        /// The name that nothing has.
        name: Name,
    },
    /// No version satisfies a requirement.
    NoVersion {
        /// The package.
        name: Name,
        /// The requirement, as written.
        requirement: Requirement,
        /// The versions next to what is required, at most one on each side.
        nearest: Vec<Version>,
    },
    /// Versions satisfy a requirement, but none of them may be chosen.
    NoneUsable {
        /// The package.
        name: Name,
        /// The requirement, as written.
        requirement: Requirement,
        /// The newest version for each kind of reason, newest first.
        unusable: Vec<Unusable>,
        /// The newest older version that may be chosen, if it is the person who requires these.
        older: Option<Version>,
    },
    /// This version would satisfy everybody, but may not be chosen.
    WouldDo {
        /// The package.
        name: Name,
        /// The newest such version.
        unusable: Unusable,
    },
}

/// Says who needs a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asker {
    /// The person who asks.
    Wish,
    /// Some versions of a package.
    Package {
        /// The package.
        name: Name,
        /// Runs of neighbouring versions, each from its first to its last.
        spans: Vec<(Version, Version)>,
        /// Whether these are all versions there are.
        every: bool,
    },
}

/// Names a version that may not be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable {
    /// The version.
    pub version: Version,
    /// Why not.
    pub why: Why,
}

impl Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentences().join("\n"))
    }
}

impl Conflict {
    /// Returns the explanation: a few sentences in lower case and without full stops.
    pub fn sentences(&self) -> Vec<String> {
        explain::sentences(self)
    }

    /// Returns the newest version that satisfies the requirement in the way, with the reason why none that does may be
    /// chosen, if the conflict comes down to one requirement and one kind of reason.
    pub fn only_reason(&self) -> Option<&Unusable> {
        let mut reasons = self.facts.iter().filter(|fact| !matches!(fact, Fact::Needs { .. }));
        let (Some(Fact::NoneUsable { unusable, .. }), None) = (reasons.next(), reasons.next()) else {
            return None;
        };
        match unusable.as_slice() {
            [one] => Some(one),
            [] | [_, _, ..] => None,
        }
    }

    /// Returns the release that only its having been withdrawn keeps from being chosen, if the conflict comes down to
    /// that.
    pub fn withdrawn(&self) -> Option<(&Name, &Version)> {
        let unusable = self.only_reason().filter(|unusable| unusable.why == Why::Yanked)?;
        self.facts.iter().find_map(|fact| match fact {
            Fact::NoneUsable { name, .. } => Some((name, &unusable.version)),
            Fact::Needs { .. } | Fact::Unknown { .. } | Fact::NoVersion { .. } | Fact::WouldDo { .. } => None,
        })
    }

    pub(super) fn new<C: Catalog>(
        pool: &Pool<'_, C>,
        wishes: BTreeMap<Name, Requirement>,
        core: &Core,
        downgrades: BTreeMap<Name, Version>,
    ) -> Result<Self, Stop<C::Error>> {
        let mut facts = Vec::new();
        for from in core.downwards() {
            for (to, ranks) in core.needed_by(from) {
                let name = pool.shelf(to).name.clone();
                if from == Id::ROOT {
                    let requirement = wishes.get(&name).cloned().unwrap_or(Requirement::any());
                    facts.push(Fact::Needs { asker: Asker::Wish, name, requirement });
                } else {
                    facts.extend(needs(&pool.shelf(from), ranks.iter(), &name));
                }
            }
            for (_, ranks, gone) in core.gone.iter().filter(|(id, _, _)| *id == from) {
                let shelf = pool.shelf(from);
                match gone {
                    Gone::Itself => facts.extend(needs(&shelf, ranks.iter(), &shelf.name)),
                    Gone::Unknown(name) => {
                        let asker = asker(&shelf, &ranks.iter().collect::<Vec<_>>());
                        facts.push(Fact::Unknown { asker, name: name.clone() });
                    }
                }
            }
        }
        let ends = dead_ends(pool, &facts)?;
        facts.extend(ends);
        Ok(Self { wishes, facts, downgrades })
    }
}

/// States what some candidates of one package need of another, once for each way in which it is written.
fn needs(shelf: &Shelf, ranks: impl Iterator<Item = u32>, on: &Name) -> Vec<Fact> {
    let mut groups: Vec<(&Requirement, Vec<u32>)> = Vec::new();
    for rank in ranks {
        let Some(requirement) = shelf.candidate(rank).dependencies.get(on) else { continue };
        match groups.iter_mut().find(|(held, _)| *held == requirement) {
            Some((_, held)) => held.push(rank),
            None => groups.push((requirement, vec![rank])),
        }
    }
    let fact = |(requirement, ranks): (&Requirement, Vec<u32>)| Fact::Needs {
        asker: asker(shelf, &ranks),
        name: on.clone(),
        requirement: requirement.clone(),
    };
    groups.into_iter().map(fact).collect()
}

fn asker(shelf: &Shelf, ranks: &[u32]) -> Asker {
    let runs = ranks.chunk_by(|left, right| left + 1 == *right);
    let ends = runs.filter_map(|run| Some((run.first()?, run.last()?)));
    let spans = ends.map(|(first, last)| (shelf.version(*first).clone(), shelf.version(*last).clone()));
    let every = ranks.len() == shelf.versions().len();
    Asker::Package { name: shelf.name.clone(), spans: spans.collect(), every }
}

/// States for each package that is needed why nothing of it will do, where that is so.
fn dead_ends<C: Catalog>(pool: &Pool<'_, C>, facts: &[Fact]) -> Result<Vec<Fact>, Stop<C::Error>> {
    let mut needed: BTreeMap<&Name, Vec<&Requirement>> = BTreeMap::new();
    for fact in facts {
        if let Fact::Needs { name, requirement, .. } = fact {
            let held = needed.entry(name).or_default();
            if !held.contains(&requirement) {
                held.push(requirement);
            }
        }
    }
    let mut ends = Vec::new();
    for (name, requirements) in needed {
        let Some(id) = pool.id(name)? else { continue };
        let shelf = pool.shelf(id);
        let empty: Vec<_> = requirements.iter().filter(|one| shelf.admitted(one).is_empty()).collect();
        ends.extend(empty.iter().map(|requirement| {
            let wished = pool.question.wishes.get(name) == Some(requirement);
            dead_end(&shelf, requirement, wished)
        }));
        if empty.is_empty() && requirements.len() > 1 {
            let all = |version: &Version| requirements.iter().all(|one| one.matches(version));
            let newest = shelf.passed().rev().find(|(candidate, _)| all(&candidate.version));
            ends.extend(newest.map(|(candidate, why)| Fact::WouldDo {
                name: name.clone(),
                unusable: Unusable { version: candidate.version.clone(), why: why.clone() },
            }));
        }
    }
    Ok(ends)
}

fn dead_end(shelf: &Shelf, requirement: &Requirement, wished: bool) -> Fact {
    let (name, requirement) = (shelf.name.clone(), requirement.clone());
    let mut unusable: Vec<Unusable> = Vec::new();
    for (candidate, why) in shelf.passed().rev() {
        let kind = std::mem::discriminant(why);
        if requirement.matches(&candidate.version)
            && unusable.iter().all(|held| std::mem::discriminant(&held.why) != kind)
        {
            unusable.push(Unusable { version: candidate.version.clone(), why: why.clone() });
        }
    }
    match unusable.last() {
        None => Fact::NoVersion { nearest: nearest(shelf, &requirement), name, requirement },
        Some(oldest) => {
            let mut below = (0..shelf.height()).rev().map(|rank| shelf.version(rank));
            let older = below.find(|version| wished && **version < oldest.version).cloned();
            Fact::NoneUsable { name, requirement, unusable, older }
        }
    }
}

/// Returns the versions just below and just above what is required; ones that may be chosen, if there are any.
fn nearest(shelf: &Shelf, requirement: &Requirement) -> Vec<Version> {
    let usable: Vec<&Version> = (0..shelf.height()).map(|rank| shelf.version(rank)).collect();
    let versions = if usable.is_empty() { shelf.versions() } else { usable };
    let low = requirement.comparators().iter().filter_map(Comparator::lower_bound).max();
    let high = requirement.comparators().iter().filter_map(Comparator::upper_bound).min();
    let (below, above) = match (low, high) {
        (None, None) | (Some(_), None) => (versions.last(), None),
        (None, Some(_)) => (None, versions.first()),
        (Some((low, _)), Some(_)) => {
            let place = versions.partition_point(|version| **version <= low);
            (place.checked_sub(1).and_then(|below| versions.get(below)), versions.get(place))
        }
    };
    below.into_iter().chain(above).map(|version| (*version).clone()).collect()
}

/// Holds wishes that can't be had, and what the proof of that stands on.
pub(super) struct Proven {
    pub(super) wishes: BTreeMap<Name, Requirement>,
    pub(super) core: Core,
}

/// Drops wishes for as long as the rest still can't be had, and returns those left with the proof for them.
pub(super) fn fewest_wishes<C: Catalog>(pool: &Pool<'_, C>, core: Core) -> Result<Proven, Stop<C::Error>> {
    let names: Vec<Name> = core.wished().map(|id| pool.shelf(id).name.clone()).collect();
    let mut wishes: BTreeMap<Name, Requirement> =
        pool.question.wishes.iter().filter(|(name, _)| names.contains(name)).map(clone_pair).collect();
    let mut best = core;
    if names.len() > MOST_WISHES_TRIED {
        return Ok(Proven { wishes, core: best });
    }
    let effort = Effort::of(EFFORT_FOR_WORDS);
    for name in &names {
        let fewer: BTreeMap<_, _> = wishes.iter().filter(|(kept, _)| *kept != name).map(clone_pair).collect();
        match search(pool, &fewer, &effort) {
            Ok(Outcome::Impossible(core)) => (wishes, best) = (fewer, core),
            Ok(Outcome::Found(_)) | Err(Stop::TooHard { .. }) => {}
            Err(stop @ Stop::Catalog { .. }) => return Err(stop),
        }
    }
    Ok(Proven { wishes, core: best })
}

fn clone_pair((name, requirement): (&Name, &Requirement)) -> (Name, Requirement) {
    (name.clone(), requirement.clone())
}

/// Returns the versions below their floors that an answer without floors would choose.
pub(super) fn downgrades<C: Catalog>(pool: &Pool<'_, C>) -> Result<BTreeMap<Name, Version>, Stop<C::Error>> {
    let question = pool.question;
    if question.floors.is_empty() {
        return Ok(BTreeMap::new());
    }
    let relaxed = Question { floors: BTreeMap::new(), ..question.clone() };
    match search(&Pool::new(&relaxed, pool.asked), &relaxed.wishes, &Effort::of(EFFORT_FOR_WORDS)) {
        Ok(Outcome::Found(chosen)) => Ok(chosen
            .into_iter()
            .map(|(name, choice)| (name, choice.shelf.version(choice.rank).clone()))
            .filter(|(name, version)| question.floors.get(name).is_some_and(|floor| version < floor))
            .collect()),
        Ok(Outcome::Impossible(_)) | Err(Stop::TooHard { .. }) => Ok(BTreeMap::new()),
        Err(stop @ Stop::Catalog { .. }) => Err(stop),
    }
}
