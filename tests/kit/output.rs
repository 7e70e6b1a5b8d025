//! What a run said and how it ended. What must hold of every run is checked here, so that no test can forget it.

use super::Sandbox;
use serde_json::Value;
use std::fmt;

/// What a run said and how it ended.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// The command as it was typed.
    pub(crate) command: String,
    /// The exit code.
    pub(crate) code: i32,
    /// Standard output, with the place of the sandbox, digests and process ids masked.
    pub(crate) stdout: String,
    /// Standard error, masked alike.
    pub(crate) stderr: String,
    /// Standard output as it came.
    pub(crate) raw_stdout: String,
    /// Standard error as it came.
    pub(crate) raw_stderr: String,
}

impl Output {
    #[track_caller]
    pub(super) fn new(sandbox: &Sandbox, command: String, output: &std::process::Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("what is printed is UTF-8");
        let (raw_stdout, raw_stderr) = (text(&output.stdout), text(&output.stderr));
        let (stdout, stderr) = (sandbox.normalise(&raw_stdout), sandbox.normalise(&raw_stderr));
        let code = output.status.code().unwrap_or(-1);
        let output = Self { command, code, stdout, stderr, raw_stdout, raw_stderr };
        assert_ne!(output.code, 101, "a bug shows:\n{output:?}");
        // As Rust words it; of an extension's own panic people are told in other words.
        assert!(!output.raw_stderr.contains(" panicked at "), "a panic shows:\n{output:?}");
        output
    }

    /// Fails the test unless the run ended with this exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "`{}` ended otherwise:\n{self}", self.command);
        self
    }

    /// Fails the test unless the run did what was asked.
    #[track_caller]
    pub(crate) fn succeeds(self) -> Self {
        self.exits(0)
    }

    /// Fails the test unless the run failed with this exit code and this stable code.
    #[track_caller]
    pub(crate) fn fails(self, exit: i32, code: &str) -> Self {
        let output = self.exits(exit);
        let found = match output.raw_stdout.starts_with('{') {
            true => output.json()["error"]["code"].as_str().unwrap_or_default().to_owned(),
            false => {
                let after = output.stderr.split("error[").last().unwrap_or_default();
                after.split(']').next().unwrap_or_default().to_owned()
            }
        };
        assert_eq!(found, code, "`{}` failed otherwise:\n{output}", output.command);
        output
    }

    /// Fails the test unless this was said somewhere.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        let said = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(said, "`{}` does not say `{text}`:\n{self}", self.command);
        self
    }

    /// Fails the test if this was said anywhere.
    #[track_caller]
    pub(crate) fn does_not_say(self, text: &str) -> Self {
        let said = self.stdout.contains(text) || self.stderr.contains(text);
        assert!(!said, "`{}` says `{text}`:\n{self}", self.command);
        self
    }

    /// Returns the one document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert!(!self.raw_stdout.contains('\u{1b}'), "an escape character in a document:\n{self:?}");
        serde_json::from_str(&self.raw_stdout)
            .unwrap_or_else(|error| panic!("`{}` printed no document ({error}):\n{self}", self.command))
    }

    /// Returns the notes of a document of a change, as their codes and names.
    #[track_caller]
    pub(crate) fn notes(&self) -> Vec<String> {
        let document = self.json();
        let note = |note: &Value| {
            format!("{} {}", note["code"].as_str().unwrap(), note["name"].as_str().unwrap_or_default())
        };
        document["notes"].as_array().unwrap().iter().map(note).collect()
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.stdout)?;
        if !self.stderr.is_empty() {
            write!(f, "---- standard error\n{}", self.stderr)?;
        }
        write!(f, "---- exit code {}", self.code)
    }
}
