//! What the resolver may choose from: the registries, and over them the folders and archives of the wishes.

use super::consent::Held;
use super::local::Local;
use crate::index::{Candidates, FindError, Registries, RegistryName, Release, Yank};
use crate::resolve::{Candidate, Catalog};
use crate::set::{Lock, LockedSource, WishOrigin, Wishes};
use pintle_manifest::{HostName, Name, Requirement, Version, nearest};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Offers candidates to the resolver, and remembers where each name was found.
pub(super) struct Offer<'a> {
    registries: &'a Registries,
    locals: &'a BTreeMap<Name, Local>,
    bound: BTreeMap<Name, RegistryName>,
    lock: &'a Lock,
    running: Running,
    found: RefCell<BTreeMap<Name, RegistryName>>,
}

/// What runs now. It may go on under a host that it does not fit: it is not loaded, and it blocks nobody else.
pub(super) struct Running {
    versions: BTreeMap<Name, Version>,
    /// What is offered in no other version.
    held: Held,
    /// To declare no host would mean to serve none; what runs is offered as fitting each of those at hand.
    every_host: Arc<BTreeMap<HostName, Requirement>>,
}

impl Running {
    pub(super) fn new(versions: BTreeMap<Name, Version>, hosts: &BTreeMap<HostName, Version>) -> Self {
        let every_host = hosts.keys().map(|host| (host.clone(), Requirement::any())).collect();
        Self { versions, held: Held::new(), every_host: Arc::new(every_host) }
    }

    /// Offers these in no other version.
    pub(super) fn holding(self, held: &Held) -> Self {
        Self { held: held.clone(), ..self }
    }

    fn hosts_of(
        &self,
        name: &Name,
        version: &Version,
        declared: impl FnOnce() -> Arc<BTreeMap<HostName, Requirement>>,
    ) -> Arc<BTreeMap<HostName, Requirement>> {
        match self.versions.get(name) == Some(version) {
            true => Arc::clone(&self.every_host),
            false => declared(),
        }
    }
}

impl<'a> Offer<'a> {
    pub(super) fn new(
        registries: &'a Registries,
        locals: &'a BTreeMap<Name, Local>,
        wishes: &Wishes,
        lock: &'a Lock,
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
        Self { registries, locals, bound, lock, running, found: RefCell::default() }
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

    /// Returns why a release was yanked, if a registry says that it was.
    pub(super) fn yank(&self, name: &Name, version: &Version) -> Option<Yank> {
        self.release(name, version).ok().flatten().and_then(|(_, release)| release.yanked)
    }

    /// What is locked and no registry has any more is offered as it is locked.
    fn locked_candidate(&self, name: &Name) -> Option<Arc<[Candidate]>> {
        let locked = self.lock.extensions.get(name)?;
        let candidate = Candidate {
            version: locked.version.clone(),
            yanked: false,
            hosts: self.running.hosts_of(name, &locked.version, || Arc::new(locked.hosts.clone())),
            dependencies: Arc::new(locked.dependencies.clone()),
            targets: locked.artifacts.keys().copied().collect(),
        };
        Some(Arc::new([candidate]))
    }

    fn candidates_of(&self, name: &Name, offered: &Candidates) -> Arc<[Candidate]> {
        let mut hosts = Arc::new(BTreeMap::new());
        let mut dependencies = Arc::new(BTreeMap::new());
        let mut all = Vec::with_capacity(offered.iter().len());
        let held = self.running.held.get(name);
        for release in offered.iter().filter(|release| held.is_none_or(|held| held == release.version())) {
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
                hosts: self.running.hosts_of(name, release.version(), || Arc::clone(&hosts)),
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
                hosts: self.running.hosts_of(name, local.version(), || Arc::new(local.locked.hosts.clone())),
                dependencies: Arc::new(local.locked.dependencies.clone()),
                targets: local.targets.clone(),
            };
            return Ok(Some(Arc::new([candidate])));
        }
        let Some((registry, offered)) = self.registries.candidates(name, self.bound.get(name))? else {
            return Ok(self.locked_candidate(name));
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

#[cfg(test)]
mod tests {
    use super::{Offer, Running};
    use crate::index::{
        Artifact, Package, Registries, Registry, RegistryName, Release, Runtime, import, init,
    };
    use crate::resolve::{Question, resolve};
    use crate::set::{Lock, Wishes};
    use pintle_manifest::{Digest, HostName, Name, Requirement, Target, Version};
    use std::collections::BTreeMap;

    fn release(hosts: &str) -> Release {
        let nothing = Digest::of(b"");
        let artifact = Artifact { archive: nothing, size: 0, tree: nothing, unpacked: 0, files: 0 };
        Release {
            version: Version::new(1, 0, 0),
            published: "2026-01-05T09:30:00Z".parse().unwrap(),
            yanked: None,
            description: String::new(),
            license: None,
            keywords: Vec::new(),
            repository: None,
            homepage: None,
            hosts: BTreeMap::from([(
                HostName::parse(hosts).unwrap(),
                Requirement::caret(&Version::new(1, 0, 0)),
            )]),
            dependencies: BTreeMap::new(),
            permissions: BTreeMap::new(),
            runtime: Runtime::Process,
            artifacts: BTreeMap::from([(Target::ANY, artifact)]),
            readme: None,
        }
    }

    /// Tells whether a release that serves `serves` 1 can be kept, or chosen, under another host or version.
    fn check(serves: &str, at_hand: (&str, Version), is_running: bool, expected: bool) {
        let dir = tempfile::tempdir().unwrap();
        let name = Name::parse("blast-radius").unwrap();
        init(dir.path()).unwrap();
        import(dir.path(), [Package { name: name.clone(), releases: vec![release(serves)] }]).unwrap();
        let main = RegistryName::parse("main").unwrap();
        let mut registries = Registries::new();
        registries.add(main.clone(), Registry::open(main, dir.path(), None, false), Vec::new());
        let hosts = BTreeMap::from([(HostName::parse(at_hand.0).unwrap(), at_hand.1)]);
        let installed = is_running.then(|| (name.clone(), Version::new(1, 0, 0)));
        let running = Running::new(installed.into_iter().collect(), &hosts);
        let locals = BTreeMap::new();
        let lock = Lock::default();
        let offer = Offer::new(&registries, &locals, &Wishes::empty(), &lock, running);
        let question = Question {
            wishes: BTreeMap::from([(name, Requirement::any())]),
            hosts: hosts.clone(),
            target: Target::ANY,
            locked: BTreeMap::new(),
            kept: BTreeMap::new(),
            floors: BTreeMap::new(),
            prereleases: false,
        };
        assert_eq!(resolve(&question, &offer).is_ok(), expected, "{serves} under {hosts:?}");
    }

    #[test]
    fn what_runs_may_go_on_under_any_host_and_nothing_else_may_begin() {
        let (one, two) = (Version::new(1, 0, 0), Version::new(2, 0, 0));
        check("agent", ("agent", one.clone()), true, true);
        check("agent", ("agent", two.clone()), true, true);
        check("editor", ("agent", one.clone()), true, true);
        check("agent", ("agent", one.clone()), false, true);
        check("agent", ("agent", two), false, false);
        check("editor", ("agent", one), false, false);
    }
}
