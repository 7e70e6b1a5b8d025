//! Ctrl-C: the first asks what is running to end cleanly, the second ends it at once. Both leave a whole set. While a
//! question stands, the first ends the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

static ASKED: AtomicBool = AtomicBool::new(false);
static AT_ONCE: AtomicBool = AtomicBool::new(false);

/// Starts to listen for SIGINT, SIGTERM and SIGHUP, once. Before that they end the process.
pub(crate) fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(set_handler);
}

fn set_handler() {
    // Without a handler a signal ends the process, which leaves a whole set too, only less tidily.
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) || AT_ONCE.load(Ordering::SeqCst) {
            end();
        }
    });
}

#[expect(clippy::disallowed_methods, reason = "it means now; a commit is one rename")]
fn end() -> ! {
    std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
}

/// Does something during which nothing is changed and no lease is held, so that Ctrl-C ends the process at once.
pub(crate) fn ending_at_once(body: impl FnOnce()) {
    AT_ONCE.store(true, Ordering::SeqCst);
    // One that came just before would otherwise be waited out.
    if asked() {
        end();
    }
    body();
    AT_ONCE.store(false, Ordering::SeqCst);
}

/// Tells whether the person asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}
