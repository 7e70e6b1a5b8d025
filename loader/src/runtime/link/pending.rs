//! Callbacks that wait for their answer.

use super::clock::Clock;
use crate::runtime::Next;
use pintle_sdk::protocol::{Answer, CallId};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use tokio::sync::oneshot;

/// How many callbacks that nobody waits for any more are remembered.
const REMEMBERED: usize = 1024;

/// The callbacks of one worker.
#[derive(Default)]
pub(super) struct Pending {
    last: CallId,
    calls: HashMap<CallId, Waiting>,
    /// Calls whose answer may still come and is dropped then.
    given_up: VecDeque<CallId>,
}

/// One callback that waits.
pub(super) struct Waiting {
    pub(super) answer: oneshot::Sender<Result<Answer, String>>,
    pub(super) clock: Arc<Clock>,
    pub(super) depth: u8,
    pub(super) next: Option<Next>,
}

/// What a request takes from the callback in which it is made; nothing, if the extension asks by itself.
#[derive(Default)]
pub(super) struct Parent {
    pub(super) clock: Option<Arc<Clock>>,
    pub(super) depth: u8,
    pub(super) next: Option<Next>,
}

/// What an answer turned out to be.
pub(super) enum Taken {
    /// Someone waits for it.
    Wanted(Waiting),
    /// Nobody waits for it any more.
    Late,
    /// There is no such call, or it was answered before.
    Unknown,
}

impl Pending {
    /// Adds one, and returns its number.
    pub(super) fn add(&mut self, waiting: Waiting) -> CallId {
        self.last += 1;
        self.calls.insert(self.last, waiting);
        self.last
    }

    /// Takes the one that an answer is for.
    pub(super) fn take(&mut self, id: CallId) -> Taken {
        if let Some(waiting) = self.calls.remove(&id) {
            return Taken::Wanted(waiting);
        }
        match self.given_up.iter().position(|given_up| *given_up == id) {
            Some(index) => {
                self.given_up.remove(index);
                Taken::Late
            }
            None => Taken::Unknown,
        }
    }

    /// Waits for it no longer.
    pub(super) fn give_up(&mut self, id: CallId) {
        if self.calls.remove(&id).is_some() {
            self.given_up.push_back(id);
            while self.given_up.len() > REMEMBERED {
                self.given_up.pop_front();
            }
        }
    }

    /// Tells whether such a callback was ever made.
    pub(super) fn was_made(&self, id: CallId) -> bool {
        (1..=self.last).contains(&id)
    }

    /// Returns one that waits.
    pub(super) fn get(&self, id: CallId) -> Option<&Waiting> {
        self.calls.get(&id)
    }

    /// Drops all of them, so that whoever waits learns that no answer will come.
    pub(super) fn clear(&mut self) {
        self.calls.clear();
    }
}
