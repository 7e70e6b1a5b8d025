//! What all kinds share: a payload on its way through the extensions, and one of them being called.

use super::Subscriber;
use super::filter::{passes, passing};
use super::guard::MAX_REASON;
use super::micros;
use crate::host::{Core, Notice};
use crate::runtime::{Answered, Callback, Fault, FaultKind, Next};
use crate::supervise::{self, Member};
use crate::trace::TraceEvent;
use pintle_manifest::Hook;
use pintle_sdk::protocol::Answer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// One firing of a hook.
pub(super) struct Firing<'a> {
    pub(super) core: &'a Arc<Core>,
    pub(super) hook: &'a Hook,
    pub(super) name: &'a Arc<str>,
    subscribers: Arc<[Subscriber]>,
}

/// What the host hands over is not what its contract promises.
#[derive(Debug)]
pub(super) struct Mistake(pub(super) String);

/// A payload, as it is handed on.
#[derive(Debug, Clone)]
pub(super) struct Payload {
    pub(super) value: Value,
    pub(super) raw: Arc<RawValue>,
}

impl Payload {
    /// Makes one. `None` if the host's value is no JSON, which is the host's mistake.
    pub(super) fn of(value: &impl Serialize) -> Option<Self> {
        Self::from_value(serde_json::to_value(value).ok()?)
    }

    pub(super) fn from_value(value: Value) -> Option<Self> {
        let raw = serde_json::value::to_raw_value(&value).ok()?;
        Some(Self { value, raw: raw.into() })
    }

    /// Returns it as the host's type.
    pub(super) fn into_host<P: DeserializeOwned>(self) -> Option<P> {
        serde_json::from_value(self.value).ok()
    }
}

impl<'a> Firing<'a> {
    /// Begins one.
    pub(super) fn new(core: &'a Arc<Core>, name: &'a Arc<str>) -> Option<Self> {
        let hook = core.promise.hook(name)?;
        Some(Self { core, hook, name, subscribers: core.subscribers(name) })
    }

    /// Tells whether nobody is bound to the hook.
    pub(super) fn is_idle(&self) -> bool {
        self.subscribers.is_empty()
    }

    /// Returns everyone who is bound to the hook, in load order.
    pub(super) fn all(&self) -> &[Subscriber] {
        &self.subscribers
    }

    /// Tells whether a subscriber cares for a payload, as it is now.
    pub(super) fn wakes(&self, subscriber: &Subscriber, payload: &Payload) -> bool {
        passes(&subscriber.binding.filter, &payload.value)
    }

    /// Returns who is called with this payload, in load order. One that the contract does not promise is the host's
    /// mistake, and nobody is called with it.
    pub(super) fn called(&self, payload: &Payload) -> Result<Vec<&Subscriber>, Mistake> {
        let called = passing(&self.subscribers, &payload.value);
        if !called.is_empty() {
            self.promised(&payload.value)?;
        }
        self.core.trace(|| TraceEvent::Dispatch {
            hook: self.name.to_string(),
            called: called.len(),
            filtered: self.subscribers.len() - called.len(),
        });
        Ok(called)
    }

    /// Checks what the host hands over against its own contract.
    pub(super) fn promised(&self, value: &Value) -> Result<(), Mistake> {
        self.of_host(&self.hook.payload, value)
    }

    /// Checks what comes from inside, which is the host's, against its own contract.
    pub(super) fn returned(&self, value: &Value) -> Result<(), Mistake> {
        self.hook.reply.as_ref().map_or(Ok(()), |reply| self.of_host(reply, value))
    }

    fn of_host(&self, type_name: &str, value: &Value) -> Result<(), Mistake> {
        self.core.promise.check(type_name, value).map_err(|invalid| {
            let reason = invalid.to_string();
            self.core.tell(Notice::Mistake { what: self.name.to_string(), reason: reason.clone() });
            Mistake(reason)
        })
    }

    /// Calls one extension, and waits for it within the hook's time, also while it is being restarted.
    pub(super) async fn consult(
        &self,
        subscriber: &Subscriber,
        payload: &Payload,
        next: Option<Next>,
    ) -> Result<Answer, Fault> {
        let result = self.call(subscriber, payload, next).await;
        note(self.core, &subscriber.member, self.name, result)
    }

    async fn call(
        &self,
        subscriber: &Subscriber,
        payload: &Payload,
        next: Option<Next>,
    ) -> Result<Answered, Fault> {
        let mut subscriber = subscriber.clone();
        let mut ended = None;
        loop {
            let limits = subscriber.binding.limits;
            let live = match subscriber.member.live_after(ended, limits.wall).await {
                Ok(live) => live,
                Err(fault) => match self.successor(&subscriber) {
                    Some(newer) => {
                        (subscriber, ended) = (newer, None);
                        continue;
                    }
                    None => return Err(fault),
                },
            };
            let callback = Callback {
                hook: Arc::clone(&subscriber.binding.wire),
                payload: Arc::clone(&payload.raw),
                limits,
                depth: 0,
                in_turn: false,
                next: next.clone(),
            };
            match live.instance.call(callback).await {
                // It ended before anything was sent, and nobody has noticed yet.
                Err(Fault { kind: FaultKind::NotRunning { .. }, .. }) => ended = Some(live.epoch),
                result => return result,
            }
        }
    }

