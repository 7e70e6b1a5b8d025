//! `state/quarantine.json`: what the system turned off, with the evidence. It ends when a person ends it, or when
//! other files take the place of those that failed.

use super::files::{self, FileError};
use super::json_file::{FORMAT, JsonFile};
use crate::runtime::Fault;
use pintle_manifest::{Digest, Name, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest that is read, in bytes.
const MAX: u64 = 16 * 1024 * 1024;

/// What is in quarantine.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Quarantine {
    /// The evidence, by name.
    pub extensions: BTreeMap<Name, Evidence>,
}

/// Why an extension is in quarantine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The version that failed.
    pub version: Version,
    /// Its tree hash, if it has one. Other files are not in quarantine.
    pub tree: Option<Digest>,
    /// Since when, in milliseconds since 1970.
    pub since_ms: u64,
    /// Why, in one line.
    pub reason: String,
    /// What happened, oldest first.
    pub faults: Vec<FaultNote>,
}

/// One fault, as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultNote {
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// A stable code.
    pub code: String,
    /// What happened.
    pub message: String,
    /// The last lines of its log.
    pub log: Vec<String>,
}

impl FaultNote {
    /// Notes a fault that happened now.
    pub(crate) fn now(fault: &Fault) -> Self {
        Self {
            time_ms: files::now_ms(),
            code: fault.code().to_owned(),
            message: fault.to_string(),
            log: fault.log.clone(),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct QuarantineFile {
    version: u64,
    quarantine: BTreeMap<Name, Evidence>,
}

impl Quarantine {
    /// Reads it. A missing file means nothing is; an unreadable one is an error, never nothing.
    pub fn read(state: &Path) -> Result<Self, FileError> {
        let extensions = file(state).read()?.map(|file| file.quarantine).unwrap_or_default();
        Ok(Self { extensions })
    }

    /// Returns the evidence against exactly these files of an extension.
    pub fn of(&self, name: &Name, version: &Version, tree: Option<Digest>) -> Option<&Evidence> {
        self.extensions.get(name).filter(|evidence| evidence.version == *version && evidence.tree == tree)
    }

    /// Adds one.
    pub fn add(state: &Path, name: &Name, evidence: Evidence) -> Result<(), FileError> {
        Self::change(state, |quarantine| drop(quarantine.insert(name.clone(), evidence)))
    }

    /// Lets one go. Tells whether it was there.
    pub fn release(state: &Path, name: &Name) -> Result<bool, FileError> {
        if !Self::read(state)?.extensions.contains_key(name) {
            return Ok(false);
        }
        Self::change(state, |quarantine| drop(quarantine.remove(name))).map(|()| true)
    }

    /// Tells whether its lock is one.
    pub(super) fn check_lock(state: &Path) -> Result<(), FileError> {
        file(state).check_lock()
    }

    fn change(state: &Path, edit: impl FnOnce(&mut BTreeMap<Name, Evidence>)) -> Result<(), FileError> {
        file(state).change(|before| {
            let mut quarantine = before.map(|file| file.quarantine).unwrap_or_default();
            edit(&mut quarantine);
            Ok((QuarantineFile { version: FORMAT, quarantine }, ()))
        })
    }
}

fn file(state: &Path) -> JsonFile<QuarantineFile> {
    JsonFile::new(state, ["quarantine.json", ".quarantine.lock"], MAX, serde_json::to_string_pretty)
}
