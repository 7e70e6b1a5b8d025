//! The search: hands wishes and candidates to PubGrub and reads back what it chose or what it proved impossible.

use super::conflict::Proven;
use super::core::{Core, Unknown};
use super::pool::{Asked, Id, Pool, Stop};
use super::ranks::Ranks;
use super::shelf::Shelf;
use super::{Answer, Catalog, Conflict, Question, ResolveError, conflict, notes, order};
use pintle_manifest::{Name, Requirement};
use pubgrub::{
    Dependencies, DependencyConstraints, DependencyProvider, DerivationTree, PackageResolutionStatistics,
    PubGrubError, SelectedDependencies, VersionSet,
};
use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::{self, Display};
use std::rc::Rc;

/// So many rounds of search may lead nowhere: far more than an honest question takes.
const EFFORT_FOR_AN_ANSWER: u32 = 3_000;
/// A package of which this many candidates were turned down, one after the other, is decided early from then on.
const MOST_TURNED_DOWN: u32 = 5;
/// After this many packages were put forward, the search takes what it gets.
const MOST_PUT_FORWARD: usize = 32;

/// Chooses one release for every name that the wishes need, or says why there is no such choice.
///
/// # Errors
/// Fails if a package does not exist, if the wishes can't be had together or not here, if the choice needs itself in
/// a circle, if the search takes too long, and if the catalog fails.
pub fn resolve<C: Catalog>(question: &Question, catalog: &C) -> Result<Answer, ResolveError<C::Error>> {
    let asked = Asked::new(catalog);
    let pool = Pool::new(question, &asked);
    for name in question.wishes.keys() {
        if pool.id(name)?.is_none() {
            let similar = catalog.similar(name);
            return Err(ResolveError::UnknownPackage { name: name.clone(), chain: Vec::new(), similar });
        }
    }
    match search(&pool, &question.wishes, &Effort::of(EFFORT_FOR_AN_ANSWER))? {
        Outcome::Found(chosen) => {
            let order =
                order::dependencies_first(question, &chosen).map_err(|path| ResolveError::Cycle { path })?;
            let notes = notes::about(question, &chosen);
            let chosen = chosen
                .into_iter()
                .map(|(name, choice)| (name, choice.shelf.version(choice.rank).clone()))
                .collect();
            Ok(Answer { chosen, notes, order })
        }
        Outcome::Impossible(core) => Err(refuse(&pool, core)?),
    }
}

/// Turns a proof into an error that names as few wishes as it can.
fn refuse<C: Catalog>(pool: &Pool<'_, C>, core: Core) -> Result<ResolveError<C::Error>, Stop<C::Error>> {
    let Proven { wishes, core } = conflict::fewest_wishes(pool, core)?;
    if let Some(Unknown { name, chain }) = core.only_unknown(pool) {
        let similar = pool.asked.catalog.similar(&name);
        return Ok(ResolveError::UnknownPackage { name, chain, similar });
    }
    let downgrades = conflict::downgrades(pool)?;
    Ok(ResolveError::Conflict(Box::new(Conflict::new(pool, wishes, &core, downgrades)?)))
}

/// Names the candidate that was chosen of a package.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) shelf: Rc<Shelf>,
    pub(super) rank: u32,
}

/// Says how a search ended.
pub(super) enum Outcome {
    Found(BTreeMap<Name, Choice>),
    Impossible(Core),
}

/// Bounds the work of one or more searches. A round for each package is free; each one more takes from what is left,
/// so that a hostile catalog can't keep a search going for ever.
pub(super) struct Effort {
    most: u32,
    left: Cell<u32>,
}

impl Effort {
    pub(super) fn of(most: u32) -> Self {
        Self { most, left: Cell::new(most) }
    }

    fn spend<E: std::error::Error + 'static>(&self) -> Result<(), Stop<E>> {
        let left = self.left.get().checked_sub(1).ok_or(Stop::TooHard { rounds: self.most })?;
        self.left.set(left);
        Ok(())
    }
}

/// Searches for a choice that satisfies some wishes. All of them must name packages that exist.
pub(super) fn search<C: Catalog>(
    pool: &Pool<'_, C>,
    wishes: &BTreeMap<Name, Requirement>,
    effort: &Effort,
) -> Result<Outcome, Stop<C::Error>> {
    let mut forward = BTreeSet::new();
    loop {
        let turned_down = RefCell::default();
        let provider =
            Provider { pool, wishes, forward: &forward, turned_down, effort, rounds: Cell::new(0) };
        return match pubgrub::resolve(&provider, Id::ROOT, 0u32) {
            Ok(solution) => Ok(Outcome::Found(choices(pool, solution))),
            Err(PubGrubError::NoSolution(proof)) => Ok(Outcome::Impossible(Core::of(&proof))),
            Err(
                PubGrubError::ErrorRetrievingDependencies { source, .. }
                | PubGrubError::ErrorChoosingVersion { source, .. }
                | PubGrubError::ErrorInShouldCancel(source),
            ) => match source {
                Halt::Stop(stop) => Err(stop),
                Halt::PutForward(id) => {
                    forward.insert(id);
                    continue;
                }
            },
        };
    }
}

fn choices<C: Catalog>(
    pool: &Pool<'_, C>,
    solution: SelectedDependencies<Id, u32>,
) -> BTreeMap<Name, Choice> {
    let packages = solution.into_iter().filter(|(id, _)| *id != Id::ROOT);
    let choices = packages.map(|(id, rank)| {
        let shelf = pool.shelf(id);
        (shelf.name.clone(), Choice { shelf, rank })
    });
    choices.collect()
}

