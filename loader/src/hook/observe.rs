//! Observers: for your information. Nobody is waited for. Each extension gets them in order, and before whatever the host
//! calls it for next; side by side across extensions. A fault is logged, and nothing else happens.

use super::consult::{Payload, told};
use super::line::Line;
use crate::runtime::Callback;
use serde::Serialize;
use std::sync::Arc;

/// A claimed observe hook.
#[derive(Debug, Clone)]
pub struct Observe<P>(pub(crate) Line<P>);

impl<P: Serialize> Observe<P> {
    /// Tells all of them. Must be called within an async runtime; returns at once.
    pub fn tell(&self, payload: &P) {
        let Some(firing) = self.0.heard() else {
            return;
        };
        let Some(payload) = Payload::of(payload) else { return };
        for subscriber in firing.called(&payload).unwrap_or_default() {
            let callback = Callback {
                hook: Arc::clone(&subscriber.binding.wire),
                payload: Arc::clone(&payload.raw),
                limits: subscriber.binding.limits,
                depth: 0,
                in_turn: true,
                next: None,
            };
            // Who is not running now was not there to see it.
            let Some(live) = subscriber.member.live() else { continue };
            let answer = live.instance.send(callback);
            let (core, subscriber) = (Arc::clone(firing.core), subscriber.clone());
            let hook = Arc::clone(firing.name);
            firing.core.spawn_observed(async move {
                told(&core, &subscriber.member, &hook, answer.await);
            });
        }
    }
}
