//! Extensions that come from this machine: a folder that is linked while it is worked on, and a package archive in
//! a file. Each offers exactly one version of its name.

use crate::archive::{Archive, ArchiveError, Tree};
use crate::index::Runtime;
use crate::package::Binary;
use crate::set::{Locked, LockedArtifact, LockedSource};
use crate::store::fs::{self, FsError};
use pintle_manifest::{Entry, Manifest, Name, PackagePath, Problem, Target, Version};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The name of the manifest in a folder.
pub const MANIFEST: &str = "extension.toml";

/// Says why a folder or an archive is no extension.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// Nothing is at the path, or nothing that could be one.
    #[error("`{}` is neither a folder with an `extension.toml` nor a package archive", path.display())]
    NotAnExtension {
        /// The path.
        path: PathBuf,
    },
    /// A package archive holds other things, and no manifest.
    #[error("the archive `{}` has no `extension.toml`", path.display())]
    NoManifest {
        /// The archive.
        path: PathBuf,
    },
    /// The manifest has errors.
    #[error("`{}` has errors", path.display())]
    Manifest {
        /// The manifest; for one in an archive, the archive.
        path: PathBuf,
        /// Its text, to show the places.
        text: String,
        /// The errors.
        problems: Vec<Problem>,
    },
    /// Another extension is at the path than the wishes say.
    #[error("`{}` holds `{found}`, not `{expected}`", path.display())]
    OtherName {
        /// The path.
        path: PathBuf,
        /// The name in the wishes.
        expected: Name,
        /// The name in the manifest.
        found: Name,
    },
    /// A file of that name, version and place was locked, and it has other bytes now.
    #[error("`{}` is not the archive that was locked: expected {expected}, found {found}", path.display())]
    ChangedArchive {
        /// The path.
        path: PathBuf,
        /// The digest in the lock.
        expected: pintle_manifest::Digest,
        /// The digest of the file.
        found: pintle_manifest::Digest,
    },
    /// The archive can't be read.
    #[error("can't use the archive `{}`", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        #[source]
        source: ArchiveError,
    },
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

impl LocalError {
    /// Tells whether nothing is at the path any more.
    pub fn is_gone(&self) -> bool {
        match self {
            Self::NotAnExtension { path } => !path.exists(),
            Self::Archive { path, .. } => !path.exists(),
            Self::Manifest { .. }
            | Self::OtherName { .. }
            | Self::ChangedArchive { .. }
            | Self::NoManifest { .. }
            | Self::Fs(_) => false,
        }
    }
}

/// An extension from this machine.
#[derive(Debug, Clone)]
pub struct Local {
    /// Its name.
    pub name: Name,
    /// What the lock says of it.
    pub locked: Locked,
    /// The targets that it has code for.
    pub targets: Vec<Target>,
    /// The folders that it takes dependencies from, by the names of these.
    beside: BTreeMap<Name, String>,
}

impl Local {
    /// Reads the extension in a folder; `written` is the path as the wishes have it.
    pub fn folder(directory: &Path, written: &str) -> Result<Self, LocalError> {
        let folder = directory.join(written);
        let (manifest, _) = read_manifest(&folder)?;
        let locked = lock_entry(&manifest, LockedSource::Folder(written.to_owned()), BTreeMap::new());
        let dependencies = manifest.dependencies.iter();
        let beside =
            dependencies.filter_map(|(name, one)| Some((name.clone(), beside(written, one.path.as_ref()?))));
        let targets = manifest.entry.targets();
        Ok(Self { beside: beside.collect(), name: manifest.name, locked, targets })
    }

    /// Takes over what was locked of an extension whose folder or archive is no longer there.
    pub fn gone(name: &Name, locked: &Locked) -> Self {
        let targets = match &locked.source {
            LockedSource::Folder(_) => vec![Target::ANY],
            LockedSource::Archive(_) | LockedSource::Registry(_) => {
                locked.artifacts.keys().copied().collect()
            }
        };
        Self { name: name.clone(), locked: locked.clone(), targets, beside: BTreeMap::new() }
    }

    /// Reads the extension in a package archive; `written` is the path as the wishes have it.
    pub fn archive(directory: &Path, written: &str) -> Result<Self, LocalError> {
        let path = directory.join(written);
        let failed = |source| LocalError::Archive { path: path.clone(), source };
        let verified = Archive::open(&path).and_then(Archive::measure).map_err(failed)?;
        let scan = verified.scan().map_err(failed)?;
        let Some(bytes) = scan.manifest else { return Err(LocalError::NoManifest { path }) };
        let manifest = parse_manifest(&path, &bytes)?;
        let artifact = LockedArtifact {
            archive: verified.digest(),
            size: verified.size(),
            tree: scan.tree.digest(),
            unpacked: scan.tree.unpacked_size(),
            files: scan.tree.len() as u64,
            extra: String::new(),
        };
        let source = LockedSource::Archive(written.to_owned());
        let targets = match program_in(&manifest.entry, &scan.tree) {
            Some(program) => {
                let bytes = verified.read_file(&program, MOST_PROGRAM).map_err(failed)?;
                targets_of(&bytes.unwrap_or_default())
            }
            None => manifest.entry.targets(),
        };
        let artifacts = targets.iter().map(|target| (*target, artifact.clone())).collect();
        let locked = lock_entry(&manifest, source, artifacts);
        Ok(Self { name: manifest.name, locked, targets, beside: BTreeMap::new() })
    }

