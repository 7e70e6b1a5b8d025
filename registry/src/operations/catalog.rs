//! What the resolver may choose from: the registries, and over them the folders and archives of the wishes.

use super::local::Local;
use crate::index::{Candidates, FindError, Registries, RegistryName, Release};
use crate::resolve::{Candidate, Catalog};
use crate::set::{Lock, LockedSource, WishOrigin, Wishes};
use pintle_manifest::{Name, Target, Version, nearest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Offers candidates to the resolver, and remembers where each name was found.
pub(super) struct Offer<'a> {
    registries: &'a Registries,
    locals: &'a BTreeMap<Name, Local>,
    bound: BTreeMap<Name, RegistryName>,
    /// What runs now may go on under a host that it does not fit: it is not loaded, and it blocks nobody else.
    running: BTreeMap<Name, Version>,
    found: RefCell<BTreeMap<Name, RegistryName>>,
}

impl<'a> Offer<'a> {
    pub(super) fn new(
        registries: &'a Registries,
        locals: &'a BTreeMap<Name, Local>,
        wishes: &Wishes,
        lock: &Lock,
        running: BTreeMap<Name, Version>,
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

    /// Returns where a name was found, and one release of it in full.
    pub(super) fn release(
        &self,
        name: &Name,
        version: &Version,
    ) -> Result<Option<(RegistryName, Release)>, FindError> {
        let Some(registry) = self.found.borrow().get(name).cloned() else { return Ok(None) };
        let release = self.registries.get(&registry)?.release(name, version);
        let release = release.map_err(|error| FindError::Index(Arc::new(error)))?;
        Ok(release.map(|release| (registry, release)))
    }

    fn candidates_of(&self, name: &Name, offered: &Candidates) -> Arc<[Candidate]> {
        let running = self.running.get(name);
        let mut hosts = Arc::new(BTreeMap::new());
        let mut dependencies = Arc::new(BTreeMap::new());
        let mut all = Vec::with_capacity(offered.iter().len());
        for release in offered.iter() {
            // Most releases of a package say the same as the one before, and then share it.
            if !release.hosts().eq(hosts.iter()) {
                hosts =
                    Arc::new(release.hosts().map(|(host, needs)| (host.clone(), needs.clone())).collect());
            }
            if !release.dependencies().eq(dependencies.iter()) {
                let needs = release.dependencies().map(|(name, needs)| (name.clone(), needs.clone()));
                dependencies = Arc::new(needs.collect());
            }
            all.push(Candidate {
                version: release.version().clone(),
                yanked: release.yanked(),
                hosts: match running == Some(release.version()) {
                    true => Arc::default(),
                    false => Arc::clone(&hosts),
                },
                dependencies: Arc::clone(&dependencies),
                targets: release.targets().collect(),
            });
        }
        all.into()
    }
}

impl Catalog for Offer<'_> {
    type Error = FindError;

    fn candidates(&self, name: &Name) -> Result<Option<Arc<[Candidate]>>, FindError> {
        if let Some(local) = self.locals.get(name) {
            let candidate = Candidate {
                version: local.version().clone(),
                yanked: false,
                hosts: Arc::new(local.locked.hosts.clone()),
                dependencies: Arc::new(local.locked.dependencies.clone()),
                targets: vec![Target::ANY],
            };
            return Ok(Some(Arc::new([candidate])));
        }
        let Some((registry, offered)) = self.registries.candidates(name, self.bound.get(name))? else {
            return Ok(None);
        };
        self.found.borrow_mut().insert(name.clone(), registry);
        Ok(Some(self.candidates_of(name, &offered)))
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
