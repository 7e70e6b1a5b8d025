//! Where a host keeps things. Only names of places; nothing is opened.

use pintle_manifest::Name;
use std::path::PathBuf;

/// The directories of one host's scope.
#[derive(Debug, Clone)]
pub struct Places {
    /// What must last: quarantine, starts.
    pub state: PathBuf,
    /// What concerns running hosts only.
    pub run: PathBuf,
    /// What extensions print and log.
    pub log: PathBuf,
    /// What extensions keep, a directory for each.
    pub data: PathBuf,
}

impl Places {
    /// Names them all below one directory.
    pub fn below(base: &std::path::Path) -> Self {
        Self {
            state: base.join("state"),
            run: base.join("run"),
            log: base.join("log"),
            data: base.join("data"),
        }
    }

    /// Returns where the records of hosts are.
    pub fn hosts(&self) -> PathBuf {
        self.run.join("hosts")
    }

    /// Returns where the log of an extension is.
    pub fn log_of(&self, name: &Name) -> PathBuf {
        self.log.join(format!("{name}.log"))
    }

    /// Returns the directory that is an extension's own.
    pub fn data_of(&self, name: &Name) -> PathBuf {
        self.data.join(name.as_str())
    }
}
