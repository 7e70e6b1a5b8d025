//! The facts that a proof of impossibility stands on, without the order in which the search came upon them.

use super::pool::{Id, Pool};
use super::ranks::Ranks;
use super::solve::{Gone, Proof};
use super::{Catalog, Step};
use pintle_manifest::Name;
use pubgrub::{DerivationTree, External, VersionSet};
use std::collections::{BTreeMap, HashSet};

/// Holds which candidates need what, as far as the proof uses it.
#[derive(Debug, Default)]
pub(super) struct Core {
    /// For each package and each one it needs: the candidates of the first concerned.
    pub(super) edges: BTreeMap<(Id, Id), Ranks>,
    /// Candidates that drop out by themselves.
    pub(super) gone: Vec<(Id, Ranks, Gone)>,
}

/// Names a package that does not exist, and who needs it, from the wish down.
pub(super) struct Unknown {
    pub(super) name: Name,
    pub(super) chain: Vec<Step>,
}

impl Core {
    /// Gathers the facts of a proof. The proof shares its parts, so each part is looked at once.
    pub(super) fn of(proof: &Proof) -> Self {
        let mut core = Self::default();
        let mut seen = HashSet::new();
        let mut open = vec![proof];
        while let Some(part) = open.pop() {
            if !seen.insert(std::ptr::from_ref(part)) {
                continue;
            }
            match part {
                DerivationTree::Derived(derived) => open.extend([&*derived.cause1, &*derived.cause2]),
                DerivationTree::External(fact) => core.add(fact),
            }
        }
        core.gone.sort_by_key(|(id, ranks, _)| (*id, ranks.highest()));
        core
    }

    fn add(&mut self, fact: &External<Id, Ranks, Gone>) {
        match fact {
            External::FromDependencyOf(from, ranks, to, _) => {
                let held = self.edges.entry((*from, *to)).or_insert_with(Ranks::empty);
                *held = held.union(ranks);
            }
            External::Custom(id, ranks, gone) => {
                match self.gone.iter_mut().find(|(held, _, why)| held == id && why == gone) {
                    Some((_, held, _)) => *held = held.union(ranks),
                    None => self.gone.push((*id, ranks.clone(), gone.clone())),
                }
            }
            // The first says what is being solved. The second can't be: every set handed over holds candidates only.
            External::NotRoot(_, _) | External::NoVersions(_, _) => {}
        }
    }

    /// Returns the packages that the question itself asks for.
    pub(super) fn wished(&self) -> impl Iterator<Item = Id> {
        self.needed_by(Id::ROOT).map(|(to, _)| to)
    }

    /// Returns what is needed of others by one package, and by which of its candidates.
    pub(super) fn needed_by(&self, from: Id) -> impl Iterator<Item = (Id, &Ranks)> {
        let edges = self.edges.range((from, Id::ROOT)..).take_while(move |((id, _), _)| *id == from);
        edges.map(|((_, to), ranks)| (*to, ranks))
    }

    /// Returns the question and every package of the proof, nearest to the wishes first.
    pub(super) fn downwards(&self) -> Vec<Id> {
        let mut order = vec![Id::ROOT];
        let mut seen = HashSet::from([Id::ROOT]);
        let mut next = 0;
        while let Some(from) = order.get(next).copied() {
            order.extend(self.needed_by(from).map(|(to, _)| to).filter(|to| seen.insert(*to)));
            next += 1;
        }
        order
    }

    /// Returns the unknown package that the proof comes down to, if it is that alone.
    pub(super) fn only_unknown<C: Catalog>(&self, pool: &Pool<'_, C>) -> Option<Unknown> {
        let (holder, ranks, Gone::Unknown(name)) = self.gone.first()? else { return None };
        let one_name = self.gone.iter().all(|(_, _, gone)| *gone == Gone::Unknown(name.clone()));
        let mut above: BTreeMap<Id, Id> = BTreeMap::new();
        let one_way = self.edges.keys().all(|(from, to)| above.insert(*to, *from).is_none());
        let one_wish = self.wished().count() == 1;
        let goes_on =
            |id: Id| self.needed_by(id).next().is_some() || self.gone.iter().any(|(at, _, _)| *at == id);
        if !(one_name && one_way && one_wish && above.keys().all(|id| goes_on(*id))) {
            return None;
        }
        let step = |id: Id, ranks: &Ranks| {
            let shelf = pool.shelf(id);
            ranks
                .highest()
                .map(|rank| Step { name: shelf.name.clone(), version: shelf.version(rank).clone() })
        };
        let mut chain: Vec<Step> = step(*holder, ranks).into_iter().collect();
        let mut below = *holder;
        while let Some(id) = above.get(&below).copied().filter(|id| *id != Id::ROOT) {
            chain.extend(self.edges.get(&(id, below)).and_then(|ranks| step(id, ranks)));
            below = id;
        }
        chain.reverse();
        Some(Unknown { name: name.clone(), chain })
    }
}
