//! The bus: extensions tell each other things. A topic is `EXTENSION:TOPIC`, and only its owner emits it; `host:` is the
//! host's. Delivery is in load order and isolated: one subscriber that fails or is slow costs no other anything. What a
//! subscriber returns is ignored.

use crate::hook;
use crate::host::Core;
use crate::runtime::{Callback, Limits};
use crate::supervise::Member;
use crate::trace::TraceEvent;
use pintle_manifest::Name;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How many messages in a row may answer each other.
pub(crate) const MAX_DEPTH: u8 = 8;
/// How long a message may be, in bytes of JSON.
pub(crate) const MAX_SIZE: usize = 64 * 1024;
/// How many messages one extension may send in a second. It bounds those that answer each other without saying so, whose
/// depth nobody can count.
pub(crate) const MAX_PER_SECOND: u32 = 1000;
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
    /// How many messages each extension sent in its present second, and when that began.
    sent: BTreeMap<Name, (Instant, u32)>,
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

    /// Counts a message of an extension. Tells whether it may send that one.
    pub(crate) fn admits(&self, from: &Name) -> bool {
        let mut inner = self.inner.lock().expect("no holder panics");
        let now = Instant::now();
        let (since, count) = inner.sent.entry(from.clone()).or_insert((now, 0));
        if now.duration_since(*since) >= Duration::from_secs(1) {
            (*since, *count) = (now, 0);
        }
        *count += 1;
        *count <= MAX_PER_SECOND
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
        core.trace(|| TraceEvent::Dispatch { hook: "bus".to_owned(), called: wanted.len(), filtered: 0 });
        for member in core.members() {
            for one in wanted.iter().filter(|one| Arc::ptr_eq(&one.member, &member)) {
                let Some(live) = member.live().filter(|live| live.epoch == one.epoch) else { continue };
                let callback = Callback {
                    hook: "bus".into(),
                    payload: Arc::clone(&payload),
                    limits: LIMITS,
                    depth,
                    in_turn: true,
                    next: None,
                };
                let answer = live.instance.send(callback);
                let (core, member) = (Arc::clone(core), Arc::clone(&member));
                tokio::spawn(async move {
                    hook::told(&core, &member, "bus", answer.await);
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

#[cfg(test)]
mod tests {
    use super::{Bus, MAX_PER_SECOND};
    use pintle_manifest::Name;

    #[test]
    fn who_sends_too_many_messages_costs_nobody_else_anything() {
        let bus = Bus::default();
        let (ada, bob) = (Name::parse("ada").unwrap(), Name::parse("bob").unwrap());
        // As many as two seconds admit are enough, wherever in a second the count begins.
        let admitted = (0..4 * MAX_PER_SECOND).filter(|_| bus.admits(&ada)).count();
        let most = 2 * usize::try_from(MAX_PER_SECOND).unwrap();
        assert!((most / 2..=most).contains(&admitted), "{admitted}");
        assert!(bus.admits(&bob));
    }
}