/// The proof that PubGrub gives.
pub(super) type Proof = DerivationTree<Id, Ranks, Gone>;

/// Says why a candidate drops out on account of its own dependencies alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Gone {
    /// It needs a package that does not exist.
    Unknown(Name),
    /// It needs another version of itself.
    Itself,
}

impl Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => write!(f, "`{name}` does not exist"),
            Self::Itself => f.write_str("it needs another version of itself"),
        }
    }
}

/// Ends one run of PubGrub before it has an answer.
#[derive(Debug, thiserror::Error)]
enum Halt<E: std::error::Error + 'static> {
    #[error(transparent)]
    Stop(#[from] Stop<E>),
    /// Of this package candidate after candidate was turned down, down to ever older ones. PubGrub alone never takes
    /// back the decision that was in their way, so the search begins anew and decides this package before that one.
    #[error("{0} is decided too late")]
    PutForward(Id),
}

struct Provider<'a, 'b, C: Catalog> {
    pool: &'a Pool<'b, C>,
    wishes: &'a BTreeMap<Name, Requirement>,
    /// Packages that are decided early.
    forward: &'a BTreeSet<Id>,
    /// For each package the oldest rank tried, and how often an older one than before was.
    turned_down: RefCell<HashMap<Id, (u32, u32)>>,
    effort: &'a Effort,
    rounds: Cell<u32>,
}

/// Greater is decided earlier. What a person asked for and has already stays put; then come packages that were put
/// forward, that took part in more conflicts, that are locked, that a person asks for, that have fewer candidates, and
/// at last the first by name.
type Priority = (bool, bool, u32, bool, bool, Reverse<u32>, Reverse<Option<Rc<str>>>);

impl<C: Catalog> DependencyProvider for Provider<'_, '_, C> {
    type P = Id;
    type V = u32;
    type VS = Ranks;
    type Priority = Priority;
    type M = Gone;
    type Err = Halt<C::Error>;

    fn prioritize(&self, id: &Id, ranks: &Ranks, statistics: &PackageResolutionStatistics) -> Priority {
        if *id == Id::ROOT {
            return (true, true, u32::MAX, true, true, Reverse(0), Reverse(None));
        }
        let shelf = self.pool.shelf(*id);
        let locked = shelf.locked.is_some_and(|rank| ranks.contains(&rank));
        (
            locked && shelf.direct,
            self.forward.contains(id),
            statistics.conflict_count(),
            locked,
            shelf.direct,
            Reverse(ranks.count()),
            Reverse(Some(Rc::clone(&shelf.tie))),
        )
    }

    fn choose_version(&self, id: &Id, ranks: &Ranks) -> Result<Option<u32>, Self::Err> {
        if *id == Id::ROOT {
            return Ok(Some(0));
        }
        let locked = self.pool.shelf(*id).locked.filter(|rank| ranks.contains(rank));
        let choice = locked.or_else(|| ranks.highest());
        if choice.is_some_and(|rank| self.is_late(*id, rank)) {
            return Err(Halt::PutForward(*id));
        }
        Ok(choice)
    }

    fn get_dependencies(&self, id: &Id, rank: &u32) -> Result<Dependencies<Id, Ranks, Gone>, Self::Err> {
        if *id == Id::ROOT {
            return self.constraints(self.wishes);
        }
        let shelf = self.pool.shelf(*id);
        let candidate = shelf.candidate(*rank);
        match candidate.dependencies.get(&shelf.name) {
            Some(itself) if !itself.matches(&candidate.version) => {
                Ok(Dependencies::Unavailable(Gone::Itself))
            }
            // A release that needs itself is a circle of one, which is looked for when all is chosen.
            Some(_) => {
                let mut others = BTreeMap::clone(&candidate.dependencies);
                others.remove(&shelf.name);
                self.constraints(&others)
            }
            None => self.constraints(&candidate.dependencies),
        }
    }

    fn should_cancel(&self) -> Result<(), Self::Err> {
        let rounds = self.rounds.get() + 1;
        self.rounds.set(rounds);
        if rounds > self.pool.packages() { Ok(self.effort.spend()?) } else { Ok(()) }
    }
}

impl<C: Catalog> Provider<'_, '_, C> {
    /// Counts how often an older candidate than before is tried, and tells whether that is once too often.
    fn is_late(&self, id: Id, rank: u32) -> bool {
        let mut turned_down = self.turned_down.borrow_mut();
        let (oldest, times) = turned_down.entry(id).or_insert((rank, 0));
        if rank < *oldest {
            (*oldest, *times) = (rank, *times + 1);
        }
        *times >= MOST_TURNED_DOWN && self.forward.len() < MOST_PUT_FORWARD && !self.forward.contains(&id)
    }

    fn constraints(
        &self,
        dependencies: &BTreeMap<Name, Requirement>,
    ) -> Result<Dependencies<Id, Ranks, Gone>, Halt<C::Error>> {
        let mut constraints = Vec::with_capacity(dependencies.len());
        for (name, requirement) in dependencies {
            let Some(id) = self.pool.id(name)? else {
                return Ok(Dependencies::Unavailable(Gone::Unknown(name.clone())));
            };
            constraints.push((id, self.pool.shelf(id).admitted(requirement)));
        }
        Ok(Dependencies::Available(DependencyConstraints::from_iter(constraints)))
    }
}

impl<E: std::error::Error + Send + Sync + 'static> From<Stop<E>> for ResolveError<E> {
    fn from(stop: Stop<E>) -> Self {
        match stop {
            Stop::Catalog { name, source } => Self::Catalog { name, source },
            Stop::TooHard { rounds } => Self::TooHard { rounds },
        }
    }
}
