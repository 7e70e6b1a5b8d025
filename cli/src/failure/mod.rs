//! Turns what a library says happened into what a person is told: a stable code, the chain of causes, what to do
//! next, and an exit code. Libraries say what happened; only here is it said what to do about it.

mod archive;
mod command;
mod index;
mod loader;
mod local;
mod resolve;
mod set;
mod state;
mod way_out;

pub(crate) use set::{lock_changes, lock_way_out};
pub(crate) use way_out::without_generation;

use crate::exit::Exit;
use crate::place;
use crate::ui::{Paint, escaped};
use pintle_manifest::Problem;
use serde_json::{Map, Value, json};
use std::error::Error;

/// Returns an error with its causes on one line.
pub(crate) fn one_line(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Why a command failed, ready to be told.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A stable code, such as `resolve.conflict`.
    pub code: &'static str,
    /// The exit code.
    pub exit: Exit,
    message: String,
    causes: Vec<String>,
    hints: Vec<String>,
    /// Places in a file, drawn after the message.
    places: Option<Places>,
    /// What a machine may want to know besides.
    details: Map<String, Value>,
}

#[derive(Debug)]
struct Places {
    path: String,
    text: String,
    problems: Vec<Problem>,
}

impl Failure {
    /// Makes a failure of the ordinary kind, exit code 1.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            exit: Exit::Failed,
            message: message.into(),
            causes: Vec::new(),
            hints: Vec::new(),
            places: None,
            details: Map::new(),
        }
    }

    /// Makes a failure from an error: its message, and its causes below it.
    pub(crate) fn of(code: &'static str, error: &dyn Error) -> Self {
        let mut failure = Self::new(code, error.to_string());
        let mut cause = error.source();
        while let Some(error) = cause {
            let text = error.to_string();
            // A transparent error repeats its source; a person reads it once.
            if failure.causes.last().unwrap_or(&failure.message) != &text {
                failure.causes.push(text);
            }
            cause = error.source();
        }
        failure
    }

    pub(crate) const fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// Adds what to do next.
    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds a guess at what was meant, if there is one.
    pub(crate) fn hint_nearest(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.hint(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Adds a cause.
    pub(crate) fn cause(mut self, cause: impl Into<String>) -> Self {
        self.causes.push(cause.into());
        self
    }

    /// Adds a fact for machines.
    pub(crate) fn detail(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.details.insert(key.to_owned(), value.into());
        self
    }

    /// Adds the places in a file that are wrong.
    pub(crate) fn places(mut self, path: &std::path::Path, text: &str, problems: &[Problem]) -> Self {
        let path = path.display().to_string();
        self.places = Some(Places { path, text: text.to_owned(), problems: problems.to_vec() });
        self
    }

    /// Returns what is wrong with its causes and the places in a file, on one line.
    pub(crate) fn line(&self) -> String {
        let mut line = std::iter::once(&self.message).chain(&self.causes).cloned().collect::<Vec<_>>();
        if let Some(Places { text, problems, .. }) = &self.places {
            let told = |problem: &Problem| {
                let before = &text.as_bytes()[..problem.span.start.min(text.len())];
                let row = before.iter().filter(|byte| **byte == b'\n').count() + 1;
                format!("line {row}: {}", problem.message)
            };
            line.extend(problems.iter().map(told));
        }
        line.join("; ")
    }

    /// Returns the file that is wrong, if it is one.
    pub(crate) fn file(&self) -> Option<&str> {
        let detail = self.details.get("path").and_then(Value::as_str);
        self.places.as_ref().map(|places| places.path.as_str()).or(detail)
    }

    /// Returns what to do next, in the order in which it was said.
    pub(crate) fn hints(&self) -> &[String] {
        &self.hints
    }

    /// Returns the text for a person.
    pub(crate) fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        if let Some(Places { path, text: source, problems }) = &self.places {
            text.push_str(&place::draw(path, source, problems, paint));
        }
        text.push_str(&format!(
            "{}: {}\n",
            paint.bad(&format!("error[{}]", self.code)),
            escaped(&self.message, "  ")
        ));
        for cause in &self.causes {
            text.push_str(&format!("  caused by: {}\n", escaped(cause, "    ")));
        }
        for hint in &self.hints {
            text.push_str(&format!("{}: {}\n", paint.hint("help"), escaped(hint, "  ")));
        }
        text
    }

    /// Returns the document for a machine.
    pub(crate) fn json(&self, schema: u32) -> Value {
        let mut error = Map::new();
        error.insert("code".to_owned(), json!(self.code));
        error.insert("exit_code".to_owned(), json!(self.exit.code()));
        error.insert("message".to_owned(), json!(self.message));
        error.insert("causes".to_owned(), json!(self.causes));
        error.insert("help".to_owned(), json!(self.hints));
        if let Some(Places { path, text, problems }) = &self.places {
            error.insert("problems".to_owned(), json!(place::json(path, text, problems)));
        }
        if !self.details.is_empty() {
            error.insert("details".to_owned(), Value::Object(self.details.clone()));
        }
        json!({ "schema": schema, "ok": false, "error": error })
    }
}
