//! How values of the libraries look on a screen and in a document, where several verbs show the same.

pub(crate) mod note;
pub(crate) mod permission;
pub(crate) mod plan;
pub(crate) mod table;
pub(crate) mod trust;
pub(crate) mod words;
