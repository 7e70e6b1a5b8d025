//! Files of state: written whole or not at all, read with a bound, locked without waiting.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Says what went wrong with a file of state. It stands as it was.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The disk refused.
    #[error("can't {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// It is not what it should be.
    #[error("can't read `{}`: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A newer Pintle wrote it.
    #[error("`{}` has format {format}, and this Pintle reads up to {reads}", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// The format it names.
        format: u32,
        /// The newest format that is read.
        reads: u32,
    },
    /// Another process holds it.
    #[error("`{}` is in use", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    move |source| FileError::Io { action, path: path.to_owned(), source }
}

/// Makes a directory and those above it.
pub fn create_dirs(path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(failed("make", path))
}

/// Makes a file that must not be there yet.
pub(crate) fn create_new(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().create_new(true).append(true).open(path).map_err(failed("make", path))
}

/// Reads a text of at most `most` bytes; `None` if there is no such file.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<Option<String>, FileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed("read", path)(error)),
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(failed("read", path))?;
    let unreadable =
        |reason: &str| FileError::Unreadable { path: path.to_owned(), reason: reason.to_owned() };
    if bytes.len() as u64 > most {
        return Err(unreadable("it is too long"));
    }
    String::from_utf8(bytes).map(Some).map_err(|_| unreadable("it is not UTF-8"))
}

/// Writes a file so that it is there whole or as it was before, also after a power cut.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let directory = path.parent().unwrap_or_else(|| Path::new("."));
    create_dirs(directory)?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let temporary = directory.join(format!(".{name}.tmp-{}-{:x}", std::process::id(), random()));
    let written = create_new(&temporary).and_then(|mut file| {
        file.write_all(bytes).and_then(|()| file.sync_all()).map_err(failed("write", &temporary))
    });
    let renamed = written.and_then(|()| std::fs::rename(&temporary, path).map_err(failed("write", path)));
    if renamed.is_err() {
        let _ = std::fs::remove_file(&temporary);
        return renamed;
    }
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(failed("sync", directory))
}

/// Removes a directory with all that is in it, also where an extension took its own rights away.
pub(crate) fn remove_tree(path: &Path) -> Result<(), FileError> {
    #[expect(clippy::disallowed_methods, reason = "this is the function to use instead, in this crate")]
    let remove = || std::fs::remove_dir_all(path);
    match remove() {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            make_removable(path);
            remove().map_err(failed("remove", path))
        }
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Gives back the rights that are needed to remove what is in a directory. Links are not followed.
fn make_removable(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700));
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            make_removable(&entry.path());
        }
    }
}

/// Returns the directories in a directory, in order; none if it is not there.
pub(crate) fn directories(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed("list", path)(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed("list", path))?;
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// Takes a lock file alone, or returns `None` if another process has it. It is held as long as the file is open.
pub(crate) fn lock_now(path: &Path) -> Result<Option<File>, FileError> {
    let open = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    let file = open.map_err(failed("lock", path))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(failed("lock", path)(error)),
    }
}

/// Takes a lock file alone, waiting as long as it takes others to write one small file.
pub(crate) fn lock(path: &Path) -> Result<File, FileError> {
    if let Some(directory) = path.parent() {
        create_dirs(directory)?;
    }
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(5);
    loop {
        if let Some(file) = lock_now(path)? {
            return Ok(file);
        }
        if std::time::Instant::now() > deadline {
            return Err(FileError::Busy { path: path.to_owned() });
        }
        #[expect(clippy::disallowed_methods, reason = "a file lock wakes nobody; the wait has a deadline")]
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
}

/// Tells whether a process holds a lock file.
pub(crate) fn is_locked(path: &Path) -> bool {
    let Ok(file) = File::open(path) else { return false };
    matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))
}

/// Returns the time in milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

/// Returns a number that no one else gets; for names only, never for secrets.
pub(crate) fn random() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
