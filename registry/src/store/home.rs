//! `PINTLE_HOME`, the directory that everything of one person lives in. Only names of places; nothing is opened.

use std::path::{Path, PathBuf};

/// Names the places in `PINTLE_HOME`.
#[derive(Debug, Clone)]
pub struct Home {
    root: PathBuf,
}

impl Home {
    /// Takes the absolute path of the directory; it need not exist.
    pub const fn new(root: PathBuf) -> Self {
        Self { root }
    }

    /// Returns the directory itself.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of unpacked releases.
    pub fn store(&self) -> PathBuf {
        self.root.join("store")
    }

    /// Returns the directory of what was read of registries.
    pub fn cache(&self) -> PathBuf {
        self.root.join("cache")
    }

    /// Returns the directory that holds one directory for each project.
    pub fn projects(&self) -> PathBuf {
        self.root.join("projects")
    }

    /// Returns the file of what was allowed.
    pub fn grants(&self) -> PathBuf {
        self.root.join("trust/grants.json")
    }

    /// Returns the lock of the file of what was allowed.
    pub fn trust_lock(&self) -> PathBuf {
        self.root.join("run/trust.lock")
    }

    /// Returns the lock that garbage collection takes alone and installations share.
    pub fn store_lock(&self) -> PathBuf {
        self.root.join("run/store.lock")
    }
}
