//! What one line of the ledger says.

use pintle_manifest::Name;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Numbers an entry within its host; never reused.
pub type EntryId = u64;

/// Something that an extension holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holding {
    /// Its number.
    pub id: EntryId,
    /// Who holds it.
    pub owner: Name,
    /// Which load of the owner.
    pub epoch: u64,
    /// What it is.
    pub kind: Kind,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
}

/// What is held. All that is needed to show it, and to take it back after the host is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Kind {
    /// A callback at a hook.
    Hook {
        /// The hook.
        hook: String,
    },
    /// An entry of a slot.
    Slot {
        /// The slot.
        slot: String,
        /// Its name there.
        entry: String,
    },
    /// A subscription to a topic.
    Subscription {
        /// The topic.
        topic: String,
    },
    /// A timer.
    Timer {
        /// Its name.
        name: String,
    },
    /// The process that it runs in.
    Worker {
        /// Its number.
        pid: u32,
        /// When it started, in clock ticks since the machine did.
        started: u64,
    },
    /// A process that it had started.
    Child {
        /// The program.
        program: String,
        /// Its number.
        pid: u32,
        /// When it started, in clock ticks since the machine did.
        started: u64,
    },
    /// A directory that goes with it.
    TempDir {
        /// Where.
        path: PathBuf,
    },
    /// Something that the host added for it: an item, a change, a watcher.
    Host {
        /// What sort, in the host's words.
        what: String,
        /// Which.
        key: String,
    },
}

impl Kind {
    /// Returns what it is in a word.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Hook { .. } => "hook",
            Self::Slot { .. } => "slot",
            Self::Subscription { .. } => "subscription",
            Self::Timer { .. } => "timer",
            Self::Worker { .. } => "worker",
            Self::Child { .. } => "child",
            Self::TempDir { .. } => "temp dir",
            Self::Host { .. } => "host",
        }
    }

    /// Returns which one it is.
    pub fn key(&self) -> String {
        match self {
            Self::Hook { hook } => hook.clone(),
            Self::Slot { slot, entry } => format!("{slot}/{entry}"),
            Self::Subscription { topic } => topic.clone(),
            Self::Timer { name } => name.clone(),
            Self::Worker { pid, .. } => format!("pid {pid}"),
            Self::Child { program, pid, .. } => format!("{program} (pid {pid})"),
            Self::TempDir { path } => path.display().to_string(),
            Self::Host { what, key } => format!("{what} {key}"),
        }
    }
}
