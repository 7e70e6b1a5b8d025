//! Adds a release, or another target of one, to a registry in a directory. What was published never changes: other
//! bytes for the same version and target are refused, and so are names that a reader would confuse with another.

use super::change::{Base, ChangeError, Draft, change, write_object};
use super::name_likeness::{Likeness, Skeleton};
use super::object::Kind;
use super::package::{Artifact, Package, Release, Runtime};
use crate::store::fs::{self, FsError};
use jiff::Timestamp;
use pintle_manifest::{Digest, Hasher, HostName, Name, Permissions, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

/// The most bytes of a readme.
const MOST_README: usize = 1 << 20;

/// One archive to be published, with all that a registry says about it.
#[derive(Debug, Clone)]
pub struct NewRelease {
    /// What it is called.
    pub name: Name,
    /// Which version.
    pub version: Version,
    /// The present time.
    pub published: Timestamp,
    /// What it does, in one line.
    pub description: String,
    /// Under which terms.
    pub license: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Where its source is.
    pub repository: Option<String>,
    /// Where to read about it.
    pub homepage: Option<String>,
    /// The contracts it serves, with the versions it works under.
    pub hosts: BTreeMap<HostName, Requirement>,
    /// The extensions it needs.
    pub dependencies: BTreeMap<Name, Requirement>,
    /// What it asks to be allowed.
    pub permissions: Permissions,
    /// How its code is run.
    pub runtime: Runtime,
    /// Which machine the archive is for. `any` may stand beside others; a machine takes its own first.
    pub target: Target,
    /// What the archive holds, as whoever packed it found.
    pub artifact: Artifact,
    /// Where the archive is.
    pub archive: PathBuf,
    /// Its readme.
    pub readme: Option<Vec<u8>>,
}

/// What publishing did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The same archive was there already, and nothing was done.
    pub already: bool,
    /// The name is new in the registry.
    pub new_package: bool,
    /// All targets that the release has now.
    pub targets: Vec<Target>,
}

/// What stands in the way of other bytes for the same version and target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Existing {
    /// The digest of the published archive.
    pub archive: Digest,
    /// Its tree hash.
    pub tree: Digest,
    /// When the release was published.
    pub published: Timestamp,
}

/// Says why a release was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The version has another archive for this target, and that never changes.
    #[error(
        "`{name}` {version} for `{target}` was published at {} with other bytes (there `{}`, here `{offered}`)",
        existing.published, existing.archive
    )]
    VersionExists {
        /// The package.
        name: Name,
        /// The version.
        version: Version,
        /// The target.
        target: Target,
        /// The digest of the archive that was offered.
        offered: Digest,
        /// What was published.
        existing: Box<Existing>,
    },
    /// Only the build metadata is new, which makes no other version.
    #[error(
        "`{name}` has version {existing} already, and build metadata does not make {offered} another version"
    )]
    BuildMetadata {
        /// The package.
        name: Name,
        /// The published version.
        existing: Version,
        /// The version that was offered.
        offered: Version,
    },
    /// Another target of a release must say the same about it.
    #[error(
        "`{name}` {version} was published with another `{field}`, which must be the same for every target"
    )]
    MetadataDiffers {
        /// The package.
        name: Name,
        /// The version.
        version: Version,
        /// What differs, by its name in a package document.
        field: &'static str,
    },
    /// The name differs only in dashes from one that is taken.
    #[error("the name `{name}` differs only in dashes from `{existing}`, which is taken")]
    NameTooClose {
        /// The new name.
        name: Name,
        /// The name that is taken.
        existing: Name,
    },
    /// The name looks like one that is taken.
    #[error("the name `{name}` looks too much like `{existing}`, which is taken")]
    NameConfusable {
        /// The new name.
        name: Name,
        /// The name that is taken.
        existing: Name,
    },
    /// It names itself among the extensions it needs.
    #[error("`{name}` depends on itself")]
    DependsOnItself {
        /// The package.
        name: Name,
    },
    /// The archive is not the one that was described.
    #[error("the archive `{}` is not the one that was packed: it has `{actual}` instead of `{expected}`", path.display())]
    ArchiveDiffers {
        /// The archive.
        path: PathBuf,
        /// The digest it should have.
        expected: Digest,
        /// The digest it has.
        actual: Digest,
    },
    /// The archive or the readme is too large.
    #[error("the {what} has {actual} bytes, at most {most} are allowed")]
    TooLarge {
        /// `archive` or `readme`.
        what: &'static str,
        /// How many are allowed.
        most: u64,
        /// How many it has.
        actual: u64,
    },
    /// The archive could not be read.
    #[error(transparent)]
    Archive(FsError),
    /// The registry could not be read or written.
    #[error(transparent)]
    Change(#[from] ChangeError),
}

