//! What a callback answers, for each kind of hook, as it goes over the wire.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Every answer there is; which of them a hook accepts, its kind says.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Answer {
    /// Go on; of an observer and a stream, that it was seen.
    Continue,
    /// Go on with this payload.
    Replace(Box<RawValue>),
    /// Let the person decide.
    Ask(Question),
    /// Do not go on; why, for the person.
    Block(String),
    /// It is done; this is the reply.
    Handled(Box<RawValue>),
    /// These are added.
    Items(Vec<Box<RawValue>>),
}

/// A question to the person, with everything needed to decide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question itself, in one line.
    pub title: String,
    /// What is known about it, a line each.
    #[serde(default)]
    pub details: Vec<String>,
}
