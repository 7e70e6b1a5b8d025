//! Where things are kept, and how a change is made whole or not at all.

pub mod fs;
