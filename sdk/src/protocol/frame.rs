//! Frames: four bytes of length, big-endian, and so many bytes of JSON. A length over [`MAX_FRAME`] is refused
//! before anything is allocated.

use serde::Serialize;
use std::io::{self, Read, Write};

/// The largest frame, in bytes of text.
pub const MAX_FRAME: usize = 16 * 1024 * 1024;

/// Says why a frame could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The other side is gone.
    #[error("the other side closed the connection")]
    Closed,
    /// A frame is longer than any may be.
    #[error("a frame of {length} bytes is over the limit of {MAX_FRAME}")]
    TooLong {
        /// Its length.
        length: usize,
    },
    /// The pipe refused.
    #[error("the connection failed")]
    Io(#[source] io::Error),
    /// A value can't be written as JSON.
    #[error("the message can't be written as JSON")]
    Json(#[source] serde_json::Error),
}

/// Returns a message as one frame, ready to be written.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, FrameError> {
    let mut frame = vec![0; 4];
    serde_json::to_writer(&mut frame, message).map_err(FrameError::Json)?;
    let length = frame.len() - 4;
    if length > MAX_FRAME {
        return Err(FrameError::TooLong { length });
    }
    let length = u32::try_from(length).expect("the limit is below four gigabytes");
    frame[..4].copy_from_slice(&length.to_be_bytes());
    Ok(frame)
}

/// Reads one frame into a buffer, which it fills anew. An end between two frames is [`FrameError::Closed`].
pub fn read_frame(from: &mut impl Read, buffer: &mut Vec<u8>) -> Result<(), FrameError> {
    let mut head = [0; 4];
    from.read_exact(&mut head).map_err(ended)?;
    let length = u32::from_be_bytes(head) as usize;
    if length > MAX_FRAME {
        return Err(FrameError::TooLong { length });
    }
    buffer.resize(length, 0);
    from.read_exact(buffer).map_err(ended)
}

/// Writes one message as one frame, with one write.
pub fn write_frame(to: &mut impl Write, message: &impl Serialize) -> Result<(), FrameError> {
    let frame = encode(message)?;
    to.write_all(&frame).and_then(|()| to.flush()).map_err(ended)
}

fn ended(error: io::Error) -> FrameError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => FrameError::Closed,
        _ => FrameError::Io(error),
    }
}
