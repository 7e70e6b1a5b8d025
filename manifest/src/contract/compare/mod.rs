//! Compares two versions of a contract: what differs, how large a step of the version each difference needs, and what
//! no step admits.
//!
//! A difference is judged by what it does to an extension that was written for the old version and is not changed.
//! [`parts`] compares hooks, calls, slots and permissions key by key; [`schema`] compares types, in the direction in
//! which their values travel; [`removal`] knows when something may go; [`bump`] compares versions. What is not
//! understood is taken for breaking.

mod bump;
mod difference;
mod parts;
mod removal;
mod keywords;
mod schema;

pub use bump::Bump;
pub use difference::{Difference, Side};

pub(super) use difference::Comparing;
pub(super) use parts::{calls, hooks, slots};

use super::model::Contract;

/// Returns everything that differs, in order of place.
pub fn compare(old: &Contract, new: &Contract) -> Vec<Difference> {
    let mut comparing = Comparing::new(old, new);
    parts::head(&mut comparing);
    parts::every_hook(&mut comparing);
    parts::every_call(&mut comparing);
    parts::every_slot(&mut comparing);
    parts::every_permission(&mut comparing);
    comparing.finish()
}

/// Returns the largest step that any of these differences needs.
pub fn needed(differences: &[Difference]) -> Option<Bump> {
    differences.iter().map(|difference| difference.needs).max()
}
