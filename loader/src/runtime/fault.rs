//! Faults: an extension failed at run time. A fault is never a decision of the extension.

use std::time::Duration;

/// An extension failed at run time.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Fault {
    /// What happened.
    pub kind: FaultKind,
    /// The last lines that it logged, if it ended.
    pub log: Vec<String>,
    /// Whether its instance ended with it.
    pub(crate) ended: bool,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// It ended by itself with an exit code.
    #[error("it ended with exit code {code}")]
    Exited {
        /// The code.
        code: i32,
    },
    /// It was ended by a signal.
    #[error("it was ended by signal {number} ({name})")]
    Signaled {
        /// The signal's number.
        number: i32,
        /// The signal's name.
        name: String,
    },
    /// It is gone, and nobody can tell how.
    #[error("it is gone")]
    Lost,
    /// Its library could not be loaded.
    #[error("its library can't be loaded: {reason}")]
    Library {
        /// What the system says.
        reason: String,
    },
    /// It computed for longer than a callback may.
    #[error("it computed for more than {limit:?} in `{hook}`")]
    OwnTime {
        /// The callback.
        hook: String,
        /// What is allowed.
        limit: Duration,
    },
    /// It took longer than a callback may, in all.
    #[error("it took more than {limit:?} in `{hook}`")]
    WallTime {
        /// The callback.
        hook: String,
        /// What is allowed.
        limit: Duration,
    },
    /// Its handler failed.
    #[error("its handler of `{hook}` failed: {message}")]
    Handler {
        /// The callback.
        hook: String,
        /// What the extension says.
        message: String,
    },
    /// It answered with something that the hook does not admit.
    #[error("its answer to `{hook}` is not valid: {reason}")]
    BadOutcome {
        /// The callback.
        hook: String,
        /// What is wrong with it.
        reason: String,
    },
    /// It broke the protocol.
    #[error("it broke the protocol: {reason}")]
    Protocol {
        /// A stable code, such as `protocol.unknown_message`.
        code: &'static str,
        /// How.
        reason: String,
    },
    /// It ended before it shook hands.
    #[error("it ended before the handshake, with {how}")]
    NoHandshake {
        /// Exit code or signal.
        how: String,
    },
    /// It did not shake hands in time.
    #[error("it did not shake hands within {limit:?}")]
    LateHandshake {
        /// What is allowed.
        limit: Duration,
    },
    /// It could not be started: its files or its library are to blame.
    #[error("it could not be started: {reason}")]
    NotStarted {
        /// Why not.
        reason: String,
    },
    /// What the host wanted to hand over is longer than any message.
    #[error("the payload of `{hook}` can't be sent: {reason}")]
    Unsendable {
        /// The callback.
        hook: String,
        /// Why not.
        reason: String,
    },
    /// It is not running: it is being restarted, or was ended.
    #[error("it is not running: {reason}")]
    NotRunning {
        /// Why not.
        reason: String,
    },
}

impl Fault {
    /// Makes one without a log.
    pub(crate) const fn new(kind: FaultKind) -> Self {
        Self { kind, log: Vec::new(), ended: false }
    }

    /// Says that its instance ended with it.
    pub(crate) const fn ended(mut self) -> Self {
        self.ended = true;
        self
    }

    /// Tells whether it says something about the extension, rather than about the moment.
    pub(crate) const fn counts(&self) -> bool {
        !matches!(self.kind, FaultKind::NotRunning { .. } | FaultKind::Unsendable { .. })
    }

    /// Makes one of a broken protocol.
    pub(crate) fn protocol(code: &'static str, reason: impl Into<String>) -> Self {
        Self::new(FaultKind::Protocol { code, reason: reason.into() })
    }

    /// Returns a stable code.
    pub const fn code(&self) -> &'static str {
        match &self.kind {
            FaultKind::Exited { .. } => "fault.exited",
            FaultKind::Signaled { .. } => "fault.crashed",
            FaultKind::Lost => "fault.lost",
            FaultKind::Library { .. } => "fault.library",
            FaultKind::OwnTime { .. } => "fault.own_time",
            FaultKind::WallTime { .. } => "fault.wall_time",
            FaultKind::Handler { .. } => "fault.handler",
            FaultKind::BadOutcome { .. } => "fault.bad_outcome",
            FaultKind::Protocol { code, .. } => code,
            FaultKind::NoHandshake { .. } => "protocol.no_handshake",
            FaultKind::LateHandshake { .. } => "protocol.late_handshake",
            FaultKind::NotStarted { .. } => "fault.not_started",
            FaultKind::Unsendable { .. } => "host.payload",
            FaultKind::NotRunning { .. } => "fault.not_running",
        }
    }
}
