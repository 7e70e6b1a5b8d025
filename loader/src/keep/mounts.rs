//! What an extension mounted in a directory that is the host's to remove. It is taken away first: what is in it is
//! somebody else's, and is never removed with the directory.

use super::files::{FileError, failed};
use std::path::Path;

/// Takes away everything that is mounted at a path, one upon the other.
pub(super) fn unmount(path: &Path) -> Result<(), FileError> {
    while is_mounted(path) {
        #[cfg(target_os = "linux")]
        {
            use rustix::mount::UnmountFlags;
            let flags = UnmountFlags::DETACH | UnmountFlags::NOFOLLOW;
            rustix::mount::unmount(path, flags).map_err(|error| failed("unmount", path)(error.into()))?;
        }
    }
    Ok(())
}

/// Tells whether something is mounted at a path. What can't be asked any more, since whoever served it is gone, is.
#[cfg(target_os = "linux")]
fn is_mounted(path: &Path) -> bool {
    use rustix::fs::{AtFlags, CWD, StatxAttributes, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::NO_AUTOMOUNT | AtFlags::STATX_DONT_SYNC;
    match statx(CWD, path, flags, StatxFlags::TYPE) {
        Ok(found) => found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT),
        Err(error) => error == rustix::io::Errno::NOTCONN,
    }
}

#[cfg(not(target_os = "linux"))]
fn is_mounted(_path: &Path) -> bool {
    false
}
