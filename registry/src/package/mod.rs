//! From an author's folder to a package: which [`files`] belong to it, what is wrong with them ([`inspect`]), for
//! which machine they are ([`detect_target`]), and the archive made of them ([`package`]).
//!
//! Everything here depends on the folder and its manifest alone, so that another person on another machine gets the
//! same bytes: no global ignore file, no folder above, no clock, no umask. What looks like a secret is never packed
//! unless it was named. Nothing in the folder is run or changed.

mod binary;
mod build;
mod content;
mod entry;
mod finding;
mod inspect;
mod script;
mod secrets;
mod select;
mod target;

pub use binary::Binary;
pub use build::{Options, PackageError, Packaged, file_name, package};
pub use finding::Finding;
pub use inspect::{DESCRIPTION_TO_WRITE, inspect};
pub use secrets::{Secret, SecretKind, find_secrets};
pub use select::{Reason, RefusedFile, SelectError, Selected, files};
pub use target::{DetectError, detect_target};
