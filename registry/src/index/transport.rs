//! How the files of a registry are reached. A transport brings bytes and says why it could not; it neither checks
//! nor understands them. The directory is the first; a web site is to follow.

use super::head;
use super::object::Kind;
use crate::store::fs::{self, FsError};
use pintle_manifest::Digest;
use std::error::Error;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Brings the files of one registry.
pub trait Transport: Send + Sync {
    /// Returns where the registry is, for messages and to tell registries apart.
    fn location(&self) -> String;

    /// Returns the bytes of the head.
    fn head(&self) -> Result<Vec<u8>, TransportError>;

    /// Opens an object to be read from front to back; `None` only if the registry has no such object.
    fn open(&self, kind: Kind, digest: &Digest) -> Result<Option<Box<dyn Read + Send>>, TransportError>;
}

/// Says why a registry could not be read.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// It can't be reached: it is gone, or may not be read.
    #[error("it can't be reached")]
    Unreachable {
        /// What the system said.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is nothing at all.
    #[error("it is empty")]
    Empty,
    /// There is something else.
    #[error("it has no `head.json`")]
    NotRegistry,
    /// The head is far larger than any head.
    #[error("its `head.json` is too large")]
    LargeHead,
}

impl TransportError {
    fn unreachable(error: FsError) -> Self {
        Self::Unreachable { source: Box::new(error) }
    }
}

/// Reads a registry in a directory.
#[derive(Debug)]
pub(super) struct DirectoryTransport {
    root: PathBuf,
}

impl DirectoryTransport {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_owned() }
    }

    /// Says why there is no head.
    fn explain(&self) -> TransportError {
        let entries = match std::fs::read_dir(&self.root) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return TransportError::NotRegistry,
            Err(error) => return TransportError::unreachable(FsError::new("list", &self.root)(error)),
        };
        match entries.count() {
            0 => TransportError::Empty,
            _ => TransportError::NotRegistry,
        }
    }
}

impl Transport for DirectoryTransport {
    fn location(&self) -> String {
        self.root.display().to_string()
    }

    fn head(&self) -> Result<Vec<u8>, TransportError> {
        match fs::read(&self.root.join(head::FILE), head::MOST) {
            Ok(bytes) => Ok(bytes),
            Err(error) => match error.source.kind() {
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Err(self.explain()),
                io::ErrorKind::FileTooLarge => Err(TransportError::LargeHead),
                _ => Err(TransportError::unreachable(error)),
            },
        }
    }

    fn open(&self, kind: Kind, digest: &Digest) -> Result<Option<Box<dyn Read + Send>>, TransportError> {
        let path = kind.path(&self.root, digest);
        match fs::open_regular(&path) {
            Ok(file) => Ok(Some(Box::new(file))),
            // A root that is gone is not an object that is gone.
            Err(error) if error.is_not_found() && self.root.is_dir() => Ok(None),
            Err(error) => Err(TransportError::unreachable(error)),
        }
    }
}
