//! What the loader is handed of one extension: its manifest, its files, and what a person granted. How it was
//! installed is not known here.

use pintle_manifest::{Digest, Manifest, Name, PackagePath, Permissions, Version};
use std::path::PathBuf;

/// One extension, ready to be examined and loaded.
#[derive(Debug, Clone)]
pub struct Bundle {
    /// What its author says.
    pub manifest: Manifest,
    /// The directory of its files.
    pub root: PathBuf,
    /// What its files must be; `None` for a folder under development, whose files may change at any time.
    pub content: Option<Content>,
    /// What a person granted for exactly this content.
    pub grants: Permissions,
    /// Where it was asked for, which decides the load order.
    pub rank: Rank,
    /// Whether the host is to refuse to go on without it.
    pub required: bool,
}

/// One member of the set that a host is to load.
#[derive(Debug, Clone)]
pub enum Candidate {
    /// It may be examined.
    Bundle(Box<Bundle>),
    /// It must not run, and none of its files was read.
    Withheld {
        /// Its name.
        name: Name,
        /// Its version.
        version: Version,
        /// Whether the host is to refuse to go on without it.
        required: bool,
        /// Why it must not run.
        why: Withheld,
    },
}

impl Candidate {
    /// Returns its name.
    pub const fn name(&self) -> &Name {
        match self {
            Self::Bundle(bundle) => bundle.name(),
            Self::Withheld { name, .. } => name,
        }
    }

    /// Returns its version.
    pub const fn version(&self) -> &Version {
        match self {
            Self::Bundle(bundle) => &bundle.manifest.version,
            Self::Withheld { version, .. } => version,
        }
    }

    /// Returns what decides between two of one name.
    pub(crate) const fn weight(&self) -> u8 {
        match self {
            Self::Bundle(bundle) => match (bundle.rank, bundle.required) {
                // What its owner can't do without is not replaced by what a checkout brings.
                (Rank::System | Rank::User, true) => 3,
                (Rank::System, false) => 0,
                (Rank::User, false) => 1,
                (Rank::Project, _) => 2,
                (Rank::CommandLine, _) => 5,
            },
            Self::Withheld { .. } => 4,
        }
    }
}

impl Bundle {
    /// Tells whether both are the very same files.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (&self.content, &other.content) {
            (Some(one), Some(other)) => one.tree == other.tree,
            (None, None) => self.root == other.root,
            (_, _) => false,
        }
    }

    /// Returns its name.
    pub const fn name(&self) -> &Name {
        &self.manifest.name
    }
}

/// What the files of an installed extension must be.
#[derive(Debug, Clone)]
pub struct Content {
    /// The tree hash that a person approved.
    pub tree: Digest,
    /// Every file of the tree.
    pub files: Vec<File>,
}

/// One file of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Where it is, relative to the root.
    pub path: PackagePath,
    /// Whether it may be run.
    pub executable: bool,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub digest: Digest,
}

/// Where an extension was asked for. Load order begins with the lowest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// By the machine's operator.
    System,
    /// By the person, for all their work.
    User,
    /// By the project.
    Project,
    /// On the command line.
    CommandLine,
}

/// Why an extension must not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Withheld {
    /// A person turned it off.
    Disabled {
        /// Their words.
        reason: Option<String>,
    },
    /// The system turned it off.
    Quarantined {
        /// What happened.
        reason: String,
    },
    /// A policy forbids it.
    Denied {
        /// The policy's words.
        reason: String,
    },
    /// It can't be handed over: its files or its manifest can't be read.
    Unreadable {
        /// What is wrong.
        reason: String,
    },
}
