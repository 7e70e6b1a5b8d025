//! Waiting for another process without sleeping: something is looked at until it holds, at most for a minute.

use rustix::process::Signal;
use std::process::Child;
use std::time::{Duration, Instant};

/// Looks until something holds.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} did not happen");
        std::thread::yield_now();
    }
}

/// Asks a process to stop, as Ctrl-C does.
pub(crate) fn interrupt(child: &Child) {
    send(child, Signal::INT);
}

/// Sends a signal.
pub(crate) fn send(child: &Child, signal: Signal) {
    let pid = rustix::process::Pid::from_child(child);
    rustix::process::kill_process(pid, signal).unwrap();
}
