//! Files of state: written whole or not at all, read with a bound, locked without waiting.

use super::mounts;
use pintle_manifest::kept::{Belongs, Obstacle, Sight};
use std::fs::{File, Metadata, OpenOptions};
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
        format: u64,
        /// The newest format that is read.
        reads: u64,
    },
    /// Another process holds it.
    #[error("`{}` is in use", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
}

impl FileError {
    /// Returns the file that it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::Unreadable { path, .. }
            | Self::Newer { path, .. }
            | Self::Busy { path } => path,
        }
    }

    /// Returns what is in the place of a file or directory, if that is the cause.
    pub fn obstacle(&self) -> Option<Obstacle> {
        match self {
            Self::Io { source, .. } => source.get_ref().and_then(|cause| cause.downcast_ref()).copied(),
            Self::Unreadable { .. } | Self::Newer { .. } | Self::Busy { .. } => None,
        }
    }
}

/// Names what was tried. If something is there that has no business there, or on the way there, that is named.
pub(crate) fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FileError {
    move |source| {
        let belongs = match source.kind() {
            io::ErrorKind::NotADirectory => Some(Belongs::Directory),
            io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => Some(Belongs::File),
            _ => is_odd(&source).then_some(Belongs::File),
        };
        match belongs.and_then(|belongs| Obstacle::at(path, belongs, look)) {
            Some((path, obstacle)) => in_the_way(action, path, obstacle),
            None => FileError::Io { action, path: path.to_owned(), source },
        }
    }
}

fn in_the_way(action: &'static str, path: &Path, obstacle: Obstacle) -> FileError {
    FileError::Io { action, path: path.to_owned(), source: io::Error::other(obstacle) }
}

#[cfg(unix)]
fn look(path: &Path) -> Sight {
    use std::os::unix::fs::MetadataExt as _;
    match path.metadata() {
        Ok(metadata) => Sight::Mode(metadata.mode()),
        Err(error) => match path.symlink_metadata() {
            Err(_) => Sight::Nothing,
            // It has come meanwhile.
            Ok(own) if !own.is_symlink() => Sight::Mode(own.mode()),
            Ok(_) if is_odd(&error) => Sight::LinkInACircle,
            Ok(_) => Sight::LinkToNowhere,
        },
    }
}

#[cfg(not(unix))]
fn look(_path: &Path) -> Sight {
    Sight::Nothing
}

/// Tells whether a link leads in a circle, or there is a pipe or a socket that nobody serves.
#[cfg(unix)]
fn is_odd(error: &io::Error) -> bool {
    use rustix::io::Errno;
    Errno::from_io_error(error).is_some_and(|errno| matches!(errno, Errno::LOOP | Errno::NXIO))
}

