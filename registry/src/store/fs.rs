//! The only door to the disk for everything that Pintle keeps. A file is written beside its place, synced, and
//! renamed over it, so a reader finds the old text or the new one; a tree is removed even if it is read-only.
//! Nothing here decides what to write.

pub use super::remove::remove_tree;

use super::in_the_way;
use pintle_manifest::kept::Obstacle;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// An operation on the disk that failed.
#[derive(Debug, thiserror::Error)]
#[error("failed to {action} `{}`", path.display())]
pub struct FsError {
    /// What was tried, as a verb: `read`, `write`, `rename`.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// What the system said.
    #[source]
    pub source: io::Error,
}

impl FsError {
    /// Returns a closure that names what was tried, for `map_err`. If something is there that has no business there, or
    /// on the way there, it names that.
    pub fn new(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            let (path, source) = in_the_way::explained(path, source);
            Self { action, path, source }
        }
    }

    /// Returns what is in the place of a file or directory, if that is the cause.
    pub fn obstacle(&self) -> Option<Obstacle> {
        self.source.get_ref().and_then(|cause| cause.downcast_ref()).copied()
    }

    /// Tells whether the cause is that nothing is there.
    pub fn is_not_found(&self) -> bool {
        self.source.kind() == io::ErrorKind::NotFound
    }
}

/// What a failed operation on the disk returns.
pub type Result<T> = std::result::Result<T, FsError>;

/// Reads a whole file, refusing more than `most` bytes.
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>> {
    let file = open_regular(path)?;
    let expected = file.metadata().map_err(FsError::new("look at", path))?.len();
    let mut bytes = Vec::with_capacity(usize::try_from(expected.min(most)).unwrap_or(0));
    file.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(FsError::new("read", path))?;
    if bytes.len() as u64 > most {
        let error = io::Error::new(io::ErrorKind::FileTooLarge, format!("it has more than {most} bytes"));
        return Err(FsError::new("read", path)(error));
    }
    Ok(bytes)
}

/// Opens a regular file for reading. Anything else, such as a pipe that nobody writes to, is refused at once.
pub fn open_regular(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    must_be_regular(options.open(path).map_err(FsError::new("open", path))?, path)
}

/// Opens a regular file to add to its end, and makes it if nothing is there.
pub fn open_to_append(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    must_be_regular(options.open(path).map_err(FsError::new("open", path))?, path)
}

/// Returns an open file, if it is one.
pub(super) fn must_be_regular(file: File, path: &Path) -> Result<File> {
    let metadata = file.metadata().map_err(FsError::new("look at", path))?;
    match obstacle(&metadata) {
        None => Ok(file),
        Some(obstacle) => Err(FsError::new("read", path)(io::Error::other(obstacle))),
    }
}

/// Tells what something is that is no regular file.
#[cfg(unix)]
fn obstacle(metadata: &std::fs::Metadata) -> Option<Obstacle> {
    use std::os::unix::fs::MetadataExt as _;
    Obstacle::of_mode(metadata.mode())
}

/// Tells what something is that is no regular file.
#[cfg(not(unix))]
fn obstacle(metadata: &std::fs::Metadata) -> Option<Obstacle> {
    (!metadata.is_file()).then_some(if metadata.is_dir() { Obstacle::Directory } else { Obstacle::Device })
}

/// How often a file may come and go while it is read, before that is told.
const MOST_TURNS: usize = 100;

/// Reads a whole file if it is there; `None` only if nothing is. A link that leads nowhere is something.
pub fn read_if_present(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    let mut turns = 1..=MOST_TURNS;
    loop {
        match (read(path, most), turns.next()) {
            (Ok(bytes), _) => return Ok(Some(bytes)),
            (Err(error), Some(_)) if error.is_not_found() => match path.symlink_metadata() {
                Err(_) => return Ok(None),
                Ok(own) if own.is_symlink() && path.metadata().is_err() => return Err(error),
                // Another process has put it there meanwhile.
                Ok(_) => {}
            },
            (Err(error), _) => return Err(error),
        }
    }
}

