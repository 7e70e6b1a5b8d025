//! `log`: a line in the extension's own log.

use super::Nothing;
use crate::call::{CallError, Caller};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct Line {
    #[serde(default)]
    level: Option<String>,
    message: String,
    #[serde(default)]
    fields: serde_json::Map<String, serde_json::Value>,
}

pub(super) async fn log(caller: Caller, arguments: Line) -> Result<Nothing, CallError> {
    let Line { level, mut message, fields } = arguments;
    if !fields.is_empty() {
        message.push_str(&format!(" {}", serde_json::Value::Object(fields)));
    }
    caller.member.log.note(level.as_deref().unwrap_or("info"), &message);
    Ok(Nothing {})
}
