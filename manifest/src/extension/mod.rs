//! `extension.toml`, the manifest of a package, as plain values.
//!
//! [`grammar`] is the one description of the file: which tables and keys exist, what each holds, what a person is
//! told about it. [`walk`] reads a file by it and [`schema`] prints it for editors, so the two can't disagree.
//! Bytes become text in [`encoding`], text becomes TOML in [`parse`](mod@parse) (whose own complaints [`syntax`] words),
//! TOML becomes [`checked`] values in [`walk`], rules that tie two places together are in [`rules`], and
//! [`build`] makes the [`Manifest`]. All of them tell a [`report`] what is wrong and go on.

mod manifest;

mod grammar;
mod word;
mod words;

mod parse;

mod encoding;
mod keys;
mod syntax;
mod walk;

mod rules;

mod build;
mod checked;
mod report;
mod schema;

pub use manifest::{Dependency, Entry, HookUse, MANIFEST_VERSION, Manifest, Parsed, Selection, SlotUse};
pub use parse::parse;
pub use schema::json_schema;
