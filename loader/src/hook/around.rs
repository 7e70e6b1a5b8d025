//! Around: wrap this. The first in load order is the outermost; each calls `next` with the payload as it passes it on,
//! and returns a result. What a fault means, the contract says: the action fails, or the extension is passed over. What
//! is inside runs once at most for each extension, also when the one around it fails after it ran.

use super::Subscriber;
use super::consult::{Firing, Mistake, Payload};
use super::line::Line;
use crate::host::Core;
use crate::runtime::{Boxed, Next};
use pintle_manifest::{Name, OnFault};
use pintle_sdk::protocol::{Answer, WireError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tokio::sync::watch;

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
        let Some(firing) = self.0.heard() else { return Ok(inner(payload).await) };
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
        firing.called(&payload).map_err(|Mistake(reason)| mistake(reason))?;
        let all: Arc<[Subscriber]> = firing.all().into();
        let value =
            wrap(Arc::clone(firing.core), Arc::clone(self.0.hook()), all, 0, payload.value, innermost)
                .await?;
        serde_json::from_value(value).map_err(|error| mistake(error.to_string()))
    }
}

fn wire(message: &str) -> WireError {
    WireError { code: "host.payload".to_owned(), message: message.to_owned() }
}

/// What is inside an extension: it runs once, and this is what came of it.
#[derive(Debug, Default)]
struct Inside {
    begun: AtomicBool,
    result: watch::Sender<Option<Result<Value, AroundError>>>,
}

impl Inside {
    /// Returns what came of it, and waits for that if it runs; `None` if it did not run.
    async fn result(&self) -> Option<Result<Value, AroundError>> {
        if !self.begun.load(Ordering::Acquire) {
            return None;
        }
        let mut result = self.result.subscribe();
        // The sender is held here, so it can't be gone.
        result.wait_for(Option::is_some).await.ok()?.clone()
    }
}

/// The run of what is inside. Whoever gives it up says so.
struct Run {
    inside: Arc<Inside>,
    hook: Arc<str>,
}

impl Run {
    /// Begins it, the first time.
    fn begin(inside: &Arc<Inside>, hook: &Arc<str>) -> Option<Self> {
        let is_first = !inside.begun.swap(true, Ordering::AcqRel);
        is_first.then(|| Self { inside: Arc::clone(inside), hook: Arc::clone(hook) })
    }

    fn end(self, result: Result<Value, AroundError>) {
        self.inside.result.send_replace(Some(result));
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.inside.result.send_if_modified(|result| {
            let is_open = result.is_none();
            result.get_or_insert_with(|| {
                let reason = "what is inside was given up before it ended".to_owned();
                Err(AroundError { by: self.hook.to_string(), code: "host.failed".to_owned(), reason })
            });
            is_open
        });
    }
}

/// Runs the extension at `index` with the rest inside it.
fn wrap(
    core: Arc<Core>,
    hook: Arc<str>,
    all: Arc<[Subscriber]>,
    index: usize,
    payload: Value,
    innermost: Inner,
) -> Boxed<'static, Result<Value, AroundError>> {
    Box::pin(async move {
        let firing = Firing::new(&core, &hook).expect("the hook was there when it was fired");
        let Some(subscriber) = all.get(index).cloned() else {
            let of_host = |code: String, reason: String| AroundError { by: hook.to_string(), code, reason };
            let result = innermost(payload).await.map_err(|error| of_host(error.code, error.message))?;
            firing.returned(&result).map_err(|Mistake(reason)| of_host("host.reply".to_owned(), reason))?;
            return Ok(result);
        };
        let Some(present) = Payload::from_value(payload.clone()) else {
            return Err(failed(subscriber.member.name(), "host.payload", "the payload is no JSON"));
        };
        if !firing.wakes(&subscriber, &present) {
            return wrap(Arc::clone(&core), Arc::clone(&hook), all, index + 1, payload, innermost).await;
        }
        let inside: Arc<Inside> = Arc::default();
        let next: Next = {
            let (core, hook, all) = (Arc::clone(&core), Arc::clone(&hook), Arc::clone(&all));
            let (innermost, inside, before) = (Arc::clone(&innermost), Arc::clone(&inside), present.clone());
            Arc::new(move |raw| {
                let (core, hook, all) = (Arc::clone(&core), Arc::clone(&hook), Arc::clone(&all));
                let (innermost, inside, before) =
                    (Arc::clone(&innermost), Arc::clone(&inside), before.clone());
                Box::pin(async move {
                    let firing = Firing::new(&core, &hook).expect("the hook was there when it was fired");
                    let invalid = |message: String| WireError { code: "call.invalid".to_owned(), message };
                    let passed = firing.passed_on(&before, &raw).map_err(invalid)?;
                    let Some(run) = Run::begin(&inside, &hook) else {
                        return Err(invalid("`next` runs once for each callback".to_owned()));
                    };
                    let inner =
                        wrap(Arc::clone(&core), Arc::clone(&hook), all, index + 1, passed.value, innermost);
                    let result = inner.await;
                    run.end(result.clone());
                    let value =
                        result.map_err(|error| WireError { code: error.code, message: error.reason })?;
                    serde_json::value::to_raw_value(&value).map_err(|error| invalid(error.to_string()))
                })
            })
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
        // What is inside may still run; whatever the fault means, it means it after that.
        let ran = inside.result().await;
        match firing.hook.on_fault {
            OnFault::Block => Err(failed(subscriber.member.name(), fault.code(), &fault.to_string())),
            OnFault::Skip | OnFault::Log => match ran {
                Some(result) => result,
                None => wrap(Arc::clone(&core), Arc::clone(&hook), all, index + 1, payload, innermost).await,
            },
        }
    })
}

fn failed(by: &Name, code: &str, reason: &str) -> AroundError {
    AroundError { by: by.to_string(), code: code.to_owned(), reason: reason.to_owned() }
}
