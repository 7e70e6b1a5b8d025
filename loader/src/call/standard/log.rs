//! `log`: a line in the extension's own log.

use super::Nothing;
use crate::call::{CallError, Caller};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Line {
    level: String,
    message: String,
}

pub(super) async fn log(caller: Caller, arguments: Line) -> Result<Nothing, CallError> {
    caller.member.log.note(&arguments.level, &arguments.message);
    Ok(Nothing {})
}
