//! Carries a plan out: fetch and verify, unpack to staging, keep in the store, commit. Until the commit nothing
//! that anyone sees has changed, and a failure leaves the old set as it was.

use super::context::{Access, Context, Event};
use super::plan::{Fetch, Plan};
use super::trust::TrustError;
use crate::archive::{Archive, ArchiveError, Expected, ExpectedTree, MAX_MANIFEST, Staged};
use crate::index::{Kind, RegistryName, Runtime};
use crate::set::{Locked, LockedSource};
use crate::store::commit::{self, CommitError, FileChange, NewGeneration};
use crate::store::fs::{self, FsError};
use crate::store::{Lease, LeaseError, Set, Staging, Store, StoreGuard};
use pintle_manifest::{Digest, Manifest, Name, Version};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Says why a plan was not carried out. The old set stands, except where a [`CommitError`] says otherwise.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// An archive is not there, or is not what it must be.
    #[error("`{name} {version}` can't be installed")]
    Archive {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// What is wrong with the archive.
        #[source]
        source: ArchiveError,
    },
    /// An archive holds another extension than it should.
    #[error("the archive of `{name} {version}` holds `{}`", pintle_manifest::Untrusted(found))]
    WrongPackage {
        /// The extension asked for.
        name: Name,
        /// The version asked for.
        version: Version,
        /// What its manifest says it is.
        found: String,
    },
    /// An archive says something else about itself than the registry or the lock does.
    #[error("the manifest of `{name} {version}` has other {fact} than the registry or the lock says")]
    OtherFacts {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// What differs.
        fact: &'static str,
    },
    /// The wishes name no registry of this name any more.
    #[error("`{name} {version}` comes from the registry `{registry}`, which `pintle.toml` does not name")]
    UnknownRegistry {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
        /// The registry.
        registry: RegistryName,
    },
    /// It is not in the store, and registries may not be asked.
    #[error("`{name} {version}` is not in the store, and offline it can't be fetched")]
    Offline {
        /// The extension.
        name: Name,
        /// Its version.
        version: Version,
    },
    /// The person asked to stop.
    #[error("interrupted; nothing was changed")]
    Interrupted,
    /// What a person allowed could not be recorded.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Another process would not give way.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The change could not be made current.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// Where archives are found: the directory of each registry.
pub type Places = BTreeMap<RegistryName, PathBuf>;

/// Carries a plan out: `record` is done last before the set changes, when all that was promised has been checked.
/// Returns the set that is now current.
pub fn apply(
    context: &Context<'_>,
    lease: &Lease,
    plan: &Plan,
    places: &Places,
    record: &mut dyn FnMut() -> Result<(), TrustError>,
) -> Result<Set, ApplyError> {
    let (store, _shared) = share_store(context)?;
    fetch_all(context, &store, plan, places)?;
    check_identities(&store, plan)?;
    if (context.cancelled)() {
        return Err(ApplyError::Interrupted);
    }
    record()?;
    (context.events)(Event::Committing);
    let set = Set {
        generation: 0,
        parent: plan.parent,
        time: context.now,
        command: context.command.clone(),
        wishes: Digest::of(plan.wishes_text.as_bytes()),
        lock: Digest::of(plan.lock_text.as_bytes()),
        hosts: plan.hosts.clone(),
        target: plan.target,
        extensions: plan.extensions.clone(),
    };
    let new = NewGeneration {
        set,
        wishes: FileChange { before: plan.wishes_before, after: &plan.wishes_text },
        lock: FileChange { before: plan.lock_before, after: &plan.lock_text },
        roots: plan.roots.clone(),
    };
    let set = commit::commit(&context.scope, lease, new)?;
    // The change stands; that an old generation can't be removed now is no reason to say that it failed.
    let _ = commit::prune(&context.scope, lease);
    Ok(set)
}

/// Puts what is missing back into the store; the set stays as it is.
pub fn fetch_only(context: &Context<'_>, plan: &Plan, places: &Places) -> Result<(), ApplyError> {
    let (store, _shared) = share_store(context)?;
    fetch_all(context, &store, plan, places)
}

/// Sweeps what killed commands left in the store if no one else uses it, and then shares it.
pub(super) fn share_store(context: &Context<'_>) -> Result<(Store, StoreGuard), ApplyError> {
    let store = Store::new(context.scope.home.store());
    if let Some(_alone) = StoreGuard::try_alone(&context.scope.home) {
        store.sweep()?;
    }
    let shared = context.with_patience(|patience| StoreGuard::share(&context.scope.home, patience))?;
    Ok((store, shared))
}

