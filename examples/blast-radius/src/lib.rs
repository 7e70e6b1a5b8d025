//! `blast-radius`: before a destructive command runs, it shows what would be lost, and asks.
//!
//! `analyse` finds what is destructive in a command, and looks at nothing. `measure` looks at what that would lose, and
//! changes nothing. `extension` is the thin part that talks to the host.

pub mod analyse;
pub mod measure;
pub mod extension;

pub use extension::main;
