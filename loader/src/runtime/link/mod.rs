//! The connection to a worker: frames out, frames in, and who waits for which answer. It speaks the protocol and
//! keeps the time; it knows neither hooks nor contracts.

mod clock;
mod outbox;
mod pending;
mod reader;
mod wait;

pub(crate) use wait::{Link, check_ready};
