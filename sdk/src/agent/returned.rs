//! What the calls of the agent contract take and return.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A program to run, without a shell.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProcessRun {
    /// Its name, looked up on `PATH`, or its path.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
    /// Where it runs; the session's directory if it is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables besides those that every program gets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdin: Option<String>,
    /// When it is ended at the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
}

impl ProcessRun {
    /// Names a program and its arguments.
    pub fn new(program: impl Into<String>, args: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let args = args.into_iter().map(Into::into).collect();
        Self { program: program.into(), args, ..Self::default() }
    }
}

/// A program that ran.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct ProcessRan {
    /// `None` if a signal ended it.
    pub exit_code: Option<i64>,
    /// The signal that ended it.
    pub signal: Option<i64>,
    /// What it wrote.
    pub stdout: String,
    /// What it wrote to standard error.
    pub stderr: String,
    /// Whether it wrote more than that.
    pub truncated: bool,
    /// Whether something was no UTF-8 and was replaced.
    pub lossy: bool,
    /// Whether it was ended because its time was over.
    pub timed_out: bool,
}

impl ProcessRan {
    /// Tells whether it exited with 0.
    pub fn is_success(&self) -> bool {
        self.exit_code == Some(0)
    }
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct FileText {
    /// Its content, or the beginning of it.
    pub text: String,
    /// The size of the file in bytes.
    pub size: u64,
    /// Whether `text` is only the beginning.
    pub truncated: bool,
    /// Whether something was no UTF-8 and was replaced.
    pub lossy: bool,
}

/// How much a message matters to the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    /// For information.
    Info,
    /// Something to look at.
    Warning,
    /// Something went wrong.
    Error,
}

/// How much a line of the log matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogLevel {
    /// For the author.
    Debug,
    /// For information.
    Info,
    /// Something to look at.
    Warning,
    /// Something went wrong.
    Error,
}

/// What a person answered to a question of yes or no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Confirmed {
    /// Whether the person said yes.
    pub answer: bool,
    /// Whether there was a person to ask.
    pub asked: bool,
}

/// What a person chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Selected {
    /// The option, counted from 0; `None` if none was chosen.
    pub chosen: Option<usize>,
    /// Whether there was a person to ask.
    pub asked: bool,
}

/// A point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct Moment {
    /// Milliseconds since 1970, UTC.
    pub unix_ms: i64,
    /// Milliseconds that never go back, for measuring.
    pub monotonic_ms: u64,
}

/// Something that the host holds for the extension, until it is given back: a subscription or a timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Entry(pub u64);
