//! Calls: what an extension may ask of its host. `permit` checks the permission, [`Caller`] is who asks, and
//! `standard` answers the calls that are the same in every host; a contract takes them by naming them.

mod caller;
mod error;
mod permit;
mod standard;

pub use caller::{Caller, Held};
pub use error::CallError;
pub(crate) use permit::permit;
pub(crate) use standard::standard;

use crate::runtime::Boxed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;

/// What answers a call.
pub(crate) type Handler =
    Arc<dyn Fn(Caller, Value) -> Boxed<'static, Result<Value, CallError>> + Send + Sync>;

/// Makes a handler of a typed function.
pub(crate) fn handler<A, R, F, T>(function: F) -> Handler
where
    A: DeserializeOwned + Send + 'static,
    R: Serialize + 'static,
    F: Fn(Caller, A) -> T + Send + Sync + 'static,
    T: Future<Output = Result<R, CallError>> + Send + 'static,
{
    Arc::new(move |caller, arguments| {
        let arguments: A = match serde_json::from_value(arguments) {
            Ok(arguments) => arguments,
            Err(error) => {
                let error = CallError::new("call.invalid", format!("the arguments are not valid: {error}"));
                return Box::pin(std::future::ready(Err(error)));
            }
        };
        let result = function(caller, arguments);
        Box::pin(async move {
            let value = result.await?;
            serde_json::to_value(value).map_err(|error| CallError::new("host.reply", error.to_string()))
        })
    })
}
