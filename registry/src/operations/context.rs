//! What every operation is handed: whose set, for which hosts and machine, at what time, and whom to tell.

use crate::index::RegistryName;
use crate::set::Wishes;
use crate::store::{Holder, Patience, Recovered, Scope, Waiting};
use crate::trust::Meaning;
use jiff::Timestamp;
use pintle_manifest::{HostName, Name, Target, Version};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// What an operation is handed. Nothing else of the world is looked at.
pub struct Context<'a> {
    /// Whose set is meant.
    pub scope: Scope,
    /// The contract versions of the hosts at hand, unless the wishes say otherwise.
    pub hosts: BTreeMap<HostName, Version>,
    /// Contract versions that were asked for just now; they win over the wishes.
    pub asked_hosts: BTreeMap<HostName, Version>,
    /// What the contracts at hand say of permissions.
    pub meaning: Meaning,
    /// The machine that artifacts must run on.
    pub target: Target,
    /// The time, taken once.
    pub now: Timestamp,
    /// The command as typed, for the history and for those who wait.
    pub command: String,
    /// Whether registries may be asked.
    pub access: Access,
    /// How long to wait for another process.
    pub patience: Duration,
    /// Told of what happens.
    pub events: &'a (dyn Fn(Event) + Sync),
    /// Whether the person asked to stop.
    pub cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// Whether registries may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// They may.
    Online,
    /// Only what was seen before is used.
    Offline,
}

/// Something that happened during an operation, for progress and notices.
#[derive(Debug, Clone)]
pub enum Event {
    /// Another process holds what is needed.
    Waiting(Waiting),
    /// What a killed command left was finished or dropped.
    Recovered(Recovered),
    /// The choice of releases begins.
    Resolving,
    /// So many archives of so many bytes are about to be fetched and unpacked.
    Fetching {
        /// Their number.
        count: usize,
        /// Their packed size in bytes.
        bytes: u64,
    },
    /// One of them is done.
    Fetched {
        /// Its name.
        name: Name,
        /// Its version.
        version: Version,
        /// Its packed size in bytes.
        bytes: u64,
    },
    /// The change is being made current.
    Committing,
    /// A directory that is no store entry stood in the way and was moved.
    SetAside(PathBuf),
    /// The cache could not be used; the operation goes on without it.
    Cache(String),
    /// A registry was read.
    Traffic {
        /// Which.
        registry: RegistryName,
        /// How many objects were asked for.
        requests: u64,
        /// How many bytes came.
        bytes: u64,
    },
}

impl Context<'_> {
    /// Returns the contract versions to choose for: those of the wishes, or if they name none those at hand; what was
    /// asked for just now goes before both.
    pub fn hosts_for(&self, wishes: &Wishes) -> BTreeMap<HostName, Version> {
        let mut hosts = if wishes.hosts.is_empty() { self.hosts.clone() } else { wishes.hosts.clone() };
        hosts.extend(self.asked_hosts.iter().map(|(name, version)| (name.clone(), version.clone())));
        hosts
    }

    /// Returns what a lease file will say of this process.
    pub fn holder(&self) -> Holder {
        Holder {
            pid: std::process::id(),
            command: self.command.clone(),
            since: self.now.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        }
    }

    /// Calls `body` with the way this operation waits.
    pub fn with_patience<T>(&self, body: impl FnOnce(&Patience<'_>) -> T) -> T {
        let asker = self.holder();
        let waiting = |waiting: &Waiting| (self.events)(Event::Waiting(waiting.clone()));
        body(&Patience {
            asker: &asker,
            at_most: self.patience,
            waiting: &waiting,
            cancelled: &|| (self.cancelled)(),
        })
    }
}
