//! A request to the host, and the wait for its reply. The thread that waits reads frames, unless another one does.
//!
//! The wait has no deadline of its own: the host answers each request or ends the worker, and its end is the end of the
//! wait.

use super::backend::Backend;
use super::incoming::{Incoming, read};
use super::reading::{SERVES, cancelled, replied};
use super::server::{Place, ServeError, Server};
use super::state::Pending;
use crate::context::{CallError, Link};
use crate::protocol::{CallId, FrameError, Reply, Request, RequestId, ToHost, encode};
use serde_json::value::RawValue;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, PoisonError, Weak};

/// How many frames one look for a cancel reads at most.
const LOOK: usize = 16;

/// The connection, as a context holds it. It does not keep the connection alive.
pub(crate) struct Connected<B> {
    server: Weak<Server<B>>,
}

impl<B> Connected<B> {
    pub(crate) fn new(server: &Arc<Server<B>>) -> Self {
        Self { server: Arc::downgrade(server) }
    }
}

impl<B: Backend> Link for Connected<B> {
    fn request(
        &self,
        parent: Option<CallId>,
        epoch: u64,
        call: &str,
        arguments: &RawValue,
    ) -> Result<Box<RawValue>, CallError> {
        let server = self.server.upgrade().ok_or(CallError::Closed)?;
        let id = server.next_request.fetch_add(1, Ordering::Relaxed);
        let wake = Arc::new(Condvar::new());
        let parent = {
            let mut state = server.state();
            if state.ended.is_some() {
                return Err(CallError::Closed);
            }
            state.requests.insert(id, Pending { reply: None, wake: Arc::clone(&wake) });
            // A call that was answered is nobody's parent any more: then the extension itself asks.
            parent.filter(|call| state.active.contains(call))
        };
        let request =
            Request { id, parent, epoch, call: call.to_owned(), arguments: RawValue::to_owned(arguments) };
        let reply = match send(&server, request) {
            Ok(()) => wait(&server, id, &wake),
            Err(error) => Err(error),
        };
        server.state().requests.remove(&id);
        value(reply?)
    }

    fn is_cancelled(&self, call: CallId) -> bool {
        let Some(server) = self.server.upgrade() else { return true };
        server.state().cancelled.contains(&call)
    }

    fn look(&self) {
        if let Some(server) = self.server.upgrade() {
            look(&server);
        }
    }
}

fn send<B: Backend>(server: &Server<B>, request: Request) -> Result<(), CallError> {
    let call = request.call.clone();
    let frame = encode(&ToHost::Request(request)).map_err(|error| match error {
        FrameError::TooLong { length } => CallError::TooLong { call, length },
        FrameError::Json(source) => CallError::Arguments { call, source },
        FrameError::Closed | FrameError::Io(_) => CallError::Closed,
    })?;
    server.outgoing.frame(&frame).map_err(|_| CallError::Closed)
}

/// Waits for a reply: as the one who reads, or for the one who does.
fn wait<B: Backend>(server: &Arc<Server<B>>, id: RequestId, wake: &Condvar) -> Result<Reply, CallError> {
    let mut frame = Vec::new();
    let mut state = server.state();
    loop {
        if let Some(reply) = state.requests.get_mut(&id).and_then(|pending| pending.reply.take()) {
            if !state.is_read {
                pass_on(server, &mut state, id);
            }
            return Ok(reply);
        }
        if state.ended.is_some() {
            return Err(CallError::Closed);
        }
        if state.is_read {
            state = wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        }
        state.begin_to_read();
        drop(state);
        read_and_hand_over(server, &mut frame);
        state = server.state();
    }
}

/// Leaves reading to someone else: another one who waits, or an idle thread if this one does not come back to serve.
fn pass_on<B: Backend>(server: &Server<B>, state: &mut super::state::State, id: RequestId) {
    state.requests.remove(&id);
    if !state.wake_waiting() && !SERVES.get() && state.idle > 0 {
        server.has_work.notify_one();
    }
}

/// Reads one frame and stops reading. What is to be run, another thread runs.
fn read_and_hand_over<B: Backend>(server: &Arc<Server<B>>, frame: &mut Vec<u8>) {
    let incoming = match server.read_frame(frame).map_err(ServeError::Frame) {
        Ok(()) => read(frame).map_err(ServeError::Message),
        Err(error) => Err(error),
    };
    let mut state = server.state();
    state.is_read = false;
    match incoming {
        Err(error) => {
            drop(state);
            server.end(Err(error), Place::Elsewhere);
        }
        Ok(Incoming::Call(call)) => {
            let is_for_now = state.arrived(&call, frame);
            drop(state);
            if is_for_now {
                server.hand_over(std::mem::take(frame));
            }
        }
        Ok(Incoming::Dispose(_)) => {
            drop(state);
            server.hand_over(std::mem::take(frame));
        }
        Ok(Incoming::Cancel(cancel)) => cancelled(server, state, cancel.id),
        Ok(Incoming::Reply(reply)) => replied(&mut state, reply),
        Ok(Incoming::Hello(_) | Incoming::Unknown) => {}
    }
}

/// Reads what has arrived, if nobody else reads.
fn look<B: Backend>(server: &Arc<Server<B>>) {
    let mut frame = Vec::new();
    for _ in 0..LOOK {
        let mut state = server.state();
        if state.is_read || state.ended.is_some() {
            return;
        }
        state.begin_to_read();
        drop(state);
        let is_ready = server.frames.lock().unwrap_or_else(PoisonError::into_inner).is_ready();
        if !is_ready {
            let mut state = server.state();
            state.is_read = false;
            state.wake_waiting();
            return;
        }
        read_and_hand_over(server, &mut frame);
    }
}

fn value(reply: Reply) -> Result<Box<RawValue>, CallError> {
    match reply.error {
        Some(error) => Err(CallError::Refused(error)),
        None => Ok(reply.value.unwrap_or_else(|| RawValue::NULL.to_owned())),
    }
}
