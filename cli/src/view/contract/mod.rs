//! A contract as it is shown: for a person, and for a machine.

mod document;
mod kind;
mod whole;
mod one;

pub(crate) use document::{call, hook, permission, slot};
pub(crate) use one::{Part, part};
pub(crate) use whole::whole;
