//! Makes the package: selects, checks, packs, and reads back what it wrote before it gets its name.

use super::finding::Finding;
use super::inspect::inspect_files;
use super::secrets::{Secret, find_secrets};
use super::select::{SelectError, Selected, files};
use super::target::{DetectError, detect_target};
use crate::archive::{Archive, ArchiveError, Expected, PackError, Packed, Tree, pack};
use crate::store::fs::{self, FsError};
use pintle_manifest::{Digest, Manifest, PackagePath, Target};
use std::fs::OpenOptions;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Says how a package is to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// The target it is for; `None` to find out.
    pub target: Option<Target>,
    /// Files that look like secrets and are to be shipped nevertheless.
    pub allow_secrets: Vec<PackagePath>,
    /// The directory to put it in; made if it is not there.
    pub out_dir: PathBuf,
}

/// Describes a package that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Packaged {
    /// Where it is.
    pub path: PathBuf,
    /// The digest of its bytes.
    pub archive: Digest,
    /// Their number.
    pub size: u64,
    /// The files in it.
    pub tree: Tree,
    /// The target it is for.
    pub target: Target,
    /// What its author should know though it was made.
    pub warnings: Vec<Finding>,
}

/// Says why no package was made.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The files could not be selected.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// Some files look like secrets.
    #[error("{} of the files look like secrets: {}", secrets.len(), list(secrets))]
    Secrets {
        /// All of them.
        secrets: Vec<Secret>,
    },
    /// A file was allowed to be shipped that looks like no secret, or is not there.
    #[error("`{path}` was allowed as a secret, but no such file looks like one")]
    NothingAllowed {
        /// The path that was given.
        path: PackagePath,
    },
    /// The files have problems.
    #[error("the package has problems: {}", list(findings.iter().map(|finding| &finding.message)))]
    Problems {
        /// All of them, warnings too.
        findings: Vec<Finding>,
    },
    /// It is for no one target, or not for the one that was named.
    #[error(transparent)]
    Target(#[from] DetectError),
    /// It could not be packed.
    #[error(transparent)]
    Pack(#[from] PackError),
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// What was written can't be read back.
    #[error("the new package can't be read back")]
    ReadBack {
        /// Why not.
        #[source]
        source: ArchiveError,
    },
}

/// Makes the package of a folder. The same folder gives the same bytes, and its earlier output is never part of it.
pub fn package(folder: &Path, manifest: &Manifest, options: &Options) -> Result<Packaged, PackageError> {
    let mut selected = files(folder, manifest)?;
    leave_out_own_output(&mut selected, manifest, &options.out_dir);
    let findings = inspect_files(folder, manifest, &selected);
    if findings.iter().any(Finding::is_error) {
        return Err(PackageError::Problems { findings });
    }
    check_secrets(&selected, &options.allow_secrets)?;
    let target = detect_target(manifest, &selected, options.target)?;
    fs::create_dirs(&options.out_dir)?;
    let path = options.out_dir.join(file_name(manifest, target));
    let Packed { archive, size, tree } = write(&selected, &path)?;
    Ok(Packaged { path, archive, size, tree, target, warnings: findings })
}

/// Returns the name of a package's archive: `<name>-<version>.tar.gz`, with the target before the dot if it is not
/// `any`.
pub fn file_name(manifest: &Manifest, target: Target) -> String {
    let (name, version) = (&manifest.name, &manifest.version);
    match target == Target::ANY {
        true => format!("{name}-{version}.tar.gz"),
        false => format!("{name}-{version}-{target}.tar.gz"),
    }
}

/// Takes out what earlier runs left in `out_dir`, should that lie in the folder: archives of this name, and what a
/// killed run left half written.
fn leave_out_own_output(selected: &mut Selected, manifest: &Manifest, out_dir: &Path) {
    let Ok(out_dir) = out_dir.canonicalize() else { return };
    let start = format!("{}-", manifest.name);
    selected.files.retain(|file| {
        let name = file.path.file_name();
        let name = name.strip_prefix('.').unwrap_or(name);
        let is_output =
            name.starts_with(&start) && (name.ends_with(".tar.gz") || name.contains(".tar.gz.tmp-"));
        !(is_output && file.from.parent() == Some(&out_dir))
    });
}

fn check_secrets(selected: &Selected, allowed: &[PackagePath]) -> Result<(), PackageError> {
    let (let_through, secrets): (Vec<Secret>, Vec<Secret>) =
        find_secrets(&selected.files)?.into_iter().partition(|secret| allowed.contains(&secret.path));
    if let Some(path) = allowed.iter().find(|path| !let_through.iter().any(|secret| secret.path == **path)) {
        return Err(PackageError::NothingAllowed { path: path.clone() });
    }
    match secrets.is_empty() {
        true => Ok(()),
        false => Err(PackageError::Secrets { secrets }),
    }
}

/// Writes beside the path, reads back, syncs and renames.
fn write(selected: &Selected, path: &Path) -> Result<Packed, PackageError> {
    let temporary = fs::temporary_name(path);
    let written = write_to(selected, &temporary).and_then(|packed| {
        fs::rename(&temporary, path)?;
        fs::sync_dir(fs::parent(path))?;
        Ok(packed)
    });
    if written.is_err() {
        // The error that led here is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn write_to(selected: &Selected, temporary: &Path) -> Result<Packed, PackageError> {
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(temporary)
        .map_err(FsError::new("create", temporary))?;
    let packed = pack(&selected.files, BufWriter::new(&file))?;
    file.sync_all().map_err(FsError::new("sync", temporary))?;
    let expected = Expected { archive: packed.archive, size: packed.size };
    let scan = Archive::open(temporary).and_then(|archive| archive.verify(&expected)?.scan());
    let tree = scan.map_err(|source| PackageError::ReadBack { source })?.tree;
    match tree == packed.tree {
        true => Ok(packed),
        false => {
            let (expected, actual) = (packed.tree.digest(), tree.digest());
            Err(PackageError::ReadBack { source: ArchiveError::WrongTree { expected, actual } })
        }
    }
}

fn list<T: ToString>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}
