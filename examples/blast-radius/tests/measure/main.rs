//! Real files and real repositories, and what is said of them. Everything is in a directory of its own.

#![expect(clippy::unwrap_used, reason = "all of this is tests, also what is not a test function itself")]
#![expect(
    clippy::disallowed_methods,
    reason = "a fixture is made of plain files, and needs no care against a crash"
)]

mod world;
mod files;
mod repositories;
mod refs;
mod trees;
mod configured;
mod everyday;
