//! Removes from a registry in a directory what nothing names any more. Spares what is young, since a publisher
//! writes its objects before it names them, and touches nothing if any part of the registry can't be read.

use super::change::{Base, ChangeError};
use super::error::IndexError;
use super::lock::Lock;
use super::reachable::{Lying, Met, list, walk};
use crate::store::fs;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Tells whether to remove or only to count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Removes.
    Remove,
    /// Counts what would be removed.
    DryRun,
}

/// What was removed, or would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Collected {
    /// The files.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// Says why nothing was removed.
#[derive(Debug, thiserror::Error)]
pub enum GarbageError {
    /// A part of the registry can't be read, so it is not known what it names.
    #[error("the registry is damaged, so nothing is removed from it")]
    Damaged(#[source] IndexError),
    /// The registry could not be read or written.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Removes objects that nothing names and temporary files, if they were last written `older_than` before `now`.
pub fn collect_garbage(
    dir: &Path,
    older_than: Duration,
    now: SystemTime,
    mode: Mode,
) -> Result<Collected, GarbageError> {
    let mut base = Base::read(dir).map_err(ChangeError::from)?;
    let _lock = match mode {
        Mode::Remove => {
            let lock = Lock::take(dir).map_err(ChangeError::from)?;
            base = Base::read(dir).map_err(ChangeError::from)?;
            Some(lock)
        }
        Mode::DryRun => None,
    };
    let (mut named, mut problem) = (BTreeSet::new(), None);
    walk(&mut base, &mut |met| match met {
        Met::Object(kind, digest) => {
            named.insert((kind, digest));
        }
        Met::Package(_) => {}
        Met::Problem(error) => problem = problem.take().or(Some(error)),
    });
    if let Some(error) = problem {
        return Err(GarbageError::Damaged(error));
    }
    let mut collected = Collected::default();
    for (path, lying) in list(dir).map_err(ChangeError::from)? {
        let spared = match lying {
            Lying::Object(kind, digest) => named.contains(&(kind, digest)),
            Lying::Temporary => false,
            Lying::Stray => true,
        };
        let Some(bytes) = (if spared { None } else { size_if_old(&path, older_than, now) }) else { continue };
        if mode == Mode::Remove {
            fs::remove_file(&path).map_err(ChangeError::from)?;
        }
        collected.objects += 1;
        collected.bytes += bytes;
    }
    Ok(collected)
}

/// Returns the size of a file that is old enough; `None` for a young one, one from the future, or a directory.
fn size_if_old(path: &Path, older_than: Duration, now: SystemTime) -> Option<u64> {
    let metadata = path.symlink_metadata().ok().filter(|metadata| !metadata.is_dir())?;
    let age = now.duration_since(metadata.modified().ok()?).ok()?;
    (age >= older_than).then_some(metadata.len())
}
