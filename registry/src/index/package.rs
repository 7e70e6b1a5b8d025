//! What a registry says about a package: everything that a decision needs before a byte of an archive is read.
//! Plain values; how they are written is [`document`](super::document)'s to know.

use jiff::Timestamp;
use pintle_manifest::{Digest, Entry, HostName, Name, Permissions, Requirement, Target, Version};
use std::collections::BTreeMap;

/// The most releases that a package may have.
pub const MAX_RELEASES: usize = 10_000;

/// All that was ever released under one name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// What it is called.
    pub name: Name,
    /// Its releases, lowest version first, one for each version.
    pub releases: Vec<Release>,
}

/// One published version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    /// Which version.
    pub version: Version,
    /// When its first artifact was published.
    pub published: Timestamp,
    /// That it should no longer be chosen, if so.
    pub yanked: Option<Yank>,
    /// What it does, in one line.
    pub description: String,
    /// Under which terms.
    pub license: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Where its source is.
    pub repository: Option<String>,
    /// Where to read about it.
    pub homepage: Option<String>,
    /// The contracts it serves, with the versions it works under.
    pub hosts: BTreeMap<HostName, Requirement>,
    /// The extensions it needs.
    pub dependencies: BTreeMap<Name, Requirement>,
    /// What it asks to be allowed.
    pub permissions: Permissions,
    /// How its code is run.
    pub runtime: Runtime,
    /// One archive for each target.
    pub artifacts: BTreeMap<Target, Artifact>,
    /// The digest of its readme, an `a/` object.
    pub readme: Option<Digest>,
}

/// How the code of a release is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Runtime {
    /// A program of any kind.
    Process,
    /// A dynamic library in a worker.
    Native,
    /// A WebAssembly component.
    Wasm,
}

/// One archive of a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Artifact {
    /// The digest of the archive.
    pub archive: Digest,
    /// The bytes of the archive.
    pub size: u64,
    /// The tree hash of what is in it.
    pub tree: Digest,
    /// The bytes of what is in it.
    pub unpacked: u64,
    /// The number of files in it.
    pub files: u32,
}

/// Says that a release should no longer be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Yank {
    /// Why.
    pub reason: String,
    /// What to take instead.
    pub use_instead: Option<Requirement>,
    /// Since when.
    pub at: Timestamp,
}

impl Package {
    /// Returns the release of a version, build metadata ignored.
    pub fn release(&self, version: &Version) -> Option<&Release> {
        let place = self.releases.binary_search_by(|release| release.version.cmp(version)).ok()?;
        self.releases.get(place)
    }
}

impl Release {
    /// Returns the artifact that a machine takes: the one for its target, else the one for `any`.
    pub fn artifact_for(&self, target: Target) -> Option<(Target, &Artifact)> {
        [target, Target::ANY]
            .into_iter()
            .find_map(|target| self.artifacts.get(&target).map(|artifact| (target, artifact)))
    }
}

impl Runtime {
    /// Returns how an entry is run.
    pub const fn of(entry: &Entry) -> Self {
        match entry {
            Entry::Process { .. } => Self::Process,
            Entry::Native { .. } => Self::Native,
            Entry::Wasm { .. } => Self::Wasm,
        }
    }

    /// Returns the word for it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Process => "process",
            Self::Native => "native",
            Self::Wasm => "wasm",
        }
    }
}

impl std::fmt::Display for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}
