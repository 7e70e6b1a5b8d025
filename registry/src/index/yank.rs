//! Marks a release as one that should no longer be chosen, and takes that back. Nothing is ever removed: whoever
//! has it locked keeps it, and is told why it was yanked.

use super::change::{ChangeError, change};
use super::package::{Package, Yank};
use jiff::Timestamp;
use pintle_manifest::{Name, Requirement, Version, nearest};
use std::path::Path;

/// Says why a release was not yanked.
#[derive(Debug, thiserror::Error)]
pub enum YankError {
    /// There is no such package.
    #[error("the registry has no package `{name}`")]
    UnknownPackage {
        /// The name.
        name: Name,
        /// The name that is most like it, if one is.
        nearest: Option<Name>,
    },
    /// The package has no such version.
    #[error("`{name}` has no version {version}")]
    UnknownVersion {
        /// The package.
        name: Name,
        /// The version.
        version: Version,
        /// The versions next to it, lowest first.
        near: Vec<Version>,
    },
    /// Nobody could tell why.
    #[error("a yank needs a reason")]
    NoReason,
    /// The release to take instead is the yanked one.
    #[error("{version} can't be used instead of itself")]
    InsteadOfItself {
        /// The version.
        version: Version,
    },
    /// The registry could not be read or written.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Yanks a release. Returns false if it was yanked for this reason already; another reason replaces the first.
pub fn yank(
    dir: &Path,
    (name, version): (&Name, &Version),
    reason: &str,
    use_instead: Option<&Requirement>,
    now: Timestamp,
) -> Result<bool, YankError> {
    if reason.trim().is_empty() {
        return Err(YankError::NoReason);
    }
    if use_instead.and_then(Requirement::pinned).is_some_and(|pinned| pinned == version) {
        return Err(YankError::InsteadOfItself { version: version.clone() });
    }
    set(dir, name, version, |present| {
        let at = present.map_or(now, |yank| yank.at);
        Some(Yank { reason: reason.trim().to_owned(), use_instead: use_instead.cloned(), at })
    })
}

/// Takes a yank back. Returns false if the release was not yanked.
pub fn unyank(dir: &Path, name: &Name, version: &Version) -> Result<bool, YankError> {
    set(dir, name, version, |_| None)
}

fn set(
    dir: &Path,
    name: &Name,
    version: &Version,
    yanked: impl Fn(Option<&Yank>) -> Option<Yank>,
) -> Result<bool, YankError> {
    change(dir, |base| {
        let Some(mut package) = base.package(name).map_err(ChangeError::from)? else {
            return Err(unknown_package(name, base.names().map_err(ChangeError::from)?));
        };
        let found = package.releases.binary_search_by(|release| release.version.cmp(version));
        let place = found.map_err(|place| unknown_version(&package, version, place))?;
        let release = &mut package.releases[place];
        let wanted = yanked(release.yanked.as_ref());
        if release.yanked == wanted {
            return Ok((None, false));
        }
        release.yanked = wanted;
        Ok((Some(base.with_package(&package, Vec::new())?), true))
    })
}

fn unknown_package(name: &Name, names: Vec<Name>) -> YankError {
    let nearest =
        nearest(name.as_str(), names.iter().map(Name::as_str)).and_then(|text| Name::parse(text).ok());
    YankError::UnknownPackage { name: name.clone(), nearest }
}

/// Names the two versions below and the two above.
fn unknown_version(package: &Package, version: &Version, place: usize) -> YankError {
    let near = place.saturating_sub(2)..(place + 2).min(package.releases.len());
    YankError::UnknownVersion {
        name: package.name.clone(),
        version: version.clone(),
        near: package.releases[near].iter().map(|release| release.version.clone()).collect(),
    }
}
