//! What is read from a `contract.toml`, what is wrong with one, and what differs between two.

mod check;

mod compare;
mod deprecated;
mod fits;
mod hostile;
mod read;
mod removed;
mod types;
