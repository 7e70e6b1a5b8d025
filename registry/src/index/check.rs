//! Looks whether a registry in a directory is whole: everything that the head leads to is there, has the bytes that
//! its name says, and means what it should. Changes nothing, and goes on after each finding.

use super::change::{Base, ChangeError};
use super::error::IndexError;
use super::object::Kind;
use super::package::{Artifact, Package};
use super::reachable::{Lying, Met, list, walk};
use pintle_manifest::{Digest, Name, Target, Version};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Looks into an archive, and says what is wrong with it.
pub type ArchiveCheck<'a> = &'a dyn Fn(&Path, &Artifact) -> Result<(), String>;

/// What a check found.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// The objects that the head leads to.
    pub objects: u64,
    /// The packages.
    pub packages: u64,
    /// The releases of all packages.
    pub releases: u64,
    /// The objects and temporary files that nothing names: of a publisher that is at work or was killed.
    pub unreferenced: u64,
    /// What is wrong.
    pub findings: Vec<CheckFinding>,
}

/// One thing that is wrong with a registry.
#[derive(Debug, thiserror::Error)]
pub enum CheckFinding {
    /// An object is missing, damaged or can't be read.
    #[error(transparent)]
    Object(IndexError),
    /// The head counts the packages wrongly.
    #[error("the head counts {counted} packages, there are {actual}")]
    Count {
        /// What the head says.
        counted: u64,
        /// How many there are.
        actual: u64,
    },
    /// An archive has another size than its release says.
    #[error(
        "the archive of `{name}` {version} for `{target}` has {actual} bytes, its release says {expected}"
    )]
    ArchiveSize {
        /// The package.
        name: Name,
        /// The version.
        version: Version,
        /// The target.
        target: Target,
        /// What the release says.
        expected: u64,
        /// How many it has.
        actual: u64,
    },
    /// What is in an archive is not what its release says.
    #[error("the archive of `{name}` {version} for `{target}` is not what its release says: {reason}")]
    ArchiveContent {
        /// The package.
        name: Name,
        /// The version.
        version: Version,
        /// The target.
        target: Target,
        /// What differs.
        reason: String,
    },
    /// A file does not belong in a registry.
    #[error("`{}` does not belong in a registry", path.display())]
    Stray {
        /// The file.
        path: PathBuf,
    },
}

/// Checks a registry. With `content`, also looks into every archive. Fails only if there is no registry to check.
pub fn check(dir: &Path, content: Option<ArchiveCheck<'_>>) -> Result<CheckReport, ChangeError> {
    let mut base = Base::read(dir)?;
    let mut report = CheckReport::default();
    let mut named = BTreeSet::new();
    let mut whole = true;
    let mut artifacts = Vec::new();
    walk(&mut base, &mut |met| match met {
        Met::Object(kind, digest) => {
            named.insert((kind, digest));
        }
        Met::Package(package) => {
            report.packages += 1;
            report.releases += package.releases.len() as u64;
            artifacts.extend(artifacts_of(package));
        }
        Met::Problem(error) => {
            whole = false;
            report.findings.push(CheckFinding::Object(error));
        }
    });
    report.objects = named.len() as u64;
    let counted = base.head().packages;
    if whole && counted != report.packages {
        report.findings.push(CheckFinding::Count { counted, actual: report.packages });
    }
    check_archives(&base, &named, &mut report);
    for place in artifacts {
        report.findings.extend(check_artifact(dir, place, content));
    }
    for (path, lying) in list(dir)? {
        match lying {
            Lying::Object(kind, digest) if named.contains(&(kind, digest)) => {}
            Lying::Object(..) | Lying::Temporary => report.unreferenced += 1,
            Lying::Stray => report.findings.push(CheckFinding::Stray { path }),
        }
    }
    Ok(report)
}

type Place = (Name, Version, Target, Artifact);

fn artifacts_of(package: &Package) -> Vec<Place> {
    let places = package.releases.iter().flat_map(|release| {
        release.artifacts.iter().map(|(target, artifact)| (release.version.clone(), *target, *artifact))
    });
    places.map(|(version, target, artifact)| (package.name.clone(), version, target, artifact)).collect()
}

/// Checks the bytes of every archive and readme, each once.
fn check_archives(base: &Base<'_>, named: &BTreeSet<(Kind, Digest)>, report: &mut CheckReport) {
    for (kind, digest) in named.iter().filter(|(kind, _)| *kind == Kind::Archive) {
        if let Err(error) = base.source().object(*kind, digest) {
            report.findings.push(CheckFinding::Object(error));
        }
    }
}

/// Checks what a release says about an archive that is there.
fn check_artifact(
    dir: &Path,
    (name, version, target, artifact): Place,
    content: Option<ArchiveCheck<'_>>,
) -> Option<CheckFinding> {
    let path = Kind::Archive.path(dir, &artifact.archive);
    let (expected, actual) = (artifact.size, path.metadata().ok()?.len());
    if expected != actual {
        return Some(CheckFinding::ArchiveSize { name, version, target, expected, actual });
    }
    let reason = content?(&path, &artifact).err()?;
    Some(CheckFinding::ArchiveContent { name, version, target, reason })
}
