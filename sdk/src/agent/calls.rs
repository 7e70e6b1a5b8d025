//! The calls of the agent contract, as methods of the context. Each waits for the host's answer.

use super::returned::{
    Confirmed, Entry, FileText, LogLevel, Moment, NoticeLevel, ProcessRan, ProcessRun, Selected,
};
use crate::context::{CallError, Context};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

impl Context {
    /// Runs a program without a shell, waits for its end, and returns what it wrote. Needs `process.run`.
    pub fn process_run(&self, run: &ProcessRun) -> Result<ProcessRan, CallError> {
        self.call("process.run", run)
    }

    /// Reads a text file, at most 1 MiB of it. Needs `fs.read`.
    pub fn fs_read(&self, path: &str) -> Result<FileText, CallError> {
        self.call("fs.read", &json!({ "path": path }))
    }

    /// Shows one message to the person, under the name of the extension.
    pub fn notify(&self, level: NoticeLevel, text: &str) -> Result<(), CallError> {
        self.tell("ui.notify", &json!({ "level": level, "text": text }))
    }

    /// Asks the person a question of yes or no; without a person the answer is no. Needs `ui.prompt`.
    pub fn confirm(&self, title: &str, details: &[String]) -> Result<Confirmed, CallError> {
        self.call("ui.confirm", &json!({ "title": title, "details": details }))
    }

    /// Lets the person choose one of several; without a person nothing is chosen. Needs `ui.prompt`.
    pub fn select(&self, title: &str, details: &[String], options: &[String]) -> Result<Selected, CallError> {
        self.call("ui.select", &json!({ "title": title, "details": details, "options": options }))
    }

    /// Shows or changes a status line, which the manifest declares as `[slots.status.KEY]`; `None` clears it.
    pub fn status(&self, key: &str, text: Option<&str>) -> Result<(), CallError> {
        self.tell("ui.status", &json!({ "key": key, "text": text }))
    }

    /// Tells the time.
    pub fn now(&self) -> Result<Moment, CallError> {
        self.call("clock.now", &json!({}))
    }

    /// Waits. This is the extension's own time.
    pub fn sleep(&self, time: Duration) -> Result<(), CallError> {
        self.tell("clock.sleep", &json!({ "ms": milliseconds(time) }))
    }

    /// Returns the directory that the session runs in.
    pub fn cwd(&self) -> Result<PathBuf, CallError> {
        #[derive(Deserialize)]
        struct Directory {
            path: PathBuf,
        }
        self.call("session.cwd", &json!({})).map(|Directory { path }| path)
    }

    /// Writes to the log of the extension.
    pub fn log(&self, level: LogLevel, message: &str) -> Result<(), CallError> {
        self.tell("log", &json!({ "level": level, "message": message }))
    }

    /// Reads a value that the extension keeps; `None` if there is none, or `null`.
    pub fn store_get<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, CallError> {
        #[derive(Deserialize)]
        struct Kept<T> {
            value: Option<T>,
        }
        self.call("store.get", &json!({ "key": key })).map(|Kept { value }| value)
    }

    /// Keeps a value of at most 64 KiB under a key, for good; `null` removes it.
    pub fn store_set<T: Serialize + ?Sized>(&self, key: &str, value: &T) -> Result<(), CallError> {
        #[derive(Serialize)]
        struct Kept<'a, T: ?Sized> {
            key: &'a str,
            value: &'a T,
        }
        self.tell("store.set", &Kept { key, value })
    }

    /// Sends a value to whoever listens to `NAME:TOPIC`, where `NAME` is the extension's own name.
    pub fn bus_emit(&self, topic: &str, value: &Value) -> Result<(), CallError> {
        self.tell("bus.emit", &json!({ "topic": topic, "value": value }))
    }

    /// Listens to `NAME:TOPIC`; what arrives goes to the handler registered with `Hooks::bus`.
    pub fn bus_subscribe(&self, topic: &str) -> Result<Entry, CallError> {
        self.entry("bus.subscribe", &json!({ "topic": topic }))
    }

    /// Has the handler registered with `Hooks::timer` called once, after a time.
    pub fn timer_after(&self, time: Duration, name: &str) -> Result<Entry, CallError> {
        self.entry("timer.after", &json!({ "ms": milliseconds(time), "name": name }))
    }

    /// Gives back a subscription or a timer.
    pub fn release(&self, entry: Entry) -> Result<(), CallError> {
        self.tell("release", &json!({ "entry": entry }))
    }

    /// Calls something that returns nothing of interest.
    fn tell(&self, call: &str, arguments: &impl Serialize) -> Result<(), CallError> {
        self.call(call, arguments).map(|IgnoredAny| ())
    }

    fn entry(&self, call: &str, arguments: &Value) -> Result<Entry, CallError> {
        #[derive(Deserialize)]
        struct Returned {
            entry: Entry,
        }
        self.call(call, arguments).map(|Returned { entry }| entry)
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
