//! Runs what is installed.
