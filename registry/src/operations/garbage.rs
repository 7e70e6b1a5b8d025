//! `gc`: lets go of what nothing needs: generations beyond those kept, and releases that no generation of any scope
//! names. What a live host holds stays.

use super::change::{ChangeError, take_lease};
use super::context::Context;
use crate::store::commit::prune;
use crate::store::fs::FsError;
use crate::store::{Generations, Scope, ScopeKind, StateError, Store, StoreGuard};
use pintle_manifest::Digest;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What was or would be let go.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Garbage {
    /// Generations of the scope at hand.
    pub generations: Vec<u64>,
    /// Releases in the store.
    pub releases: Vec<Digest>,
    /// The bytes that these releases take.
    pub bytes: u64,
    /// Projects whose folder is not there any more; what is installed for them stays.
    pub missing_projects: Vec<PathBuf>,
    /// What killed commands left.
    pub leftovers: usize,
}

/// Whether garbage is collected or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collect {
    /// Collect it.
    Really,
    /// Only say what would be collected.
    DryRun,
}

/// Says why garbage was not collected. A set that can't be read stops everything: what it names is not known.
#[derive(Debug, thiserror::Error)]
pub enum GarbageError {
    /// A set can't be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// The scope could not be taken.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// Collects garbage.
pub fn collect(context: &Context<'_>, collect: Collect) -> Result<Garbage, GarbageError> {
    let store = Store::new(context.scope.home.store());
    if collect == Collect::DryRun {
        let (used, missing_projects) = used(context)?;
        let (releases, bytes) = unused(&store, &used)?;
        return Ok(Garbage { releases, bytes, missing_projects, ..Garbage::default() });
    }
    context.scope.create()?;
    let lease = take_lease(context)?;
    let alone = context
        .with_patience(|patience| StoreGuard::alone(&context.scope.home, patience))
        .map_err(ChangeError::from)?;
    let generations = prune(&context.scope, &lease).map_err(ChangeError::from)?;
    let leftovers = store.sweep()?;
    let (used, missing_projects) = used(context)?;
    let (releases, bytes) = unused(&store, &used)?;
    for release in &releases {
        store.remove(release)?;
    }
    drop(alone);
    Ok(Garbage { generations, releases, bytes, missing_projects, leftovers })
}

fn unused(store: &Store, used: &BTreeSet<Digest>) -> Result<(Vec<Digest>, u64), FsError> {
    let releases: Vec<Digest> = store.entries()?.into_iter().filter(|entry| !used.contains(entry)).collect();
    let bytes = releases.iter().map(|release| store.size(release)).sum();
    Ok((releases, bytes))
}

/// Returns every release that some generation of some scope names, and the projects that are gone.
fn used(context: &Context<'_>) -> Result<(BTreeSet<Digest>, Vec<PathBuf>), GarbageError> {
    let home = &context.scope.home;
    let mut used = BTreeSet::new();
    let mut missing = Vec::new();
    read_generations(&Scope::user(home).generations(), &mut used)?;
    let projects = match std::fs::read_dir(home.projects()) {
        Ok(projects) => projects,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok((used, missing)),
        Err(error) => return Err(FsError::new("list", &home.projects())(error).into()),
    };
    for project in projects {
        let base = project.map_err(FsError::new("list", &home.projects()))?.path();
        if !base.is_dir() {
            continue;
        }
        read_generations(&Generations::new(&base), &mut used)?;
        if let Some(folder) = project_folder(&base)
            && !folder.is_dir()
        {
            missing.push(folder);
        }
    }
    if let ScopeKind::Project(folder) = &context.scope.kind {
        missing.retain(|gone| gone != folder);
    }
    missing.sort();
    Ok((used, missing))
}

fn read_generations(generations: &Generations, used: &mut BTreeSet<Digest>) -> Result<(), StateError> {
    // A current generation that is not there would make everything it names look unneeded.
    generations.read_current()?;
    for number in generations.numbers()? {
        used.extend(generations.read(number)?.extensions.values().filter_map(|one| one.tree));
    }
    Ok(())
}

fn project_folder(base: &std::path::Path) -> Option<PathBuf> {
    let bytes = crate::store::fs::read(&base.join("project.json"), 64 * 1024).ok()?;
    let note: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
    Some(PathBuf::from(note.get("path")?.as_str()?))
}
