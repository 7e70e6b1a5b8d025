//! Times of one thing, in nanoseconds, as a line for the script that compares them.

use serde::Serialize;
use std::io::Write as _;
use std::time::{Duration, Instant};

/// The times of one thing.
#[derive(Debug, Serialize)]
pub struct Samples {
    /// What was measured.
    what: String,
    /// In nanoseconds.
    ns: Vec<u64>,
}

impl Samples {
    /// Makes an empty list.
    pub fn of(what: impl Into<String>) -> Self {
        Self { what: what.into(), ns: Vec::new() }
    }

    /// Adds a time.
    pub fn add(&mut self, time: Duration) {
        self.ns.push(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds the time since then.
    pub fn since(&mut self, then: Instant) {
        self.add(then.elapsed());
    }

    /// Writes the line.
    pub fn tell(&self) {
        let line = serde_json::to_string(self).expect("numbers are JSON");
        // Whoever started this reads it, or is gone.
        let _ = writeln!(std::io::stdout(), "{line}");
    }
}
