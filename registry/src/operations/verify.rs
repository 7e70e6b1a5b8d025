//! `verify`: compares what is on the disk with what was installed, file by file; `--fix` fetches what is broken anew.

use super::apply::{ApplyError, Places, share_store};
use super::change::{ChangeError, take_lease};
use super::context::Context;
use super::plan::Fetch;
use super::snapshot::{SnapshotError, parse_lock, parse_wishes};
use super::sources;
use crate::archive::{Archive, Expected, ExpectedTree};
use crate::set::Lock;
use crate::store::commit::{self, MAX_TEXT};
use crate::store::fs::{self, FsError};
use crate::store::{Difference, Set, Source, StateError, Store};
use pintle_manifest::{Digest, Name};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verified {
    /// How many extensions were compared.
    pub compared: usize,
    /// What is wrong with extensions, by name.
    pub broken: BTreeMap<Name, Vec<Difference>>,
    /// What is wrong with the generation's links.
    pub links: BTreeMap<Name, String>,
    /// The texts that differ from those of the current generation, which is no fault: `sync` brings them together.
    pub unsynced: Vec<PathBuf>,
}

/// Says why nothing could be compared or repaired.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The scope can't be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// What is broken can't be repaired: the lock does not say where it came from.
    #[error("`{name}` can't be fetched anew: the lock does not hold what is installed")]
    NotLocked {
        /// The extension.
        name: Name,
    },
    /// The repair failed.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

impl From<StateError> for VerifyError {
    fn from(error: StateError) -> Self {
        Self::Snapshot(error.into())
    }
}
impl From<FsError> for VerifyError {
    fn from(error: FsError) -> Self {
        Self::Snapshot(error.into())
    }
}
impl From<ApplyError> for VerifyError {
    fn from(error: ApplyError) -> Self {
        Self::Change(error.into())
    }
}

impl Verified {
    /// Tells whether everything is as it was installed.
    pub fn is_whole(&self) -> bool {
        self.broken.is_empty() && self.links.is_empty()
    }
}

/// Compares, and changes nothing.
pub fn verify(context: &Context<'_>) -> Result<Verified, VerifyError> {
    // The wishes and the lock are only looked at as bytes: that one of them is damaged is no reason not to compare.
    match context.scope.generations().read_current()? {
        Some(set) => Ok(compare(context, &set)?),
        None => Ok(Verified::default()),
    }
}

fn compare(context: &Context<'_>, set: &Set) -> Result<Verified, FsError> {
    let store = Store::new(context.scope.home.store());
    let mut verified = Verified { compared: set.extensions.len(), ..Verified::default() };
    let links = context.scope.generations().path(set.generation).join("ext");
    for (name, one) in &set.extensions {
        let differences = match (&one.tree, &one.source) {
            (Some(tree), _) => store.compare(tree),
            (None, Source::Folder(folder)) if !folder.is_dir() => vec![Difference::NoEntry],
            (None, _) => Vec::new(),
        };
        if !differences.is_empty() {
            verified.broken.insert(name.clone(), differences);
        }
        let expected = one.tree.as_ref().map(|tree| super::from_lock::link_to_store(context, tree));
        if let Some(problem) = compare_link(&links.join(name.as_str()), expected.as_deref()) {
            verified.links.insert(name.clone(), problem);
        }
    }
    for (path, known) in [(&context.scope.wishes, set.wishes), (&context.scope.lock, set.lock)] {
        let bytes = fs::read_if_present(path, MAX_TEXT)?;
        if bytes.is_some_and(|bytes| Digest::of(&bytes) != known) {
            verified.unsynced.push(path.clone());
        }
    }
    Ok(verified)
}

fn compare_link(link: &Path, expected: Option<&Path>) -> Option<String> {
    let target = match std::fs::read_link(link) {
        Ok(target) => target,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Some("its link in the generation is gone".to_owned());
        }
        Err(error) => return Some(format!("its link in the generation: {error}")),
    };
    let leads_there = expected.is_none_or(|expected| target == expected);
    (!leads_there).then(|| format!("its link in the generation leads to `{}`", target.display()))
}

