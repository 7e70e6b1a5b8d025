//! Frames on their way to a worker. Whoever sends never waits: what the pipe does not take at once is kept in order
//! and written when it does. A worker that does not read is noticed by how much is kept.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex};
use tokio::net::unix::pipe;
use tokio::sync::Notify;

/// How many bytes may wait for a worker that does not read.
const MOST: usize = 32 * 1024 * 1024;
/// How many frames may wait for it.
const MOST_FRAMES: usize = 16 * 1024;

/// The way out.
#[derive(Debug)]
pub(super) struct Outbox {
    waiting: Mutex<Waiting>,
    more: Notify,
}

#[derive(Debug, Default)]
struct Waiting {
    /// Where frames go, until it is closed.
    pipe: Option<Arc<pipe::Sender>>,
    frames: VecDeque<Vec<u8>>,
    /// How much of the first frame was written.
    written: usize,
    bytes: usize,
}

/// Says why a frame can't be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SendError {
    /// The worker is gone.
    Closed,
    /// The worker does not read.
    Full,
}

impl Outbox {
    /// Makes it, with a task that writes what could not be written at once.
    pub(super) fn new(pipe: pipe::Sender) -> Arc<Self> {
        let waiting = Waiting { pipe: Some(Arc::new(pipe)), ..Waiting::default() };
        let outbox = Arc::new(Self { waiting: Mutex::new(waiting), more: Notify::new() });
        tokio::spawn(Arc::clone(&outbox).run());
        outbox
    }

    /// Sends a frame, or keeps it.
    pub(super) fn send(&self, frame: Vec<u8>) -> Result<(), SendError> {
        let mut waiting = self.waiting.lock().expect("no holder panics");
        let Some(pipe) = waiting.pipe.clone() else { return Err(SendError::Closed) };
        if waiting.bytes + frame.len() > MOST || waiting.frames.len() == MOST_FRAMES {
            return Err(SendError::Full);
        }
        let mut written = 0;
        if waiting.frames.is_empty() {
            match pipe.try_write(&frame) {
                Ok(all) if all == frame.len() => return Ok(()),
                Ok(some) => written = some,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => {
                    waiting.close();
                    return Err(SendError::Closed);
                }
            }
            waiting.written = written;
        }
        waiting.bytes += frame.len() - written;
        waiting.frames.push_back(frame);
        drop(waiting);
        self.more.notify_one();
        Ok(())
    }

    /// Lets no more through: what waits is dropped, and the worker sees the end of the pipe.
    pub(super) fn close(&self) {
        self.waiting.lock().expect("no holder panics").close();
        self.more.notify_one();
    }

    async fn run(self: Arc<Self>) {
        loop {
            self.more.notified().await;
            loop {
                match self.write_some() {
                    Progress::Empty => break,
                    Progress::Written => {}
                    // The pipe is held for the wait alone, and closing ends that, too.
                    Progress::NotReady(pipe) => tokio::select! {
                        ready = pipe.writable() => if ready.is_err() { self.close() },
                        () = self.more.notified() => {}
                    },
                    Progress::Closed => return,
                }
            }
        }
    }

    fn write_some(&self) -> Progress {
        let mut waiting = self.waiting.lock().expect("no holder panics");
        let Some(pipe) = waiting.pipe.clone() else { return Progress::Closed };
        let start = waiting.written;
        let Some(frame) = waiting.frames.front() else { return Progress::Empty };
        match pipe.try_write(&frame[start..]) {
            Ok(some) => {
                let done = start + some == frame.len();
                waiting.bytes -= some;
                waiting.written = if done { 0 } else { start + some };
                if done {
                    waiting.frames.pop_front();
                }
                Progress::Written
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Progress::NotReady(pipe),
            Err(_) => {
                waiting.close();
                Progress::Closed
            }
        }
    }
}

impl Waiting {
    fn close(&mut self) {
        self.pipe = None;
        self.frames.clear();
        self.bytes = 0;
    }
}

enum Progress {
    Empty,
    Written,
    NotReady(Arc<pipe::Sender>),
    Closed,
}
