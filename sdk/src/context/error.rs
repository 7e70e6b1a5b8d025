//! What a call of the host fails with.

use crate::protocol::WireError;

/// Says why a call of the host gave no value.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// The host said no, or could not; `context.stale` is one of its codes.
    #[error(transparent)]
    Refused(WireError),
    /// The host is gone.
    #[error("the host closed the connection")]
    Closed,
    /// The arguments can't be sent.
    #[error("the arguments of `{call}` can't be sent")]
    Arguments {
        /// The call.
        call: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// The request is longer than any message may be.
    #[error("the request `{call}` is {length} bytes long, over the limit")]
    TooLong {
        /// The call.
        call: String,
        /// Its length.
        length: usize,
    },
    /// What the host returned is not what this extension was written for.
    #[error("the host's answer to `{call}` is not what this extension expects")]
    Returned {
        /// The call.
        call: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
}

impl CallError {
    /// Returns a stable code: the host's own, or one that starts with `call.`.
    pub fn code(&self) -> &str {
        match self {
            Self::Refused(error) => &error.code,
            Self::Closed => "call.closed",
            Self::Arguments { .. } => "call.arguments",
            Self::TooLong { .. } => "call.too_long",
            Self::Returned { .. } => "call.returned",
        }
    }
}
