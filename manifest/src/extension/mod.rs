//! `extension.toml`, the manifest of a package, as plain values.
//!
//! [`grammar`] is the one description of the file: which tables and keys exist, what each holds, what a person is
//! told about it; [`words`] are the sorts of text in it. [`walk`] reads a file by the grammar and [`schema`]
//! prints it for editors, so the two can't disagree. Bytes become text in [`encoding`], text becomes TOML in
//! [`parse`](mod@parse), with [`syntax`] for a text that is none; TOML becomes [`checked`] values in [`walk`],
//! which speaks of keys in [`keys`]; what ties two places together is in [`rules`]; [`build`] makes the
//! [`Manifest`]. All of them tell a [`report`] what is wrong, and go on.

mod manifest;

mod grammar;
mod word;
pub(crate) mod words;

mod parse;

mod encoding;
mod keys;
mod rules;
mod syntax;
mod walk;

mod build;
mod checked;
mod report;
mod schema;

pub(crate) use checked::FromChecked;
pub(crate) use keys::type_of_value;
pub(crate) use report::shown;
pub(crate) use walk::cut;
pub(crate) use word::Word;

pub use manifest::{Dependency, Entry, HookUse, MANIFEST_VERSION, Manifest, Parsed, Selection, SlotUse};
pub use parse::parse;
pub use schema::json_schema;
pub use syntax::worded as syntax_problem;