/// Fetches what is broken anew and puts it in place, each in one step. Returns what was repaired.
pub fn fix(context: &Context<'_>, found: &Verified) -> Result<Vec<Name>, VerifyError> {
    let _lease = take_lease(context)?;
    let generations = context.scope.generations();
    let Some(set) = &generations.read_current()? else { return Ok(Vec::new()) };
    // What a generation was made from is kept in it, whatever became of the files since.
    let (wishes, lock) = commit::read_copies(&context.scope, set.generation).map_err(ChangeError::from)?;
    let wishes = parse_wishes(&context.scope, &wishes)?;
    let lock = parse_lock(&context.scope, &lock)?;
    let (store, _shared) = share_store(context)?;
    let configured = sources::configured(context, &wishes).map_err(ChangeError::from)?;
    let places: Places = configured.into_iter().map(|one| (one.name, one.place)).collect();
    let mut fixed = Vec::new();
    for name in found.broken.keys() {
        let Some(one) = set.extensions.get(name) else { continue };
        let Some(tree) = one.tree else { continue };
        let fetch =
            fetch_for(&lock, name, &tree).ok_or_else(|| VerifyError::NotLocked { name: name.clone() })?;
        replace(context, &store, &fetch, &places)?;
        fixed.push(name.clone());
    }
    fix_links(context, set, found)?;
    fixed.extend(found.links.keys().cloned());
    fixed.sort();
    fixed.dedup();
    Ok(fixed)
}

fn fetch_for(lock: &Lock, name: &Name, tree: &Digest) -> Option<Fetch> {
    let locked = lock.extensions.get(name)?;
    let (target, artifact) = locked.artifacts.iter().find(|(_, artifact)| artifact.tree == *tree)?;
    let (version, source) = (locked.version.clone(), locked.source.clone());
    Some(Fetch { name: name.clone(), version, source, artifact: artifact.clone(), target: *target })
}

fn replace(context: &Context<'_>, store: &Store, fetch: &Fetch, places: &Places) -> Result<(), ApplyError> {
    let path = super::apply::archive_path(context, fetch, places)?;
    let failed =
        |source| ApplyError::Archive { name: fetch.name.clone(), version: fetch.version.clone(), source };
    let artifact = &fetch.artifact;
    let expected = Expected { archive: artifact.archive, size: artifact.size };
    let tree = ExpectedTree { tree: artifact.tree, unpacked: artifact.unpacked, files: artifact.files };
    let staging = store.stage()?;
    let staged = Archive::open(&path)
        .and_then(|archive| archive.verify(&expected))
        .and_then(|verified| {
            verified.unpack(&staging.place(&artifact.tree), Some(&tree), &|| (context.cancelled)())
        })
        .map_err(failed)?;
    Ok(staging.replace(staged.root(), staged.tree())?)
}

fn fix_links(context: &Context<'_>, set: &Set, found: &Verified) -> Result<(), ApplyError> {
    let generation = context.scope.generations().path(set.generation);
    let links = generation.join("ext");
    for name in found.links.keys() {
        let Some(one) = set.extensions.get(name) else { continue };
        let root = match (&one.tree, &one.source) {
            (Some(tree), _) => super::from_lock::link_to_store(context, tree),
            (None, Source::Folder(folder) | Source::Archive(folder)) => folder.clone(),
            (None, Source::Registry(_)) => continue,
        };
        fs::create_dirs(&links)?;
        // Made beside the generation, where recovery sweeps: a host that lists `ext` never finds it there.
        let temporary = fs::temporary_name(&generation);
        fs::create_link(&root, &temporary)?;
        fs::rename(&temporary, &links.join(name.as_str()))?;
    }
    Ok(())
}
