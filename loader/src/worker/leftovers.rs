//! What a killed host left behind: found by what was written down of it, and by the token in its environment.

use super::hunt::{hunt, trees};
use super::processes::{self, Entry, table};
use super::spec::SCOPE_VARIABLE;
use std::fs;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long is looked for what does not end.
const PATIENCE: Duration = Duration::from_secs(2);

/// What is needed to find a program again. Only means anything until the machine is started anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Its number.
    pub pid: u32,
    /// When it started, in ticks since the machine did.
    pub started: u64,
    /// The token of its load.
    pub scope: String,
}

/// Kills what is left of these programs and of all that they started, and returns the numbers of the processes that
/// were found. A process that only has the number of one of them is left alone.
///
/// Blocks for two seconds at most. Keepers do this when a host dies; it is for what got away from them.
pub fn leftovers(records: &[Record]) -> Vec<u32> {
    let until = Instant::now() + PATIENCE;
    // Nobody sends anything: it is a wait with an end.
    let (_keep, never) = mpsc::channel::<()>();
    let pause = || {
        let _ = never.recv_timeout(Duration::from_millis(10));
    };
    let found = left(records);
    if !found.is_empty() {
        hunt(|| left(records), pause, until);
    }
    found.iter().filter_map(|entry| u32::try_from(entry.pid).ok()).collect()
}

/// Returns what lives of these programs, with all that descends from it.
fn left(records: &[Record]) -> Vec<Entry> {
    let this = i32::try_from(std::process::id()).ok();
    let mut left = trees(table(), |entry| !entry.is_dead && belongs(entry, records));
    left.retain(|entry| Some(entry.pid) != this && !entry.is_dead);
    left
}

fn belongs(entry: &Entry, records: &[Record]) -> bool {
    let is_recorded =
        |record: &Record| i64::from(record.pid) == i64::from(entry.pid) && record.started == entry.started;
    if records.iter().any(is_recorded) {
        return true;
    }
    let Ok(environment) = fs::read(format!("/proc/{}/environ", entry.pid)) else {
        return false;
    };
    let is_marked = environment.split(|byte| *byte == 0).any(|variable| {
        let value = variable.strip_prefix(SCOPE_VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| {
            !value.is_empty() && records.iter().any(|record| record.scope.as_bytes() == value)
        })
    });
    // The number may have gone to another process while its environment was read.
    is_marked && processes::entry(entry.pid).is_some_and(|now| now.started == entry.started)
}
