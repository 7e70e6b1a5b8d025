//! Streams: one of very many. Every subscriber has a queue of its own, bounded in bytes and items, and gets what is in it
//! in batches, with the count of what was dropped. Whoever pushes never waits. A fault is logged.

use super::consult::Firing;
use super::filter::passes;
use super::line::Line;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
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
        let Ok(raw) = to_raw_value(item) else { return };
        let raw: Arc<RawValue> = raw.into();
        let mut value: Option<Value> = None;
        for subscriber in firing.all() {
            let Some(queue) = &subscriber.binding.queue else { continue };
            let filter = &subscriber.binding.filter;
            let wanted = filter.is_empty() || {
                let value = value.get_or_insert_with(|| serde_json::from_str(raw.get()).unwrap_or_default());
                passes(filter, value)
            };
            if wanted {
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
