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

#[cfg(test)]
mod tests {
    use super::{OutputDelta, SessionEnd, SessionStart, Tool, ToolCall, ToolResult};
    use serde::Serialize;

    /// Checks that a value has exactly the keys of a type of the contract.
    fn check(name: &str, value: &impl Serialize) {
        let schema = &crate::host::agent().types[name];
        let value = serde_json::to_value(value).unwrap();
        let mut keys: Vec<&String> = value.as_object().unwrap().keys().collect();
        let mut known: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        keys.sort();
        known.sort();
        assert_eq!(keys, known, "{name}");
    }

    #[test]
    fn they_have_the_keys_that_the_contract_says() {
        let text = String::new;
        let start = SessionStart { session: text(), host_version: text(), cwd: text(), interactive: false };
        check("SessionStart", &start);
        check("SessionEnd", &SessionEnd { session: text(), exit_code: None, duration_ms: 0 });
        check("OutputDelta", &OutputDelta { id: text(), stream: "stdout", seq: 0, text: text() });
        let call = ToolCall {
            id: text(),
            tool: Tool::Exec,
            program: text(),
            argv: Vec::new(),
            cwd: text(),
            line: text(),
            interactive: false,
        };
        check("ToolCall", &call);
        let result = ToolResult {
            id: text(),
            tool: Tool::Shell,
            program: text(),
            exit_code: None,
            signal: None,
            duration_ms: 0,
            tail: text(),
            truncated: false,
            notes: Vec::new(),
        };
        check("ToolResult", &result);
    }
}
