//! What was chosen, and what a person should hear about it.

use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use std::collections::BTreeMap;

/// Holds one version for each name that is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The chosen version of each name.
    pub chosen: BTreeMap<Name, Version>,
    /// What a person should hear, by name.
    pub notes: Vec<Note>,
    /// Every chosen name, each after all that it depends on, and otherwise by name.
    pub order: Vec<Name>,
}

/// Tells a person something about an answer that they may not expect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A newer release than the chosen one satisfies every requirement by number and was not taken.
    PassedOver {
        /// The package.
        name: Name,
        /// The release that was not taken, the newest such.
        version: Version,
        /// Why not.
        why: Why,
    },
    /// The chosen release was withdrawn, and is kept because it is locked.
    YankedButLocked {
        /// The package.
        name: Name,
        /// The withdrawn release.
        version: Version,
    },
}

/// Says why a release was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It needs another version of a host at hand.
    NeedsHost {
        /// The host.
        host: HostName,
        /// What the release needs of it.
        needs: Requirement,
        /// The version at hand.
        have: Version,
    },
    /// It serves none of the hosts at hand.
    NotForHost,
    /// It has no artifact for the target.
    NoArtifact {
        /// The target.
        target: Target,
        /// The targets it has artifacts for.
        offered: Vec<Target>,
    },
    /// It is a pre-release that nobody asked for.
    Prerelease,
    /// It was withdrawn.
    Yanked,
    /// It is older than what is installed.
    BelowFloor {
        /// The lowest version that may be chosen.
        floor: Version,
    },
    /// A chosen release needs another version of this package.
    HeldBack {
        /// The package that needs it.
        by: Name,
        /// Its chosen version.
        version: Version,
        /// What it needs.
        needs: Requirement,
    },
    /// It needs another version of a chosen package.
    Clashes {
        /// The package it needs.
        on: Name,
        /// What it needs of it.
        needs: Requirement,
        /// The chosen version.
        have: Version,
    },
}
