//! A small file of JSON that outlives hosts, several of which may change it at once: read with its version looked at
//! first, changed under a lock of its own, written whole. One that can't be read is an error and is left as it is.

use super::files::{self, FileError};
use pintle_manifest::kept::{Unfit, read_kept};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// The format of all of them that this Pintle writes, and the newest that it reads.
pub(super) const FORMAT: u64 = 1;

/// Where such a file is, and what is in it.
#[derive(Debug)]
pub(super) struct JsonFile<T> {
    path: PathBuf,
    lock: PathBuf,
    most: u64,
    text: Text<T>,
}

/// How the content becomes a text.
pub(super) type Text<T> = fn(&T) -> serde_json::Result<String>;

impl<T: Serialize + DeserializeOwned> JsonFile<T> {
    /// Names a file of at most `most` bytes, and the file whose lock is the right to change it.
    pub(super) fn new(directory: &Path, [name, lock]: [&str; 2], most: u64, text: Text<T>) -> Self {
        Self { path: directory.join(name), lock: directory.join(lock), most, text }
    }

    /// Reads it; `None` only if nothing is there.
    pub(super) fn read(&self) -> Result<Option<T>, FileError> {
        let path = &self.path;
        let Some(text) = files::read_text(path, self.most)? else { return Ok(None) };
        let unfit = |unfit| match unfit {
            Unfit::Newer { format } => FileError::Newer { path: path.clone(), format, reads: FORMAT },
            Unfit::Wrong(reason) => FileError::Unreadable { path: path.clone(), reason },
        };
        read_kept(text.as_bytes(), FORMAT).map(Some).map_err(unfit)
    }

    /// Tells whether it could be changed, if nobody else is about to: something else may be where the lock is to be.
    pub(super) fn check_lock(&self) -> Result<(), FileError> {
        files::is_locked(&self.lock).map(drop)
    }

    /// Puts it aside if it is damaged, as `NAME.damaged-1` or a higher number beside it, and tells whether it did. What a
    /// newer Pintle wrote, or what may not be read, is not damaged.
    pub(super) fn put_damaged_aside(&self) -> Result<bool, FileError> {
        let _lock = files::lock(&self.lock)?;
        let is_damaged = match self.read() {
            Ok(_) | Err(FileError::Newer { .. } | FileError::Busy { .. }) => false,
            Err(FileError::Unreadable { .. }) => true,
            Err(error @ FileError::Io { .. }) => error.obstacle().is_some_and(|what| !what.is_on_the_way()),
        };
        match is_damaged {
            true => files::put_aside(&self.path).map(|()| true),
            false => Ok(false),
        }
    }

    /// Reads it, lets it be changed, and writes it, while nobody else does. Returns what `edit` returns.
    pub(super) fn change<R, E: From<FileError>>(
        &self,
        edit: impl FnOnce(Option<T>) -> Result<(T, R), E>,
    ) -> Result<R, E> {
        let _lock = files::lock(&self.lock)?;
        let (content, returned) = edit(self.read()?)?;
        let mut text = (self.text)(&content).expect("names and keys are texts");
        text.push('\n');
        files::write_atomic(&self.path, text.as_bytes())?;
        Ok(returned)
    }
}
