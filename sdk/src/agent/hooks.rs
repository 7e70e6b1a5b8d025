//! What the hooks of the agent contract hand over, and what its slots read back.

use super::returned::Entry;
use serde::{Deserialize, Serialize};

/// How a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tool {
    /// `argv` is run as it is.
    Exec,
    /// A shell reads `line`.
    Shell,
}

/// A session has begun: the payload of `session.start`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionStart {
    /// The name of the session, not used again.
    pub session: String,
    /// The version of the program that hosts.
    pub host_version: String,
    /// The directory that the session runs in.
    pub cwd: String,
    /// Whether there is a person to ask.
    pub interactive: bool,
}

/// A session is over: the payload of `session.end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// The name of the session.
    pub session: String,
    /// What the host will exit with; `None` if a signal ends it.
    pub exit_code: Option<i64>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A command that is about to run: the payload of `tool.call`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The name of this call, the same in `tool.result`.
    pub id: String,
    /// How it is run.
    pub tool: Tool,
    /// The last part of the path of the program; of a shell line, the shell.
    pub program: String,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The directory that it runs in.
    pub cwd: String,
    /// The command line as it was written.
    pub line: String,
    /// Whether there is a person to ask.
    pub interactive: bool,
}

/// A piece of output: an item of `output.delta`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputDelta {
    /// The call that it belongs to.
    pub id: String,
    /// Where it was written.
    pub stream: OutputStream,
    /// Counts the pieces of both streams together.
    pub seq: u64,
    /// The piece; what is no UTF-8 is replaced.
    pub text: String,
}

/// Where output is written. On a terminal all of it is `Stdout`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A command that has ended: the payload of `tool.result`. A transform may change `tail` and `notes`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// The call that ended.
    pub id: String,
    /// How it was run.
    pub tool: Tool,
    /// The program, as in the call.
    pub program: String,
    /// `None` if a signal ended it.
    pub exit_code: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
    /// How long it ran, in milliseconds.
    pub duration_ms: u64,
    /// The last of its output, both streams as they came.
    pub tail: String,
    /// Whether there was more output than `tail` holds.
    pub truncated: bool,
    /// What extensions have to say about it, a line each; the host prints them at last.
    pub notes: Vec<String>,
}

/// A command of an extension that a person runs: the payload of the slot `command`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandCall {
    /// What was written after the name.
    pub args: Vec<String>,
    /// The directory that it was called in.
    pub cwd: String,
    /// Whether there is a person to ask.
    pub interactive: bool,
}

/// What a command answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandReply {
    /// What is printed.
    pub text: String,
    /// What the host exits with.
    pub exit_code: u8,
}

impl CommandReply {
    /// Says something, and that it went well.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), exit_code: 0 }
    }
}

/// A value that arrived on a topic: the payload of `bus`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BusMessage {
    /// The topic, `NAME:TOPIC`.
    pub topic: String,
    /// The extension that sent it, or the host.
    pub from: String,
    /// The value.
    pub value: serde_json::Value,
}

/// A timer that has run down: the payload of `timer`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimerFired {
    /// The timer.
    pub timer: Entry,
    /// What it was called.
    #[serde(default)]
    pub name: Option<String>,
}
