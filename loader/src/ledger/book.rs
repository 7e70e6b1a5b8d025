//! The live ledger of one host.

use super::entry::{EntryId, Holding, Kind};
use super::record::Record;
use crate::keep::files;
use crate::runtime::Boxed;
use pintle_manifest::Name;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

/// How one thing is taken back.
pub(crate) enum Undo {
    /// Taken out of a table of the host, at once and without anyone's help.
    Unlink(Box<dyn FnOnce() + Send>),
    /// Ended, which may take a moment.
    Dispose(Box<dyn FnOnce() -> Boxed<'static, bool> + Send>),
    /// Nothing: it ends with the instance.
    WithInstance,
}

impl std::fmt::Debug for Undo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Unlink(_) => "Unlink",
            Self::Dispose(_) => "Dispose",
            Self::WithInstance => "WithInstance",
        })
    }
}

/// Everything that is held in one host.
#[derive(Debug)]
pub(crate) struct Ledger {
    entries: Mutex<Entries>,
    record: Option<Arc<Record>>,
}

#[derive(Debug, Default)]
struct Entries {
    last: EntryId,
    held: BTreeMap<EntryId, (Holding, Undo)>,
    /// The loads that may add something, and how much each holds.
    open: BTreeMap<(Name, u64), usize>,
}

/// How much one load may hold at once.
const MOST: usize = 10_000;

/// Says why nothing can be held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HoldError {
    /// The load that wanted to hold something is over.
    Stale,
    /// It holds more than any extension needs.
    TooMany,
}

impl Ledger {
    /// Makes an empty one, kept in a record too if there is one.
    pub(crate) fn new(record: Option<Arc<Record>>) -> Self {
        Self { entries: Mutex::default(), record }
    }

    /// Lets a load hold things from here on.
    pub(crate) fn open(&self, owner: &Name, epoch: u64) {
        self.entries.lock().expect("no holder panics").open.insert((owner.clone(), epoch), 0);
    }

    /// Notes that an owner holds something. A load that is over can hold nothing any more: whoever asked for it gets back
    /// what was to be done about it.
    pub(crate) fn hold(
        &self,
        owner: &Name,
        epoch: u64,
        kind: Kind,
        undo: Undo,
    ) -> Result<EntryId, (HoldError, Undo)> {
        let mut entries = self.entries.lock().expect("no holder panics");
        let Some(count) = entries.open.get_mut(&(owner.clone(), epoch)) else {
            return Err((HoldError::Stale, undo));
        };
        if *count >= MOST {
            return Err((HoldError::TooMany, undo));
        }
        *count += 1;
        entries.last += 1;
        let id = entries.last;
        let since_ms = files::now_ms();
        let holding = Holding { id, owner: owner.clone(), epoch, kind, since_ms };
        if let Some(record) = &self.record {
            record.held(&holding);
        }
        entries.held.insert(id, (holding, undo));
        if let Some(record) = self.record.as_ref().filter(|record| record.is_long()) {
            record.shorten(entries.held.values().map(|(holding, _)| holding));
        }
        Ok(id)
    }

    /// Takes one entry out, for whoever ends it. Only its owner's.
    pub(crate) fn take(&self, owner: &Name, id: EntryId) -> Option<Undo> {
        let mut entries = self.entries.lock().expect("no holder panics");
        if entries.held.get(&id).is_none_or(|(holding, _)| holding.owner != *owner) {
            return None;
        }
        let undo = entries.remove(id)?;
        drop(entries);
        self.released(&[id]);
        Some(undo)
    }

    /// Notes that something ended by itself.
    pub(crate) fn forget(&self, id: EntryId) {
        let known = self.entries.lock().expect("no holder panics").remove(id).is_some();
        if known {
            self.released(&[id]);
        }
    }

    /// Poisons a load: it can hold nothing more from here on. Another load of the same owner still can.
    pub(crate) fn poison(&self, owner: &Name, epoch: u64) {
        self.entries.lock().expect("no holder panics").open.remove(&(owner.clone(), epoch));
    }

    /// Takes out everything that one load holds, newest first.
    pub(crate) fn take_all(&self, owner: &Name, epoch: u64) -> Vec<(Holding, Undo)> {
        let mut entries = self.entries.lock().expect("no holder panics");
        let of_load = |(_, (holding, _)): &(&EntryId, &(Holding, Undo))| {
            holding.owner == *owner && holding.epoch == epoch
        };
        let ids: Vec<EntryId> = entries.held.iter().filter(of_load).map(|(id, _)| *id).rev().collect();
        let taken: Vec<_> = ids.iter().filter_map(|id| entries.held.remove(id)).collect();
        if let Some(count) = entries.open.get_mut(&(owner.clone(), epoch)) {
            *count -= taken.len();
        }
        drop(entries);
        self.released(&ids);
        taken
    }

