//! `timer.after`: a callback later, once.

use super::HeldNumber;
use crate::call::{CallError, Caller};
use crate::hook;
use crate::ledger::{Kind, Undo};
use crate::runtime::{Callback, Limits};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::to_raw_value;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// How much one extension may hold before it gets no more timers.
const MOST: usize = 1000;
/// How long the callback of a timer may take.
const LIMITS: Limits = Limits { own: Duration::from_secs(5), wall: Duration::from_secs(60) };

#[derive(Deserialize)]
pub(super) struct After {
    ms: u64,
    #[serde(default)]
    name: String,
}

pub(super) async fn after(caller: Caller, arguments: After) -> Result<HeldNumber, CallError> {
    if caller.core.ledger.count(caller.name(), caller.epoch) > MOST {
        return Err(CallError::new("timer.too_many", format!("more than {MOST} things are held at once")));
    }
    let (stop, stopped) = oneshot::channel::<()>();
    let undo = Undo::Unlink(Box::new(move || drop(stop)));
    let held = caller.keep(Kind::Timer { name: arguments.name.clone() }, undo)?;
    let delay = Duration::from_millis(arguments.ms);
    tokio::spawn(async move {
        tokio::select! {
            _ = stopped => return,
            () = tokio::time::sleep(delay) => {}
        }
        caller.core.ledger.forget(held);
        let Some(live) = caller.member.live().filter(|live| live.epoch == caller.epoch) else { return };
        let payload = json!({ "timer": held, "name": arguments.name });
        let Ok(payload) = to_raw_value(&payload) else { return };
        let callback = Callback {
            hook: "timer".into(),
            payload: Arc::from(payload),
            limits: LIMITS,
            depth: caller.depth,
            in_turn: false,
            next: None,
        };
        caller.core.called_one("timer");
        hook::told(&caller.core, &caller.member, "timer", live.instance.call(callback).await);
    });
    Ok(HeldNumber { entry: held })
}
