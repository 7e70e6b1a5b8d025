//! What a person allowed: the grants of a home, and what an extension asks for beyond them. Decides nothing about
//! sets and never asks anyone: [`crate::operations::consent`] finds out what is asked, the command line asks it.
//!
//! Reading order: [`Subject`] is what a grant is bound to, [`Meaning`] how what is granted is compared, [`Grants`] what was allowed, `grants_file` how it is kept,
//! [`Ask`] what is asked for, with the hash by which it can be accepted.

mod subject;
mod meaning;
mod grants;
mod grants_file;
mod ask;

pub use ask::{Ask, Stake, combined};
pub use grants::{Coverage, Grant, Grants, How, carried, missing};
pub use meaning::{Meaning, Reading};
pub use subject::Subject;
