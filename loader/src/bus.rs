//! The bus: extensions tell each other things. A topic is `EXTENSION:TOPIC`, and only its owner emits it; `host:` is the
//! host's. Delivery is in load order and isolated: one subscriber that fails or is slow costs no other anything. What a
//! subscriber returns is ignored.

use crate::host::Core;
use crate::runtime::{Callback, Limits};
use crate::supervise::{self, Member};
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How many messages in a row may answer each other.
pub(crate) const MAX_DEPTH: u8 = 8;
/// How long a message may be, in bytes of JSON.
pub(crate) const MAX_SIZE: usize = 64 * 1024;
/// How long one delivery may take.
const LIMITS: Limits = Limits { own: Duration::from_secs(1), wall: Duration::from_secs(5) };

/// The subscriptions.
#[derive(Debug, Default)]
pub(crate) struct Bus {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last: u64,
    subscriptions: Vec<Subscription>,
}

#[derive(Debug, Clone)]
struct Subscription {
    id: u64,
    topic: String,
    member: Arc<Member>,
    epoch: u64,
}

impl Bus {
    /// Adds a subscription, and returns its number.
    pub(crate) fn subscribe(&self, topic: &str, member: &Arc<Member>, epoch: u64) -> u64 {
        let mut inner = self.inner.lock().expect("no holder panics");
        inner.last += 1;
        let id = inner.last;
        inner.subscriptions.push(Subscription {
            id,
            topic: topic.to_owned(),
            member: Arc::clone(member),
            epoch,
        });
        id
    }

    /// Removes a subscription.
    pub(crate) fn unsubscribe(&self, id: u64) {
        let mut inner = self.inner.lock().expect("no holder panics");
        inner.subscriptions.retain(|subscription| subscription.id != id);
    }

    /// Sends a message to everyone who wants it. Nobody is waited for; each gets its messages in order.
    pub(crate) fn emit(&self, core: &Arc<Core>, from: &str, topic: &str, value: Value, depth: u8) {
        let wanted: Vec<Subscription> = {
            let inner = self.inner.lock().expect("no holder panics");
            inner.subscriptions.iter().filter(|one| one.topic == topic).cloned().collect()
        };
        if wanted.is_empty() {
            return;
        }
        let payload = json!({ "topic": topic, "from": from, "value": value });
        let Ok(payload) = to_raw_value(&payload) else { return };
        let payload = Arc::from(payload);
        for member in core.members() {
            for one in wanted.iter().filter(|one| Arc::ptr_eq(&one.member, &member)) {
                let Some(live) = member.live().filter(|live| live.epoch == one.epoch) else { continue };
                let callback = Callback {
                    hook: "bus".into(),
                    payload: Arc::clone(&payload),
                    limits: LIMITS,
                    depth,
                    next: None,
                };
                let answer = live.instance.send(callback);
                let (core, member) = (Arc::clone(core), Arc::clone(&member));
                tokio::spawn(async move {
                    if let Err(fault) = answer.await {
                        supervise::fault(&core, &member, &fault);
                    }
                });
            }
        }
    }
}

/// Checks the part of a topic after its owner.
pub(crate) fn check_topic(topic: &str) -> Result<(), String> {
    let is_fine = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '.' | '-' | '_');
    match topic.len() {
        1..=64 if topic.chars().all(is_fine) => Ok(()),
        _ => Err("a topic has 1 to 64 of `a-z`, `0-9`, `.`, `-` and `_`".to_owned()),
    }
}
