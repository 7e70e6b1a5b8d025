//! What a host should know, and perhaps tell a person, as it happens.

use crate::ledger::Orphan;
use crate::runtime::Fault;
use pintle_manifest::{Deprecation, Name, Untrusted};
use std::fmt;
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
        /// Whether later hosts leave it out, too; not so if its folder was named on the command line, or if that can't
        /// be kept.
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

impl fmt::Display for Notice {
    /// Says it in one line, for a person, with nothing in it that acts on a terminal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Fault { name, fault } => format!("`{name}` failed: {fault} [{}]", fault.code()),
            Self::Slow { name } => format!("waiting for `{name}` to start"),
            Self::Restarted { name, took } => format!("`{name}` runs again ({took:.1?})"),
            Self::Quarantined { name, reason, lasts: true } => {
                format!("`{name}` is in quarantine now: {reason}")
            }
            Self::Quarantined { name, reason, lasts: false } => {
                format!("`{name}` is not asked any more in this run: {reason}")
            }
            Self::Replaced { name, hook } => format!("`{name}` changed what `{hook}` is about"),
            Self::Orphan(orphan) => format!(
                "a host that was killed (pid {}) had left the {} {} of `{}`; it is ended now",
                orphan.host_pid,
                orphan.kind.word(),
                orphan.kind.key(),
                orphan.owner
            ),
            Self::Leaked { name, what } => format!("`{name}` left something behind: {}", what.join(", ")),
            Self::Deprecated { name, call, deprecation } => format!(
                "`{name}` uses the call `{call}`, deprecated since {} and gone in {}; its author is to use `{}` instead",
                deprecation.since, deprecation.remove_in, deprecation.instead
            ),
            Self::Mistake { what, reason } => {
                format!("at `{what}` the host does not keep its own contract: {reason}")
            }
            Self::State { error } => format!("{error}; the host goes on without it"),
        };
        write!(f, "{}", Untrusted(&text))
    }
}
