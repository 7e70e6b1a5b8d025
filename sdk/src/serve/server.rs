//! One worker's connection: its two ends, its state, and the threads that serve it.

use super::backend::{Backend, Host};
use super::frames::Frames;
use super::incoming::{CallText, Incoming, MessageError, read};
use super::outgoing::{self, Outgoing};
use super::state::State;
use super::waiting::Connected;
use crate::native::LibraryError;
use crate::protocol::{FrameError, ToHost};
use std::fs::File;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Threads besides the first. More calls at once than this wait for one of them.
const MAX_THREADS: usize = 64;

/// What becomes of the process when the host is gone or has disposed of the extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// [`serve`] returns as soon as the thread that called it is free; if it reads, when the host closes its end.
    Return,
    /// [`serve`] returns if the thread that called it is free; else the process exits at once, whatever its threads do.
    Exit,
}

/// Says why a worker ended before its time.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The connection failed, or carried what is no frame.
    #[error("the connection to the host failed")]
    Frame(#[source] FrameError),
    /// The host sent what is no message.
    #[error("the host sent what can't be read")]
    Message(#[source] MessageError),
    /// The first message was another one.
    #[error("the host did not begin with `hello`")]
    NoHello,
    /// The extension did not start.
    #[error("{message}")]
    Start {
        /// Why, in its own words.
        message: String,
    },
    /// The library can't be used.
    #[error("the library can't be used")]
    Library(#[source] LibraryError),
}

/// Serves a host until it disposes of the extension or is gone.
pub fn serve<B: Backend>(backend: B, input: File, output: File, ending: Ending) -> Result<(), ServeError> {
    let server = Arc::new(Server {
        backend,
        ending,
        frames: Mutex::new(Frames::new(input)),
        outgoing: Outgoing::new(output),
        state: Mutex::new(State::default()),
        has_work: Condvar::new(),
        next_request: AtomicU64::new(1),
    });
    let served = server.greet().and_then(|()| server.run_home());
    server.outgoing.close();
    unless_closed(served)
}

/// The end of the host is the usual end of a worker.
fn unless_closed(how: Result<(), ServeError>) -> Result<(), ServeError> {
    match how {
        Err(ServeError::Frame(FrameError::Closed)) => Ok(()),
        Ok(()) | Err(_) => how,
    }
}

pub(crate) struct Server<B> {
    pub(crate) backend: B,
    ending: Ending,
    pub(crate) frames: Mutex<Frames>,
    pub(crate) outgoing: Outgoing,
    state: Mutex<State>,
    /// Tells idle threads that there is a job, or nobody who reads, or an end.
    pub(crate) has_work: Condvar,
    pub(crate) next_request: AtomicU64,
}

/// Where an end is noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the thread that called `serve`, outside any handler.
    Home,
    /// Anywhere else.
    Elsewhere,
}

impl<B: Backend> Server<B> {
    fn greet(self: &Arc<Self>) -> Result<(), ServeError> {
        let mut frame = Vec::new();
        self.read_frame(&mut frame).map_err(ServeError::Frame)?;
        let Incoming::Hello(hello) = read(&frame).map_err(ServeError::Message)? else {
            return Err(ServeError::NoHello);
        };
        let host = Host { link: Arc::new(Connected::new(self)) };
        let ready = self.backend.start(hello, host).map_err(|message| ServeError::Start { message })?;
        let frame = outgoing::ready(&ready).map_err(ServeError::Frame)?;
        self.outgoing.frame(&frame).map_err(ServeError::Frame)
    }

    fn run_home(self: &Arc<Self>) -> Result<(), ServeError> {
        super::reading::serve_here(self, Place::Home);
        self.state().ended.take().unwrap_or(Ok(()))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn read_frame(&self, frame: &mut Vec<u8>) -> Result<(), FrameError> {
        self.frames.lock().unwrap_or_else(PoisonError::into_inner).next(frame)
    }

    /// Runs a call and answers it.
    pub(crate) fn answer(&self, call: &CallText<'_>, out: &mut Vec<u8>) -> Result<(), FrameError> {
        outgoing::outcome(out, call.id, |answer| self.backend.call(call, answer));
        self.state().answered(call.id);
        self.outgoing.frame(out)
    }

    /// Lets go of everything, and says so.
    pub(crate) fn dispose(&self, dispose: &str, place: Place) {
        self.backend.dispose(dispose);
        let said = self.outgoing.message(&ToHost::Disposed {});
        self.end(said.map_err(ServeError::Frame), place);
    }

    /// Hands a frame to a thread that is free, or to a new one.
    pub(crate) fn hand_over(self: &Arc<Self>, frame: Vec<u8>) {
        let mut state = self.state();
        state.jobs.push_back(frame);
        if state.jobs.len() <= state.idle {
            drop(state);
            self.has_work.notify_one();
        } else if state.threads < MAX_THREADS {
            state.threads += 1;
            drop(state);
            let server = Arc::clone(self);
            let spawned = std::thread::Builder::new()
                .name("pintle-hook".to_owned())
                .spawn(move || super::reading::serve_here(&server, Place::Elsewhere));
            if spawned.is_err() {
                // The job stays where it is, and whoever is free next takes it.
                self.state().threads -= 1;
            }
        }
    }

    /// Ends the connection for everyone.
    pub(crate) fn end(&self, how: Result<(), ServeError>, place: Place) {
        let how = unless_closed(how);
        if let (Ending::Exit, Place::Elsewhere) = (self.ending, place) {
            crate::process::exit(&how);
        }
        let mut state = self.state();
        state.ended.get_or_insert(how);
        for pending in state.requests.values() {
            pending.wake.notify_one();
        }
        drop(state);
        self.has_work.notify_all();
        // What is answered after the end is no longer said.
        self.outgoing.close();
    }
}
