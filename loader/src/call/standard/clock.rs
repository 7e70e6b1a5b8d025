//! `clock.now` and `clock.sleep`. Sleeping is the extension's own time.

use super::Nothing;
use crate::call::{CallError, Caller};
use crate::keep::files::now_ms;
use serde::{Deserialize, Serialize};
use std::time::Duration;

#[derive(Serialize)]
pub(super) struct Now {
    unix_ms: u64,
    /// Milliseconds since the host started, which never go back.
    monotonic_ms: u64,
}

#[derive(Deserialize)]
pub(super) struct Sleep {
    ms: u64,
}

pub(super) async fn now(caller: Caller, _arguments: Nothing) -> Result<Now, CallError> {
    let since = caller.core.began.elapsed();
    Ok(Now { unix_ms: now_ms(), monotonic_ms: u64::try_from(since.as_millis()).unwrap_or(u64::MAX) })
}

pub(super) async fn sleep(_caller: Caller, arguments: Sleep) -> Result<Nothing, CallError> {
    tokio::time::sleep(Duration::from_millis(arguments.ms)).await;
    Ok(Nothing {})
}
