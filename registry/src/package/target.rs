//! For which machine a package is, by the compiled code in it.

use super::binary::Binary;
use super::select::Selected;
use crate::archive::SourceFile;
use crate::store::fs::FsError;
use pintle_manifest::{Entry, Manifest, PackagePath, Target};
use std::collections::BTreeSet;

/// Says why a package is for no one target, or not for the one that was named.
#[derive(Debug, thiserror::Error)]
pub enum DetectError {
    /// The disk failed.
    #[error(transparent)]
    Disk(#[from] FsError),
    /// Files that no single machine could run.
    #[error("no one target can run all of the compiled code: {}", list(files))]
    Several {
        /// The files and what each is.
        files: Vec<(PackagePath, String)>,
    },
    /// A file that the named target can't run.
    #[error("the package is for `{target}`, but `{path}` is {description}")]
    Mismatch {
        /// The target that was named.
        target: Target,
        /// The file.
        path: PackagePath,
        /// What it is.
        description: String,
    },
    /// The manifest has libraries for several targets, and none was named.
    #[error("a package is for one target, and `[entry] library` is for {}", words(targets))]
    Unnamed {
        /// The targets that there are libraries for.
        targets: Vec<Target>,
    },
    /// The manifest has no library for the named target.
    #[error("the package is for `{target}`, but `[entry] library` has none for it")]
    NoLibrary {
        /// The target that was named.
        target: Target,
    },
}

/// Finds the target of a package: that of the manifest's library; without one, `any` if there is no compiled code, else
/// the one that can run all of it. If `label` is given, checks that it fits. Code that is linked statically fits
/// several targets; of these, the first is taken. Of several libraries none is, for each is all that one target needs.
pub fn detect_target(
    manifest: &Manifest,
    selected: &Selected,
    label: Option<Target>,
) -> Result<Target, DetectError> {
    let binaries = binaries(manifest, selected)?;
    let label = match (label, &manifest.entry) {
        (None, Entry::Native { library }) => Some(only_one(library.keys().copied().collect())?),
        (label, Entry::Native { .. } | Entry::Process { .. } | Entry::Wasm { .. }) => label,
    };
    if let Some(target) = label {
        return check_label(manifest, &binaries, target);
    }
    if binaries.is_empty() {
        return Ok(Target::ANY);
    }
    fitting(&binaries).first().copied().ok_or_else(|| DetectError::Several {
        files: binaries.into_iter().map(|(file, binary)| (file.path.clone(), binary.description)).collect(),
    })
}

/// Returns all targets that can run all of the compiled code, if there is any.
pub(super) fn candidates(manifest: &Manifest, selected: &Selected) -> Result<BTreeSet<Target>, FsError> {
    Ok(fitting(&binaries(manifest, selected)?))
}

fn fitting(binaries: &[(&SourceFile, Binary)]) -> BTreeSet<Target> {
    let mut all = binaries.iter().map(|(_, binary)| binary.fits.clone());
    let first = all.next().unwrap_or_default();
    all.fold(first, |fits, more| fits.intersection(&more).copied().collect())
}

fn only_one(targets: Vec<Target>) -> Result<Target, DetectError> {
    match targets.as_slice() {
        [only] => Ok(*only),
        _ => Err(DetectError::Unnamed { targets }),
    }
}

fn check_label(
    manifest: &Manifest,
    binaries: &[(&SourceFile, Binary)],
    target: Target,
) -> Result<Target, DetectError> {
    if let Some((file, binary)) = binaries.iter().find(|(_, binary)| !binary.fits.contains(&target)) {
        let (path, description) = (file.path.clone(), binary.description.clone());
        return Err(DetectError::Mismatch { target, path, description });
    }
    match &manifest.entry {
        Entry::Native { library } if !library.contains_key(&target) => Err(DetectError::NoLibrary { target }),
        Entry::Native { .. } | Entry::Process { .. } | Entry::Wasm { .. } => Ok(target),
    }
}

/// Finds the compiled files, without those that the manifest gives to a target each.
fn binaries<'a>(
    manifest: &Manifest,
    selected: &'a Selected,
) -> Result<Vec<(&'a SourceFile, Binary)>, FsError> {
    let is_mapped = |path: &PackagePath| match &manifest.entry {
        Entry::Native { library } => library.values().any(|mapped| mapped == path),
        Entry::Process { .. } | Entry::Wasm { .. } => false,
    };
    let mut binaries = Vec::new();
    for file in selected.files.iter().filter(|file| !is_mapped(&file.path)) {
        if let Some(binary) = Binary::read(&file.from)? {
            binaries.push((file, binary));
        }
    }
    Ok(binaries)
}

fn list(files: &[(PackagePath, String)]) -> String {
    let each: Vec<_> = files.iter().map(|(path, what)| format!("`{path}` is {what}")).collect();
    each.join(", ")
}

fn words(targets: &[Target]) -> String {
    let each: Vec<_> = targets.iter().map(|target| format!("`{target}`")).collect();
    each.join(" and ")
}
