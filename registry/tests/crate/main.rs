//! The crate from the outside, one module for each of its parts. One program, since linking costs more than running.

#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]

mod archive;
mod index;
mod removing;
mod resolve;
