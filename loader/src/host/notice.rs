//! What a host should know, and perhaps tell a person, as it happens.

use crate::ledger::Orphan;
use crate::runtime::Fault;
use pintle_manifest::{Deprecation, Name};
use std::time::Duration;

/// Something that a host should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// An extension failed at run time.
    Fault {
        /// The extension.
        name: Name,
        /// What happened.
        fault: Fault,
    },
    /// An extension takes long to start, and the host waits for it.
    Slow {
        /// The extension.
        name: Name,
    },
    /// An extension that failed runs again.
    Restarted {
        /// The extension.
        name: Name,
        /// How long the start took.
        took: Duration,
    },
    /// An extension failed too often and runs no more.
    Quarantined {
        /// The extension.
        name: Name,
        /// Why.
        reason: String,
        /// Whether later hosts leave it out, too; not so if its folder was named on the command line.
        lasts: bool,
    },
    /// An extension put another payload in the place of the one that a guard hook was asked about.
    Replaced {
        /// The extension.
        name: Name,
        /// The hook.
        hook: String,
    },
    /// A host that was killed had left something, which is ended now.
    Orphan(Orphan),
    /// Something is still there after its extension ended.
    Leaked {
        /// The extension.
        name: Name,
        /// What.
        what: Vec<String>,
    },
    /// An extension uses a call that goes away; told once for each load.
    Deprecated {
        /// The extension.
        name: Name,
        /// The call, as the extension names it.
        call: String,
        /// Since when, until when, and what to use instead.
        deprecation: Deprecation,
    },
    /// The host handed over or returned what its contract does not promise. No extension is to blame.
    Mistake {
        /// The hook or the call.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// State can't be read or written. The host goes on without it.
    State {
        /// What is wrong.
        error: String,
    },
}
