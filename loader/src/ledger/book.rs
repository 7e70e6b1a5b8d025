//! The live ledger of one host.

use super::entry::{EntryId, Holding, Kind};
use super::record::Record;
use crate::runtime::Boxed;
use pintle_manifest::Name;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

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
    /// The least epoch of each owner that may still add something.
    live: BTreeMap<Name, u64>,
}

/// The load that wanted to hold something is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stale;

impl Ledger {
    /// Makes an empty one, kept in a record too if there is one.
    pub(crate) fn new(record: Option<Arc<Record>>) -> Self {
        Self { entries: Mutex::default(), record }
    }

    /// Notes that an owner holds something. A load that is over can hold nothing any more.
    pub(crate) fn hold(&self, owner: &Name, epoch: u64, kind: Kind, undo: Undo) -> Result<EntryId, Stale> {
        let mut entries = self.entries.lock().expect("no holder panics");
        if entries.live.get(owner).is_some_and(|live| epoch < *live) {
            return Err(Stale);
        }
        entries.last += 1;
        let id = entries.last;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let since_ms = u64::try_from(since.as_millis()).unwrap_or(u64::MAX);
        let holding = Holding { id, owner: owner.clone(), epoch, kind, since_ms };
        if let Some(record) = &self.record {
            record.held(&holding);
        }
        entries.held.insert(id, (holding, undo));
        Ok(id)
    }

    /// Takes one entry out, for whoever ends it. Only its owner's.
    pub(crate) fn take(&self, owner: &Name, id: EntryId) -> Option<Undo> {
        let mut entries = self.entries.lock().expect("no holder panics");
        if entries.held.get(&id).is_none_or(|(holding, _)| holding.owner != *owner) {
            return None;
        }
        let (_, undo) = entries.held.remove(&id)?;
        drop(entries);
        self.released(&[id]);
        Some(undo)
    }

    /// Notes that something ended by itself.
    pub(crate) fn forget(&self, id: EntryId) {
        let known = self.entries.lock().expect("no holder panics").held.remove(&id).is_some();
        if known {
            self.released(&[id]);
        }
    }

    /// Poisons every load of an owner up to this one: it can hold nothing more from here on.
    pub(crate) fn poison(&self, owner: &Name, epoch: u64) {
        let mut entries = self.entries.lock().expect("no holder panics");
        let live = entries.live.entry(owner.clone()).or_default();
        *live = (*live).max(epoch + 1);
    }

    /// Takes out everything that one load holds, newest first.
    pub(crate) fn take_all(&self, owner: &Name, epoch: u64) -> Vec<(Holding, Undo)> {
        let mut entries = self.entries.lock().expect("no holder panics");
        let of_load = |(_, (holding, _)): &(&EntryId, &(Holding, Undo))| {
            holding.owner == *owner && holding.epoch <= epoch
        };
        let ids: Vec<EntryId> = entries.held.iter().filter(of_load).map(|(id, _)| *id).rev().collect();
        let taken: Vec<_> = ids.iter().filter_map(|id| entries.held.remove(id)).collect();
        drop(entries);
        self.released(&ids);
        taken
    }

    /// Returns everything that is held, oldest first.
    pub(crate) fn holdings(&self) -> Vec<Holding> {
        let entries = self.entries.lock().expect("no holder panics");
        entries.held.values().map(|(holding, _)| holding.clone()).collect()
    }

    /// Returns how much one owner holds.
    pub(crate) fn count(&self, owner: &Name) -> usize {
        let entries = self.entries.lock().expect("no holder panics");
        entries.held.values().filter(|(holding, _)| holding.owner == *owner).count()
    }

    fn released(&self, ids: &[EntryId]) {
        if let (Some(record), false) = (&self.record, ids.is_empty()) {
            record.released(ids);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Ledger, Stale, Undo};
    use crate::ledger::Kind;
    use pintle_manifest::Name;

    fn timer(name: &str) -> Kind {
        Kind::Timer { name: name.to_owned() }
    }

    #[test]
    fn what_one_load_holds_is_taken_back_newest_first() {
        let ledger = Ledger::new(None);
        let (ada, bob) = (Name::parse("ada").unwrap(), Name::parse("bob").unwrap());
        for (owner, name) in [(&ada, "one"), (&bob, "other"), (&ada, "two")] {
            ledger.hold(owner, 1, timer(name), Undo::WithInstance).unwrap();
        }
        let taken: Vec<String> =
            ledger.take_all(&ada, 1).iter().map(|(holding, _)| holding.kind.key()).collect();
        assert_eq!(taken, ["two", "one"]);
        assert_eq!((ledger.count(&ada), ledger.count(&bob)), (0, 1));
    }

    #[test]
    fn a_load_that_is_over_can_hold_nothing_and_the_next_can() {
        let ledger = Ledger::new(None);
        let ada = Name::parse("ada").unwrap();
        ledger.poison(&ada, 3);
        assert_eq!(ledger.hold(&ada, 3, timer("late"), Undo::WithInstance), Err(Stale));
        assert!(ledger.hold(&ada, 4, timer("new"), Undo::WithInstance).is_ok());
    }

    #[test]
    fn nobody_releases_what_another_holds() {
        let ledger = Ledger::new(None);
        let (ada, bob) = (Name::parse("ada").unwrap(), Name::parse("bob").unwrap());
        let id = ledger.hold(&ada, 1, timer("mine"), Undo::WithInstance).unwrap();
        assert!(ledger.take(&bob, id).is_none());
        assert!(ledger.take(&ada, id).is_some());
        assert!(ledger.take(&ada, id).is_none());
    }
}
