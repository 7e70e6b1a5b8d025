//! Packages, from the outside: what is packed reads back, and everything else is refused with nothing left behind.

#![expect(
    clippy::unwrap_used,
    reason = "all of this crate is tests, also what is not a test function itself"
)]

#[path = "archive/binaries.rs"]
mod binaries;
#[path = "archive/bits.rs"]
mod bits;
#[path = "archive/build.rs"]
mod build;
#[path = "archive/builder.rs"]
mod builder;
#[path = "archive/folder.rs"]
mod folder;
#[path = "archive/hostile.rs"]
mod hostile;
#[path = "archive/inspect.rs"]
mod inspect;
#[path = "archive/limits.rs"]
mod limits;
#[path = "archive/round_trip.rs"]
mod round_trip;
#[path = "archive/select.rs"]
mod select;
#[path = "archive/unpack.rs"]
mod unpack;
