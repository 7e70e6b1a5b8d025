//! The one encoding of a package: written by [`pack`], read by [`Archive`], and refused in every other form.
//!
//! An archive is a single gzip member with a fixed header. In it is a ustar stream of regular files and nothing
//! else: sorted by the bytes of their [paths](pintle_manifest::PackagePath), mode 0644 or 0755, owner and time 0,
//! no directory entries, no extensions of any kind, two zero blocks, then the end. The reader takes path, mode and
//! size from a header, writes that header anew, and compares all 512 bytes; so there is no field left on which two
//! readers could disagree.
//!
//! The types are the protocol. An [`Archive`] is a file that someone named. [`Archive::verify`] and
//! [`Archive::measure`] make it [`Verified`], and only that can be [scanned](Verified::scan) or
//! [unpacked](Verified::unpack), which gives [`Staged`]. What a release *is* is its [`Tree`], whose digest does not
//! depend on how the bytes were compressed.
//!
//! Nothing here decides whether a package may be trusted, where it is kept, or when it reaches the disk for good.

mod caps;
mod error;
mod header;
mod names;
mod pack;
mod scan;
#[cfg(target_os = "linux")]
mod staging;
#[cfg(any(test, not(target_os = "linux")))]
mod staging_portable;
mod stream;
mod tree;
mod unpack;
mod verify;
mod walk;

pub use caps::{MAX_FILES, MAX_MANIFEST, MAX_PACKED, MAX_UNPACKED};
pub use error::{ArchiveError, EntryName, Refusal};
pub use names::{Collision, Names};
pub use pack::{PackError, Packed, SourceFile, pack};
pub use scan::Scan;
pub use tree::{FileEntry, Mode, Tree, TreeError};
pub use unpack::{ExpectedTree, Staged};
pub use verify::{Archive, Expected, Verified};
