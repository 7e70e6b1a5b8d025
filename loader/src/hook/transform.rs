//! Transforms: shall this change? Chained in load order: each gets what the one before made of it. A fault or a value that
//! is not valid is skipped, and the last good value stands.

use super::consult::{Firing, Payload};
use super::line::Line;
use pintle_sdk::protocol::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A claimed transform hook.
#[derive(Debug, Clone)]
pub struct Transform<P>(pub(crate) Line<P>);

impl<P: Serialize + DeserializeOwned> Transform<P> {
    /// Tells whether any extension is bound to the hook.
    pub fn is_heard(&self) -> bool {
        self.0.is_heard()
    }

    /// Lets all transforms have it, and returns what became of it.
    pub async fn apply(&self, payload: P) -> P {
        let Some(firing) = self.0.heard() else {
            return payload;
        };
        let Some(first) = Payload::of(&payload) else { return payload };
        match chain(&firing, first).await {
            Some(changed) => changed.into_host().unwrap_or(payload),
            None => payload,
        }
    }
}

/// Returns the payload if it was changed.
async fn chain(firing: &Firing<'_>, first: Payload) -> Option<Payload> {
    firing.called(&first).ok()?;
    let mut payload = first;
    let mut changed = false;
    for subscriber in firing.all() {
        if !firing.wakes(subscriber, &payload) {
            continue;
        }
        match firing.consult(subscriber, &payload, None).await {
            Ok(Answer::Continue) | Err(_) => {}
            Ok(Answer::Replace(raw)) => {
                if let Ok(replaced) = firing.replaced(subscriber, &payload, &raw) {
                    payload = replaced;
                    changed = true;
                }
            }
            Ok(other @ (Answer::Ask(_) | Answer::Block(_) | Answer::Handled(_) | Answer::Items(_))) => {
                firing.not_admitted(subscriber, &other);
            }
        }
    }
    changed.then_some(payload)
}