    /// Returns who took the place of an extension while the hook was fired.
    fn successor(&self, of: &Subscriber) -> Option<Subscriber> {
        let newer = self.core.member(of.member.name()).filter(|newer| !Arc::ptr_eq(newer, &of.member))?;
        let binding = newer.bindings.iter().find(|binding| binding.hook == of.binding.hook)?.clone();
        Some(Subscriber { member: newer, binding })
    }

    /// Returns a fault for an answer that this hook does not admit, and counts it.
    pub(super) fn bad(&self, subscriber: &Subscriber, reason: impl Into<String>) -> Fault {
        let kind = FaultKind::BadOutcome { hook: self.name.to_string(), reason: reason.into() };
        let fault = Fault::new(kind);
        supervise::fault(self.core, &subscriber.member, &fault);
        fault
    }

    /// Returns the fault of an answer whose kind this hook does not have.
    pub(super) fn not_admitted(&self, subscriber: &Subscriber, answer: &Answer) -> Fault {
        let kind = self.hook.kind.as_str();
        self.bad(subscriber, format!("a {kind} hook has no outcome `{}`", word(answer)))
    }

    /// Checks a payload that an extension wants instead. Fields that the contract pins stay as they are.
    pub(super) fn replaced(
        &self,
        subscriber: &Subscriber,
        present: &Payload,
        raw: &RawValue,
    ) -> Result<Payload, Fault> {
        self.passed_on(present, raw).map_err(|reason| self.bad(subscriber, reason))
    }

    /// Checks a payload that is to take the place of the present one, and says what is wrong with it.
    pub(super) fn passed_on(&self, present: &Payload, raw: &RawValue) -> Result<Payload, String> {
        let mut wanted: Value =
            serde_json::from_str(raw.get()).map_err(|error| format!("the payload is no JSON: {error}"))?;
        if let (Value::Object(wanted), Value::Object(present)) = (&mut wanted, &present.value) {
            for field in &self.hook.pinned {
                match (present.get(field), wanted.get(field)) {
                    (pinned, Some(changed)) if pinned != Some(changed) => {
                        return Err(format!("it changes `{field}`, which is pinned"));
                    }
                    (Some(pinned), None) => drop(wanted.insert(field.clone(), pinned.clone())),
                    (_, Some(_)) | (None, None) => {}
                }
            }
        }
        self.core.promise.check(&self.hook.payload, &wanted).map_err(|invalid| invalid.to_string())?;
        if let Some(check) = self.core.checks.get(&**self.name) {
            check(&present.value, &wanted)?;
        }
        Payload::from_value(wanted).ok_or_else(|| "the payload is no JSON".to_owned())
    }

    /// Checks a value that an extension returns besides a payload.
    pub(super) fn reply(&self, subscriber: &Subscriber, raw: &RawValue) -> Result<Value, Fault> {
        let value: Value = serde_json::from_str(raw.get())
            .map_err(|error| self.bad(subscriber, format!("the reply is no JSON: {error}")))?;
        if let Some(reply) = &self.hook.reply {
            self.core
                .promise
                .check(reply, &value)
                .map_err(|invalid| self.bad(subscriber, invalid.to_string()))?;
        }
        Ok(value)
    }
}

/// Tells the trace of an answer, and counts a fault.
pub(crate) fn note(
    core: &Arc<Core>,
    member: &Arc<Member>,
    hook: &str,
    result: Result<Answered, Fault>,
) -> Result<Answer, Fault> {
    match result {
        Ok(Answered { answer, own, wall }) => {
            core.trace(|| TraceEvent::Outcome {
                hook: hook.to_owned(),
                extension: member.name().clone(),
                outcome: word(&answer),
                own_us: micros(own),
                wall_us: micros(wall),
                said: said(&answer),
            });
            Ok(answer)
        }
        Err(fault) => {
            supervise::fault(core, member, &fault);
            Err(fault)
        }
    }
}

/// Takes note of the answer to what was only told. Nothing but `continue` answers that.
pub(crate) fn told(core: &Arc<Core>, member: &Arc<Member>, hook: &str, result: Result<Answered, Fault>) {
    let Ok(answer) = note(core, member, hook, result) else { return };
    if !matches!(answer, Answer::Continue) {
        let reason = format!("it is told, and nobody asks it anything, and it said `{}`", word(&answer));
        let kind = FaultKind::BadOutcome { hook: hook.to_owned(), reason };
        supervise::fault(core, member, &Fault::new(kind));
    }
}

/// Returns what an answer says to a person, as much of it as is handed on.
fn said(answer: &Answer) -> Option<String> {
    let text = match answer {
        Answer::Block(reason) => reason,
        Answer::Ask(question) => &question.title,
        Answer::Continue | Answer::Replace(_) | Answer::Handled(_) | Answer::Items(_) => return None,
    };
    Some(text.chars().take(MAX_REASON).collect())
}

/// Returns an answer in a word.
pub(super) const fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Continue => "continue",
        Answer::Replace(_) => "replace",
        Answer::Ask(_) => "ask",
        Answer::Block(_) => "block",
        Answer::Handled(_) => "handled",
        Answer::Items(_) => "items",
    }
}