    /// Checks that it is the extension that the wishes name.
    pub fn named(self, name: &Name, directory: &Path) -> Result<Self, LocalError> {
        if self.name == *name {
            return Ok(self);
        }
        let path = match &self.locked.source {
            LockedSource::Folder(path) | LockedSource::Archive(path) => directory.join(path),
            LockedSource::Registry(_) => directory.to_owned(),
        };
        Err(LocalError::OtherName { path, expected: name.clone(), found: self.name })
    }

    /// Checks that an archive has the bytes that it was locked with, if it is of the same version.
    pub fn unchanged_since(self, locked: Option<&Locked>, directory: &Path) -> Result<Self, LocalError> {
        let LockedSource::Archive(path) = &self.locked.source else { return Ok(self) };
        let same = |old: &&Locked| old.source == self.locked.source && old.version == self.locked.version;
        let before = locked.filter(same).and_then(|old| old.artifacts.values().next());
        let now = self.locked.artifacts.values().next();
        match (before, now) {
            (Some(before), Some(now)) if before.archive != now.archive => Err(LocalError::ChangedArchive {
                path: directory.join(path),
                expected: before.archive,
                found: now.archive,
            }),
            (_, _) => Ok(self),
        }
    }

    /// Returns the folders that its manifest takes dependencies from, as the wishes would write them.
    pub const fn folders_beside(&self) -> &BTreeMap<Name, String> {
        &self.beside
    }

    /// Tells whether it has code for a machine.
    pub fn is_for(&self, target: Target) -> bool {
        self.targets.iter().any(|one| *one == target || *one == Target::ANY)
    }

    /// Returns its version.
    pub const fn version(&self) -> &Version {
        &self.locked.version
    }
}

/// Programs larger than this are not read. What they can't run on is found when they are loaded.
const MOST_PROGRAM: u64 = 256 << 20;

/// Returns the file of a package that is its program.
fn program_in(entry: &Entry, tree: &Tree) -> Option<PackagePath> {
    let Entry::Process { command, .. } = entry else { return None };
    let path = PackagePath::parse(command.first()?.trim_start_matches("./")).ok()?;
    tree.get(&path).filter(|file| file.size <= MOST_PROGRAM).map(|_| path)
}

/// Returns the targets that a program can run on; a script may run on any, and so may what is known for none.
fn targets_of(program: &[u8]) -> Vec<Target> {
    match Binary::of_bytes(program) {
        Some(binary) if !binary.fits.is_empty() => binary.fits.into_iter().collect(),
        Some(_) | None => vec![Target::ANY],
    }
}

/// Joins two paths and takes out each `x/..`, so that one folder is written in one way.
fn beside(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "." => {}
            "" if !parts.is_empty() => {}
            ".." if parts.last().is_some_and(|last| !matches!(*last, ".." | "")) => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// Reads the manifest of a folder, with its text.
pub fn read_manifest(folder: &Path) -> Result<(Manifest, String), LocalError> {
    let path = folder.join(MANIFEST);
    match fs::read_if_present(&path, crate::archive::MAX_MANIFEST)? {
        Some(bytes) => parse_manifest(&path, &bytes)
            .map(|manifest| (manifest, String::from_utf8_lossy(&bytes).into_owned())),
        None => Err(LocalError::NotAnExtension { path: folder.to_owned() }),
    }
}

fn parse_manifest(path: &Path, bytes: &[u8]) -> Result<Manifest, LocalError> {
    let parsed = pintle_manifest::parse(bytes);
    parsed.manifest.ok_or_else(|| LocalError::Manifest {
        path: path.to_owned(),
        text: String::from_utf8_lossy(bytes).into_owned(),
        problems: parsed.problems,
    })
}

fn lock_entry(
    manifest: &Manifest,
    source: LockedSource,
    artifacts: BTreeMap<Target, LockedArtifact>,
) -> Locked {
    let requirements =
        manifest.dependencies.iter().map(|(name, one)| (name.clone(), one.requirement.clone()));
    Locked {
        version: manifest.version.clone(),
        source,
        runtime: Runtime::of(&manifest.entry).as_str().to_owned(),
        hosts: manifest.hosts.clone(),
        dependencies: requirements.collect(),
        permissions: manifest.permissions.clone(),
        artifacts,
        extra: Default::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::beside;

    #[test]
    fn one_folder_is_written_in_one_way() {
        let check = |folder: &str, path: &str, expected: &str| assert_eq!(beside(folder, path), expected);
        check("../a", "../b", "../b");
        check("/home/x/a", "../b", "/home/x/b");
        check("a", "../../b", "../b");
        check(".", "../b", "../b");
        check("a", "..", ".");
        check("a/", "./b", "a/b");
    }
}
