//! Collects: what do you add? The items are put together in load order, each with its owner.
//! A fault adds nothing.

use super::consult::Payload;
use super::line::Line;
use pintle_manifest::Name;
use pintle_sdk::protocol::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// How many items one extension may add at once.
const MOST: usize = 1000;

/// A claimed collect hook.
#[derive(Debug, Clone)]
pub struct Collect<P, I>(pub(crate) Line<(P, I)>);

impl<P: Serialize, I: DeserializeOwned> Collect<P, I> {
    /// Asks all of them, and returns every valid item with its owner.
    pub async fn gather(&self, payload: &P) -> Vec<(Name, I)> {
        let mut gathered = Vec::new();
        let Some(firing) = self.0.heard() else {
            return gathered;
        };
        let Some(payload) = Payload::of(payload) else { return gathered };
        for subscriber in firing.called(&payload).unwrap_or_default() {
            let raws = match firing.consult(subscriber, &payload, None).await {
                Ok(Answer::Items(raws)) if raws.len() <= MOST => raws,
                Ok(Answer::Items(raws)) => {
                    firing.bad(subscriber, format!("{} items are over the limit of {MOST}", raws.len()));
                    continue;
                }
                Ok(Answer::Continue) | Err(_) => continue,
                Ok(other @ (Answer::Replace(_) | Answer::Ask(_) | Answer::Block(_) | Answer::Handled(_))) => {
                    firing.not_admitted(subscriber, &other);
                    continue;
                }
            };
            let items: Result<Vec<I>, _> = raws
                .iter()
                .map(|raw| {
                    let value = firing.reply(subscriber, raw)?;
                    serde_json::from_value(value).map_err(|error| firing.bad(subscriber, error.to_string()))
                })
                .collect();
            let owner = subscriber.member.name();
            gathered.extend(items.into_iter().flatten().map(|item| (owner.clone(), item)));
        }
        gathered
    }
}
