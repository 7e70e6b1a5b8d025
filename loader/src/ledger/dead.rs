//! What a host that was killed left: processes are ended, directories removed, and what happened is told. Only what
//! its own record names is touched, and a process only if it is the same one that was noted.

use super::entry::Kind;
use super::record::{HostRecord, LoadState, hosts, remove_empty};
use crate::keep::files::{self, FileError};
use crate::worker::{self, Record};
use pintle_manifest::{Digest, Name, Version};
use std::path::Path;

/// What was found of hosts that are gone.
#[derive(Debug, Default)]
pub struct Recovered {
    /// What was left and is ended now.
    pub orphans: Vec<Orphan>,
    /// Extensions whose code was being started when their host was killed.
    pub suspects: Vec<(Name, Version, Option<Digest>)>,
    /// Records that can't be read, which are left as they are, and what can't be removed.
    pub unreadable: Vec<FileError>,
}

/// Something that a dead host left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Orphan {
    /// Who held it.
    pub owner: Name,
    /// What it is.
    pub kind: Kind,
    /// The host that is gone.
    pub host_pid: u32,
}

/// Looks at the records of hosts that are gone, ends what they left, and removes the records.
pub fn recover(run: &Path) -> Result<Recovered, FileError> {
    let directory = run.join("hosts");
    remove_empty(&directory)?;
    let (records, unreadable) = hosts(&directory)?;
    let mut recovered = Recovered { unreadable, ..Recovered::default() };
    for record in records.iter().filter(|record| !record.alive) {
        // Two hosts may start at once; the one that gets the lock looks after the dead one.
        let Ok(Some(_lock)) = files::lock_now(&record.directory.join("lock")) else { continue };
        let left = directories(record);
        recover_one(record, &mut recovered);
        // A record that stays is found again, and so is what it names.
        match files::remove_tree(&record.directory) {
            Ok(()) => recovered.orphans.extend(left),
            Err(error) => recovered.unreadable.push(error),
        }
    }
    Ok(recovered)
}

fn recover_one(record: &HostRecord, recovered: &mut Recovered) {
    let mut left = Vec::new();
    for holding in &record.holdings {
        match &holding.kind {
            Kind::Worker { pid, started } | Kind::Child { pid, started, .. } => {
                let scope = format!("{}/{}/{}", record.token, holding.owner, holding.epoch);
                left.push(Record { pid: *pid, started: *started, scope });
            }
            Kind::TempDir { .. }
            | Kind::Hook { .. }
            | Kind::Slot { .. }
            | Kind::Subscription { .. }
            | Kind::Timer { .. }
            | Kind::Host { .. } => {}
        }
    }
    let ended = if left.is_empty() { Vec::new() } else { worker::leftovers(&left) };
    for holding in &record.holdings {
        if let Kind::Worker { pid, .. } | Kind::Child { pid, .. } = &holding.kind
            && ended.contains(pid)
        {
            recovered.orphans.push(orphan(record, holding));
        }
    }
    for (name, state) in &record.loads {
        if let LoadState::Loading { version, tree } = state {
            recovered.suspects.push((name.clone(), version.clone(), *tree));
        }
    }
}

/// Returns the directories that a host left, which go with its record.
fn directories(record: &HostRecord) -> Vec<Orphan> {
    let is_left = |kind: &Kind| matches!(kind, Kind::TempDir { path } if path.starts_with(&record.directory) && path.exists());
    let left = record.holdings.iter().filter(|holding| is_left(&holding.kind));
    left.map(|holding| orphan(record, holding)).collect()
}

fn orphan(record: &HostRecord, holding: &super::Holding) -> Orphan {
    Orphan { owner: holding.owner.clone(), kind: holding.kind.clone(), host_pid: record.pid }
}
