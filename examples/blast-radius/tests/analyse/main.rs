//! Lines and argument lists, and what is found in them.

mod found;
mod removals;
mod harmless;
mod others;
mod shells;
mod launchers;
mod fresh;
