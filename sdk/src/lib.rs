//! What an author of extensions links: the wire protocol and one trait for every runtime.

pub mod protocol;
pub mod native;
