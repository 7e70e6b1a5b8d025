//! Generations: complete installed sets, numbered, immutable. `current` is a link to one of them.

use super::fs::{self, FsError};
use super::set_file::Set;
use super::state_file::StateError;
use std::fs::File;
use std::path::{Path, PathBuf};

/// The installed sets of one scope.
#[derive(Debug, Clone)]
pub struct Generations {
    base: PathBuf,
}

/// Keeps a generation from being collected, until dropped. A live host holds the one it runs.
#[derive(Debug)]
pub struct Hold {
    _file: File,
}

impl Generations {
    /// Names the generations below a base directory.
    pub fn new(base: &Path) -> Self {
        Self { base: base.to_owned() }
    }

    /// Returns the directory that holds them all.
    pub fn directory(&self) -> PathBuf {
        self.base.join("generations")
    }

    /// Returns the directory of one.
    pub fn path(&self, number: u64) -> PathBuf {
        self.directory().join(number.to_string())
    }

    /// Returns the link that says which is current.
    pub fn current_link(&self) -> PathBuf {
        self.base.join("current")
    }

    /// Returns the numbers of all that are there, ascending.
    pub fn numbers(&self) -> Result<Vec<u64>, FsError> {
        let directory = self.directory();
        let listing = match std::fs::read_dir(&directory).map_err(FsError::new("list", &directory)) {
            Ok(listing) => listing,
            Err(error) if error.is_not_found() => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut numbers = Vec::new();
        for entry in listing {
            let name = entry.map_err(FsError::new("list", &directory))?.file_name();
            numbers.extend(name.to_str().and_then(number_of));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// Returns the number of the current one; `None` only if nothing was ever installed.
    pub fn current(&self) -> Result<Option<u64>, StateError> {
        let link = self.current_link();
        let target = match std::fs::read_link(&link) {
            Ok(target) => target,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return self.never_installed(link),
            Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {
                return Err(match fs::open_regular(&link) {
                    Err(in_the_way) => in_the_way.into(),
                    Ok(_) => {
                        let reason = "it is a file, and a link to a generation belongs here".to_owned();
                        StateError::Unreadable { path: link, reason }
                    }
                });
            }
            Err(error) => return Err(FsError::new("read the link", &link)(error).into()),
        };
        let number = target.file_name().and_then(|name| name.to_str()).and_then(number_of);
        number.map(Some).ok_or_else(|| StateError::Unreadable {
            path: link,
            reason: format!("it points at `{}`, which is no generation", target.display()),
        })
    }

    /// Without a current one nothing was ever installed, unless there are generations that no change is just making.
    fn never_installed(&self, link: PathBuf) -> Result<Option<u64>, StateError> {
        let is_pending = self.base.join("state/pending.json").exists();
        let has_come = || link.symlink_metadata().is_ok();
        match self.numbers()?.last() {
            // Another command may have made the first generation current since the link was looked for.
            Some(_) if has_come() => self.current(),
            Some(newest) if !is_pending => {
                let reason = format!("it is gone, and there are generations (the newest is {newest})");
                Err(StateError::Unreadable { path: link, reason })
            }
            Some(_) | None => Ok(None),
        }
    }

    /// Reads one.
    pub fn read(&self, number: u64) -> Result<Set, StateError> {
        Set::read(&self.path(number).join("set.json"))
    }

    /// Reads the current one; `None` only if nothing was ever installed.
    pub fn read_current(&self) -> Result<Option<Set>, StateError> {
        self.current()?.map(|number| self.read(number)).transpose()
    }

    /// Keeps one from being collected. Any number of holders may hold it at once.
    pub fn hold(&self, number: u64) -> Result<Hold, FsError> {
        let path = self.path(number).join("set.json");
        let file = fs::open_regular(&path)?;
        file.lock_shared().map_err(FsError::new("lock", &path))?;
        // It may have been removed between the two.
        path.metadata().map_err(FsError::new("look at", &path))?;
        Ok(Hold { _file: file })
    }

    /// Removes one unless a live host holds it. Tells whether it did.
    pub fn remove_unless_held(&self, number: u64) -> Result<bool, FsError> {
        let path = self.path(number).join("set.json");
        // The lock is kept until the generation is gone, so that no one can begin to hold it meanwhile.
        let file = fs::open_regular(&path).ok();
        if let Some(file) = &file
            && file.try_lock().is_err()
        {
            return Ok(false);
        }
        self.remove(number).map(|()| true)
    }

    /// Removes one; it disappears in one step, and what a crash leaves is swept later.
    pub fn remove(&self, number: u64) -> Result<(), FsError> {
        let aside = fs::temporary_name(&self.path(number));
        fs::rename(&self.path(number), &aside)?;
        fs::remove_tree(&aside)
    }
}

/// The highest number a generation may have; a directory of a higher one is none of ours.
const HIGHEST: u64 = 1 << 53;

/// Reads the number of a generation as it is written, and in no other way.
fn number_of(name: &str) -> Option<u64> {
    name.parse().ok().filter(|number: &u64| *number <= HIGHEST && number.to_string() == name)
}
