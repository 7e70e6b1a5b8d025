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
    /// The manifest has no library for the named target.
    #[error("the package is for `{target}`, but `[entry] library` has none for it")]
    NoLibrary {
        /// The target that was named.
        target: Target,
    },
}

/// Finds the target of a package: that of its library, if the manifest has one for one target alone; else `any` if there
/// is no compiled code beside the libraries, else the one that can run all of it. If `label` is given, checks that it fits. Code that is linked statically fits several
/// targets; of these, the first is taken.
pub fn detect_target(
    manifest: &Manifest,
    selected: &Selected,
    label: Option<Target>,
) -> Result<Target, DetectError> {
    let binaries = binaries(manifest, selected)?;
    if let Some(target) = label.or_else(|| of_only_library(manifest)) {
        return check_label(manifest, &binaries, target);
    }
    if binaries.is_empty() {
        return Ok(Target::ANY);
    }
    fitting(&binaries).first().copied().ok_or_else(|| DetectError::Several {
        files: binaries.into_iter().map(|(file, binary)| (file.path.clone(), binary.description)).collect(),
    })
}

fn of_only_library(manifest: &Manifest) -> Option<Target> {
    match &manifest.entry {
        Entry::Native { library } if library.len() == 1 => library.keys().next().copied(),
        Entry::Native { .. } | Entry::Process { .. } | Entry::Wasm { .. } => None,
    }
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
        Entry::Native { library } if target != Target::ANY && !library.contains_key(&target) => {
            Err(DetectError::NoLibrary { target })
        }
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
