//! Lines and argument lists, and what is found in them.

mod found;
mod removals;
mod harmless;
mod others;
