//! The staging directory on Linux. Every step is taken relative to an open directory and with a name of one part,
//! beneath it, through no link and onto no other file system; so nothing that happens to the paths meanwhile can
//! lead a write outside.

use super::tree::Mode;
use crate::store::fs::{FsError, Result};
use pintle_manifest::PackagePath;
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode as Bits, OFlags, ResolveFlags, fchmod, fstat, mkdirat, openat, openat2};
use rustix::io::Errno;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Files come in order of their paths, so one chain of open directories, from the root to the last file, is enough.
pub(super) struct Staging {
    path: PathBuf,
    root: OwnedFd,
    open: Vec<(String, OwnedFd)>,
    directories: Vec<String>,
    file: Option<File>,
    file_path: String,
}

impl Staging {
    /// Creates the directory, for its owner only.
    pub(super) fn create(path: &Path) -> Result<Self> {
        rustix::fs::mkdir(path, Bits::RWXU).map_err(|error| FsError::new("create", path)(error.into()))?;
        let opened = rustix::fs::open(path, DIRECTORY, Bits::empty());
        let root =
            opened.and_then(|root| set_mode(root.as_fd(), Bits::RWXU).map(|()| root)).map_err(|error| {
                let _ = rustix::fs::rmdir(path);
                FsError::new("open", path)(error.into())
            })?;
        Ok(Self {
            path: path.to_owned(),
            root,
            open: Vec::new(),
            directories: Vec::new(),
            file: None,
            file_path: String::new(),
        })
    }

    /// Creates a file, and the directories that it is the first to need.
    pub(super) fn begin(&mut self, path: &PackagePath, mode: Mode) -> Result<()> {
        path.as_str().clone_into(&mut self.file_path);
        let (parents, name) = path.as_str().rsplit_once('/').unwrap_or(("", path.as_str()));
        self.enter(parents)?;
        let bits = Bits::from_raw_mode(mode.stored());
        let file = open_beneath(self.here(), name, OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY, bits)
            .map_err(|error| self.failed("create", path.as_str(), error))?;
        set_mode(file.as_fd(), bits).map_err(|error| self.failed("set the mode of", path.as_str(), error))?;
        self.file = Some(File::from(file));
        Ok(())
    }

    /// Adds bytes to the file.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let file = self.file.as_mut().expect("a file begins before its bytes come");
        file.write_all(bytes).map_err(FsError::new("write", &self.path.join(&self.file_path)))
    }

    /// Closes the file.
    pub(super) fn end(&mut self) -> Result<()> {
        self.file = None;
        Ok(())
    }

    /// Makes the directories read-only, the innermost first, and opens the root to all who may read.
    pub(super) fn finish(mut self) -> Result<PathBuf> {
        self.open.clear();
        for directory in self.directories.iter().rev() {
            let opened = open_beneath(self.root.as_fd(), directory, DIRECTORY, Bits::empty())
                .and_then(|opened| set_mode(opened.as_fd(), Bits::from_raw_mode(0o555)));
            opened.map_err(|error| self.failed("lock", directory, error))?;
        }
        set_mode(self.root.as_fd(), Bits::from_raw_mode(0o755))
            .map_err(|error| self.failed("open up", "", error))?;
        Ok(self.path)
    }

    /// Leaves the directories that are done, and creates those that come.
    fn enter(&mut self, parents: &str) -> Result<()> {
        let wanted = parents.split('/').filter(|part| !part.is_empty());
        let same = self.open.iter().zip(wanted.clone()).take_while(|((open, _), part)| open == part).count();
        self.open.truncate(same);
        for part in wanted.skip(same) {
            let path =
                self.open.iter().map(|(name, _)| name.as_str()).chain([part]).collect::<Vec<_>>().join("/");
            let made = mkdirat(self.here(), part, Bits::RWXU)
                .and_then(|()| open_beneath(self.here(), part, DIRECTORY, Bits::empty()))
                // A umask may take even from the owner the right to go in.
                .and_then(|made| set_mode(made.as_fd(), Bits::RWXU).map(|()| made))
                .map_err(|error| self.failed("create", &path, error))?;
            self.open.push((part.to_owned(), made));
            self.directories.push(path);
        }
        Ok(())
    }

    fn here(&self) -> BorrowedFd<'_> {
        self.open.last().map_or(self.root.as_fd(), |(_, directory)| directory.as_fd())
    }

    fn failed(&self, action: &'static str, path: &str, error: Errno) -> FsError {
        FsError::new(action, &self.path.join(path))(error.into())
    }
}

const DIRECTORY: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

fn open_beneath(
    directory: BorrowedFd<'_>,
    name: &str,
    flags: OFlags,
    bits: Bits,
) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH
        | ResolveFlags::NO_SYMLINKS
        | ResolveFlags::NO_MAGICLINKS
        | ResolveFlags::NO_XDEV;
    match openat2(directory, name, flags, bits, resolve) {
        // Kernels before 5.6 have no openat2, and some sandboxes forbid what they don't know. For a name of one
        // part, O_NOFOLLOW says the same.
        Err(Errno::NOSYS | Errno::PERM) if !name.contains('/') => openat(directory, name, flags, bits),
        Err(Errno::NOSYS | Errno::PERM) => open_step_by_step(directory, name, flags),
        opened => opened,
    }
}

fn open_step_by_step(directory: BorrowedFd<'_>, path: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let mut opened: Option<OwnedFd> = None;
    for part in path.split('/') {
        let from = opened.as_ref().map_or(directory, AsFd::as_fd);
        opened = Some(openat(from, part, flags, Bits::empty())?);
    }
    opened.ok_or(Errno::NOENT)
}

/// Sets a mode where the umask or a parent's group bit made it another one. To look is cheaper than to set.
fn set_mode(file: BorrowedFd<'_>, bits: Bits) -> rustix::io::Result<()> {
    let actual = fstat(file)?.st_mode & 0o7777;
    match actual == bits.as_raw_mode() {
        true => Ok(()),
        false => fchmod(file, bits),
    }
}

#[cfg(test)]
mod tests {
    use super::{AsFd as _, Bits, DIRECTORY, Errno, open_beneath, open_step_by_step};
    use rustix::fs::open;

    #[test]
    fn no_way_to_open_follows_a_link_or_leaves_the_directory() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("root/a/b")).unwrap();
        std::fs::create_dir_all(dir.path().join("outside/b")).unwrap();
        std::os::unix::fs::symlink("../outside", dir.path().join("root/link")).unwrap();
        std::os::unix::fs::symlink("a", dir.path().join("root/inside")).unwrap();
        let root = open(dir.path().join("root"), DIRECTORY, Bits::empty()).unwrap();
        let check = |path: &str, expected: bool| {
            let opened = open_beneath(root.as_fd(), path, DIRECTORY, Bits::empty());
            assert_eq!(opened.is_ok(), expected, "{path}: {opened:?}");
            let step_by_step = open_step_by_step(root.as_fd(), path, DIRECTORY);
            assert_eq!(step_by_step.is_ok(), expected, "{path}: {step_by_step:?}");
        };
        check("a", true);
        check("a/b", true);
        check("link", false);
        check("link/b", false);
        check("inside", false);
        check("inside/b", false);
        let outside = open_beneath(root.as_fd(), "../outside", DIRECTORY, Bits::empty());
        assert_eq!(outside.unwrap_err(), Errno::XDEV);
    }
}
