//! Files of state that are JSON: read with their version looked at first, written whole. What can't be read is an error
//! with its place, never nothing, and is left as it is.

use super::fs::{self, FsError};
use pintle_manifest::kept::{Unfit, read_kept};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A file of state that can't be used. It is left as it is.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// It can't be read as what it should be.
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
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// Reads a file of at most `most` bytes, of which formats up to `reads` are known; `None` only if nothing is there.
pub(crate) fn read<T: DeserializeOwned>(path: &Path, most: u64, reads: u64) -> Result<Option<T>, StateError> {
    let Some(bytes) = fs::read_if_present(path, most)? else { return Ok(None) };
    let unfit = |unfit| match unfit {
        Unfit::Newer { format } => StateError::Newer { path: path.to_owned(), format, reads },
        Unfit::Wrong(reason) => StateError::Unreadable { path: path.to_owned(), reason },
    };
    read_kept(&bytes, reads).map(Some).map_err(unfit)
}

/// Replaces a file in one step. The caller holds the lease under which alone it is written, so what another one left half
/// written is swept.
pub(crate) fn write(path: &Path, file: &impl Serialize) -> Result<(), StateError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    fs::create_dirs(fs::parent(path))?;
    fs::sweep(fs::parent(path), &format!(".{name}.tmp-"))?;
    let mut text = serde_json::to_string_pretty(file).expect("names, digests and paths are texts");
    text.push('\n');
    Ok(fs::write_atomic(path, text.as_bytes())?)
}
