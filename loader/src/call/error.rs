//! Errors of calls, which go to the extension.

use pintle_sdk::protocol::WireError;

/// Why a call was not answered with a value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct CallError {
    /// A stable code, such as `file.not_found`.
    pub code: String,
    /// What was wrong, and what to do instead.
    pub message: String,
}

impl CallError {
    /// Makes one.
    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { code: code.into(), message: message.into() }
    }
}

impl From<CallError> for WireError {
    fn from(error: CallError) -> Self {
        Self { code: error.code, message: error.message }
    }
}
