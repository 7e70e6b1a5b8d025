//! The test program as a host of its own: for tests that count what a process has open, or kill it.

use std::process::{Command, Output};

/// The argument by which the program knows that it is this.
pub(crate) const AS: &str = "--as-host";

pub(crate) fn act(words: &[&str]) {
    panic!("{words:?} is nothing to act as")
}

/// Runs this program as a host, and returns what it said.
pub(crate) fn run(words: &[&str]) -> Output {
    Command::new(std::env::current_exe().unwrap()).arg(AS).args(words).output().unwrap()
}
