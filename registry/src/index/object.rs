//! The objects of a registry: what kinds there are, where each lies, and how large it may be.

use pintle_manifest::Digest;
use std::path::{Path, PathBuf};

/// Tells what an object is, and so in which directory it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The digest of each bin.
    Table,
    /// The names of one bin.
    Bin,
    /// A package document.
    Package,
    /// An archive or a readme.
    Archive,
}

impl Kind {
    /// Every kind, in the order in which a reader meets them.
    pub const ALL: [Self; 4] = [Self::Table, Self::Bin, Self::Package, Self::Archive];

    /// Returns the directory of these objects.
    pub const fn directory(self) -> &'static str {
        match self {
            Self::Table => "t",
            Self::Bin => "b",
            Self::Package => "p",
            Self::Archive => "a",
        }
    }

    /// Returns the most bytes that an object of this kind may have.
    pub const fn most(self) -> u64 {
        match self {
            Self::Table => 33 << 20,
            Self::Bin | Self::Package => 4 << 20,
            Self::Archive => 64 << 20,
        }
    }

    /// Returns where an object lies below the root of a registry or of a cache.
    pub fn path(self, root: &Path, digest: &Digest) -> PathBuf {
        root.join(self.directory()).join(digest.to_hex())
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Table => "table",
            Self::Bin => "bin",
            Self::Package => "package document",
            Self::Archive => "archive",
        })
    }
}
