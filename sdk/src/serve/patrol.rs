//! Sees to it that somebody reads. A handler that computes for long keeps its thread from reading, and the host's next
//! call would wait for it, with the clock running. The patrol looks now and then, and lets another thread read.
//!
//! It costs the usual way nothing but a flag: it sleeps until there is a call, looks while calls come, and sleeps again.

use super::backend::Backend;
use super::server::Server;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How long nobody reads at most.
const ROUND: Duration = Duration::from_millis(20);
/// After so many rounds without a call it sleeps.
const QUIET: u32 = 25;

/// Starts the patrol. Without it, as where no thread can be had, calls wait for the handler that computes.
pub(crate) fn start<B: Backend>(server: &Arc<Server<B>>) {
    let server = Arc::clone(server);
    let patrol = std::thread::Builder::new().name("pintle-patrol".to_owned());
    drop(patrol.stack_size(64 * 1024).spawn(move || run(&server)));
}

fn run<B: Backend>(server: &Arc<Server<B>>) {
    let mut state = server.state();
    let mut quiet = 0;
    while state.ended.is_none() {
        if !state.is_patrolled {
            quiet = 0;
            state = server.patrol.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        let before = state.reads;
        state = server.patrol.wait_timeout(state, ROUND).unwrap_or_else(PoisonError::into_inner).0;
        match (state.reads == before, state.is_read) {
            (false, _) => quiet = 0,
            (true, true) => {
                quiet += 1;
                state.is_patrolled = quiet < QUIET;
            }
            (true, false) => {
                drop(state);
                server.call_reader();
                state = server.state();
            }
        }
    }
}
