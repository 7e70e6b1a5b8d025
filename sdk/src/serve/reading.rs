//! The life of a thread that serves: take a job, or read a frame, or have nothing to do.

use super::backend::Backend;
use super::incoming::{CallText, Incoming, read};
use super::server::{Place, ServeError, Server};
use super::state::State;
use crate::protocol::{CallId, Reply};
use std::cell::Cell;
use std::sync::{Arc, PoisonError};

thread_local! {
    /// Whether this thread comes back to serving after what it does now.
    pub(crate) static SERVES: Cell<bool> = const { Cell::new(false) };
}

enum Turn {
    Job(Vec<u8>),
    Read,
}

/// Serves until the end.
pub(crate) fn serve_here<B: Backend>(server: &Arc<Server<B>>, place: Place) {
    let before = SERVES.replace(true);
    let (mut frame, mut out) = (Vec::new(), Vec::new());
    while let Some(turn) = next_turn(server) {
        match turn {
            Turn::Job(job) => run(server, &job, &mut out, place),
            Turn::Read => read_and_run(server, &mut frame, &mut out, place),
        }
    }
    SERVES.set(before);
}

fn next_turn<B: Backend>(server: &Server<B>) -> Option<Turn> {
    let mut state = server.state();
    loop {
        if state.ended.is_some() {
            return None;
        }
        if let Some(job) = state.jobs.pop_front() {
            return Some(Turn::Job(job));
        }
        if !state.is_read {
            state.begin_to_read();
            return Some(Turn::Read);
        }
        state.idle += 1;
        state = server.has_work.wait(state).unwrap_or_else(PoisonError::into_inner);
        state.idle -= 1;
    }
}

/// Reads one frame, stops reading, and does what it says.
fn read_and_run<B: Backend>(server: &Arc<Server<B>>, frame: &mut Vec<u8>, out: &mut Vec<u8>, place: Place) {
    let incoming = match server.read_frame(frame).map_err(ServeError::Frame) {
        Ok(()) => read(frame).map_err(ServeError::Message),
        Err(error) => Err(error),
    };
    let mut state = server.state();
    state.is_read = false;
    match incoming {
        Err(error) => {
            drop(state);
            server.end(Err(error), place);
        }
        Ok(Incoming::Call(call)) => {
            if !state.arrived(&call, frame) {
                return;
            }
            state.wake_waiting();
            if !state.is_patrolled {
                state.is_patrolled = true;
                server.patrol.notify_one();
            }
            drop(state);
            answer(server, &call, out, place);
        }
        Ok(Incoming::Dispose(told)) => {
            state.wake_waiting();
            drop(state);
            dispose(server, told, out, place);
        }
        Ok(Incoming::Cancel(cancel)) => cancelled(server, state, cancel.id),
        Ok(Incoming::Reply(reply)) => replied(&mut state, reply),
        Ok(Incoming::Hello(_) | Incoming::Unknown) => {}
    }
}

/// Does what a frame says that another thread read.
fn run<B: Backend>(server: &Arc<Server<B>>, job: &[u8], out: &mut Vec<u8>, place: Place) {
    match read(job).expect("it was read before it was handed over") {
        Incoming::Call(call) => answer(server, &call, out, place),
        Incoming::Dispose(told) => dispose(server, told, out, place),
        Incoming::Hello(_) | Incoming::Cancel(_) | Incoming::Reply(_) | Incoming::Unknown => {}
    }
}

/// Answers a call, and after one that others wait for, those.
fn answer<B: Backend>(server: &Arc<Server<B>>, call: &CallText<'_>, out: &mut Vec<u8>, place: Place) {
    answer_one(server, call, out, place);
    if !call.in_turn {
        return;
    }
    loop {
        let next = server.state().next_in_turn();
        let Some(next) = next else { return };
        if let Incoming::Call(call) = read(&next).expect("it was read before it had to wait") {
            answer_one(server, &call, out, place);
        }
    }
}

fn answer_one<B: Backend>(server: &Arc<Server<B>>, call: &CallText<'_>, out: &mut Vec<u8>, place: Place) {
    if let Err(error) = server.answer(call, out) {
        server.end(Err(ServeError::Frame(error)), place);
    }
}

/// Lets go of everything. What still waits for its turn has it now, whatever holds up the one before.
fn dispose<B: Backend>(server: &Arc<Server<B>>, told: &str, out: &mut Vec<u8>, place: Place) {
    let left = std::mem::take(&mut server.state().in_turn);
    for frame in left {
        if let Incoming::Call(call) = read(&frame).expect("it was read before it had to wait") {
            answer_one(server, &call, out, place);
        }
    }
    server.dispose(told, place);
}

/// Notes that an answer is no longer wanted. A call that is answered already is passed over.
pub(crate) fn cancelled<B: Backend>(
    server: &Server<B>,
    mut state: std::sync::MutexGuard<'_, State>,
    call: CallId,
) {
    let is_new = state.active.contains(&call) && !state.cancelled.contains(&call);
    if is_new {
        state.cancelled.push(call);
        drop(state);
        server.backend.cancel(call);
    }
}

/// Hands a reply to the thread that waits for it. One that nobody waits for is passed over.
pub(crate) fn replied(state: &mut State, reply: Reply) {
    if let Some(pending) = state.requests.get_mut(&reply.id) {
        pending.reply = Some(reply);
        pending.wake.notify_one();
    }
}
