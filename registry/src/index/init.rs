//! Makes an empty registry in a directory. Refuses a directory that holds anything else.

use super::error::IndexError;
use super::head::{self, Head};
use super::lock::{self, Lock};
use super::object::Kind;
use super::table::Table;
use super::{ChangeError, change};
use crate::store::fs::{self, FsError};
use pintle_manifest::Digest;
use std::path::{Path, PathBuf};

/// What was found, or made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Initialized {
    /// There was a registry already, and nothing was done.
    pub already: bool,
}

/// Says why no registry was made.
#[derive(Debug, thiserror::Error)]
pub enum InitError {
    /// The directory holds something.
    #[error("`{}` is neither empty nor a registry: it holds `{}`", path.display(), holds.display())]
    NotEmpty {
        /// The directory.
        path: PathBuf,
        /// One thing in it, relative to it.
        holds: PathBuf,
    },
    /// It could not be read or written, or holds a registry that can't be read.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Makes an empty registry. Where there is one already, says so and does nothing.
pub fn init(dir: &Path) -> Result<Initialized, InitError> {
    fs::create_dirs(dir).map_err(ChangeError::from)?;
    let table = Table::empty(0);
    let bytes = table.write();
    // Looked at before the lock is taken, since that leaves a file behind.
    if refuse_others(dir, &Digest::of(&bytes))? {
        return Ok(Initialized { already: true });
    }
    let _lock = Lock::take(dir).map_err(ChangeError::from)?;
    if refuse_others(dir, &Digest::of(&bytes))? {
        return Ok(Initialized { already: true });
    }
    for kind in Kind::ALL {
        fs::create_dirs(&dir.join(kind.directory())).map_err(ChangeError::from)?;
    }
    let table = change::write_object(dir, Kind::Table, &bytes).map_err(ChangeError::from)?;
    let head = Head { version: 1, expires: None, bin_bits: 0, packages: 0, table };
    fs::write_atomic(&dir.join(head::FILE), &head.write()).map_err(ChangeError::from)?;
    Ok(Initialized { already: false })
}

/// Says what [`init`] would do, and makes nothing.
pub fn would_init(dir: &Path) -> Result<Initialized, InitError> {
    let table = Table::empty(0);
    let already = dir.exists() && refuse_others(dir, &Digest::of(&table.write()))?;
    Ok(Initialized { already })
}

/// Tells whether there is a registry; fails if there is anything but what an `init` that was killed leaves.
fn refuse_others(dir: &Path, table: &Digest) -> Result<bool, InitError> {
    match change::Base::read(dir) {
        Ok(_) => return Ok(true),
        Err(IndexError::Empty { .. }) => return Ok(false),
        Err(IndexError::NotRegistry { .. }) => {}
        Err(error) => return Err(ChangeError::from(error).into()),
    }
    for name in names(dir)? {
        let path = dir.join(&name);
        let kind = Kind::ALL.into_iter().find(|kind| name == Path::new(kind.directory()));
        let inside = match kind {
            Some(_) if path.is_dir() => names(&path)?,
            Some(_) | None => Vec::new(),
        };
        let stray = match kind {
            Some(Kind::Table) if path.is_dir() => {
                inside.into_iter().find(|file| file != Path::new(&table.to_hex()) && !is_temporary(file))
            }
            Some(_) if path.is_dir() => inside.into_iter().next(),
            Some(_) | None if name == Path::new(lock::FILE) || is_temporary(&name) => None,
            Some(_) | None => {
                return Err(InitError::NotEmpty { path: dir.to_owned(), holds: name });
            }
        };
        if let Some(file) = stray {
            return Err(InitError::NotEmpty { path: dir.to_owned(), holds: name.join(file) });
        }
    }
    Ok(false)
}

fn names(dir: &Path) -> Result<Vec<PathBuf>, InitError> {
    let list = || -> std::io::Result<Vec<PathBuf>> {
        std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().into())).collect()
    };
    let mut names = list().map_err(FsError::new("list", dir)).map_err(ChangeError::from)?;
    names.sort();
    Ok(names)
}

/// Tells whether a file is one that was never renamed to its place (`store::fs::temporary_name`).
pub(super) fn is_temporary(name: &Path) -> bool {
    let text = name.to_string_lossy();
    text.starts_with('.') && text.contains(".tmp-")
}
