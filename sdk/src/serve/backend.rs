//! What stands behind the loop: an extension in this process, or a native library.

use super::incoming::CallText;
use crate::context::{CallError, Link};
use crate::protocol::CallId;
use serde_json::value::RawValue;
use std::sync::Arc;

/// Answers calls. All texts are JSON of the protocol. A message that a method returns as an error becomes a fault, and
/// of `start` the end of the load.
pub trait Backend: Send + Sync + 'static {
    /// Starts a load: `hello` is a `Hello`, and what is returned a `Ready`.
    fn start(&self, hello: &str, host: Host) -> Result<String, String>;
    /// Answers a call by appending an `Answer`. Runs on several threads at once.
    fn call(&self, call: &CallText<'_>, answer: &mut Vec<u8>) -> Result<(), String>;
    /// Learns that an answer is no longer wanted.
    fn cancel(&self, call: CallId);
    /// Lets go of everything: `dispose` is a `Dispose`.
    fn dispose(&self, dispose: &str);
}

/// The way to the host that a backend is given.
#[derive(Clone)]
pub struct Host {
    pub(crate) link: Arc<dyn Link>,
}

impl Host {
    /// Asks the host for something, and waits for the answer.
    pub fn request(
        &self,
        parent: Option<CallId>,
        epoch: u64,
        call: &str,
        arguments: &RawValue,
    ) -> Result<Box<RawValue>, CallError> {
        self.link.request(parent, epoch, call, arguments)
    }

    /// Tells whether a call was cancelled, as far as is known.
    pub fn is_cancelled(&self, call: CallId) -> bool {
        self.link.is_cancelled(call)
    }

    /// Reads what has arrived, without waiting for more; cancels then reach the backend.
    pub fn look(&self) {
        self.link.look();
    }
}
