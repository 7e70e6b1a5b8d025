//! Builds frames and writes each with one write. An answer is written in place, without a value in between.

use crate::protocol::{CallId, Fault, FrameError, MAX_FRAME, ToHost, encode};
use std::fs::File;
use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

const HEAD: usize = 4;

/// The way out. After it was closed everything written is refused.
pub(crate) struct Outgoing {
    to: Mutex<Option<File>>,
}

impl Outgoing {
    pub(crate) fn new(to: File) -> Self {
        Self { to: Mutex::new(Some(to)) }
    }

    /// Writes one whole frame.
    pub(crate) fn frame(&self, frame: &[u8]) -> Result<(), FrameError> {
        let mut to = self.to.lock().unwrap_or_else(PoisonError::into_inner);
        let file = to.as_mut().ok_or(FrameError::Closed)?;
        file.write_all(frame).map_err(|error| match error.kind() {
            io::ErrorKind::BrokenPipe => FrameError::Closed,
            _ => FrameError::Io(error),
        })
    }

    pub(crate) fn message(&self, message: &ToHost) -> Result<(), FrameError> {
        self.frame(&encode(message)?)
    }

    pub(crate) fn close(&self) {
        *self.to.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Writes the answer to a call into `frame`: `fill` appends an `Answer`, and its error becomes a fault.
pub(crate) fn outcome(
    frame: &mut Vec<u8>,
    id: CallId,
    fill: impl FnOnce(&mut Vec<u8>) -> Result<(), String>,
) {
    frame.clear();
    frame.extend_from_slice(&[0; HEAD]);
    write!(frame, "{{\"outcome\":{{\"id\":{id},\"answer\":").expect("a vector takes everything");
    let filled = fill(frame);
    frame.extend_from_slice(b"}}");
    let length = frame.len() - HEAD;
    match filled {
        Ok(()) if length <= MAX_FRAME => set_length(frame, length),
        Ok(()) => {
            fault(frame, id, format!("the outcome is {length} bytes long, over the limit of {MAX_FRAME}"));
        }
        Err(message) => fault(frame, id, message),
    }
}

/// Wraps the text of a `Ready`.
pub(crate) fn ready(text: &str) -> Result<Vec<u8>, FrameError> {
    let mut frame = vec![0; HEAD];
    frame.extend_from_slice(b"{\"ready\":");
    frame.extend_from_slice(text.as_bytes());
    frame.push(b'}');
    let length = frame.len() - HEAD;
    if length > MAX_FRAME {
        return Err(FrameError::TooLong { length });
    }
    set_length(&mut frame, length);
    Ok(frame)
}

fn set_length(frame: &mut [u8], length: usize) {
    let length = u32::try_from(length).expect("the limit is below four gigabytes");
    frame[..HEAD].copy_from_slice(&length.to_be_bytes());
}

fn fault(frame: &mut Vec<u8>, id: CallId, mut message: String) {
    if message.len() > 64 * 1024 {
        message.truncate(message.floor_char_boundary(64 * 1024));
    }
    *frame = encode(&ToHost::Fault(Fault { id, message })).expect("a fault is text and short");
}
