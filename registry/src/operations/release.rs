//! What a maintainer does with a package: reads an archive for what a registry says about it, and publishes it.

use super::apply::{ApplyError, share_store};
use super::context::Context;
use super::local;
use crate::archive::{Archive, ArchiveError, Verified};
use crate::index::{Artifact, NewRelease, Runtime};
use crate::package::{self, DetectError, SelectError};
use crate::store::fs::FsError;
use crate::store::{Staging, StoreGuard};
use jiff::Timestamp;
use pintle_manifest::{Manifest, Problem, Target};
use std::path::{Path, PathBuf};

/// Says why an archive can't be released.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// The archive is refused.
    #[error("can't use the archive `{}`", path.display())]
    Archive {
        /// The archive.
        path: PathBuf,
        /// Why.
        #[source]
        source: ArchiveError,
    },
    /// It holds other things, and no manifest.
    #[error("the archive `{}` has no `extension.toml`", path.display())]
    NoManifest {
        /// The archive.
        path: PathBuf,
    },
    /// Its manifest has errors.
    #[error("the manifest in `{}` has errors", path.display())]
    Manifest {
        /// The archive.
        path: PathBuf,
        /// The manifest's text, to show the places.
        text: String,
        /// The errors.
        problems: Vec<Problem>,
    },
    /// It depends on a folder, which no one else has.
    #[error("`{dependency}` is taken from a folder, and a folder can't be published")]
    PathOnly {
        /// The dependency.
        dependency: pintle_manifest::Name,
    },
    /// Its files could not be selected again.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Its code does not fit its target.
    #[error(transparent)]
    Target(#[from] DetectError),
    /// Its files have problems.
    #[error("the package has problems")]
    Problems {
        /// All of them, warnings too.
        findings: Vec<package::Finding>,
    },
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// A place to pack and unpack in, removed when dropped, and by a later command if this one is killed.
pub struct Scratch {
    staging: Staging,
    _shared: StoreGuard,
}

impl Scratch {
    /// Makes one beside the store.
    pub fn new(context: &Context<'_>) -> Result<Self, ApplyError> {
        let (store, shared) = share_store(context)?;
        Ok(Self { staging: store.stage()?, _shared: shared })
    }

    /// Returns where packages may be written.
    pub fn packages(&self) -> PathBuf {
        self.staging.path().join("packages")
    }

    /// Returns where an archive may be unpacked.
    fn unpacked(&self) -> PathBuf {
        self.staging.path().join("unpacked")
    }
}

/// What is to be known of an archive before it is published.
#[derive(Debug)]
pub struct Described {
    /// What a registry says of it.
    pub release: NewRelease,
    /// Its manifest.
    pub manifest: Manifest,
    /// The manifest's text, to show places in it.
    pub text: String,
}

/// Reads an archive and checks it as `package` would have, unpacked in a scratch directory.
/// The target is the one named, else the one that its code is for.
pub fn describe(
    archive: &Path,
    target: Option<Target>,
    now: Timestamp,
    scratch: &Scratch,
    cancelled: &dyn Fn() -> bool,
) -> Result<Described, ReleaseError> {
    let failed = |source| ReleaseError::Archive { path: archive.to_owned(), source };
    let verified = Archive::open(archive).and_then(Archive::measure).map_err(failed)?;
    let scan = verified.scan().map_err(failed)?;
    let Some(bytes) = scan.manifest.clone() else {
        return Err(ReleaseError::NoManifest { path: archive.to_owned() });
    };
    let parsed = pintle_manifest::parse(&bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some(manifest) = parsed.manifest else {
        return Err(ReleaseError::Manifest { path: archive.to_owned(), text, problems: parsed.problems });
    };
    let artifact = Artifact {
        archive: verified.digest(),
        size: verified.size(),
        tree: scan.tree.digest(),
        unpacked: scan.tree.unpacked_size(),
        files: u32::try_from(scan.tree.len()).unwrap_or(u32::MAX),
    };
    let readme = match &manifest.readme {
        Some(path) => verified.read_file(path, 1 << 20).map_err(failed)?,
        None => None,
    };
    let target =
        inspect(&verified, &manifest, target, &scratch.unpacked(), cancelled).map_err(
            |error| match error {
                Inspection::Archive(source) => failed(source),
                Inspection::Release(error) => error,
            },
        )?;
    let release = new_release(manifest.clone(), target, artifact, archive, readme, now)?;
    Ok(Described { release, manifest, text })
}

enum Inspection {
    Archive(ArchiveError),
    Release(ReleaseError),
}

impl<E: Into<ReleaseError>> From<E> for Inspection {
    fn from(error: E) -> Self {
        Self::Release(error.into())
    }
}

fn inspect(
    verified: &Verified,
    manifest: &Manifest,
    target: Option<Target>,
    scratch: &Path,
    cancelled: &dyn Fn() -> bool,
) -> Result<Target, Inspection> {
    let staged = verified.unpack(scratch, None, cancelled).map_err(Inspection::Archive)?;
    let looked = (|| {
        let selected = package::files(staged.root(), manifest)?;
        let findings = package::inspect(staged.root(), manifest, &selected);
        if findings.iter().any(package::Finding::is_error) {
            return Err(ReleaseError::Problems { findings });
        }
        Ok(package::detect_target(manifest, &selected, target)?)
    })();
    Ok(looked?)
}

fn new_release(
    manifest: Manifest,
    target: Target,
    artifact: Artifact,
    archive: &Path,
    readme: Option<Vec<u8>>,
    now: Timestamp,
) -> Result<NewRelease, ReleaseError> {
    let mut dependencies = std::collections::BTreeMap::new();
    for (name, dependency) in &manifest.dependencies {
        if dependency.path.is_some() && dependency.requirement.is_any() {
            return Err(ReleaseError::PathOnly { dependency: name.clone() });
        }
        dependencies.insert(name.clone(), dependency.requirement.clone());
    }
    Ok(NewRelease {
        name: manifest.name,
        version: manifest.version,
        published: now,
        description: manifest.description,
        license: manifest.license,
        keywords: manifest.keywords,
        repository: manifest.repository,
        homepage: manifest.homepage,
        hosts: manifest.hosts,
        dependencies,
        permissions: manifest.permissions,
        runtime: Runtime::of(&manifest.entry),
        target,
        artifact,
        archive: archive.to_owned(),
        readme,
    })
}

/// Checks that an archive is what its release says, by reading all of it.
pub fn check_archive(path: &Path, artifact: &Artifact) -> Result<(), String> {
    let expected = crate::archive::Expected { archive: artifact.archive, size: artifact.size };
    let scan = Archive::open(path)
        .and_then(|archive| archive.verify(&expected))
        .and_then(|verified| verified.scan());
    match scan {
        Err(error) => Err(error.to_string()),
        Ok(scan) if scan.tree.digest() != artifact.tree => Err("it has another tree hash".to_owned()),
        Ok(scan) if scan.tree.unpacked_size() != artifact.unpacked => {
            Err("it has another size unpacked".to_owned())
        }
        Ok(scan) if scan.tree.len() != artifact.files as usize => {
            Err("it has another number of files".to_owned())
        }
        Ok(scan) => match local::MANIFEST.parse().ok().and_then(|path| scan.tree.get(&path).copied()) {
            Some(_) => Ok(()),
            None => Err("it has no extension.toml".to_owned()),
        },
    }
}
