//! Finds, chooses, fetches, verifies and keeps extensions.
//!
//! From top to bottom: [`operations`] are the use-cases, one a file, each a `prepare` that decides and an `apply`
//! that changes. They stand on [`set`] (what is wanted and what was chosen), [`resolve`] (how it is chosen),
//! [`index`] (what a registry offers), [`package`] and [`archive`] (what a release is made of) and [`store`]
//! (where it is kept and how a change is made whole or not at all). [`trust`] is what a person allowed.
//!
//! The crate prints nothing, reads no environment and asks no clock: it is handed a [`store::Home`] and a time.
//! It never runs what it installs.

pub mod operations;
pub mod set;
pub mod resolve;
pub mod index;
pub mod package;
pub mod archive;
pub mod store;
pub mod trust;
