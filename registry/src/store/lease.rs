//! Leases: who may change a set. A lease is an advisory lock of the operating system on a file, so it ends with its
//! holder, however that ends; what the file says serves only to tell a waiter whom it waits for.

use super::fs::{self, FsError};
use super::{Home, Scope};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Says who holds a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// What it was started to do, such as `pintle install blast-radius`.
    pub command: String,
    /// When it began, for a person to read.
    pub since: String,
}

/// Tells a waiter's owner, once after half a second, whom it waits for.
#[derive(Debug, Clone)]
pub struct Waiting {
    /// Who holds the lease, if that can be read.
    pub holder: Option<Holder>,
}

/// The right to change one set, until dropped.
#[derive(Debug)]
pub struct Lease {
    _file: File,
}

/// The right to add to the store (shared) or to collect garbage (alone), until dropped.
#[derive(Debug)]
pub struct StoreGuard {
    _file: File,
}

/// Says why a lease was not given.
#[derive(Debug, thiserror::Error)]
pub enum LeaseError {
    /// Someone else held it for too long.
    #[error("waited {} s for {}", waited.as_secs(), describe(holder.as_ref()))]
    Timeout {
        /// How long was waited.
        waited: Duration,
        /// Who holds it, if that can be read.
        holder: Option<Holder>,
    },
    /// The person asked to stop.
    #[error("interrupted while waiting for {}", describe(holder.as_ref()))]
    Interrupted {
        /// Who holds it, if that can be read.
        holder: Option<Holder>,
    },
    /// The lock file could not be used.
    #[error(transparent)]
    Fs(#[from] FsError),
}

fn describe(holder: Option<&Holder>) -> String {
    match holder {
        Some(Holder { pid, command, since }) => {
            let command = pintle_manifest::Untrusted(command);
            format!("`{command}` (process {pid}, since {})", pintle_manifest::Untrusted(since))
        }
        None => "another Pintle process".to_owned(),
    }
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&describe(self.holder.as_ref()))
    }
}

/// How to wait for a lease.
pub struct Patience<'a> {
    /// Who asks.
    pub asker: &'a Holder,
    /// The longest to wait.
    pub at_most: Duration,
    /// Told once, when waiting has become noticeable.
    pub waiting: &'a dyn Fn(&Waiting),
    /// Whether the person asked to stop.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl Lease {
    /// Waits for the right to change the set of a scope, and recovers nothing by itself.
    pub fn take(scope: &Scope, patience: &Patience<'_>) -> Result<Self, LeaseError> {
        let file = wait(&lease_path(scope), Kind::Alone, patience)?;
        Ok(Self { _file: file })
    }

    /// Tells whether someone changes the set of a scope right now, and who. Makes no file, and holds nothing.
    pub fn is_held(scope: &Scope) -> Result<Option<Waiting>, FsError> {
        let path = lease_path(scope);
        let file = match fs::open_regular(&path) {
            Err(error) if error.is_not_found() => return Ok(None),
            other => other?,
        };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Ok(Some(Waiting { holder: holder(&path) })),
            Ok(()) => Ok(None),
            Err(TryLockError::Error(source)) => Err(FsError::new("lock", &path)(source)),
        }
    }

    /// Waits for the right to change what is disabled, which no long operation ever holds.
    pub fn take_for_state(scope: &Scope, patience: &Patience<'_>) -> Result<Self, LeaseError> {
        let file = wait(&scope.base.join("run/state.lock"), Kind::Alone, patience)?;
        Ok(Self { _file: file })
    }

    /// Waits for the right to change what was allowed in a home, which no long operation ever holds.
    pub fn take_for_trust(home: &Home, patience: &Patience<'_>) -> Result<Self, LeaseError> {
        let file = wait(&home.trust_lock(), Kind::Alone, patience)?;
        Ok(Self { _file: file })
    }
}

impl StoreGuard {
    /// Shares the store with other installations; garbage is not collected meanwhile.
    pub fn share(home: &Home, patience: &Patience<'_>) -> Result<Self, LeaseError> {
        Ok(Self { _file: wait(&home.store_lock(), Kind::Shared, patience)? })
    }

    /// Waits until nothing is being installed anywhere, and keeps it so.
    pub fn alone(home: &Home, patience: &Patience<'_>) -> Result<Self, LeaseError> {
        Ok(Self { _file: wait(&home.store_lock(), Kind::Alone, patience)? })
    }

