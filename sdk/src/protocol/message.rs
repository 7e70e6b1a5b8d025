//! The messages of both directions.

use super::outcome::Answer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Numbers a call of the host; of the host's choosing, never reused while the extension runs.
pub type CallId = u64;
/// Numbers a request of the extension; of the extension's choosing, not reused before it was answered.
pub type RequestId = u64;

/// What a host sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToExtension {
    /// The first message: who is calling, and what the extension is given.
    Hello(Hello),
    /// A callback: answer with `outcome` or `fault`.
    Call(Call),
    /// The answer to this call is no longer wanted; answering is still allowed.
    Cancel(Cancel),
    /// The answer to a request.
    Reply(Reply),
    /// The last message: let go of everything, answer `disposed`, and end.
    Dispose(Dispose),
}

/// What an extension sends.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ToHost {
    /// The answer to `hello`: the extension is ready for calls.
    Ready(Ready),
    /// The answer to a call.
    Outcome(Outcome),
    /// The callback failed; never a way to decide anything.
    Fault(Fault),
    /// Asks something of the host.
    Request(Request),
    /// Nothing is held any more.
    Disposed {},
}

/// Who is calling, and what the extension is given.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Hello {
    /// The version of the protocol.
    pub protocol: u32,
    /// The name of the host's contract.
    pub host: String,
    /// The version of the host's contract.
    pub host_version: String,
    /// The extension's own name.
    pub extension: String,
    /// The extension's own version.
    pub version: String,
    /// The directory of the extension's files, which are read-only.
    pub root: PathBuf,
    /// A directory that is the extension's own and outlives updates; `None` if the host keeps none.
    #[serde(default)]
    pub data: Option<PathBuf>,
    /// Which load of the extension this is; contexts of an earlier one are stale.
    pub epoch: u64,
    /// What the person granted: `true` for all of it, or a list.
    #[serde(default)]
    pub grants: BTreeMap<String, serde_json::Value>,
}

/// The extension is ready.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ready {
    /// The version of the protocol that it speaks.
    pub protocol: u32,
    /// Its name, as in its manifest.
    pub extension: String,
    /// Its version, as in its manifest.
    pub version: String,
    /// The hooks that it answers. Each must be in its manifest.
    pub hooks: Vec<String>,
}

/// A callback. Besides the hooks of the contract there are `slot.SLOT`, `bus` and `timer`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// Its number.
    pub id: CallId,
    /// The hook.
    pub hook: String,
    /// Whether it is to be answered after those before it that are.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_turn: bool,
    /// What is handed over.
    pub payload: Box<RawValue>,
}

/// A call whose answer is no longer wanted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Cancel {
    /// Its number.
    pub id: CallId,
}

/// The answer of a callback.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcome {
    /// The call that it answers.
    pub id: CallId,
    /// The answer.
    pub answer: Answer,
}

/// A callback that failed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// The call that failed.
    pub id: CallId,
    /// What happened, for the author of the extension.
    pub message: String,
}

/// Something asked of the host.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Its number.
    pub id: RequestId,
    /// The callback in which it is asked. While that one waits for the answer, its own time stands still. Without a
    /// parent it is asked by the extension itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<CallId>,
    /// The load in which the context that asks was handed out.
    pub epoch: u64,
    /// The call of the contract.
    pub call: String,
    /// Its arguments.
    pub arguments: Box<RawValue>,
}

/// The answer to a request: a value, or an error.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Reply {
    /// The request that it answers.
    pub id: RequestId,
    /// The value, if it went well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Box<RawValue>>,
    /// What went wrong, if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<WireError>,
}

/// An error of a call, for a program and for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message} ({code})")]
pub struct WireError {
    /// A stable code, such as `permission.denied` or `context.stale`.
    pub code: String,
    /// What was wrong, and what to do instead.
    pub message: String,
}

/// The end of a load.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Dispose {
    /// Why.
    pub reason: DisposeReason,
    /// How long the extension has, in milliseconds.
    pub budget_ms: u64,
}

/// Why a load ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisposeReason {
    /// A person turned it off.
    Disable,
    /// It is loaded anew.
    Reload,
    /// Another version takes its place.
    Update,
    /// It failed.
    Fault,
    /// The host ends.
    Shutdown,
}
