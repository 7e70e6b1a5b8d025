//! Exit codes: what a script learns without reading. Listed for people in `docs/exit-codes.md`, which a test keeps true.

use std::process::ExitCode;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// What was asked for holds.
    Done,
    /// It does not, for a reason that has no code of its own.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Trust or policy refused.
    Refused,
    /// Something is not what its digest says.
    Integrity,
    /// There is no set that fulfils the wishes.
    Conflict,
    /// A registry can't be reached.
    Network,
    /// An extension failed.
    Fault,
    /// The lock would change, and must not.
    LockWouldChange,
    /// Pintle itself is wrong.
    Bug,
    /// There is a program to run, and it can't be run or must not.
    CannotRun,
    /// There is no program to run.
    NoProgram,
    /// The person stopped it.
    Interrupted,
    /// What the command that was run came to.
    OfCommand(u8),
}

impl Exit {
    /// Returns the number.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Refused => 3,
            Self::Integrity => 4,
            Self::Conflict => 5,
            Self::Network => 6,
            Self::Fault => 7,
            Self::LockWouldChange => 8,
            Self::Bug => 101,
            Self::CannotRun => 126,
            Self::NoProgram => 127,
            Self::Interrupted => 130,
            Self::OfCommand(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
