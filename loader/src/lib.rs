//! Runs what is installed.

pub mod worker;
