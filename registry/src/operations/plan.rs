//! A plan: what an operation would change, decided before anything is. What the command line shows is this value,
//! and what [`super::apply`] does is this value.

use super::trust::NewGrant;
use crate::index::{RegistryName, Yank};
use crate::resolve;
use crate::set::{Lock, LockedArtifact, LockedSource};
use crate::store::{Installed, Source, Store};
use crate::trust::Ask;
use pintle_manifest::{Digest, HostName, Name, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What an operation would change.
#[derive(Debug, Clone)]
pub struct Plan {
    /// The wishes as they will be.
    pub wishes_text: String,
    /// The person's requirements on what stays that change, as they will be; `None` where only others need it.
    pub wished: BTreeMap<Name, Option<Requirement>>,
    /// The digest of the wishes as they were read.
    pub wishes_before: Option<Digest>,
    /// The lock as it will be.
    pub lock: Lock,
    /// Its text.
    pub lock_text: String,
    /// The digest of the lock as it was read.
    pub lock_before: Option<Digest>,
    /// The set as it will be.
    pub extensions: BTreeMap<Name, Installed>,
    /// The directory of each extension.
    pub roots: BTreeMap<Name, PathBuf>,
    /// The generation that the plan starts from.
    pub parent: Option<u64>,
    /// The contract versions chosen for.
    pub hosts: BTreeMap<HostName, Version>,
    /// The machine chosen for.
    pub target: Target,
    /// What differs from the current set, by name.
    pub changes: BTreeMap<Name, Change>,
    /// The archive of each extension that has one.
    pub archives: Vec<Fetch>,
    /// Those of them that are not in the store, once [`Plan::look_into`] has looked.
    pub fetches: Vec<Fetch>,
    /// What a person should know.
    pub notes: Vec<Note>,
    /// Whether the set that would be made differs from the current one in anything.
    pub set_changes: bool,
    /// Whether it is about what a host is not to do without.
    pub required_changes: bool,
    /// What it asks a person for, by name.
    pub asks: Vec<Ask>,
    /// What is in the set and was not granted all that it asks for, and about which nobody is asked again.
    pub ungranted: Vec<Ask>,
    /// The grants that carrying it out records.
    pub grants: Vec<NewGrant>,
}

/// What happens to one extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// It is new.
    Add,
    /// It goes.
    Remove {
        /// The version that goes.
        from: Version,
    },
    /// A newer version takes its place.
    Upgrade {
        /// The version that goes.
        from: Version,
    },
    /// An older version takes its place.
    Downgrade {
        /// The version that goes.
        from: Version,
    },
    /// The same version, with other content or from another place.
    Replace {
        /// Where it came from before.
        from: Source,
    },
}

/// An archive to fetch, check and unpack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetch {
    /// The extension.
    pub name: Name,
    /// Its version.
    pub version: Version,
    /// Where from.
    pub source: LockedSource,
    /// What it must be.
    pub artifact: LockedArtifact,
    /// The target it is for.
    pub target: Target,
}

