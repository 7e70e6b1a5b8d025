//! Waiting for another process without sleeping: something is looked at until it holds, at most for a minute.

use nix::sys::signal::{SigHandler, signal};
use rustix::process::Signal;
use std::process::Child;
use std::sync::Once;
use std::time::{Duration, Instant};

/// Looks until something holds.
#[track_caller]
pub(crate) fn wait_for(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "{what} did not happen");
        // What is waited for needs the processor.
        std::thread::park_timeout(Duration::from_millis(1));
    }
}

/// Makes the keys that end a program act as usual in what is started from here. A shell that runs the tests in the
/// background ignores them there, and what is ignored stays ignored.
pub(super) fn heed_keys() {
    static ONCE: Once = Once::new();
    #[expect(unsafe_code, reason = "there is no safe function that sets what a signal does")]
    ONCE.call_once(|| {
        for key in [nix::sys::signal::SIGINT, nix::sys::signal::SIGQUIT] {
            // SAFETY: the default runs no code of ours.
            unsafe { signal(key, SigHandler::SigDfl) }.unwrap();
        }
    });
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
