//! Removing a directory with all that is in it, and nothing that is elsewhere.

#[cfg(not(unix))]
use super::fs::remove_file;
use super::fs::{FsError, Result};
use std::io;
use std::path::Path;

/// Removes a directory with all that is in it, also where it is read-only; never follows a link, not even one that
/// is put in the way meanwhile, since every step is taken from an open directory. What is mounted in it is not removed,
/// and is an error.
#[cfg(unix)]
pub fn remove_tree(path: &Path) -> Result<()> {
    match remove_at(rustix::fs::CWD, path.as_os_str(), path) {
        Err(error) if !error.is_not_found() => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Removes what `name` is in the directory `from`; `path` is what to call it in an error.
#[cfg(unix)]
fn remove_at(from: rustix::fd::BorrowedFd<'_>, name: &std::ffi::OsStr, path: &Path) -> Result<()> {
    use rustix::fd::AsFd as _;
    use rustix::fs::{AtFlags, FileType, Mode, OFlags, chmodat, fchmod, fstat, openat, unlinkat};
    use rustix::io::Errno;
    use std::os::unix::ffi::OsStrExt as _;

    let failed = |action| move |error: Errno| FsError::new(action, path)(error.into());
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(from, name, flags, Mode::empty()).or_else(|error| match error {
        Errno::ACCESS => {
            chmodat(from, name, Mode::RWXU, AtFlags::empty())?;
            openat(from, name, flags, Mode::empty())
        }
        error => Err(error),
    });
    let directory = match opened {
        Ok(directory) => directory,
        Err(Errno::NOTDIR | Errno::LOOP | Errno::MLINK) => {
            return unlinkat(from, name, AtFlags::empty()).map_err(failed("remove"));
        }
        Err(error) => return Err(failed("open")(error)),
    };
    let mode = Mode::from_raw_mode(fstat(&directory).map_err(failed("look at"))?.st_mode);
    if !mode.contains(Mode::RWXU) {
        fchmod(&directory, mode | Mode::RWXU).map_err(failed("unlock"))?;
    }
    for entry in rustix::fs::Dir::read_from(&directory).map_err(failed("list"))? {
        let entry = entry.map_err(failed("list"))?;
        let child = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
        if child == "." || child == ".." {
            continue;
        }
        let removed = match entry.file_type() {
            FileType::RegularFile | FileType::Symlink => {
                let place = path.join(child);
                unlinkat(&directory, child, AtFlags::empty())
                    .map_err(|error| FsError::new("remove", &place)(error.into()))
            }
            _ if is_mounted(&directory, child) => {
                let busy = io::Error::other("something is mounted there; unmount it first");
                Err(FsError::new("remove", &path.join(child))(busy))
            }
            _ => remove_at(directory.as_fd(), child, &path.join(child)),
        };
        match removed {
            Err(error) if !error.is_not_found() => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    unlinkat(from, name, AtFlags::REMOVEDIR).map_err(failed("remove"))
}

/// Tells whether something is mounted at a name in a directory. What can't be asked any more, since whoever served it is
/// gone, is.
#[cfg(target_os = "linux")]
fn is_mounted(from: &rustix::fd::OwnedFd, name: &std::ffi::OsStr) -> bool {
    use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    match statx(from, name, flags, StatxFlags::TYPE) {
        Ok(found) => found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT),
        Err(error) => error == rustix::io::Errno::NOTCONN,
    }
}

/// Tells whether something is mounted at a name in a directory, which is not known here.
#[cfg(all(unix, not(target_os = "linux")))]
fn is_mounted(_from: &rustix::fd::OwnedFd, _name: &std::ffi::OsStr) -> bool {
    false
}

/// Removes a directory with all that is in it, also where a file is read-only.
#[cfg(not(unix))]
pub fn remove_tree(path: &Path) -> Result<()> {
    let metadata = match std::fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(FsError::new("look at", path)(error)),
    };
    if !metadata.is_dir() {
        return remove_file(path);
    }
    for entry in std::fs::read_dir(path).map_err(FsError::new("list", path))? {
        let entry = entry.map_err(FsError::new("list", path))?;
        let kind = entry.file_type().map_err(FsError::new("look at", &entry.path()))?;
        match kind.is_dir() {
            true => remove_tree(&entry.path())?,
            false => remove_file(&entry.path())?,
        }
    }
    std::fs::remove_dir(path).map_err(FsError::new("remove", path))
}

#[cfg(all(test, unix))]
mod tests {
    use super::remove_tree;

    #[test]
    fn a_read_only_tree_is_removed_and_a_link_is_not_followed() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let outside = dir.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        let tree = dir.path().join("tree");
        std::fs::create_dir_all(tree.join("a/b")).unwrap();
        std::fs::File::create(tree.join("a/b/c")).unwrap();
        std::os::unix::fs::symlink(&outside, tree.join("link")).unwrap();
        std::fs::set_permissions(tree.join("a/b"), std::fs::Permissions::from_mode(0o555)).unwrap();
        std::fs::create_dir(tree.join("shut")).unwrap();
        std::fs::set_permissions(tree.join("shut"), std::fs::Permissions::from_mode(0o000)).unwrap();
        std::fs::set_permissions(&tree, std::fs::Permissions::from_mode(0o555)).unwrap();
        remove_tree(&tree).unwrap();
        assert!(!tree.exists() && outside.exists());
        remove_tree(&tree).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&outside, &link).unwrap();
        remove_tree(&link).unwrap();
        assert!(link.symlink_metadata().is_err() && outside.exists(), "a link is removed as a link");
    }
}
