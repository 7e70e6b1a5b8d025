//! `rollback`: makes another generation current again, in one step, offline. It moves; it makes no new generation.

use super::change::{ChangeError, take_lease};
use super::context::Context;
use crate::store::commit::{self, CommitError};
use crate::store::{Set, Store};
use pintle_manifest::{Digest, Name};
use std::path::PathBuf;

/// What became of a rollback.
#[derive(Debug)]
pub struct RolledBack {
    /// The generation that was current.
    pub from: Option<u64>,
    /// The set that is current now.
    pub set: Set,
    /// Copies of wishes or locks that a person had changed and that no generation holds.
    pub saved: Vec<PathBuf>,
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

/// Decides where to go: the generation asked for, or the one that the current one was made from.
pub fn destination(context: &Context<'_>, asked: Option<u64>) -> Result<(Option<u64>, Set), RollbackError> {
    let generations = context.scope.generations();
    let state = |error| RollbackError::from(CommitError::State(error));
    let available = generations.numbers().map_err(CommitError::Fs)?;
    // A current set that can't be read is the very thing one rolls back from.
    let current = generations.current().map_err(state)?;
    let number = match asked {
        Some(number) => number,
        None => {
            let parent = current.and_then(|number| generations.read(number).ok()).and_then(|set| set.parent);
            let before = || available.iter().copied().rfind(|number| current.is_some_and(|at| *number < at));
            parent
                .filter(|parent| available.contains(parent))
                .or_else(before)
                .ok_or(RollbackError::Nothing)?
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
    match names.is_empty() {
        true => Ok((current, set)),
        false => Err(RollbackError::Incomplete { number, names }),
    }
}

/// Goes there.
pub fn rollback(context: &Context<'_>, asked: Option<u64>) -> Result<RolledBack, RollbackError> {
    let lease = take_lease(context)?;
    let (from, set) = destination(context, asked)?;
    if from == Some(set.generation) {
        return Ok(RolledBack { from, set, saved: Vec::new() });
    }
    let saved = commit::switch(&context.scope, &lease, set.generation)?;
    Ok(RolledBack { from, set, saved })
}
