//! Runtimes: how the code of an extension runs. One trait for all of them, [`Instance`]; the rest of the loader does
//! not know which it talks to. A runtime owns the clock of its callbacks: it alone knows when code of the extension
//! runs and when it waits.
//!
//! [`process`] and [`native`] run in a worker and are talked to over a [`link`].

mod fault;
mod log;
mod link;

mod hosted;
mod process;
mod native;

pub use fault::{Fault, FaultKind};
pub(crate) use log::Log;

use crate::stage::Artifact;
use crate::worker::{Setting, SpawnError};
use pintle_sdk::protocol::{Answer, DisposeReason, Hello, WireError};
use serde_json::value::RawValue;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A future that is handed around.
pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// A running extension.
pub(crate) trait Instance: Send + Sync + std::fmt::Debug {
    /// Calls it back, within its time. What is past its time is cancelled; what does not heed that is ended.
    fn call(&self, call: Callback) -> Boxed<'_, Result<Answered, Fault>>;
    /// Hands it something it need not answer soon. The order of such calls and of [`Instance::call`] is kept.
    fn send(&self, call: Callback) -> Boxed<'static, Result<Answered, Fault>>;
    /// Waits until it ended by itself, and says how.
    fn ended(&self) -> Boxed<'_, Fault>;
    /// Returns how it ended by itself, if it did.
    fn fault(&self) -> Option<Fault>;
    /// Asks it to let go of everything, and waits at most so long. Tells whether it did.
    fn dispose(&self, reason: DisposeReason, budget: Duration) -> Boxed<'_, bool>;
    /// Ends it, with everything it started, and waits at most so long. Tells what had to be forced.
    fn end(&self, budget: Duration) -> Boxed<'_, Ending>;
    /// Ends it at once, without waiting.
    fn kill(&self);
    /// Returns its process, if it has one, as the ledger notes it.
    fn process(&self) -> Option<Process>;
}

/// A process, so that it can be told from a later one of the same number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Process {
    pub(crate) pid: u32,
    /// When it started, in clock ticks since the machine did.
    pub(crate) started: u64,
}

/// How an instance came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// By itself.
    Orderly,
    /// It was killed.
    Forced,
}

/// One callback.
pub(crate) struct Callback {
    pub(crate) hook: Arc<str>,
    pub(crate) payload: Arc<RawValue>,
    pub(crate) limits: Limits,
    /// How many bus deliveries led to it.
    pub(crate) depth: u8,
    /// Whether it is to be answered after those before it that are.
    pub(crate) in_turn: bool,
    /// What is inside, for an around hook.
    pub(crate) next: Option<Next>,
}

/// What an around hook wraps: called with the payload as the extension passes it on.
pub(crate) type Next =
    Arc<dyn Fn(Box<RawValue>) -> Boxed<'static, Result<Box<RawValue>, WireError>> + Send + Sync>;

/// How long a callback may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limits {
    /// Not counting what it waits for the host.
    pub(crate) own: Duration,
    /// In all.
    pub(crate) wall: Duration,
}

/// An answer, and what it took.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) answer: Answer,
    pub(crate) own: Duration,
    pub(crate) wall: Duration,
}

/// What an instance asks of the host.
pub(crate) struct Asked {
    pub(crate) call: String,
    pub(crate) arguments: Box<RawValue>,
    pub(crate) epoch: u64,
    /// How many bus deliveries led to the callback that asks.
    pub(crate) depth: u8,
}

/// Whoever answers what an instance asks.
pub(crate) trait Asks: Send + Sync {
    /// Answers it.
    fn ask(&self, asked: Asked) -> Boxed<'static, Result<Box<RawValue>, WireError>>;
    /// Tells whether waiting for this call is the extension's own time.
    fn counts_as_own(&self, call: &str) -> bool;
}

/// What is needed to start an instance.
pub(crate) struct Start {
    pub(crate) hello: Hello,
    pub(crate) artifact: Arc<Artifact>,
    pub(crate) setting: Setting,
    pub(crate) asks: Arc<dyn Asks>,
    pub(crate) log: Arc<Log>,
    /// The hooks that it may answer.
    pub(crate) hooks: Vec<String>,
    pub(crate) limits: Limits,
    /// Told of the process as soon as there is one.
    pub(crate) started: Box<dyn Fn(Process) + Send + Sync>,
}

/// Says why an instance did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// There is no worker.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    /// It did not get through the handshake.
    #[error("{0}")]
    Handshake(Fault),
}

/// Starts what the artifact says.
pub(crate) async fn start(start: Start) -> Result<Arc<dyn Instance>, StartError> {
    let artifact = Arc::clone(&start.artifact);
    match &*artifact {
        Artifact::Process(command) => process::start(start, command).await,
        Artifact::Native(bytes) => native::start(start, bytes).await,
    }
}