/// Publishes one archive. Any number of publishers may do so at once.
pub fn publish(dir: &Path, new: &NewRelease) -> Result<Published, PublishError> {
    if new.dependencies.contains_key(&new.name) {
        return Err(PublishError::DependsOnItself { name: new.name.clone() });
    }
    check_size("archive", new.artifact.size, Kind::Archive.most())?;
    let readme = new.readme.as_ref().map_or(0, Vec::len);
    check_size("readme", readme as u64, MOST_README as u64)?;
    change(dir, |base| step(dir, base, new))
}

fn step(
    dir: &Path,
    base: &mut Base<'_>,
    new: &NewRelease,
) -> Result<(Option<Draft>, Published), PublishError> {
    let existing = base.package(&new.name).map_err(ChangeError::from)?;
    let new_package = existing.is_none();
    let mut package = match existing {
        Some(package) => package,
        None => {
            check_name(base, &new.name)?;
            Package { name: new.name.clone(), releases: Vec::new() }
        }
    };
    let already = !add(&mut package, new)?;
    let targets = package
        .release(&new.version)
        .map(|release| release.artifacts.keys().copied().collect())
        .unwrap_or_default();
    let published = Published { already, new_package, targets };
    if already {
        return Ok((None, published));
    }
    let mut objects = vec![(Kind::Archive, copy_archive(dir, new)?)];
    if let Some(readme) = &new.readme {
        let digest = write_object(dir, Kind::Archive, readme).map_err(ChangeError::from)?;
        objects.push((Kind::Archive, digest));
    }
    Ok((Some(base.with_package(&package, objects)?), published))
}

fn check_size(what: &'static str, actual: u64, most: u64) -> Result<(), PublishError> {
    match actual > most {
        true => Err(PublishError::TooLarge { what, most, actual }),
        false => Ok(()),
    }
}

/// Refuses a new name that is like one that is taken. Nothing overrides this.
fn check_name(base: &mut Base<'_>, name: &Name) -> Result<(), PublishError> {
    let skeleton = Skeleton::of(name);
    let alike =
        base.find_name(|existing| skeleton.likeness(existing).is_some()).map_err(ChangeError::from)?;
    let Some(existing) = alike else { return Ok(()) };
    let name = name.clone();
    match skeleton.likeness(&existing) {
        Some(Likeness::Dashes) => Err(PublishError::NameTooClose { name, existing }),
        Some(Likeness::Looks) => Err(PublishError::NameConfusable { name, existing }),
        None => Ok(()),
    }
}

/// Adds the artifact to the package. Returns false if it is there already.
fn add(package: &mut Package, new: &NewRelease) -> Result<bool, PublishError> {
    let name = || new.name.clone();
    let offered = new.release();
    let place = match package.releases.binary_search_by(|release| release.version.cmp(&new.version)) {
        Err(place) => {
            package.releases.insert(place, offered);
            return Ok(true);
        }
        Ok(place) => place,
    };
    let release = &mut package.releases[place];
    if release.version.to_string() != new.version.to_string() {
        let (existing, offered) = (release.version.clone(), new.version.clone());
        return Err(PublishError::BuildMetadata { name: name(), existing, offered });
    }
    if let Some(artifact) = release.artifacts.get(&new.target) {
        return match artifact.archive == new.artifact.archive {
            true => Ok(false),
            false => Err(PublishError::VersionExists {
                name: name(),
                version: release.version.clone(),
                target: new.target,
                offered: new.artifact.archive,
                existing: Box::new(Existing {
                    archive: artifact.archive,
                    tree: artifact.tree,
                    published: release.published,
                }),
            }),
        };
    }
    if let Some(field) = first_difference(release, &offered) {
        return Err(PublishError::MetadataDiffers { name: name(), version: release.version.clone(), field });
    }
    release.artifacts.insert(new.target, new.artifact);
    Ok(true)
}