/// Makes a directory and those above it.
pub fn create_dirs(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).map_err(|source| {
        let (path, source) = in_the_way::instead_of_directory(path.to_owned(), source);
        FsError { action: "create", path, source }
    })
}

/// Replaces a file in one step that survives a power cut: temporary file, fsync, rename, fsync of the directory.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> Result<()> {
    write_through(&temporary_name(path), path, bytes)
}

/// Does the same by way of a temporary name that the caller knows, in the same directory, where nothing is yet.
pub fn write_through(temporary: &Path, path: &Path, bytes: &[u8]) -> Result<()> {
    draft_and_sync(temporary, bytes)?;
    rename(temporary, path).inspect_err(|_| drop(std::fs::remove_file(temporary)))?;
    sync_dir(parent(path))
}

/// Writes and syncs a temporary file in the directory of `path`, to be renamed over it. Returns its path.
pub fn write_beside(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let temporary = temporary_name(path);
    draft_and_sync(&temporary, bytes)?;
    Ok(temporary)
}

fn draft_and_sync(path: &Path, bytes: &[u8]) -> Result<()> {
    draft(path, bytes)?;
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(FsError::new("sync", path)).inspect_err(|_| drop(std::fs::remove_file(path)))
}

/// Writes a new file without waiting for the disk; a [`Barrier`] makes it last. What exists is not touched.
pub fn draft(path: &Path, bytes: &[u8]) -> Result<()> {
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(path)
        .and_then(|mut file| file.write_all(bytes).inspect_err(|_| drop(std::fs::remove_file(path))));
    written.map_err(FsError::new("write", path))
}

/// Returns a name in the same directory that no one else uses: `.NAME.tmp-PID-N`.
pub fn temporary_name(path: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    path.with_file_name(format!(".{name}.tmp-{}-{number}", std::process::id()))
}

/// Renames, replacing what is at `to`.
pub fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(FsError::new("rename to", to))
}

/// Removes a file; that nothing was there is no error.
pub fn remove_file(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(FsError::new("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes everything in a directory whose name begins so; that there is no such directory is no error.
pub fn sweep(directory: &Path, prefix: &str) -> Result<()> {
    let Ok(listing) = std::fs::read_dir(directory) else { return Ok(()) };
    for entry in listing.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            remove_tree(&entry.path())?;
        }
    }
    Ok(())
}

/// Makes what was written to a file survive a power cut.
pub fn sync_file(path: &Path) -> Result<()> {
    File::open(path).and_then(|file| file.sync_all()).map_err(FsError::new("sync", path))
}

/// Makes what was renamed or created in a directory survive a power cut.
pub fn sync_dir(path: &Path) -> Result<()> {
    File::open(path).and_then(|dir| dir.sync_all()).map_err(FsError::new("sync", path))
}

/// Makes everything written to one file system since the barrier was raised survive a power cut, in one step.
///
/// One `syncfs` costs about as much as one fsync, and a set of packages has thousands of files. The descriptor
/// is opened before the writing starts, since the kernel reports a failed write-back only to those.
#[derive(Debug)]
pub struct Barrier {
    directory: File,
    path: PathBuf,
}

impl Barrier {
    /// Opens a directory of the file system that is going to be written to.
    pub fn raise(path: &Path) -> Result<Self> {
        let directory = File::open(path).map_err(FsError::new("open", path))?;
        Ok(Self { directory, path: path.to_owned() })
    }

    /// Waits until everything is on the disk.
    #[cfg(target_os = "linux")]
    pub fn sync(&self) -> Result<()> {
        rustix::fs::syncfs(&self.directory).map_err(|error| FsError::new("sync", &self.path)(error.into()))
    }

    /// Waits until everything is on the disk; a whole-system sync, where no narrower one exists.
    #[cfg(all(unix, not(target_os = "linux")))]
    pub fn sync(&self) -> Result<()> {
        rustix::fs::sync();
        self.directory.sync_all().map_err(FsError::new("sync", &self.path))
    }

    /// Waits until the directory is on the disk; what this platform lacks is said in `docs/deferred.md`.
    #[cfg(not(unix))]
    pub fn sync(&self) -> Result<()> {
        self.directory.sync_all().map_err(FsError::new("sync", &self.path))
    }
}

/// Makes a link to a path that need not exist, replacing what is at `link` in one step.
#[cfg(unix)]
pub fn replace_link(target: &Path, link: &Path) -> Result<()> {
    let temporary = temporary_name(link);
    create_link(target, &temporary)?;
    rename(&temporary, link).inspect_err(|_| drop(std::fs::remove_file(&temporary)))
}

/// Makes a link; what is there already is an error.
#[cfg(unix)]
pub fn create_link(target: &Path, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(target, link).map_err(FsError::new("link", link))
}

/// Makes two paths trade places in one step where the system can, else in two.
pub fn exchange(one: &Path, other: &Path) -> Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags};
        match rustix::fs::renameat_with(CWD, one, CWD, other, RenameFlags::EXCHANGE) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            Err(error) => return Err(FsError::new("exchange", other)(error.into())),
        }
    }
    let between = temporary_name(other);
    rename(other, &between)?;
    rename(one, other)?;
    rename(&between, one)
}

