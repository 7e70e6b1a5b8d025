//! The staging directory where the kernel can't hold a path beneath a directory. Files and directories are always
//! created new, never opened, so an existing link is refused; a link put in the way during the unpacking is not.

use super::tree::Mode;
use crate::store::fs::{FsError, Result};
use pintle_manifest::PackagePath;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Writes by path.
pub(super) struct Staging {
    path: PathBuf,
    directories: BTreeSet<String>,
    file: Option<(File, PathBuf, Mode)>,
}

impl Staging {
    /// Creates the directory, for its owner only.
    pub(super) fn create(path: &Path) -> Result<Self> {
        std::fs::create_dir(path).map_err(FsError::new("create", path))?;
        set_mode(path, 0o700)?;
        Ok(Self { path: path.to_owned(), directories: BTreeSet::new(), file: None })
    }

    /// Creates a file, and the directories that it is the first to need.
    pub(super) fn begin(&mut self, path: &PackagePath, mode: Mode) -> Result<()> {
        for (at, _) in path.as_str().match_indices('/') {
            let parent = &path.as_str()[..at];
            if self.directories.insert(parent.to_owned()) {
                let parent = self.path.join(parent);
                std::fs::create_dir(&parent).map_err(FsError::new("create", &parent))?;
                set_mode(&parent, 0o700)?;
            }
        }
        let place = self.path.join(path.as_str());
        let file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .open(&place)
            .map_err(FsError::new("create", &place))?;
        self.file = Some((file, place, mode));
        Ok(())
    }

    /// Adds bytes to the file.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let (file, place, _) = self.file.as_mut().expect("a file begins before its bytes come");
        file.write_all(bytes).map_err(FsError::new("write", place))
    }

    /// Closes the file and locks it.
    pub(super) fn end(&mut self) -> Result<()> {
        match self.file.take() {
            Some((file, place, mode)) => {
                drop(file);
                set_mode(&place, mode.stored())
            }
            None => Ok(()),
        }
    }

    /// Makes the directories read-only, the innermost first, and opens the root to all who may read.
    pub(super) fn finish(self) -> Result<PathBuf> {
        for directory in self.directories.iter().rev() {
            set_mode(&self.path.join(directory), 0o555)?;
        }
        set_mode(&self.path, 0o755)?;
        Ok(self.path)
    }
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).map_err(FsError::new("set the mode of", path))
}

/// Only files can be read-only here; that a directory is locked is the store's to ensure.
#[cfg(not(unix))]
fn set_mode(path: &Path, mode: u32) -> Result<()> {
    let metadata = std::fs::metadata(path).map_err(FsError::new("look at", path))?;
    if metadata.is_dir() {
        return Ok(());
    }
    let mut permissions = metadata.permissions();
    permissions.set_readonly(mode & 0o200 == 0);
    std::fs::set_permissions(path, permissions).map_err(FsError::new("set the mode of", path))
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Mode, Staging};
    use pintle_manifest::PackagePath;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn files_and_directories_are_locked_and_never_opened_twice() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("staging");
        let mut staging = Staging::create(&root).unwrap();
        assert!(Staging::create(&root).is_err());
        let path = PackagePath::parse("a/b/run").unwrap();
        staging.begin(&path, Mode::Executable).unwrap();
        staging.write(b"x").unwrap();
        staging.end().unwrap();
        assert!(staging.begin(&path, Mode::Plain).is_err());
        assert_eq!(staging.finish().unwrap(), root);
        let mode = |path: &str| std::fs::metadata(root.join(path)).unwrap().permissions().mode() & 0o7777;
        assert_eq!((mode("a"), mode("a/b"), mode("a/b/run"), mode("")), (0o555, 0o555, 0o555, 0o755));
        crate::store::fs::remove_tree(&root).unwrap();
    }
}
