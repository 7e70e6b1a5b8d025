//! Unpacks an archive into a directory that did not exist before, and takes it away again if anything is wrong.
//! Nothing is synced here: the store does that once for many.

use super::caps::{MANIFEST, MAX_MANIFEST};
use super::error::ArchiveError;
use super::scan::Capture;
#[cfg(target_os = "linux")]
use super::staging::Staging;
#[cfg(not(target_os = "linux"))]
use super::staging_portable::Staging;
use super::tree::{Mode, Tree};
use super::verify::Verified;
use super::walk::{Limits, Sink, walk};
use crate::store::fs;
use pintle_manifest::{Digest, PackagePath};
use std::path::{Path, PathBuf};

/// Says what the files of an archive must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedTree {
    /// The tree hash.
    pub tree: Digest,
    /// The sum of all sizes, in bytes.
    pub unpacked: u64,
    /// The number of files.
    pub files: u64,
}

/// Holds a directory with the checked files of an archive, not yet in its place and not yet synced. Files are
/// 0444 or 0555, directories in it 0555, the directory itself 0755, so that it can still be renamed.
#[derive(Debug)]
pub struct Staged {
    root: PathBuf,
    tree: Tree,
    manifest: Option<Vec<u8>>,
}

impl Staged {
    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the files that were written.
    pub const fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the bytes of `extension.toml`, if there is one.
    pub fn manifest(&self) -> Option<&[u8]> {
        self.manifest.as_deref()
    }
}

impl Verified {
    /// Unpacks into `into`, which must not exist. Stops at the first byte or file more than expected, and when
    /// `cancelled` says so. On any failure `into` is gone.
    pub fn unpack(
        &self,
        into: &Path,
        expected: Option<&ExpectedTree>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Staged, ArchiveError> {
        let staging = Staging::create(into)?;
        self.fill(staging, expected, cancelled).inspect_err(|_| {
            // The first error is the one to report, so one of the removal is let go.
            let _ = fs::remove_tree(into);
        })
    }

    fn fill(
        &self,
        staging: Staging,
        expected: Option<&ExpectedTree>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Staged, ArchiveError> {
        let limits = expected.map_or(Limits::CAPS, |expected| Limits {
            files: Limits::CAPS.files.min(expected.files),
            unpacked: Limits::CAPS.unpacked.min(expected.unpacked),
        });
        let mut writer = Writer { staging, manifest: Capture::new(MANIFEST, MAX_MANIFEST), cancelled };
        let tree = walk(self, limits, &mut writer)?;
        if let Some(expected) = expected {
            let actual = tree.digest();
            if actual != expected.tree {
                return Err(ArchiveError::WrongTree { expected: expected.tree, actual });
            }
        }
        let root = writer.staging.finish()?;
        Ok(Staged { root, tree, manifest: writer.manifest.into_bytes() })
    }
}

/// Writes files to the staging directory and keeps the manifest.
struct Writer<'a> {
    staging: Staging,
    manifest: Capture<'static>,
    cancelled: &'a dyn Fn() -> bool,
}

impl Sink for Writer<'_> {
    fn begin(&mut self, path: &PackagePath, mode: Mode, size: u64) -> Result<(), ArchiveError> {
        if (self.cancelled)() {
            return Err(ArchiveError::Cancelled);
        }
        self.manifest.begin(path, mode, size)?;
        Ok(self.staging.begin(path, mode)?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if (self.cancelled)() {
            return Err(ArchiveError::Cancelled);
        }
        self.manifest.write(bytes)?;
        Ok(self.staging.write(bytes)?)
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        self.manifest.end()?;
        Ok(self.staging.end()?)
    }
}