/// Puts a new text in the place of something that is damaged, whatever that is, and returns where that is now: beside it,
/// as `NAME.damaged-1` or a higher number. At no instant is there nothing, where the system can exchange two names.
pub fn replace_damaged(path: &Path, bytes: &[u8]) -> Result<PathBuf> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let free =
        |number: &u64| path.with_file_name(format!("{name}.damaged-{number}")).symlink_metadata().is_err();
    let number = (1..).find(free).unwrap_or(u64::MAX);
    let aside = path.with_file_name(format!("{name}.damaged-{number}"));
    draft_and_sync(&aside, bytes)?;
    exchange(&aside, path).inspect_err(|_| drop(std::fs::remove_file(&aside)))?;
    sync_dir(parent(path))?;
    Ok(aside)
}

/// Gives a new file the mode of the one that it will replace, if there is one.
pub fn copy_mode(from: &Path, to: &Path) -> Result<()> {
    match std::fs::metadata(from) {
        Ok(metadata) => {
            std::fs::set_permissions(to, metadata.permissions()).map_err(FsError::new("set the mode of", to))
        }
        Err(_) => Ok(()),
    }
}

/// Takes a directory's right to be changed away, or gives it back.
#[cfg(unix)]
pub fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))
        .map_err(FsError::new("set the mode of", path))
}

/// Tells whether two existing paths are on one file system; `false` where that can't be told.
pub fn same_file_system(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let device = |path: &Path| std::fs::metadata(path).map(|metadata| metadata.dev()).ok();
        device(one).is_some() && device(one) == device(other)
    }
    #[cfg(not(unix))]
    {
        let _ = (one, other);
        false
    }
}

/// Returns the directory that a path is in.
pub fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

#[cfg(test)]
mod tests {
    use super::{read, read_if_present, write_atomic};

    #[test]
    fn a_file_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state.json");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(read(&path, 10).unwrap(), b"two");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary file is left");
        assert!(read(&path, 2).is_err(), "more than the most is refused");
        assert_eq!(read_if_present(&dir.path().join("none"), 10).unwrap(), None);
    }

    #[cfg(unix)]
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
                let read = read_if_present(&here, 10).unwrap();
                assert!(read.is_none_or(|bytes| bytes == b"one"));
            }
        });
        std::os::unix::fs::symlink("nowhere", &here).unwrap();
        assert!(read_if_present(&here, 10).is_err(), "a link that leads nowhere is something");
    }
}
