//! `set.json`: what one generation is made of. Written once, never changed, and read by everything that asks what
//! is installed. A newer one than this Pintle knows is refused, and an unreadable one is never taken for empty.

use super::state_file::{self, StateError};
use super::written_path::WrittenPath;
use crate::index::RegistryName;
use jiff::Timestamp;
use pintle_manifest::{Digest, HostName, Name, Permissions, Requirement, Target, Untrusted, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The format that this Pintle writes.
const FORMAT: u64 = 1;
/// The largest that is read, in bytes.
const MAX: u64 = 64 * 1024 * 1024;

/// What one generation is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// Its number.
    pub generation: u64,
    /// The generation that it was made from.
    pub parent: Option<u64>,
    /// When it was made.
    pub time: Timestamp,
    /// By which command.
    pub command: String,
    /// The digest of the wishes that it fulfils.
    pub wishes: Digest,
    /// The digest of the lock that it holds.
    pub lock: Digest,
    /// The contract versions that it was chosen for.
    pub hosts: BTreeMap<HostName, Version>,
    /// The machine that it was chosen for.
    pub target: Target,
    /// What is installed, by name.
    pub extensions: BTreeMap<Name, Installed>,
}

/// One installed extension.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// Its version.
    pub version: Version,
    /// Where it came from.
    pub source: Source,
    /// The target of the artifact; `any` for a folder.
    pub target: Target,
    /// The tree hash; none for a folder, whose files may change at any time.
    pub tree: Option<Digest>,
    /// The requirement by which the person asked for it; none if it is here only as a dependency.
    pub wish: Option<Requirement>,
    /// What it depends on.
    pub dependencies: BTreeMap<Name, Requirement>,
    /// The contracts it serves.
    pub hosts: BTreeMap<HostName, Requirement>,
    /// What it asks to be allowed.
    pub permissions: Permissions,
    /// How its code is run: `process`, `native` or `wasm`.
    pub runtime: String,
}

/// Where an extension came from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// A registry, by the name it has in the wishes.
    Registry(RegistryName),
    /// A folder, for development; linked, not copied.
    Folder(PathBuf),
    /// A package archive in a file.
    Archive(PathBuf),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Registry(name) => write!(f, "registry {name}"),
            Self::Folder(path) => write!(f, "folder {}", Untrusted(&path.to_string_lossy())),
            Self::Archive(path) => write!(f, "archive {}", Untrusted(&path.to_string_lossy())),
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SetFile {
    version: u64,
    generation: u64,
    parent: Option<u64>,
    time: Timestamp,
    command: String,
    wishes: Digest,
    lock: Digest,
    hosts: BTreeMap<HostName, Version>,
    target: Target,
    extensions: BTreeMap<Name, InstalledFile>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InstalledFile {
    version: Version,
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<RegistryName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    folder: Option<WrittenPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    archive: Option<WrittenPath>,
    target: Target,
    tree: Option<Digest>,
    wish: Option<Requirement>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    dependencies: BTreeMap<Name, Requirement>,
    hosts: BTreeMap<HostName, Requirement>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    permissions: Permissions,
    runtime: String,
}

impl Set {
    /// Reads the set of a generation.
    pub fn read(path: &Path) -> Result<Self, StateError> {
        let unreadable = |reason: String| StateError::Unreadable { path: path.to_owned(), reason };
        let file: Option<SetFile> = state_file::read(path, MAX, FORMAT)?;
        // A generation without its set is damaged, not empty.
        let file = file.ok_or_else(|| unreadable("it is not there".to_owned()))?;
        let mut extensions = BTreeMap::new();
        for (name, installed) in file.extensions {
            let installed = Installed::from_file(installed)
                .ok_or_else(|| unreadable(format!("`{name}` has no source or more than one")))?;
            extensions.insert(name, installed);
        }
        Ok(Self {
            generation: file.generation,
            parent: file.parent,
            time: file.time,
            command: file.command,
            wishes: file.wishes,
            lock: file.lock,
            hosts: file.hosts,
            target: file.target,
            extensions,
        })
    }

    /// Returns the text of `set.json`.
    pub fn to_json(&self) -> String {
        let file = SetFile {
            version: FORMAT,
            generation: self.generation,
            parent: self.parent,
            time: self.time,
            command: self.command.clone(),
            wishes: self.wishes,
            lock: self.lock,
            hosts: self.hosts.clone(),
            target: self.target,
            extensions: self.extensions.iter().map(|(name, one)| (name.clone(), one.to_file())).collect(),
        };
        let mut text = serde_json::to_string(&file).expect("a set has only texts as keys");
        text.push('\n');
        text
    }
}

impl Installed {
    fn from_file(file: InstalledFile) -> Option<Self> {
        let source = match (file.registry, file.folder, file.archive) {
            (Some(registry), None, None) => Source::Registry(registry),
            (None, Some(folder), None) => Source::Folder(folder.0),
            (None, None, Some(archive)) => Source::Archive(archive.0),
            (_, _, _) => return None,
        };
        Some(Self {
            version: file.version,
            source,
            target: file.target,
            tree: file.tree,
            wish: file.wish,
            dependencies: file.dependencies,
            hosts: file.hosts,
            permissions: file.permissions,
            runtime: file.runtime,
        })
    }

    fn to_file(&self) -> InstalledFile {
        let (mut registry, mut folder, mut archive) = (None, None, None);
        match &self.source {
            Source::Registry(name) => registry = Some(name.clone()),
            Source::Folder(path) => folder = Some(WrittenPath(path.clone())),
            Source::Archive(path) => archive = Some(WrittenPath(path.clone())),
        }
        InstalledFile {
            version: self.version.clone(),
            registry,
            folder,
            archive,
            target: self.target,
            tree: self.tree,
            wish: self.wish.clone(),
            dependencies: self.dependencies.clone(),
            hosts: self.hosts.clone(),
            permissions: self.permissions.clone(),
            runtime: self.runtime.clone(),
        }
    }
}