    /// Returns everything that is held, oldest first.
    pub(crate) fn holdings(&self) -> Vec<Holding> {
        let entries = self.entries.lock().expect("no holder panics");
        entries.held.values().map(|(holding, _)| holding.clone()).collect()
    }

    /// Returns how much one load holds.
    pub(crate) fn count(&self, owner: &Name, epoch: u64) -> usize {
        let entries = self.entries.lock().expect("no holder panics");
        let is_of_load = |holding: &Holding| holding.owner == *owner && holding.epoch == epoch;
        match entries.open.get(&(owner.clone(), epoch)) {
            Some(count) => *count,
            None => entries.held.values().filter(|(holding, _)| is_of_load(holding)).count(),
        }
    }

    fn released(&self, ids: &[EntryId]) {
        if let (Some(record), false) = (&self.record, ids.is_empty()) {
            record.released(ids);
        }
    }
}

impl Entries {
    fn remove(&mut self, id: EntryId) -> Option<Undo> {
        let (Holding { owner, epoch, .. }, undo) = self.held.remove(&id)?;
        if let Some(count) = self.open.get_mut(&(owner, epoch)) {
            *count -= 1;
        }
        Some(undo)
    }
}

#[cfg(test)]
mod tests {
    use super::{HoldError, Ledger, MOST, Undo};
    use crate::ledger::Kind;
    use pintle_manifest::Name;

    fn timer(name: &str) -> Kind {
        Kind::Timer { name: name.to_owned() }
    }

    #[test]
    fn what_one_load_holds_is_taken_back_newest_first() {
        let ledger = Ledger::new(None);
        let (ada, bob) = (Name::parse("ada").unwrap(), Name::parse("bob").unwrap());
        ledger.open(&ada, 1);
        ledger.open(&bob, 1);
        for (owner, name) in [(&ada, "one"), (&bob, "other"), (&ada, "two")] {
            ledger.hold(owner, 1, timer(name), Undo::WithInstance).unwrap();
        }
        let taken: Vec<String> =
            ledger.take_all(&ada, 1).iter().map(|(holding, _)| holding.kind.key()).collect();
        assert_eq!(taken, ["two", "one"]);
        assert_eq!((ledger.count(&ada, 1), ledger.count(&bob, 1)), (0, 1));
    }

    #[test]
    fn a_load_that_is_over_can_hold_nothing_and_the_next_can() {
        let ledger = Ledger::new(None);
        let ada = Name::parse("ada").unwrap();
        (3..=5).for_each(|epoch| ledger.open(&ada, epoch));
        ledger.poison(&ada, 3);
        let late = ledger.hold(&ada, 3, timer("late"), Undo::WithInstance);
        assert_eq!(late.map_err(|(error, _)| error), Err(HoldError::Stale));
        assert!(ledger.hold(&ada, 4, timer("new"), Undo::WithInstance).is_ok());
        // A newer load that did not start costs the older one nothing.
        ledger.poison(&ada, 5);
        assert_eq!(ledger.take_all(&ada, 5).len(), 0);
        assert!(ledger.hold(&ada, 4, timer("newer"), Undo::WithInstance).is_ok());
        assert_eq!(ledger.count(&ada, 4), 2);
    }

    #[test]
    fn what_one_load_holds_is_bounded() {
        let ledger = Ledger::new(None);
        let ada = Name::parse("ada").unwrap();
        ledger.open(&ada, 1);
        let hold = || ledger.hold(&ada, 1, timer("one"), Undo::WithInstance).map_err(|(error, _)| error);
        let first = hold().unwrap();
        for _ in 1..MOST {
            hold().unwrap();
        }
        assert_eq!(hold(), Err(HoldError::TooMany));
        ledger.forget(first);
        assert!(ledger.hold(&ada, 1, timer("one"), Undo::WithInstance).is_ok());
    }

    #[test]
    fn nobody_releases_what_another_holds() {
        let ledger = Ledger::new(None);
        let (ada, bob) = (Name::parse("ada").unwrap(), Name::parse("bob").unwrap());
        ledger.open(&ada, 1);
        let id = ledger.hold(&ada, 1, timer("mine"), Undo::WithInstance).unwrap();
        assert!(ledger.take(&bob, id).is_none());
        assert!(ledger.take(&ada, id).is_some());
        assert!(ledger.take(&ada, id).is_none());
    }
}
