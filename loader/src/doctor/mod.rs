//! Looking at a set and at what hosts left, for whoever asks what is wrong. [`examine`] takes bundles through every stage
//! that runs nothing and says who would clash with whom; `dead` tells what killed hosts left, and ends it when it is
//! told to.
//!
//! Nothing of an extension is run here. What happened at run time is not known here either: a host learns that from its
//! trace.

mod examine;
mod dead;

pub use dead::{clear, left_by};
pub use examine::{Examination, examine};
