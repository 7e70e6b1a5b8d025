//! `release`: gives back something that is held, before its time. Releasing what is not held any more is no error.

use super::HeldNumber;
use crate::call::{CallError, Caller, Held};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Released {
    released: bool,
}

pub(super) async fn release(caller: Caller, arguments: HeldNumber) -> Result<Released, CallError> {
    Ok(Released { released: caller.release(Held(arguments.held)) })
}
