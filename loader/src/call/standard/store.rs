//! `store.get` and `store.set`: an extension's own small durable state.

use super::Nothing;
use crate::call::{CallError, Caller};
use crate::keep::{Keeper, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
pub(super) struct Get {
    key: String,
}

#[derive(Serialize)]
pub(super) struct Got {
    value: Option<Value>,
}

#[derive(Deserialize)]
pub(super) struct Set {
    key: String,
    #[serde(default)]
    value: Option<Value>,
}

pub(super) async fn get(caller: Caller, arguments: Get) -> Result<Got, CallError> {
    let keeper = keeper(&caller)?;
    let value = aside(move || keeper.get(&arguments.key)).await?;
    Ok(Got { value })
}

pub(super) async fn set(caller: Caller, arguments: Set) -> Result<Nothing, CallError> {
    let keeper = keeper(&caller)?;
    let Set { key, value } = arguments;
    aside(move || keeper.set(&key, value)).await?;
    Ok(Nothing {})
}

fn keeper(caller: &Caller) -> Result<Keeper, CallError> {
    match &caller.core.places {
        Some(places) => Ok(Keeper::new(&places.data_of(caller.name()))),
        None => Err(CallError::new("store.none", "this host keeps nothing between its runs")),
    }
}

/// Reads or writes where waiting for a disk holds up nobody.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, StoreError> + Send + 'static,
) -> Result<T, CallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| CallError::new("store.failed", "the store failed"))?.map_err(|error| {
        let code = match &error {
            StoreError::Key { .. } => "store.key",
            StoreError::Value { .. } => "store.value",
            StoreError::Full { .. } => "store.full",
            StoreError::File(_) => "store.failed",
        };
        CallError::new(code, crate::supervise::full(&error))
    })
}