/// Fetches what is missing, several at a time, and keeps all of it or nothing.
pub(super) fn fetch_all(
    context: &Context<'_>,
    store: &Store,
    plan: &Plan,
    places: &Places,
) -> Result<(), ApplyError> {
    // Asked again under the store's lock: since the plan was made, garbage may have been collected, or another command
    // may have put there what was missing.
    let missed: BTreeSet<&Digest> = plan.fetches.iter().map(|fetch| &fetch.artifact.tree).collect();
    let is_missing = |fetch: &&Fetch| match missed.contains(&fetch.artifact.tree) {
        true => !store.has(&fetch.artifact.tree),
        false => !store.has_still(&fetch.artifact.tree),
    };
    let missing: Vec<&Fetch> = plan.archives.iter().filter(is_missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let bytes = missing.iter().map(|fetch| fetch.artifact.size).fold(0, u64::saturating_add);
    (context.events)(Event::Fetching { count: missing.len(), bytes });
    let staging = store.stage()?;
    let staged = on_each(&missing, |fetch| fetch_one(context, &staging, fetch, places))?;
    let trees: Vec<_> = staged.iter().map(|one| (one.root(), one.tree())).collect();
    for aside in staging.keep(&trees)? {
        (context.events)(Event::SetAside(aside));
    }
    Ok(())
}

/// Does the same to each item, on as many threads as there are processors, and returns the results in order. After the
/// first failure no other item is begun.
fn on_each<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> Result<R, ApplyError> + Sync,
) -> Result<Vec<R>, ApplyError> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(items.len()).min(8);
    let next = AtomicUsize::new(0);
    let results: Mutex<Vec<(usize, Result<R, ApplyError>)>> = Mutex::new(Vec::with_capacity(items.len()));
    let take_turns = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return };
            let result = work(item);
            if result.is_err() {
                next.store(items.len(), Ordering::Relaxed);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push((at, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread can be had, this one does all the work.
            let _ = Builder::new().spawn_scoped(scope, take_turns);
        }
        take_turns();
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, result)| result).collect()
}

fn fetch_one(
    context: &Context<'_>,
    staging: &Staging,
    fetch: &Fetch,
    places: &Places,
) -> Result<Staged, ApplyError> {
    let Fetch { name, version, artifact, .. } = fetch;
    if (context.cancelled)() {
        return Err(ApplyError::Interrupted);
    }
    let path = archive_path(context, fetch, places)?;
    let failed = |source| match (context.cancelled)() {
        true => ApplyError::Interrupted,
        false => ApplyError::Archive { name: name.clone(), version: version.clone(), source },
    };
    let expected = Expected { archive: artifact.archive, size: artifact.size };
    let verified = Archive::open(&path).and_then(|archive| archive.verify(&expected)).map_err(failed)?;
    let tree = ExpectedTree { tree: artifact.tree, unpacked: artifact.unpacked, files: artifact.files };
    let staged = verified
        .unpack(&staging.place(&artifact.tree), Some(&tree), &|| (context.cancelled)())
        .map_err(failed)?;
    (context.events)(Event::Fetched { name: name.clone(), version: version.clone(), bytes: artifact.size });
    Ok(staged)
}

pub(super) fn archive_path(
    context: &Context<'_>,
    fetch: &Fetch,
    places: &Places,
) -> Result<PathBuf, ApplyError> {
    match &fetch.source {
        LockedSource::Archive(path) | LockedSource::Folder(path) => Ok(context.scope.directory().join(path)),
        LockedSource::Registry(_) if context.access == Access::Offline => {
            Err(ApplyError::Offline { name: fetch.name.clone(), version: fetch.version.clone() })
        }
        LockedSource::Registry(registry) => match places.get(registry) {
            Some(place) => Ok(Kind::Archive.path(place, &fetch.artifact.archive)),
            None => Err(ApplyError::UnknownRegistry {
                name: fetch.name.clone(),
                version: fetch.version.clone(),
                registry: registry.clone(),
            }),
        },
    }
}

/// Checks that what is about to become part of the set is what the lock says of it: its name and version, and all that a
/// person was shown before. The tree hash proves only that the bytes are those that someone once published.
fn check_identities(store: &Store, plan: &Plan) -> Result<(), ApplyError> {
    let new: Vec<&Fetch> =
        plan.archives.iter().filter(|fetch| plan.changes.contains_key(&fetch.name)).collect();
    on_each(&new, |fetch| {
        let Some(locked) = plan.lock.extensions.get(&fetch.name) else { return Ok(()) };
        let path = store.entry(&fetch.artifact.tree).join(super::local::MANIFEST);
        let manifest = fs::read(&path, MAX_MANIFEST)?;
        check_identity(fetch, locked, pintle_manifest::parse(&manifest).manifest)
    })
    .map(drop)
}

fn check_identity(fetch: &Fetch, locked: &Locked, manifest: Option<Manifest>) -> Result<(), ApplyError> {
    let (name, version) = (fetch.name.clone(), fetch.version.clone());
    let found = match manifest {
        Some(manifest) if manifest.name == name && manifest.version == version => {
            return match differing(locked, &manifest) {
                None => Ok(()),
                Some(fact) => Err(ApplyError::OtherFacts { name, version, fact }),
            };
        }
        Some(manifest) => format!("{} {}", manifest.name, manifest.version),
        None => "no readable extension.toml".to_owned(),
    };
    Err(ApplyError::WrongPackage { name, version, found })
}

fn differing(locked: &Locked, manifest: &Manifest) -> Option<&'static str> {
    let dependencies = manifest.dependencies.iter().map(|(name, one)| (name, &one.requirement));
    match () {
        () if locked.permissions != manifest.permissions => Some("permissions"),
        () if locked.runtime != Runtime::of(&manifest.entry).as_str() => Some("runtime"),
        () if locked.hosts != manifest.hosts => Some("hosts"),
        () if !locked.dependencies.iter().eq(dependencies) => Some("dependencies"),
        () => None,
    }
}
