//! Native extensions: the binary interface, as both sides see it. Nothing here opens a library; the worker does, and
//! keeps it open until it ends.

pub mod abi;
mod bytes;
mod exported;
mod host_table;
mod library;

pub use exported::{Exported, Loaded, vtable};
pub use library::{Library, LibraryError, serve_library};