fn first_difference(there: &Release, here: &Release) -> Option<&'static str> {
    let differs = [
        ("hosts", there.hosts != here.hosts),
        ("dependencies", there.dependencies != here.dependencies),
        ("permissions", there.permissions != here.permissions),
        ("runtime", there.runtime != here.runtime),
        ("description", there.description != here.description),
        ("license", there.license != here.license),
        ("keywords", there.keywords != here.keywords),
        ("repository", there.repository != here.repository),
        ("homepage", there.homepage != here.homepage),
        ("readme", there.readme != here.readme),
    ];
    differs.into_iter().find(|(_, differs)| *differs).map(|(field, _)| field)
}

impl NewRelease {
    fn release(&self) -> Release {
        Release {
            version: self.version.clone(),
            published: self.published,
            yanked: None,
            description: self.description.clone(),
            license: self.license.clone(),
            keywords: self.keywords.clone(),
            repository: self.repository.clone(),
            homepage: self.homepage.clone(),
            hosts: self.hosts.clone(),
            dependencies: self.dependencies.clone(),
            permissions: self.permissions.clone(),
            runtime: self.runtime,
            artifacts: [(self.target, self.artifact)].into(),
            readme: self.readme.as_deref().map(Digest::of),
        }
    }
}

/// Copies the archive to its place, hashing what is copied; one that is there whole is left alone.
fn copy_archive(dir: &Path, new: &NewRelease) -> Result<Digest, PublishError> {
    let expected = new.artifact.archive;
    let path = Kind::Archive.path(dir, &expected);
    let there = fs::read(&path, new.artifact.size).is_ok_and(|bytes| Digest::of(&bytes) == expected);
    if there {
        return Ok(expected);
    }
    let temporary = fs::temporary_name(&path);
    let copied = copy_to(new, &temporary)
        .and_then(|()| fs::rename(&temporary, &path).map_err(|error| ChangeError::from(error).into()));
    if let Err(error) = copied {
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    fs::sync_dir(fs::parent(&path)).map_err(ChangeError::from)?;
    Ok(expected)
}

fn copy_to(new: &NewRelease, temporary: &Path) -> Result<(), PublishError> {
    let archive = &new.archive;
    let disk = |action, error| ChangeError::from(FsError::new(action, temporary)(error));
    let mut from =
        File::open(archive).map_err(FsError::new("open", archive)).map_err(PublishError::Archive)?;
    let opened = OpenOptions::new().write(true).create_new(true).open(temporary);
    let mut to = opened.map_err(|error| disk("create", error))?;
    let (mut hasher, mut size, mut buffer) = (Hasher::default(), 0_u64, vec![0; 128 << 10]);
    loop {
        let count =
            from.read(&mut buffer).map_err(FsError::new("read", archive)).map_err(PublishError::Archive)?;
        if count == 0 {
            break;
        }
        size += count as u64;
        check_size("archive", size, Kind::Archive.most())?;
        hasher.update(&buffer[..count]);
        to.write_all(&buffer[..count]).map_err(|error| disk("write", error))?;
    }
    let (expected, actual) = (new.artifact.archive, hasher.finish());
    if actual != expected || size != new.artifact.size {
        return Err(PublishError::ArchiveDiffers { path: archive.clone(), expected, actual });
    }
    to.sync_all().map_err(|error| disk("sync", error))?;
    Ok(())
}
