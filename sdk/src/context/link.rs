//! What a context reaches the host through: the connection of a process, or the host table of a native library.

use super::error::CallError;
use crate::protocol::CallId;
use serde_json::value::RawValue;

/// A way to the host.
pub(crate) trait Link: Send + Sync {
    /// Asks for something and waits for the answer.
    fn request(
        &self,
        parent: Option<CallId>,
        epoch: u64,
        call: &str,
        arguments: &RawValue,
    ) -> Result<Box<RawValue>, CallError>;

    /// Tells whether a call was cancelled, as far as is known.
    fn is_cancelled(&self, call: CallId) -> bool;

    /// Reads what has arrived, without waiting for more.
    fn look(&self);
}
