//! What the agent contract's types are in Rust. The contract checks them on the way back; a test checks that they are
//! the same on the way out.

use serde::{Deserialize, Serialize};

/// `SessionStart`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionStart {
    pub session: String,
    pub host_version: String,
    pub cwd: String,
    pub interactive: bool,
}

/// `SessionEnd`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct SessionEnd {
    pub session: String,
    pub exit_code: Option<i32>,
    pub duration_ms: u64,
}

/// `ToolCall`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolCall {
    pub id: String,
    pub tool: Tool,
    pub program: String,
    pub argv: Vec<String>,
    pub cwd: String,
    pub line: String,
    pub interactive: bool,
}

/// How a command is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Tool {
    /// Its words as they are.
    Exec,
    /// By a shell, which reads a line.
    Shell,
}

/// `OutputDelta`.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct OutputDelta {
    pub id: String,
    pub stream: &'static str,
    pub seq: u64,
    pub text: String,
}

/// `ToolResult`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToolResult {
    pub id: String,
    pub tool: Tool,
    pub program: String,
    pub exit_code: Option<i32>,
    pub signal: Option<i32>,
    pub duration_ms: u64,
    pub tail: String,
    pub truncated: bool,
    pub notes: Vec<String>,
}
