//! What a registry offers: a tree of files, the same in a directory, on a static web site or in an object store.
//!
//! ```text
//! head.json    Head       the only file that changes: version, number of bins, digest of the table
//! t/<sha256>   Table      the digest of each bin
//! b/<sha256>   Bin        the names of one bin, each with its revision and the digest of its document
//! p/<sha256>   Package    one record for each release (package document)
//! a/<sha256>   bytes      an archive or a readme
//! ```
//! All but `head.json` is immutable and named by its digest, so a copy never goes stale and every read is checked.
//! The bin of a name is the first bits of its sha256. A client keeps what it read in a `cache` and what it
//! used in a `pack`; both may vanish or rot at any time and are then simply read again.
//!
//! Reading: [`Registry`], and [`Registries`] for several, where a name belongs to exactly one. Changing: [`init`],
//! [`import`], [`publish`], [`yank`], [`unyank`], [`collect_garbage`], each of which writes new objects and then
//! swaps the head by compare-and-swap; a crash leaves only objects that nothing names. Looking: [`check`].
//!
//! Nothing here judges trust: it is [`Head`] that a later layer signs.

mod bin;
mod cache;
mod candidate;
mod change;
mod check;
mod cursor;
mod document;
mod error;
mod format;
mod garbage;
mod glob;
mod head;
mod import;
mod init;
mod lock;
mod name_likeness;
mod object;
mod pack;
mod package;
mod publish;
mod reachable;
mod registries;
mod registry;
mod registry_name;
mod snapshot;
mod source;
mod table;
mod transport;
mod yank;

pub use cache::CacheWarning;
pub use candidate::{Candidate, Candidates};
pub use change::ChangeError;
pub use check::{ArchiveCheck, CheckFinding, CheckReport, check};
pub use error::IndexError;
pub use garbage::{Collected, GarbageError, Mode, collect_garbage};
pub use glob::{NameGlob, NameGlobError};
pub use head::Head;
pub use import::{ImportError, import};
pub use init::{InitError, Initialized, init, would_init};
pub use object::Kind;
pub use package::{Artifact, MAX_RELEASES, Package, Release, Runtime, Yank};
pub use publish::{Existing, NewRelease, PublishError, Published, publish};
pub use registries::{FindError, Registries};
pub use registry::Registry;
pub use registry_name::RegistryName;
pub use source::Traffic;
pub use transport::{Transport, TransportError};
pub use yank::{YankError, unyank, yank};
