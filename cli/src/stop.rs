//! Ctrl-C: the first asks what is running to end cleanly, the second ends it at once. Both leave a whole set.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);

/// Starts to listen for SIGINT, SIGTERM and SIGHUP, once. Before that, while a question is asked, they end the process.
pub(crate) fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(set_handler);
}

fn set_handler() {
    // Without a handler a signal ends the process, which leaves a whole set too, only less tidily.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            #[expect(
                clippy::disallowed_methods,
                reason = "a second Ctrl-C means now; a commit is one rename"
            )]
            std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
        }
    });
}

/// Tells whether the person asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
