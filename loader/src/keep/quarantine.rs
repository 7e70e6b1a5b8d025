//! `state/quarantine.json`: what the system turned off, with the evidence. It ends when a person ends it, or when
//! other files take the place of those that failed.

use super::files::{self, FileError};
use crate::runtime::Fault;
use pintle_manifest::{Digest, Name, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

const FORMAT: u32 = 1;
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
    version: u32,
    quarantine: BTreeMap<Name, Evidence>,
}

impl Quarantine {
    /// Reads it. A missing file means nothing is; an unreadable one is an error, never nothing.
    pub fn read(state: &Path) -> Result<Self, FileError> {
        let path = path(state);
        let Some(text) = files::read_text(&path, MAX)? else { return Ok(Self::default()) };
        let file: QuarantineFile = read_json(&path, &text, FORMAT)?;
        Ok(Self { extensions: file.quarantine })
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

    fn change(state: &Path, edit: impl FnOnce(&mut BTreeMap<Name, Evidence>)) -> Result<(), FileError> {
        let _lock = files::lock(&state.join(".quarantine.lock"))?;
        let mut quarantine = Self::read(state)?.extensions;
        edit(&mut quarantine);
        let file = QuarantineFile { version: FORMAT, quarantine };
        let mut text = serde_json::to_string_pretty(&file).expect("names are texts");
        text.push('\n');
        files::write_atomic(&path(state), text.as_bytes())
    }
}

fn path(state: &Path) -> PathBuf {
    state.join("quarantine.json")
}

/// Reads a file of state whose `version` is looked at first.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(
    path: &Path,
    text: &str,
    reads: u32,
) -> Result<T, FileError> {
    #[derive(Deserialize)]
    struct Head {
        version: u32,
    }
    let unreadable =
        |error: serde_json::Error| FileError::Unreadable { path: path.to_owned(), reason: error.to_string() };
    let head: Head = serde_json::from_str(text).map_err(unreadable)?;
    if head.version > reads {
        return Err(FileError::Newer { path: path.to_owned(), format: head.version, reads });
    }
    serde_json::from_str(text).map_err(unreadable)
}
