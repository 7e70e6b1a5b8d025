//! The lock of a registry in a directory, held for the moment in which its head is swapped. A holder that was
//! killed holds it no more.

use crate::store::fs::FsError;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

pub(super) const FILE: &str = ".lock";
const PATIENCE: Duration = Duration::from_secs(60);

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

/// Says why a lock was not got.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    #[error(transparent)]
    Disk(#[from] FsError),
    #[error("`{}` is held by another process for more than {} seconds", path.display(), PATIENCE.as_secs())]
    Held { path: PathBuf },
}

impl Lock {
    /// Waits for the lock of a registry, a minute at most.
    pub(super) fn take(registry: &Path) -> Result<Self, LockError> {
        let path = registry.join(FILE);
        let opened = OpenOptions::new().create(true).truncate(false).write(true).open(&path);
        let file = opened.map_err(FsError::new("open", &path))?;
        match file.try_lock() {
            Ok(()) => return Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(FsError::new("lock", &path)(error).into()),
        }
        // A blocking lock has no deadline of its own. If nobody waits any more when the thread gets it, the file is
        // dropped and so is the lock.
        let (sender, receiver) = mpsc::channel();
        let wait = move || {
            let locked = file.lock().map(|()| file);
            let _ = sender.send(locked);
        };
        if std::thread::Builder::new().spawn(wait).is_err() {
            return Err(LockError::Held { path });
        }
        match receiver.recv_timeout(PATIENCE) {
            Ok(Ok(file)) => Ok(Self { _file: file }),
            Ok(Err(error)) => Err(FsError::new("lock", &path)(error).into()),
            Err(_) => Err(LockError::Held { path }),
        }
    }
}