    /// Takes the store alone if no one uses it now.
    pub fn try_alone(home: &Home) -> Option<Self> {
        let file = open(&home.store_lock()).ok()?;
        file.try_lock().ok()?;
        Some(Self { _file: file })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alone,
    Shared,
}

/// How often a waiter looks again. The operating system offers no wait with a deadline for this kind of lock.
const LOOK_AGAIN: Duration = Duration::from_millis(15);
/// How long a wait goes unmentioned.
const NOTICEABLE: Duration = Duration::from_millis(500);

fn wait(path: &Path, kind: Kind, patience: &Patience<'_>) -> Result<File, LeaseError> {
    let mut file = open(path)?;
    let start = Instant::now();
    let mut told = false;
    loop {
        let attempt = match kind {
            Kind::Alone => file.try_lock(),
            Kind::Shared => file.try_lock_shared(),
        };
        match attempt {
            Ok(()) => break,
            Err(TryLockError::Error(source)) => return Err(FsError::new("lock", path)(source).into()),
            Err(TryLockError::WouldBlock) => {}
        }
        let waited = start.elapsed();
        if (patience.cancelled)() {
            return Err(LeaseError::Interrupted { holder: holder(path) });
        }
        if waited >= patience.at_most {
            return Err(LeaseError::Timeout { waited, holder: holder(path) });
        }
        if waited >= NOTICEABLE && !told {
            told = true;
            (patience.waiting)(&Waiting { holder: holder(path) });
        }
        #[expect(clippy::disallowed_methods, reason = "the one place that polls, with the deadline above")]
        std::thread::sleep(LOOK_AGAIN.min(patience.at_most.saturating_sub(waited)));
    }
    // What the file says is a courtesy to waiters; that it could not be written stops nothing. Of several who share it
    // the last to come is told of.
    let text = serde_json::to_string(patience.asker).unwrap_or_default();
    let _ = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
    Ok(file)
}

fn lease_path(scope: &Scope) -> PathBuf {
    scope.base.join("run/lease")
}

fn open(path: &Path) -> Result<File, FsError> {
    let open = || OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = match open() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            fs::create_dirs(fs::parent(path))?;
            open().map_err(FsError::new("open", path))?
        }
        other => other.map_err(FsError::new("open", path))?,
    };
    // A lock on anything else is none that all see.
    fs::must_be_regular(file, path)
}

fn holder(path: &Path) -> Option<Holder> {
    let path: PathBuf = path.to_owned();
    serde_json::from_slice(&fs::read(&path, 4096).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::{Holder, Lease, LeaseError, Patience};
    use crate::store::{Home, Scope};
    use std::cell::Cell;
    use std::time::Duration;

    #[test]
    fn a_waiter_learns_whom_it_waits_for_and_gives_up_in_time() {
        let dir = tempfile::tempdir().unwrap();
        let scope = Scope::user(&Home::new(dir.path().to_owned()));
        let asker = Holder { pid: 7, command: "pintle install abc".to_owned(), since: "now".to_owned() };
        let told = Cell::new(0);
        let waiting = |_: &super::Waiting| told.set(told.get() + 1);
        let patience = |at_most| Patience { asker: &asker, at_most, waiting: &waiting, cancelled: &|| false };
        let held = Lease::take(&scope, &patience(Duration::ZERO)).unwrap();
        let error = Lease::take(&scope, &patience(Duration::from_millis(600))).unwrap_err();
        assert!(
            matches!(&error, LeaseError::Timeout { holder: Some(holder), .. } if *holder == asker),
            "{error}"
        );
        assert_eq!(error.to_string(), "waited 0 s for `pintle install abc` (process 7, since now)");
        assert_eq!(told.get(), 1, "the wait is mentioned once");
        assert_eq!(Lease::is_held(&scope).unwrap().and_then(|waiting| waiting.holder), Some(asker.clone()));
        drop(held);
        assert!(Lease::is_held(&scope).unwrap().is_none());
        Lease::take(&scope, &patience(Duration::ZERO)).unwrap();
    }

    #[test]
    fn a_person_who_stops_a_wait_is_heard() {
        let dir = tempfile::tempdir().unwrap();
        let scope = Scope::user(&Home::new(dir.path().to_owned()));
        let asker = Holder { pid: 7, command: String::new(), since: String::new() };
        let patience = Patience {
            asker: &asker,
            at_most: Duration::from_secs(60),
            waiting: &|_| {},
            cancelled: &|| true,
        };
        let _held = Lease::take(&scope, &patience).unwrap();
        assert!(matches!(Lease::take(&scope, &patience), Err(LeaseError::Interrupted { .. })));
    }
}
