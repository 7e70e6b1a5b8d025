//! Tells one message of the host from another, without reading any text twice.

use crate::protocol::{CallId, Cancel, Reply};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A message of the host, as far as the loop itself needs to know it.
#[derive(Debug)]
pub(crate) enum Incoming<'a> {
    /// The text of a `Hello`.
    Hello(&'a str),
    Call(CallText<'a>),
    Cancel(Cancel),
    Reply(Reply),
    /// The text of a `Dispose`.
    Dispose(&'a str),
    /// A message of a later protocol, which an extension passes over.
    Unknown,
}

/// A call of the host, read but for its payload.
#[derive(Debug, Clone)]
pub struct CallText<'a> {
    /// Its number.
    pub id: CallId,
    /// The hook.
    pub hook: Cow<'a, str>,
    /// Whether it is to be answered after those before it that are.
    pub in_turn: bool,
    /// What is handed over, as JSON.
    pub payload: &'a str,
    /// The whole `Call`, as JSON.
    pub text: &'a str,
}

impl<'a> CallText<'a> {
    /// Reads a `Call`.
    pub fn read(text: &'a str) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Wire<'a> {
            id: CallId,
            #[serde(borrow)]
            hook: Cow<'a, str>,
            #[serde(default)]
            in_turn: bool,
            #[serde(borrow)]
            payload: &'a RawValue,
        }
        let Wire { id, hook, in_turn, payload } = serde_json::from_str(text)?;
        Ok(Self { id, hook, in_turn, payload: payload.get(), text })
    }
}

/// Says what is wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// It is no object with one key.
    #[error("a message is not an object with one key")]
    Shape,
    /// It is not UTF-8.
    #[error("a message is not UTF-8")]
    Encoding(#[source] std::str::Utf8Error),
    /// What it holds is not what its name says.
    #[error("a message is malformed")]
    Json(#[source] serde_json::Error),
}

/// Reads a message.
pub(crate) fn read(frame: &[u8]) -> Result<Incoming<'_>, MessageError> {
    let text = std::str::from_utf8(frame).map_err(MessageError::Encoding)?;
    let (name, body) = split(text).ok_or(MessageError::Shape)?;
    match name {
        "hello" => Ok(Incoming::Hello(body)),
        "call" => CallText::read(body).map(Incoming::Call),
        "cancel" => serde_json::from_str(body).map(Incoming::Cancel),
        "reply" => serde_json::from_str(body).map(Incoming::Reply),
        "dispose" => Ok(Incoming::Dispose(body)),
        _ => serde_json::from_str::<&RawValue>(body).map(|_| Incoming::Unknown),
    }
    .map_err(MessageError::Json)
}

/// Takes `{"name":body}` apart. What is left of the body is read as one whole value later, so a second key or a comma
/// too many is found then.
fn split(text: &str) -> Option<(&str, &str)> {
    let blank = [' ', '\t', '\r', '\n'];
    let inner = text.trim_matches(blank).strip_prefix('{')?.strip_suffix('}')?;
    let (name, rest) = inner.trim_start_matches(blank).strip_prefix('"')?.split_once('"')?;
    Some((name, rest.trim_start_matches(blank).strip_prefix(':')?))
}

#[cfg(test)]
mod tests {
    use super::{Incoming, read};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = match read(text.as_bytes()) {
            Ok(Incoming::Hello(body)) => format!("hello {body}"),
            Ok(Incoming::Call(call)) => format!("call {} {} {}", call.id, call.hook, call.payload),
            Ok(Incoming::Cancel(cancel)) => format!("cancel {}", cancel.id),
            Ok(Incoming::Reply(reply)) => {
                format!("reply {} {:?}", reply.id, reply.value.map(|v| v.to_string()))
            }
            Ok(Incoming::Dispose(body)) => format!("dispose {body}"),
            Ok(Incoming::Unknown) => "unknown".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn messages_are_told_apart() {
        check(r#"{"hello":{"a":1}}"#, r#"hello {"a":1}"#);
        check(r#"{"call":{"id":7,"hook":"x.y","payload":{"a":[1, 2]}}}"#, r#"call 7 x.y {"a":[1, 2]}"#);
        check("\n{ \"call\" : {\"hook\":\"\\u0078\",\"payload\":1,\"new\":0,\"id\":7} }\n", "call 7 x 1");
        check(r#"{"cancel":{"id":7}}"#, "cancel 7");
        check(r#"{"reply":{"id":1,"value":null}}"#, r#"reply 1 None"#);
        check(r#"{"reply":{"id":1,"value":{}}}"#, r#"reply 1 Some("{}")"#);
        check(r#"{"dispose":{"reason":"update"}}"#, r#"dispose {"reason":"update"}"#);
        check(r#"{"greeting":{"from":"later"}}"#, "unknown");
    }

    #[test]
    fn malformed_messages_are_found() {
        for text in ["", "{}", "[]", "\"call\"", "{\"call\"}", "{call:1}", "{\"call\":1"] {
            check(text, "a message is not an object with one key");
        }
        for text in [
            r#"{"call":}"#,
            r#"{"call":{"id":1}}"#,
            r#"{"cancel":{"id":1},"cancel":{"id":2}}"#,
            r#"{"cancel":{"id":-1}}"#,
            r#"{"later":{},}"#,
            r#"{"cancel":{"id":1}}}"#,
        ] {
            check(text, "a message is malformed");
        }
        assert_eq!(read(b"{\"call\":\"\xff\"}").unwrap_err().to_string(), "a message is not UTF-8");
    }
}
