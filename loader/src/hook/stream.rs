//! Streams: one of very many. Every subscriber has a queue of its own, bounded in bytes and items, and gets what is in it
//! in batches, with the count of what was dropped. Whoever pushes never waits. A fault is logged.

use super::consult::Firing;
use super::filter::passes;
use super::line::Line;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::time::timeout;

/// How many items are checked against the contract, one after the other. A type that is wrong is wrong from the first.
const ALL_CHECKED: u64 = 1000;
/// Of those after them, each so-manyth is. Checking one costs a quarter of handing it on.
const CHECKED: u64 = 64;

/// A claimed stream hook.
#[derive(Debug, Clone)]
pub struct Stream<P> {
    line: Line<P>,
    /// How many items were pushed.
    pushed: Arc<AtomicU64>,
}

impl<P> Stream<P> {
    pub(crate) fn new(line: Line<P>) -> Self {
        Self { line, pushed: Arc::default() }
    }
}

impl<P: Serialize> Stream<P> {
    /// Tells whether any extension is bound to the hook.
    pub fn is_heard(&self) -> bool {
        self.line.is_heard()
    }

    /// Adds an item to the queue of every subscriber. Returns at once.
    pub fn push(&self, item: &P) {
        let Some(firing) = self.line.heard() else {
            return;
        };
        let Ok(raw) = to_raw_value(item) else { return };
        let raw: Arc<RawValue> = raw.into();
        let mut value: Option<Value> = None;
        let read = || serde_json::from_str(raw.get()).unwrap_or_default();
        let number = self.pushed.fetch_add(1, Ordering::Relaxed);
        let is_checked = number < ALL_CHECKED || number.is_multiple_of(CHECKED);
        if is_checked && firing.promised(value.get_or_insert_with(read)).is_err() {
            return;
        }
        for subscriber in firing.all() {
            let Some(queue) = &subscriber.binding.queue else { continue };
            let filter = &subscriber.binding.filter;
            if filter.is_empty() || passes(filter, value.get_or_insert_with(read)) {
                queue.push(&raw);
            }
        }
    }

    /// Waits until everything that was pushed is delivered or dropped, at most so long.
    pub async fn flush(&self, at_most: Duration) {
        let Some(core) = self.line.core() else { return };
        let Some(firing) = Firing::new(core, self.line.hook()) else { return };
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
