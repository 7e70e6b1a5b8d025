//! What hosts that were killed left, as their records tell. [`left_by`] only looks; [`clear`] ends it and removes the
//! records, as the next host would do when it starts.

use crate::host::{Notice, clear_dead};
use crate::keep::Places;
use crate::ledger::{Holding, HostRecord, Kind};
use crate::worker;

/// Returns what a host that is gone left and what is there still: processes that are the same that were noted, and
/// directories. What such a process started and let go is found only when it is ended.
pub fn left_by(record: &HostRecord) -> Vec<&Holding> {
    if record.alive {
        return Vec::new();
    }
    let is_there = |holding: &&Holding| match &holding.kind {
        Kind::Worker { pid, started } | Kind::Child { pid, started, .. } => {
            worker::start_time(*pid) == Some(*started)
        }
        Kind::TempDir { path } => path.starts_with(&record.directory) && path.exists(),
        Kind::Hook { .. }
        | Kind::Slot { .. }
        | Kind::Subscription { .. }
        | Kind::Timer { .. }
        | Kind::Host { .. } => false,
    };
    record.holdings.iter().filter(is_there).collect()
}

/// Ends what dead hosts left, removes their records, and counts against an extension that a host was killed while it was
/// being started, exactly as the next start of a host would. Returns what was ended, what was put into quarantine, and
/// what can't be read. Blocks for a few seconds at most.
pub fn clear(places: &Places) -> Vec<Notice> {
    clear_dead(places)
}
