//! The handle that a handler gets: who called, and how to ask the host for something. It decides nothing; what an
//! extension may do, the host says with each answer.

mod error;
mod link;

pub use error::CallError;
pub(crate) use link::Link;

use crate::protocol::{CallId, Hello};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// A handle of one load, and within it of one call of the host. Cloning it is cheap, and a clone may go to another
/// thread. After the end of its load every call through it answers `context.stale`.
#[derive(Clone)]
pub struct Context {
    load: Arc<Load>,
    call: Option<CallId>,
}

struct Load {
    hello: Hello,
    link: Arc<dyn Link>,
}

impl Context {
    pub(crate) fn new(hello: Hello, link: Arc<dyn Link>) -> Self {
        Self { load: Arc::new(Load { hello, link }), call: None }
    }

    pub(crate) fn of_call(&self, call: CallId) -> Self {
        Self { load: Arc::clone(&self.load), call: Some(call) }
    }

    /// Returns a context that belongs to the load and to no call, for work that goes on after the handler returned.
    pub fn detached(&self) -> Self {
        Self { load: Arc::clone(&self.load), call: None }
    }

    /// Asks the host for something by its name in the contract, and waits for the answer. While it waits, the
    /// extension's other handlers are called, and its own time stands still unless the contract says otherwise.
    pub fn call<A, R>(&self, name: &str, arguments: &A) -> Result<R, CallError>
    where
        A: Serialize + ?Sized,
        R: DeserializeOwned,
    {
        let arguments = serde_json::value::to_raw_value(arguments)
            .map_err(|source| CallError::Arguments { call: name.to_owned(), source })?;
        let value = self.load.link.request(self.call, self.epoch(), name, &arguments)?;
        serde_json::from_str(value.get())
            .map_err(|source| CallError::Returned { call: name.to_owned(), source })
    }

    /// Tells whether the host no longer wants the answer to this call. It looks at what has arrived, so a long
    /// computation may ask it now and then. Of a context of no call it is never true.
    pub fn is_cancelled(&self) -> bool {
        let Some(call) = self.call else { return false };
        let link = &self.load.link;
        link.is_cancelled(call) || {
            link.look();
            link.is_cancelled(call)
        }
    }

    /// Returns which load of the extension this is.
    pub fn epoch(&self) -> u64 {
        self.load.hello.epoch
    }

    /// Returns the name of the host's contract.
    pub fn host(&self) -> &str {
        &self.load.hello.host
    }

    /// Returns the version of the host's contract.
    pub fn host_version(&self) -> &str {
        &self.load.hello.host_version
    }

    /// Returns the extension's own name, as it is installed.
    pub fn extension(&self) -> &str {
        &self.load.hello.extension
    }

    /// Returns the directory of the extension's files, which are read-only.
    pub fn root(&self) -> &Path {
        &self.load.hello.root
    }

    /// Returns a directory that is the extension's own and outlives updates, if the host keeps one.
    pub fn data(&self) -> Option<&Path> {
        self.load.hello.data.as_deref()
    }

    /// Returns what the person granted of a permission: `true` for all of it, or a list.
    pub fn granted(&self, permission: &str) -> Option<&serde_json::Value> {
        self.load.hello.grants.get(permission)
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("epoch", &self.epoch())
            .field("call", &self.call)
            .finish_non_exhaustive()
    }
}
