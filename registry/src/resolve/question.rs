//! What is asked, and what is offered. Plain values: where they come from is the caller's business.

use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Describes one release as the solver sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its version; build metadata does not make another one.
    pub version: Version,
    /// Whether it was withdrawn.
    pub yanked: bool,
    /// The hosts it serves, and which versions of them; shared by releases that say the same.
    pub hosts: Arc<BTreeMap<HostName, Requirement>>,
    /// What it needs; shared likewise.
    pub dependencies: Arc<BTreeMap<Name, Requirement>>,
    /// The targets it has an artifact for.
    pub targets: Vec<Target>,
}

/// Offers candidates. It is asked at most once for each name in one resolution, and only for names that come up.
pub trait Catalog {
    /// Says why candidates could not be had.
    type Error: std::error::Error + Send + Sync + 'static;

    /// Returns every release of a package in any order, or `None` if there is no such package.
    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, Self::Error>;

    /// Returns the known name that is most like one that is not known.
    fn similar(&self, _name: &Name) -> Option<Name> {
        None
    }
}

/// Says what is wanted, and where it must run.
#[derive(Debug, Clone)]
pub struct Question {
    /// What a person asks for.
    pub wishes: BTreeMap<Name, Requirement>,
    /// The hosts at hand and the version of the contract of each; none at all means that hosts are not checked.
    pub hosts: BTreeMap<HostName, Version>,
    /// The machine it must run on.
    pub target: Target,
    /// What is chosen now. Preferred, never forced; may be yanked or a pre-release.
    pub locked: BTreeMap<Name, Version>,
    /// The lowest version that may be chosen of each name; a name without one may move down.
    pub floors: BTreeMap<Name, Version>,
    /// Whether pre-releases of every package may be chosen.
    pub prereleases: bool,
}