#[cfg(not(unix))]
fn is_odd(_error: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn obstacle(metadata: &Metadata) -> Option<Obstacle> {
    use std::os::unix::fs::MetadataExt as _;
    Obstacle::of_mode(metadata.mode())
}

#[cfg(not(unix))]
fn obstacle(metadata: &Metadata) -> Option<Obstacle> {
    (!metadata.is_file()).then_some(if metadata.is_dir() { Obstacle::Directory } else { Obstacle::Device })
}

/// Opens a regular file. Anything else is refused at once: a pipe would wait for whoever reads or writes it.
fn open_regular(action: &'static str, path: &Path, options: &mut OpenOptions) -> Result<File, FileError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path).map_err(failed(action, path))?;
    match obstacle(&file.metadata().map_err(failed("look at", path))?) {
        None => Ok(file),
        Some(obstacle) => Err(in_the_way(action, path, obstacle)),
    }
}

/// Opens a file to read it.
pub(crate) fn open_to_read(path: &Path) -> Result<File, FileError> {
    open_regular("read", path, OpenOptions::new().read(true))
}

/// Tells whether the cause is that nothing is there, not even a link.
fn is_absent(error: &FileError) -> bool {
    matches!(error, FileError::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
}

/// Makes a directory and those above it.
pub fn create_dirs(path: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(path).map_err(|source| match Obstacle::at(path, Belongs::Directory, look) {
        Some((place, obstacle)) => in_the_way("make", place, obstacle),
        None => FileError::Io { action: "make", path: path.to_owned(), source },
    })
}

/// Opens a file to add to its end; makes it if nothing is there.
pub(crate) fn open_to_append(path: &Path) -> Result<File, FileError> {
    open_regular("write", path, OpenOptions::new().create(true).append(true))
}

/// Makes a file that must not be there yet.
pub(crate) fn create_new(path: &Path) -> Result<File, FileError> {
    OpenOptions::new().create_new(true).append(true).open(path).map_err(failed("make", path))
}

/// Reads a text of at most `most` bytes; `None` if there is no such file.
pub(crate) fn read_text(path: &Path, most: u64) -> Result<Option<String>, FileError> {
    let file = match open_to_read(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
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

/// Gives something another name, whatever it is: `NAME.damaged-1` or a higher number, beside it.
pub(crate) fn put_aside(path: &Path) -> Result<(), FileError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let places = (1_u64..).map(|number| path.with_file_name(format!("{name}.damaged-{number}")));
    let mut free = places.filter(|place| place.symlink_metadata().is_err());
    let aside = free.next().expect("numbers do not end");
    std::fs::rename(path, aside).map_err(failed("put aside", path))
}

/// Removes a directory with all that is in it, also where an extension took its own rights away. What is mounted in it is
/// taken away first and stays as it is; if that can't be done, nothing is removed.
pub(crate) fn remove_tree(path: &Path) -> Result<(), FileError> {
    // Most are empty, or gone.
    match std::fs::remove_dir(path) {
        Ok(()) => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(_) => make_removable(path)?,
    }
    #[expect(clippy::disallowed_methods, reason = "this is the function to use instead, in this crate")]
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Unmounts what is mounted in a directory, and gives back the rights that are needed to remove what is in it. Links are
/// not followed.
fn make_removable(top: &Path) -> Result<(), FileError> {
    let mut open = vec![top.to_owned()];
    while let Some(path) = open.pop() {
        mounts::unmount(&path)?;
        let is_directory = |metadata: &Metadata| metadata.is_dir();
        let Some(metadata) = path.symlink_metadata().ok().filter(is_directory) else { continue };
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            if metadata.permissions().mode() & 0o700 != 0o700 {
                let _ = std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700));
            }
        }
        open.extend(std::fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
    }
    Ok(())
}

/// Returns the directories in a directory, in order; none if it is not there. A link to one is none.
pub(crate) fn directories(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut found = entries(path)?;
    found.retain(|path| path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()));
    Ok(found)
}

/// Returns what is in a directory, in order; nothing if it is not there.
pub(crate) fn entries(path: &Path) -> Result<Vec<PathBuf>, FileError> {
    let entries = match std::fs::read_dir(path).map_err(failed("list", path)) {
        Ok(entries) => entries,
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let paths: Result<Vec<PathBuf>, io::Error> =
        entries.map(|entry| entry.map(|entry| entry.path())).collect();
    let mut found = paths.map_err(failed("list", path))?;
    found.sort();
    Ok(found)
}

/// Takes a lock file alone, or returns `None` if another process has it. It is held as long as the file is open.
pub(crate) fn lock_now(path: &Path) -> Result<Option<File>, FileError> {
    let file = open_regular("lock", path, OpenOptions::new().create(true).truncate(false).write(true))?;
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

/// Tells whether a process holds a lock file. Nobody holds one that is not there.
pub(crate) fn is_locked(path: &Path) -> Result<bool, FileError> {
    match open_to_read(path) {
        Ok(file) => Ok(matches!(file.try_lock_shared(), Err(std::fs::TryLockError::WouldBlock))),
        Err(error) if is_absent(&error) => Ok(false),
        Err(error) => Err(error),
    }
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

#[cfg(all(test, unix))]
mod tests {
    use super::{read_text, write_atomic};

    #[test]
    fn a_file_that_comes_and_goes_is_there_or_not_and_never_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let (here, away) = (dir.path().join("here"), dir.path().join("away"));
        write_atomic(&away, b"one").unwrap();
        std::thread::scope(|scope| {
            let mover = scope.spawn(|| {
                for _ in 0..20_000 {
                    std::fs::rename(&away, &here).unwrap();
                    std::fs::rename(&here, &away).unwrap();
                }
            });
            while !mover.is_finished() {
                let read = read_text(&here, 10).unwrap();
                assert!(read.is_none_or(|text| text == "one"));
            }
        });
        std::os::unix::fs::symlink("nowhere", &here).unwrap();
        assert!(read_text(&here, 10).is_err(), "a link that leads nowhere is something");
    }
}