/// Something a person should know about a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// A newer release satisfies every requirement by number and was not taken.
    PassedOver {
        /// The extension.
        name: Name,
        /// The release.
        version: Version,
        /// Why not.
        why: resolve::Why,
    },
    /// What is or stays installed was yanked.
    Yanked {
        /// The extension.
        name: Name,
        /// The release.
        version: Version,
        /// Why, and what to use instead, if the registry still says.
        yank: Option<Yank>,
    },
    /// The folder or archive that it came from is not there any more; it stays as it was.
    Gone {
        /// The extension.
        name: Name,
    },
    /// It does not fit a host at hand, and so would not be loaded.
    Incompatible {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// The host.
        host: HostName,
        /// What is needed of it.
        needs: Requirement,
        /// What is at hand.
        have: Version,
    },
    /// It serves none of the hosts at hand, and so would not be loaded.
    ForOtherHosts {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
    },
    /// It comes from a registry that only the user's own wishes name, so another person can't fetch it.
    ForeignRegistry {
        /// The registry.
        registry: RegistryName,
    },
    /// It was turned off, and stays off.
    Disabled {
        /// The extension.
        name: Name,
    },
    /// It was there already, and an `install` does not move it.
    AlreadyInstalled {
        /// The extension.
        name: Name,
        /// The version it stays at.
        version: Version,
        /// What holds it there.
        source: Source,
        /// Whether the person wants exactly this version.
        pinned: bool,
        /// What an `update` would move it to, as far as that is known.
        update: Option<Version>,
    },
    /// A newer release is there, and the person's own requirement leaves it out.
    HeldBack {
        /// The extension.
        name: Name,
        /// The version it has.
        version: Version,
        /// The newest release.
        newest: Version,
        /// The requirement.
        wish: Requirement,
    },
    /// It stays because the person pinned it.
    Pinned {
        /// The extension.
        name: Name,
        /// The version it stays at.
        version: Version,
    },
    /// It is linked from a folder, which an update leaves alone.
    Local {
        /// The extension.
        name: Name,
    },
    /// It stays, since a newer version asks for what nobody has allowed.
    Waits {
        /// The extension.
        name: Name,
        /// The version it stays at.
        version: Version,
        /// The version that waits.
        to: Version,
        /// Who asks: itself, or what it would bring.
        asking: Vec<Name>,
    },
    /// It is in the set, nobody allowed all that it asks for, and so it is not loaded.
    NotGranted {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
    },
}

impl Note {
    /// Returns what it says was yanked, if it says so of something.
    pub const fn yanked_name(&self) -> Option<&Name> {
        match self {
            Self::Yanked { name, .. } => Some(name),
            Self::PassedOver { .. }
            | Self::Gone { .. }
            | Self::Incompatible { .. }
            | Self::ForOtherHosts { .. }
            | Self::ForeignRegistry { .. }
            | Self::Disabled { .. }
            | Self::AlreadyInstalled { .. }
            | Self::HeldBack { .. }
            | Self::Pinned { .. }
            | Self::Local { .. }
            | Self::Waits { .. }
            | Self::NotGranted { .. } => None,
        }
    }
}

impl Plan {
    /// Looks which archives the store does not have.
    pub fn look_into(&mut self, store: &Store) {
        self.fetches = self.archives.iter().filter(|one| !store.has(&one.artifact.tree)).cloned().collect();
    }

    /// Tells whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && !self.set_changes && !self.wishes_change() && !self.lock_changes()
    }

    /// Tells whether the wishes would change.
    pub fn wishes_change(&self) -> bool {
        differs(self.wishes_before, &self.wishes_text)
    }

    /// Tells whether the lock would change.
    pub fn lock_changes(&self) -> bool {
        differs(self.lock_before, &self.lock_text)
    }
}

/// A file that is not there and would be empty does not change.
fn differs(before: Option<Digest>, after: &str) -> bool {
    match before {
        Some(before) => before != Digest::of(after.as_bytes()),
        None => !after.is_empty(),
    }
}

/// Compares a new set with the current one.
pub fn compare(
    before: Option<&BTreeMap<Name, Installed>>,
    after: &BTreeMap<Name, Installed>,
) -> BTreeMap<Name, Change> {
    let nothing = BTreeMap::new();
    let before = before.unwrap_or(&nothing);
    let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
    let mut changes: BTreeMap<Name, Change> =
        gone.map(|(name, old)| (name.clone(), Change::Remove { from: old.version.clone() })).collect();
    for (name, new) in after {
        let change = match before.get(name) {
            None => Change::Add,
            Some(old) if new.version > old.version => Change::Upgrade { from: old.version.clone() },
            Some(old) if new.version < old.version => Change::Downgrade { from: old.version.clone() },
            Some(old) if new.tree != old.tree || new.source != old.source => {
                Change::Replace { from: old.source.clone() }
            }
            Some(_) => continue,
        };
        changes.insert(name.clone(), change);
    }
    changes
}
