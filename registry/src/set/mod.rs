//! What is wanted and what was chosen: `pintle.toml`, edited in place, and `pintle.lock`, exact for every target.
//! Texts in, values and texts out; files are read and written by [`crate::operations`].

mod wishes;
mod wishes_reader;
mod lock;

pub use lock::{Lock, LockError, Locked, LockedArtifact, LockedSource};
pub use wishes::{RegistryWish, Wish, WishOrigin, Wishes};
