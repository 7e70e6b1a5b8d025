//! `bus.emit` and `bus.subscribe`.

use super::{HeldNumber, Nothing};
use crate::bus::{self, MAX_DEPTH, MAX_PER_SECOND, MAX_SIZE};
use crate::call::{CallError, Caller};
use crate::ledger::{Kind, Undo};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Deserialize)]
pub(super) struct Emit {
    topic: String,
    #[serde(default)]
    value: Value,
}

#[derive(Deserialize)]
pub(super) struct Subscribe {
    topic: String,
}

pub(super) async fn emit(caller: Caller, arguments: Emit) -> Result<Nothing, CallError> {
    let Emit { topic, value } = arguments;
    let topic = own_topic(&caller, &topic)?;
    if caller.depth >= MAX_DEPTH {
        return Err(CallError::new(
            "bus.depth",
            format!(
                "`{topic}` would be the {}th message in a row that answers another; the limit is {MAX_DEPTH}",
                u32::from(MAX_DEPTH) + 1
            ),
        ));
    }
    let size = serde_json::to_string(&value).map_or(usize::MAX, |text| text.len());
    if size > MAX_SIZE {
        return Err(CallError::new(
            "bus.size",
            format!("a message of {size} bytes is over the limit of {MAX_SIZE}"),
        ));
    }
    if !caller.core.bus.admits(caller.name()) {
        let message = format!("more than {MAX_PER_SECOND} messages in a second; `{topic}` was not sent");
        return Err(CallError::new("bus.flood", message));
    }
    caller.core.bus.emit(&caller.core, caller.name().as_str(), &topic, value, caller.depth + 1);
    Ok(Nothing {})
}

/// An extension emits only under its own name; the name may be left out.
fn own_topic(caller: &Caller, topic: &str) -> Result<String, CallError> {
    let name = caller.name().as_str();
    let own = match topic.split_once(':') {
        None => topic,
        Some((owner, own)) if owner == name => own,
        Some((owner, _)) => {
            return Err(CallError::new(
                "bus.foreign_topic",
                format!("`{owner}` alone emits `{topic}`; the topics of `{name}` begin with `{name}:`"),
            ));
        }
    };
    bus::check_topic(own).map_err(|reason| CallError::new("bus.topic", reason))?;
    Ok(format!("{name}:{own}"))
}

pub(super) async fn subscribe(caller: Caller, arguments: Subscribe) -> Result<HeldNumber, CallError> {
    let topic = arguments.topic;
    let Some((_, own)) = topic.split_once(':') else {
        let message = format!("`{topic}` does not say whose it is; write `EXTENSION:TOPIC` or `host:TOPIC`");
        return Err(CallError::new("bus.topic", message));
    };
    bus::check_topic(own).map_err(|reason| CallError::new("bus.topic", reason))?;
    let core = Arc::downgrade(&caller.core);
    let id = caller.core.bus.subscribe(&topic, &caller.member, caller.epoch);
    let unlink = move || {
        if let Some(core) = core.upgrade() {
            core.bus.unsubscribe(id);
        }
    };
    Ok(HeldNumber { entry: caller.keep(Kind::Subscription { topic }, Undo::Unlink(Box::new(unlink)))? })
}
