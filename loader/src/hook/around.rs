//! Around: wrap this. The first in load order is the outermost; each calls `next` with the payload as it passes it on,
//! and returns a result. What a fault means, the contract says: the action fails, or the extension is passed over. What
//! is inside runs once at most for each extension, also when the one around it fails after it ran.

use super::Subscriber;
use super::consult::{Firing, Payload};
use super::line::Line;
use crate::host::Core;
use crate::runtime::{Boxed, Next};
use pintle_manifest::{Name, OnFault};
use pintle_sdk::protocol::{Answer, WireError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::{Arc, Mutex};

/// A claimed around hook.
#[derive(Debug, Clone)]
pub struct Around<P, R>(pub(crate) Line<(P, R)>);

/// Says that an extension failed around something, and the contract does not let that pass.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{by}` failed around it: {reason}")]
pub struct AroundError {
    /// The extension; of the host's own mistake, the hook.
    pub by: String,
    /// A stable code.
    pub code: String,
    /// What happened.
    pub reason: String,
}

type Inner = Arc<dyn Fn(Value) -> Boxed<'static, Result<Value, WireError>> + Send + Sync>;

impl<P, R> Around<P, R>
where
    P: Serialize + DeserializeOwned + Send + 'static,
    R: Serialize + DeserializeOwned + Send + 'static,
{
    /// Runs `inner` with every extension around it.
    pub async fn run<F, T>(&self, payload: P, inner: F) -> Result<R, AroundError>
    where
        F: Fn(P) -> T + Send + Sync + 'static,
        T: Future<Output = R> + Send + 'static,
    {
        let running = self.0.core().filter(|core| core.is_running());
        let firing =
            running.and_then(|core| Firing::new(core, self.0.hook())).filter(|firing| !firing.is_idle());
        let Some(firing) = firing else { return Ok(inner(payload).await) };
        let mistake = |reason: String| AroundError {
            by: self.0.hook().to_string(),
            code: "host.payload".to_owned(),
            reason,
        };
        let payload = Payload::of(&payload).ok_or_else(|| mistake("the payload is no JSON".to_owned()))?;
        let innermost: Inner = Arc::new(move |value: Value| match serde_json::from_value::<P>(value) {
            Ok(payload) => {
                let result = inner(payload);
                Box::pin(async move {
                    serde_json::to_value(result.await).map_err(|error| wire(&error.to_string()))
                })
            }
            Err(error) => Box::pin(std::future::ready(Err(wire(&error.to_string())))),
        });
        let called: Arc<[Subscriber]> = firing.called(&payload).into_iter().cloned().collect();
        let value =
            wrap(Arc::clone(firing.core), Arc::clone(self.0.hook()), called, 0, payload.value, innermost)
                .await?;
        serde_json::from_value(value).map_err(|error| mistake(error.to_string()))
    }
}

fn wire(message: &str) -> WireError {
    WireError { code: "host.payload".to_owned(), message: message.to_owned() }
}

/// Runs the extension at `index` with the rest inside it.
fn wrap(
    core: Arc<Core>,
    hook: Arc<str>,
    called: Arc<[Subscriber]>,
    index: usize,
    payload: Value,
    innermost: Inner,
) -> Boxed<'static, Result<Value, AroundError>> {
    Box::pin(async move {
        let Some(subscriber) = called.get(index).cloned() else {
            return innermost(payload).await.map_err(|error| AroundError {
                by: hook.to_string(),
                code: error.code,
                reason: error.message,
            });
        };
        let firing = Firing::new(&core, &hook).expect("the hook was there when it was fired");
        // What is inside runs once; this is what came of it.
        let ran: Arc<Mutex<Option<Result<Value, AroundError>>>> = Arc::default();
        let next: Next = {
            let (core, hook, called) = (Arc::clone(&core), Arc::clone(&hook), Arc::clone(&called));
            let (innermost, ran) = (Arc::clone(&innermost), Arc::clone(&ran));
            Arc::new(move |raw| {
                let (core, hook, called) = (Arc::clone(&core), Arc::clone(&hook), Arc::clone(&called));
                let (innermost, ran) = (Arc::clone(&innermost), Arc::clone(&ran));
                Box::pin(async move {
                    let invalid = |message: String| WireError { code: "call.invalid".to_owned(), message };
                    let value: Value =
                        serde_json::from_str(raw.get()).map_err(|error| invalid(error.to_string()))?;
                    let type_name =
                        core.promise.hook(&hook).map(|hook| hook.payload.clone()).unwrap_or_default();
                    core.promise.check(&type_name, &value).map_err(|error| invalid(error.to_string()))?;
                    if ran.lock().expect("no holder panics").is_some() {
                        return Err(invalid("`next` runs once for each callback".to_owned()));
                    }
                    let result = wrap(core, hook, called, index + 1, value, innermost).await;
                    *ran.lock().expect("no holder panics") = Some(result.clone());
                    let value =
                        result.map_err(|error| WireError { code: error.code, message: error.reason })?;
                    serde_json::value::to_raw_value(&value).map_err(|error| invalid(error.to_string()))
                })
            })
        };
        let Some(present) = Payload::from_value(payload.clone()) else {
            return Err(failed(subscriber.member.name(), "host.payload", "the payload is no JSON"));
        };
        let answered = firing.consult(&subscriber, &present, Some(next)).await;
        let result = match answered {
            Ok(Answer::Handled(raw)) => firing.reply(&subscriber, &raw),
            Ok(other) => Err(firing.not_admitted(&subscriber, &other)),
            Err(fault) => Err(fault),
        };
        let fault = match result {
            Ok(value) => return Ok(value),
            Err(fault) => fault,
        };
        match firing.hook.on_fault {
            OnFault::Block => Err(failed(subscriber.member.name(), fault.code(), &fault.to_string())),
            OnFault::Skip | OnFault::Log => {
                let ran = ran.lock().expect("no holder panics").take();
                match ran {
                    Some(result) => result,
                    None => {
                        wrap(Arc::clone(&core), Arc::clone(&hook), called, index + 1, payload, innermost)
                            .await
                    }
                }
            }
        }
    })
}

fn failed(by: &Name, code: &str, reason: &str) -> AroundError {
    AroundError { by: by.to_string(), code: code.to_owned(), reason: reason.to_owned() }
}
