//! What is on the disk where a file or directory should be and can't. Looks only.

use pintle_manifest::kept::{Belongs, Obstacle, Sight};
use std::io;
use std::path::{Path, PathBuf};

/// Puts what is in the way in the place of what the system says of it.
pub(super) fn explained(path: PathBuf, error: io::Error) -> (PathBuf, io::Error) {
    let belongs = match error.kind() {
        io::ErrorKind::NotADirectory => Belongs::Directory,
        io::ErrorKind::NotFound | io::ErrorKind::IsADirectory => Belongs::File,
        _ if is_odd(&error) => Belongs::File,
        _ => return (path, error),
    };
    // A link that leads nowhere is not nothing.
    let kind = match error.kind() {
        io::ErrorKind::NotFound => io::ErrorKind::Other,
        other => other,
    };
    found(&path, belongs, kind).unwrap_or((path, error))
}

/// Finds what keeps a directory from being made.
pub(super) fn instead_of_directory(path: PathBuf, error: io::Error) -> (PathBuf, io::Error) {
    found(&path, Belongs::Directory, error.kind()).unwrap_or((path, error))
}

fn found(path: &Path, belongs: Belongs, kind: io::ErrorKind) -> Option<(PathBuf, io::Error)> {
    // That something is no directory is said of what is on the way, which the place itself is if it can be looked at.
    let (place, obstacle) = Obstacle::at(path, belongs, look)?;
    Some((place.to_owned(), io::Error::new(kind, obstacle)))
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
