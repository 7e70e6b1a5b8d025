//! What the threads of a worker share: who reads, who waits, what is to be done. Held for moments, never while waiting
//! for the host or running a handler.

use super::incoming::CallText;
use super::server::ServeError;
use crate::protocol::{CallId, Reply, RequestId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Condvar};

#[derive(Default)]
pub(crate) struct State {
    /// Whether a thread reads frames.
    pub(crate) is_read: bool,
    /// How often a thread began to read.
    pub(crate) reads: u64,
    /// Whether the patrol looks that somebody reads.
    pub(crate) is_patrolled: bool,
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
    /// Whether a call is being answered that others wait for in turn.
    pub(crate) is_in_turn: bool,
    /// Calls that wait for their turn.
    pub(crate) in_turn: VecDeque<Vec<u8>>,
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

    /// Takes note of a call that was read. Tells whether it is to be answered now; else it waits for its turn.
    pub(crate) fn arrived(&mut self, call: &CallText<'_>, frame: &[u8]) -> bool {
        self.active.push(call.id);
        if !call.in_turn {
            return true;
        }
        let is_free = !std::mem::replace(&mut self.is_in_turn, true);
        if !is_free {
            self.in_turn.push_back(frame.to_vec());
        }
        is_free
    }

    /// Returns the call whose turn is next, after the one before was answered.
    pub(crate) fn next_in_turn(&mut self) -> Option<Vec<u8>> {
        let next = self.in_turn.pop_front();
        self.is_in_turn = next.is_some();
        next
    }

    pub(crate) fn begin_to_read(&mut self) {
        self.is_read = true;
        self.reads += 1;
    }

    pub(crate) fn answered(&mut self, call: CallId) {
        self.active.retain(|active| *active != call);
        self.cancelled.retain(|cancelled| *cancelled != call);
    }
}
