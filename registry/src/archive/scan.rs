//! Looks through an archive without writing anything: what is in it, and what its manifest says.

use super::caps::{MANIFEST, MAX_MANIFEST};
use super::error::ArchiveError;
use super::tree::{Mode, Tree};
use super::verify::Verified;
use super::walk::{Limits, Sink, walk};
use pintle_manifest::PackagePath;

/// Holds what an archive was found to contain. All of it was read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scan {
    /// Its files.
    pub tree: Tree,
    /// The bytes of `extension.toml`, if there is one.
    pub manifest: Option<Vec<u8>>,
}

impl Verified {
    /// Reads the whole archive, checks all of it and writes nothing.
    pub fn scan(&self) -> Result<Scan, ArchiveError> {
        let mut manifest = Capture::new(MANIFEST, MAX_MANIFEST);
        let tree = walk(self, Limits::CAPS, &mut manifest)?;
        Ok(Scan { tree, manifest: manifest.into_bytes() })
    }

    /// Returns the bytes of one file, of which more than `most` are refused; `None` if there is no such file.
    pub fn read_file(&self, path: &PackagePath, most: u64) -> Result<Option<Vec<u8>>, ArchiveError> {
        let mut capture = Capture::new(path.as_str(), most);
        walk(self, Limits::CAPS, &mut capture)?;
        Ok(capture.into_bytes())
    }
}

/// Keeps the bytes of one file and lets the others pass.
pub(super) struct Capture<'a> {
    wanted: &'a str,
    most: u64,
    found: Option<Vec<u8>>,
    is_open: bool,
}

impl<'a> Capture<'a> {
    pub(super) const fn new(wanted: &'a str, most: u64) -> Self {
        Self { wanted, most, found: None, is_open: false }
    }

    pub(super) fn into_bytes(self) -> Option<Vec<u8>> {
        self.found
    }
}

impl Sink for Capture<'_> {
    fn begin(&mut self, path: &PackagePath, _mode: Mode, size: u64) -> Result<(), ArchiveError> {
        self.is_open = path.as_str() == self.wanted;
        if self.is_open {
            if size > self.most {
                let (path, most) = (path.clone(), self.most);
                return Err(ArchiveError::FileTooLarge { path, actual: size, most });
            }
            self.found = Some(Vec::with_capacity(usize::try_from(size).unwrap_or(0)));
        }
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some(found) = self.found.as_mut().filter(|_| self.is_open) {
            found.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        self.is_open = false;
        Ok(())
    }
}
