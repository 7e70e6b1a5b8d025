//! `release`: gives back something that is held, before its time. Releasing what is not held any more is no error.

use super::{HeldNumber, Nothing};
use crate::call::{CallError, Caller, Held};

pub(super) async fn release(caller: Caller, arguments: HeldNumber) -> Result<Nothing, CallError> {
    caller.release(Held(arguments.entry));
    Ok(Nothing {})
}
