//! What the resolver may choose from: the registries, and over them the folders and archives of the wishes.

use super::local::Local;
use crate::index::{FindError, Package, Registries, RegistryName};
use crate::resolve::{Candidate, Catalog};
use crate::set::{Lock, LockedSource, WishOrigin, Wishes};
use pintle_manifest::{HostName, Name, Requirement, Target, Version, nearest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Offers candidates to the resolver, and remembers where each name was found.
pub(super) struct Offer<'a> {
    registries: &'a Registries,
    locals: &'a BTreeMap<Name, Local>,
    bound: BTreeMap<Name, RegistryName>,
    running: Running,
    found: RefCell<BTreeMap<Name, (RegistryName, Arc<Package>)>>,
}

/// What runs now. It may go on under a host that it does not fit: it is not loaded, and it blocks nobody else.
pub(super) struct Running {
    /// The version of each extension.
    pub versions: BTreeMap<Name, Version>,
    /// The contract versions of the hosts at hand.
    pub hosts: BTreeMap<HostName, Version>,
}

impl Running {
    /// Returns which hosts a version serves: those at hand if it runs now, else those that it declares.
    fn hosts_of(
        &self,
        name: &Name,
        version: &Version,
        declared: &BTreeMap<HostName, Requirement>,
    ) -> BTreeMap<HostName, Requirement> {
        match self.versions.get(name) == Some(version) {
            true => self.hosts.iter().map(|(host, have)| (host.clone(), Requirement::exact(have))).collect(),
            false => declared.clone(),
        }
    }
}

impl<'a> Offer<'a> {
    pub(super) fn new(
        registries: &'a Registries,
        locals: &'a BTreeMap<Name, Local>,
        wishes: &Wishes,
        lock: &Lock,
        running: Running,
    ) -> Self {
        let mut bound = BTreeMap::new();
        for (name, locked) in &lock.extensions {
            if let LockedSource::Registry(registry) = &locked.source
                && registries.get(registry).is_ok()
            {
                bound.insert(name.clone(), registry.clone());
            }
        }
        for (name, wish) in &wishes.extensions {
            if let WishOrigin::Registry(registry) = &wish.origin {
                bound.insert(name.clone(), registry.clone());
            }
        }
        Self { registries, locals, bound, running, found: RefCell::default() }
    }

    /// Returns where a name was found, and all its releases.
    pub(super) fn package(&self, name: &Name) -> Result<Option<(RegistryName, Arc<Package>)>, FindError> {
        if let Some(found) = self.found.borrow().get(name) {
            return Ok(Some(found.clone()));
        }
        let found = self.registries.find(name, self.bound.get(name))?;
        if let Some(found) = &found {
            self.found.borrow_mut().insert(name.clone(), found.clone());
        }
        Ok(found)
    }

    fn candidates_of(&self, name: &Name, package: &Package) -> Arc<[Candidate]> {
        let candidate = |release: &crate::index::Release| Candidate {
            version: release.version.clone(),
            yanked: release.yanked.is_some(),
            hosts: self.running.hosts_of(name, &release.version, &release.hosts),
            dependencies: release.dependencies.clone(),
            targets: release.artifacts.keys().copied().collect(),
        };
        package.releases.iter().map(candidate).collect()
    }
}

impl Catalog for Offer<'_> {
    type Error = FindError;

    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, FindError> {
        if let Some(local) = self.locals.get(name) {
            let candidate = Candidate {
                version: local.version().clone(),
                yanked: false,
                hosts: self.running.hosts_of(name, local.version(), &local.locked.hosts),
                dependencies: local.locked.dependencies.clone(),
                targets: vec![Target::ANY],
            };
            return Ok(Some(Arc::new([candidate])));
        }
        Ok(self.package(name)?.map(|(_, package)| self.candidates_of(name, &package)))
    }

    fn similar(&self, name: &Name) -> Option<Name> {
        let known: Vec<Name> = self
            .registries
            .iter()
            .filter_map(|(_, registry)| registry.ok()?.names().ok())
            .flatten()
            .chain(self.locals.keys().cloned())
            .collect();
        nearest(name.as_str(), known.iter().map(Name::as_str)).and_then(|near| Name::parse(near).ok())
    }
}
