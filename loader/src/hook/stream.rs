//! Streams: one of very many. Every subscriber has a queue of its own, bounded in bytes and items, and gets what is in it
//! in batches, with the count of what was dropped. Whoever pushes never waits. A fault is logged.

use super::consult::{Firing, Payload};
use super::filter::passes;
use super::line::Line;
use serde::Serialize;
use std::time::Duration;
use tokio::time::timeout;

/// A claimed stream hook.
#[derive(Debug, Clone)]
pub struct Stream<P>(pub(crate) Line<P>);

impl<P: Serialize> Stream<P> {
    /// Tells whether any extension is bound to the hook.
    pub fn is_heard(&self) -> bool {
        self.0.is_heard()
    }

    /// Adds an item to the queue of every subscriber. Returns at once.
    pub fn push(&self, item: &P) {
        let Some(firing) = self.0.heard() else {
            return;
        };
        let Some(Payload { value, raw }) = Payload::of(item) else { return };
        if firing.promised(&value).is_err() {
            return;
        }
        for subscriber in firing.all() {
            let Some(queue) = &subscriber.binding.queue else { continue };
            if passes(&subscriber.binding.filter, &value) {
                queue.push(&raw);
            }
        }
    }

    /// Waits until everything that was pushed is delivered or dropped, at most so long.
    pub async fn flush(&self, at_most: Duration) {
        let Some(core) = self.0.core() else { return };
        let Some(firing) = Firing::new(core, self.0.hook()) else { return };
        let flushed = async {
            for subscriber in firing.all() {
                if let Some(queue) =
                    subscriber.binding.queue.as_ref().filter(|_| !subscriber.member.is_over())
                {
                    queue.flush().await;
                }
            }
        };
        let _ = timeout(at_most, flushed).await;
    }
}
