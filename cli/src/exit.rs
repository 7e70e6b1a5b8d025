//! Exit codes: what a script learns without reading. Listed for people in `docs/exit-codes.md`, which a test keeps true.

use std::process::ExitCode;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Exit {
    /// What was asked for holds.
    Done = 0,
    /// It does not, for a reason that has no code of its own.
    Failed = 1,
    /// The command line is wrong.
    Usage = 2,
    /// Trust or policy refused.
    Refused = 3,
    /// Something is not what its digest says.
    Integrity = 4,
    /// There is no set that fulfils the wishes.
    Conflict = 5,
    /// A registry can't be reached.
    Network = 6,
    /// The lock would change, and must not.
    LockWouldChange = 8,
    /// Pintle itself is wrong.
    Bug = 101,
    /// The person stopped it.
    Interrupted = 130,
}

impl Exit {
    /// Returns the number.
    pub(crate) const fn code(self) -> u8 {
        self as u8
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
