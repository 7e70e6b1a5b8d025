//! The protocol between a host and an extension, version 1. `docs/protocol.md` describes it for those who speak it
//! without this crate.
//!
//! Messages are JSON, each in a frame of four bytes of length (big-endian) and so many bytes of text. A process reads
//! them from descriptor 3 and writes them to descriptor 4. A message is an object with one key, which names it. Both
//! sides may send at any time; every call and every request has an id of its sender's choosing, and is answered by
//! exactly one message that names it.

mod frame;
mod message;
mod outcome;

pub use frame::{FrameError, MAX_FRAME, encode, read_frame, write_frame};
pub use message::{
    Call, CallId, Cancel, Dispose, DisposeReason, Fault, Hello, Outcome, Ready, Reply, Request, RequestId,
    ToExtension, ToHost, WireError,
};
pub use outcome::{Answer, Question};

/// The version of the protocol that this crate speaks.
pub const VERSION: u32 = 1;
