//! Claims: will someone take this? In load order; the first that handled it wins. One that replaces the payload passes it
//! on. A fault is skipped.

use super::consult::Payload;
use super::line::Line;
use pintle_manifest::Name;
use pintle_sdk::protocol::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A claimed claim hook.
#[derive(Debug, Clone)]
pub struct Claim<P, R>(pub(crate) Line<(P, R)>);

/// Whether someone took it.
#[derive(Debug, Clone, PartialEq)]
pub enum Claimed<P, R> {
    /// This extension did, with this reply.
    Handled {
        /// The extension.
        by: Name,
        /// Its reply.
        reply: R,
    },
    /// Nobody did; this is what is left to do.
    Unclaimed(P),
}

impl<P: Serialize + DeserializeOwned, R: DeserializeOwned> Claim<P, R> {
    /// Offers it to all, one after the other.
    pub async fn offer(&self, payload: P) -> Claimed<P, R> {
        let Some(firing) = self.0.heard() else {
            return Claimed::Unclaimed(payload);
        };
        let Some(mut present) = Payload::of(&payload) else { return Claimed::Unclaimed(payload) };
        let first = present.clone();
        if firing.called(&first).is_err() {
            return Claimed::Unclaimed(payload);
        }
        for subscriber in firing.all() {
            if !firing.wakes(subscriber, &present) {
                continue;
            }
            match firing.consult(subscriber, &present, None).await {
                Ok(Answer::Continue) | Err(_) => {}
                Ok(Answer::Replace(raw)) => {
                    if let Ok(replaced) = firing.replaced(subscriber, &present, &raw) {
                        present = replaced;
                    }
                }
                Ok(Answer::Handled(raw)) => {
                    let Ok(value) = firing.reply(subscriber, &raw) else { continue };
                    match serde_json::from_value(value) {
                        Ok(reply) => return Claimed::Handled { by: subscriber.member.name().clone(), reply },
                        Err(error) => drop(firing.bad(subscriber, error.to_string())),
                    }
                }
                Ok(other @ (Answer::Ask(_) | Answer::Block(_) | Answer::Items(_))) => {
                    firing.not_admitted(subscriber, &other);
                }
            }
        }
        match present.value == first.value {
            true => Claimed::Unclaimed(payload),
            false => Claimed::Unclaimed(present.into_host().unwrap_or(payload)),
        }
    }
}
