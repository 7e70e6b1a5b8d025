//! What the threads of a worker share: who reads, who waits, what is to be done. Held for moments, never while waiting
//! for the host or running a handler.

use super::server::ServeError;
use crate::protocol::{CallId, Reply, RequestId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar};

#[derive(Default)]
pub(crate) struct State {
    /// Whether a thread reads frames.
    pub(crate) is_read: bool,
    /// How it ended, if it did. The one who called `serve` takes the result.
    pub(crate) ended: Option<Result<(), ServeError>>,
    /// Requests whose reply has not been taken.
    pub(crate) requests: HashMap<RequestId, Pending>,
    /// Calls that are not answered yet.
    pub(crate) active: Vec<CallId>,
    /// Those of them whose answer is no longer wanted.
    pub(crate) cancelled: Vec<CallId>,
    /// Calls that arrived while a handler read frames.
    pub(crate) jobs: VecDeque<Vec<u8>>,
    /// Threads that have nothing to do.
    pub(crate) idle: usize,
    /// Threads besides the one that called `serve`.
    pub(crate) threads: usize,
}

/// A request, and the thread that waits for its reply.
pub(crate) struct Pending {
    pub(crate) reply: Option<Reply>,
    pub(crate) wake: Arc<Condvar>,
}

impl State {
    /// Wakes a thread that waits for a reply, so that it reads. Returns whether there is one.
    pub(crate) fn wake_waiting(&self) -> bool {
        match self.requests.values().find(|pending| pending.reply.is_none()) {
            Some(pending) => {
                pending.wake.notify_one();
                true
            }
            None => false,
        }
    }

    pub(crate) fn answered(&mut self, call: CallId) {
        self.active.retain(|active| *active != call);
        self.cancelled.retain(|cancelled| *cancelled != call);
    }
}
