//! What `extension.toml` may say, and what is said of one that says something else.

mod check;

mod values;

mod keys;
mod texts;
mod types;

mod slips;

mod encoding;
mod hostile;
