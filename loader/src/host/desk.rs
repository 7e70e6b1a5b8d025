//! The desk at which one load of an extension asks things of the host. A context that is over gets an answer that says
//! so; what was not granted is refused; arguments are checked before anyone reads them.

use super::core::Core;
use super::notice::Notice;
use crate::call::{self, CallError, Caller};
use crate::hook::micros;
use crate::runtime::{Asked, Asks, Boxed};
use crate::supervise::Member;
use crate::trace::TraceEvent;
use pintle_sdk::protocol::WireError;
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, Weak};
use std::time::Instant;

/// The desk of one load.
pub(crate) struct Desk {
    core: Weak<Core>,
    member: Weak<Member>,
    epoch: u64,
    /// The deprecated calls that this load was warned of.
    warned: Arc<Mutex<BTreeSet<String>>>,
}

impl Desk {
    pub(crate) fn new(core: &Arc<Core>, member: &Arc<Member>, epoch: u64) -> Self {
        Self { core: Arc::downgrade(core), member: Arc::downgrade(member), epoch, warned: Arc::default() }
    }
}

impl Asks for Desk {
    fn ask(&self, asked: Asked) -> Boxed<'static, Result<Box<RawValue>, WireError>> {
        let (Some(core), Some(member)) = (self.core.upgrade(), self.member.upgrade()) else {
            let error = CallError::new(
                "context.stale",
                "the host of this context has ended; nothing can be asked of it",
            );
            return Box::pin(std::future::ready(Err(error.into())));
        };
        let epoch = self.epoch;
        let warned = Arc::clone(&self.warned);
        Box::pin(async move {
            let since = Instant::now();
            let call = asked.call.clone();
            warn(&core, &member, &call, &warned);
            let result = answer(&core, &member, epoch, asked).await;
            core.trace(|| TraceEvent::Call {
                extension: member.name().clone(),
                call,
                error: result.as_ref().err().map(|error| error.code.clone()),
                took_us: micros(since.elapsed()),
            });
            result.map_err(Into::into)
        })
    }

    fn counts_as_own(&self, call: &str) -> bool {
        let Some(core) = self.core.upgrade() else { return true };
        core.promise.call(call).is_none_or(|call| call.counts_as_own)
    }
}

/// Says once for each load that a call goes away.
fn warn(core: &Core, member: &Member, call: &str, warned: &Mutex<BTreeSet<String>>) {
    let Some(old) = core.promise.call(call).and_then(|described| described.deprecated.as_ref()) else {
        return;
    };
    if warned.lock().expect("no holder panics").insert(call.to_owned()) {
        core.tell(Notice::Deprecated {
            name: member.name().clone(),
            call: call.to_owned(),
            deprecation: old.clone(),
        });
    }
}

async fn answer(
    core: &Arc<Core>,
    member: &Arc<Member>,
    epoch: u64,
    asked: Asked,
) -> Result<Box<RawValue>, CallError> {
    if asked.epoch != epoch {
        return Err(stale(member, asked.epoch, &asked.call));
    }
    if member.past(epoch).is_some() {
        return Err(stale(member, epoch, &asked.call));
    }
    let contract = core.promise.contract();
    let unknown = || {
        let near = pintle_manifest::nearest(&asked.call, contract.calls.keys().map(String::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        CallError::new("call.unknown", format!("the host has no call `{}`{near}", asked.call))
    };
    let described = contract.calls.get(&asked.call).ok_or_else(unknown)?;
    let canonical = match &described.deprecated {
        Some(old) if old.alias => &old.instead,
        Some(_) | None => &asked.call,
    };
    let described = contract.calls.get(canonical).ok_or_else(unknown)?;
    let arguments: Value = serde_json::from_str(asked.arguments.get())
        .map_err(|error| CallError::new("call.invalid", format!("the arguments are no JSON: {error}")))?;
    core.promise.check(&described.arguments, &arguments).map_err(|invalid| {
        CallError::new("call.invalid", format!("the arguments of `{}` are not valid: {invalid}", asked.call))
    })?;
    call::permit(contract, (canonical, described), &arguments, &member.bundle, &core.directory)?;
    let handler = core.calls.get(canonical).ok_or_else(unknown)?;
    let caller = Caller::new(core, member, epoch, asked.depth);
    let value = handler(caller, arguments).await?;
    core.promise.check(&described.returns, &value).map_err(|invalid| {
        core.tell(Notice::Mistake { what: canonical.clone(), reason: invalid.to_string() });
        CallError::new("host.reply", format!("the host's own answer is not what it promises: {invalid}"))
    })?;
    to_raw_value(&value).map_err(|error| CallError::new("host.reply", error.to_string()))
}

/// Says what a stale context was, what made it stale and when, and what to do instead.
fn stale(member: &Member, epoch: u64, call: &str) -> CallError {
    let name = member.name();
    let ended = match member.past(epoch) {
        Some(past) => {
            let ago = crate::keep::files::now_ms().saturating_sub(past.at_ms);
            format!("which ended {ago} ms ago because {}", past.why)
        }
        None => "which is not the present one".to_owned(),
    };
    CallError::new(
        "context.stale",
        format!(
            "`{call}` was asked with a context of load {epoch} of `{name}`, {ended}; \
             use the context that the current callback was given, and keep none beyond `dispose`"
        ),
    )
}
