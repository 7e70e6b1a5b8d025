//! The queue between a stream and one subscriber. It is the only path: whoever pushes waits for nobody, and what there is
//! no room for is dropped by the contract's rule and counted.

use super::Subscriber;
use super::consult::told;
use crate::host::Core;
use crate::runtime::Callback;
use crate::supervise::Live;
use crate::trace::TraceEvent;
use pintle_manifest::QueueRule;
use serde_json::value::RawValue;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// How many bytes wait at most.
const MOST_BYTES: usize = 256 * 1024;
/// How many items wait at most.
const MOST_ITEMS: usize = 1024;
/// How many items are worth a batch at once.
const BATCH: usize = 64;
/// How long items wait for others to join them.
const GATHER: Duration = Duration::from_millis(16);

/// The queue of one subscriber.
#[derive(Debug)]
pub(crate) struct Queue {
    rule: QueueRule,
    inner: Mutex<Inner>,
    /// Told when there is something, when a batch is full, and when it is to be emptied.
    more: Notify,
    /// Told when everything was delivered.
    empty: Notify,
}

#[derive(Debug, Default)]
struct Inner {
    items: VecDeque<Arc<RawValue>>,
    bytes: usize,
    dropped: u64,
    /// Someone waits for everything to be delivered.
    flushing: bool,
    /// A batch is with the extension.
    delivering: bool,
    closed: bool,
}

impl Queue {
    pub(crate) fn new(rule: QueueRule) -> Self {
        Self { rule, inner: Mutex::default(), more: Notify::new(), empty: Notify::new() }
    }

    /// Adds an item, and makes room for it if there is none.
    pub(crate) fn push(&self, item: &Arc<RawValue>) {
        let mut inner = self.inner.lock().expect("no holder panics");
        if inner.closed {
            return;
        }
        let size = item.get().len();
        if self.rule == QueueRule::Coalesce
            && inner.items.len() >= BATCH
            && let Some(last) = inner.items.pop_back()
        {
            inner.bytes -= last.get().len();
            inner.dropped += 1;
        }
        while !inner.items.is_empty() && (inner.bytes + size > MOST_BYTES || inner.items.len() >= MOST_ITEMS)
        {
            if self.rule == QueueRule::Close {
                inner.closed = true;
                inner.dropped += inner.items.len() as u64 + 1;
                inner.items.clear();
                inner.bytes = 0;
                drop(inner);
                self.tell_closed();
                return;
            }
            if let Some(oldest) = inner.items.pop_front() {
                inner.bytes -= oldest.get().len();
                inner.dropped += 1;
            }
        }
        inner.bytes += size;
        inner.items.push_back(Arc::clone(item));
        // Whoever delivers is woken by the first item and by a full batch, not by each in between.
        let wake = inner.items.len() == 1 || inner.items.len() == BATCH;
        drop(inner);
        if wake {
            self.more.notify_one();
        }
    }

    /// Takes nothing more, and drops what is there: there is no subscriber any more.
    pub(crate) fn end(&self) {
        let mut inner = self.inner.lock().expect("no holder panics");
        inner.closed = true;
        inner.items.clear();
        inner.bytes = 0;
        inner.dropped = 0;
        drop(inner);
        self.tell_closed();
    }

    fn tell_closed(&self) {
        self.more.notify_one();
        self.empty.notify_waiters();
    }

    fn is_closed(&self) -> bool {
        self.inner.lock().expect("no holder panics").closed
    }

    /// Waits until everything was delivered or dropped.
    pub(crate) async fn flush(&self) {
        loop {
            let emptied = self.empty.notified();
            {
                let mut inner = self.inner.lock().expect("no holder panics");
                if inner.closed || (inner.items.is_empty() && !inner.delivering) {
                    return;
                }
                inner.flushing = true;
            }
            self.more.notify_one();
            emptied.await;
        }
    }

    /// Takes what is to be delivered next, with the number of those that were dropped before.
    fn take(&self) -> Option<(Vec<Arc<RawValue>>, u64)> {
        let mut inner = self.inner.lock().expect("no holder panics");
        if inner.items.is_empty() && inner.dropped == 0 {
            inner.delivering = false;
            inner.flushing = false;
            drop(inner);
            self.empty.notify_waiters();
            return None;
        }
        inner.delivering = true;
        inner.bytes = 0;
        let items = std::mem::take(&mut inner.items).into();
        Some((items, std::mem::take(&mut inner.dropped)))
    }

    fn is_worth_a_batch(&self) -> bool {
        let inner = self.inner.lock().expect("no holder panics");
        inner.flushing || inner.items.len() >= BATCH
    }
}

/// Delivers batch after batch to one subscriber, one at a time, as long as it is there.
pub(crate) async fn drain(core: std::sync::Weak<Core>, subscriber: Subscriber, queue: Arc<Queue>) {
    loop {
        queue.more.notified().await;
        let gathered = Instant::now() + GATHER;
        while !queue.is_worth_a_batch() && !queue.is_closed() && Instant::now() < gathered {
            let _ = tokio::time::timeout_at(gathered.into(), queue.more.notified()).await;
        }
        // Who is being restarted gets what is there when it runs again.
        while let Ok(live) = subscriber.member.live_within(Duration::MAX).await {
            let Some((items, dropped)) = queue.take() else { break };
            let Some(core) = core.upgrade() else { return };
            deliver(&core, &subscriber, &live, &items, dropped).await;
        }
        if queue.is_closed() {
            return;
        }
    }
}

async fn deliver(
    core: &Arc<Core>,
    subscriber: &Subscriber,
    live: &Live,
    items: &[Arc<RawValue>],
    dropped: u64,
) {
    let hook = &subscriber.binding.hook;
    if dropped > 0 {
        core.trace(|| TraceEvent::Dropped {
            hook: hook.to_string(),
            extension: subscriber.member.name().clone(),
            count: dropped,
        });
    }
    let mut text = String::from("{\"items\":[");
    for (index, item) in items.iter().enumerate() {
        text.push_str(if index == 0 { "" } else { "," });
        text.push_str(item.get());
    }
    text.push_str(&format!("],\"dropped\":{dropped}}}"));
    let Ok(payload) = RawValue::from_string(text) else { return };
    let callback = Callback {
        hook: Arc::clone(&subscriber.binding.wire),
        payload: payload.into(),
        limits: subscriber.binding.limits,
        depth: 0,
        in_turn: false,
        next: None,
    };
    core.called_one(hook);
    told(core, &subscriber.member, hook, live.instance.call(callback).await);
}
