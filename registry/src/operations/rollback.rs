//! `rollback`: makes another generation current again, in one step, offline. It moves; it makes no new generation.

use super::change::{ChangeError, take_lease};
use super::context::Context;
use super::plan::{Change, Note, compare};
use crate::store::commit::{self, CommitError};
use crate::store::{Set, Store, fs};
use crate::trust::Grants;
use pintle_manifest::{Digest, Name};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Where a rollback goes, and what it changes.
#[derive(Debug)]
pub struct Destination {
    /// The generation that is current; none if that can't be read.
    pub from: Option<u64>,
    /// The set that is to be current.
    pub set: Set,
    /// What differs between the two.
    pub changes: BTreeMap<Name, Change>,
    /// The files of wishes and lock that are not as they were for that set.
    pub restores: Vec<PathBuf>,
    /// What of the set would not be loaded, since what it asks for is not granted, or no more.
    pub notes: Vec<Note>,
}

/// Says why nothing was rolled back.
#[derive(Debug, thiserror::Error)]
pub enum RollbackError {
    /// There is no generation before the current one.
    #[error("there is nothing to go back to")]
    Nothing,
    /// Releases of the generation are no longer in the store.
    #[error("generation {number} lacks {} in the store", list(names))]
    Incomplete {
        /// The generation.
        number: u64,
        /// What is missing.
        names: Vec<Name>,
    },
    /// The change could not be made.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

fn list(names: &[Name]) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

impl From<CommitError> for RollbackError {
    fn from(error: CommitError) -> Self {
        Self::Change(error.into())
    }
}

/// Decides where to go: to the generation asked for, or to the one that the current one was made from.
pub fn destination(context: &Context<'_>, asked: Option<u64>) -> Result<Destination, RollbackError> {
    let generations = context.scope.generations();
    let state = |error| RollbackError::from(CommitError::State(error));
    let available = generations.numbers().map_err(CommitError::Fs)?;
    // A current set that can't be read is the very thing one rolls back from.
    let from = generations.current().ok().flatten();
    let current = from.and_then(|number| generations.read(number).ok());
    let number = match asked {
        Some(number) => number,
        None => {
            let parent =
                current.as_ref().and_then(|set| set.parent).filter(|parent| available.contains(parent));
            // If it is not known which is current, the newest is the best guess.
            let before = || available.iter().copied().rfind(|number| from.is_none_or(|at| *number < at));
            parent.or_else(before).ok_or(RollbackError::Nothing)?
        }
    };
    if !available.contains(&number) {
        return Err(CommitError::NoGeneration { number, available }.into());
    }
    let set = generations.read(number).map_err(state)?;
    let store = Store::new(context.scope.home.store());
    let missing = |tree: Option<Digest>| tree.is_some_and(|tree| !store.has(&tree));
    let names: Vec<Name> =
        set.extensions.iter().filter(|(_, one)| missing(one.tree)).map(|(name, _)| name.clone()).collect();
    if !names.is_empty() {
        return Err(RollbackError::Incomplete { number, names });
    }
    let changes = compare(current.as_ref().map(|set| &set.extensions), &set.extensions);
    // Going back asks nobody. Grants that can't be read hold up nothing here; whoever loads it looks for itself.
    let notes = match Grants::read(&context.scope.home) {
        Ok(grants) => ungranted(context, &grants, &set),
        Err(_) => Vec::new(),
    };
    Ok(Destination { from, changes, restores: restores(context, number)?, notes, set })
}

fn ungranted(context: &Context<'_>, grants: &Grants, set: &Set) -> Vec<Note> {
    let is_granted = |name, one| grants.covers_installed(name, one, &context.meaning);
    let without = set.extensions.iter().filter(|(name, one)| !is_granted(name, one));
    without.map(|(name, one)| Note::NotGranted { name: name.clone(), version: one.version.clone() }).collect()
}

fn restores(context: &Context<'_>, number: u64) -> Result<Vec<PathBuf>, CommitError> {
    let (wishes, lock) = commit::read_copies(&context.scope, number)?;
    let mut restores = Vec::new();
    for (path, copy) in [(&context.scope.wishes, wishes), (&context.scope.lock, lock)] {
        let now = fs::read_if_present(path, commit::MAX_TEXT)?.unwrap_or_default();
        if now != copy.as_bytes() {
            restores.push(path.clone());
        }
    }
    Ok(restores)
}

/// Goes there. Returns where that was, and the copies of what a person had changed and no generation holds.
pub fn rollback(
    context: &Context<'_>,
    asked: Option<u64>,
) -> Result<(Destination, Vec<PathBuf>), RollbackError> {
    let lease = take_lease(context)?;
    let destination = destination(context, asked)?;
    if destination.from == Some(destination.set.generation) && destination.restores.is_empty() {
        return Ok((destination, Vec::new()));
    }
    let saved = commit::switch(&context.scope, &lease, destination.set.generation)?;
    Ok((destination, saved))
}
