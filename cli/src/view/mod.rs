//! How values of the libraries look on a screen and in a document, where several verbs show the same.

pub(crate) mod contract;
pub(crate) mod note;
pub(crate) mod page;
pub(crate) mod permission;
pub(crate) mod plan;
pub(crate) mod schema;
pub(crate) mod table;
pub(crate) mod trust;
pub(crate) mod words;
