//! What a scope is before an operation: its wishes, its lock and its current set, read at one time.

use super::context::Context;
use crate::set::{Lock, LockError, Wishes};
use crate::store::commit::MAX_TEXT;
use crate::store::fs::{self, FsError};
use crate::store::{Scope, Set, StateError};
use pintle_manifest::{Digest, Name, Problem, Severity};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a scope is at one time.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The wishes; empty if there is no file.
    pub wishes: Wishes,
    /// The digest of the file of wishes; `None` if there is none.
    pub wishes_digest: Option<Digest>,
    /// The lock; empty if there is no file.
    pub lock: Lock,
    /// The text of the lock; `None` if there is no file.
    pub lock_text: Option<String>,
    /// The current set; `None` if nothing was ever installed.
    pub current: Option<Set>,
    /// What the wishes that the current set was made from call required; `None` if that can't be told.
    pub required_before: Option<BTreeSet<Name>>,
}

/// Says why a scope can't be read. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The wishes have errors.
    #[error("`{}` has {}", path.display(), count(problems))]
    Wishes {
        /// The file.
        path: PathBuf,
        /// Its text, to show the places.
        text: String,
        /// The errors.
        problems: Vec<Problem>,
    },
    /// The lock can't be read.
    #[error("can't use `{}`", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: LockError,
    },
    /// There is no file of wishes, and something is installed.
    #[error("`{}` is gone, and {installed} installed extensions were wished for in it", path.display())]
    WishesGone {
        /// Where it should be.
        path: PathBuf,
        /// How many extensions are installed.
        installed: usize,
        /// The current generation, which has a copy of it.
        generation: u64,
    },
    /// A file of state can't be used.
    #[error(transparent)]
    State(#[from] StateError),
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn count(problems: &[Problem]) -> String {
    match problems.iter().filter(|problem| problem.severity == Severity::Error).count() {
        1 => "an error".to_owned(),
        count => format!("{count} errors"),
    }
}

impl Snapshot {
    /// Reads a scope.
    pub fn read(context: &Context<'_>) -> Result<Self, SnapshotError> {
        let scope = &context.scope;
        let (wishes, wishes_digest) = read_wishes(scope)?;
        let lock_text = read_text(&scope.lock)?;
        let lock = match &lock_text {
            None => Lock::default(),
            Some(text) => Lock::parse(text)
                .map_err(|source| SnapshotError::Lock { path: scope.lock.clone(), source })?,
        };
        let current = scope.generations().read_current()?;
        if let (None, Some(set)) = (wishes_digest, &current)
            && !set.extensions.is_empty()
        {
            // To wish for nothing one says so; a file that is not there says nothing.
            let (path, installed) = (scope.wishes.clone(), set.extensions.len());
            return Err(SnapshotError::WishesGone { path, installed, generation: set.generation });
        }
        let required_before = match &current {
            Some(set) => recorded_wishes(scope, set.generation, wishes_digest, &wishes),
            None => None,
        };
        Ok(Self { wishes, wishes_digest, lock, lock_text, current, required_before })
    }

    /// Tells whether the scope is still as it was read, by its bytes and without reading sense into them again.
    pub fn still_holds(&self, context: &Context<'_>) -> Result<bool, SnapshotError> {
        let scope = &context.scope;
        let digest = |path: &Path| -> Result<Option<Digest>, FsError> {
            Ok(fs::read_if_present(path, MAX_TEXT)?.map(|bytes| Digest::of(&bytes)))
        };
        let generation = self.current.as_ref().map(|set| set.generation);
        Ok(self.wishes_digest == digest(&scope.wishes)?
            && self.lock_digest() == digest(&scope.lock)?
            && generation == scope.generations().current()?)
    }

    /// Returns the digest of the lock file; `None` if there is none.
    pub fn lock_digest(&self) -> Option<Digest> {
        self.lock_text.as_ref().map(|text| Digest::of(text.as_bytes()))
    }
}

/// Returns what the copy of the wishes that a generation keeps calls required; `None` if it can't be read.
fn recorded_wishes(
    scope: &Scope,
    generation: u64,
    digest: Option<Digest>,
    wishes: &Wishes,
) -> Option<BTreeSet<Name>> {
    let text = read_text(&scope.generations().path(generation).join("pintle.toml")).ok()??;
    match digest == Some(Digest::of(text.as_bytes())) {
        true => Some(wishes.required.clone()),
        false => Wishes::parse(&text).ok().map(|recorded| recorded.required),
    }
}

/// Reads the wishes of a scope, and their digest if there is a file.
pub fn read_wishes(scope: &Scope) -> Result<(Wishes, Option<Digest>), SnapshotError> {
    let Some(text) = read_text(&scope.wishes)? else { return Ok((Wishes::empty(), None)) };
    let digest = Digest::of(text.as_bytes());
    parse_wishes(scope, &text).map(|wishes| (wishes, Some(digest)))
}

/// Reads a text of wishes of a scope.
pub(super) fn parse_wishes(scope: &Scope, text: &str) -> Result<Wishes, SnapshotError> {
    let path = scope.wishes.clone();
    Wishes::parse(text).map_err(|problems| SnapshotError::Wishes { path, text: text.to_owned(), problems })
}

/// Reads a text of a lock of a scope.
pub(super) fn parse_lock(scope: &Scope, text: &str) -> Result<Lock, SnapshotError> {
    Lock::parse(text).map_err(|source| SnapshotError::Lock { path: scope.lock.clone(), source })
}

fn read_text(path: &Path) -> Result<Option<String>, SnapshotError> {
    let Some(bytes) = fs::read_if_present(path, MAX_TEXT)? else { return Ok(None) };
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Some(text)),
        Err(error) => Err(StateError::Unreadable {
            path: path.to_owned(),
            reason: format!("byte {} is not UTF-8", error.utf8_error().valid_up_to()),
        }
        .into()),
    }
}
