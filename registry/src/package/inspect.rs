//! Everything that can be wrong with the files of a package, beyond its manifest. Reports all of it.

use super::content::{has_carriage_return_in_shebang, head, is_script};
use super::entry::{self, named};
use super::finding::Finding;
use super::secrets::find_secrets;
use super::select::Selected;
use super::target::{DetectError, candidates, detect_target};
use crate::archive::{MAX_FILES, MAX_MANIFEST, MAX_UNPACKED, SourceFile};
use pintle_manifest::{Entry, Manifest, Target};
use std::path::Path;

/// A file larger than this is worth a second look: 10 MiB.
const LARGE: u64 = 10 << 20;

/// The description that an extension is started with, for its author to write anew.
pub const DESCRIPTION_TO_WRITE: &str = "Says in one line what it does";

/// Finds every problem of the files of a package: errors first, then by path.
pub fn inspect(folder: &Path, manifest: &Manifest, selected: &Selected) -> Vec<Finding> {
    let mut findings = inspect_files(folder, manifest, selected);
    match find_secrets(&selected.files) {
        Ok(secrets) => findings.extend(secrets.iter().map(Finding::from)),
        Err(error) => findings.push(Finding::error("package.unreadable", error.to_string())),
    }
    findings.extend(inspect_target(manifest, selected));
    sort(&mut findings);
    findings
}

/// Finds every problem but secrets and the target, which can be decided otherwise by who makes the package.
pub(super) fn inspect_files(folder: &Path, manifest: &Manifest, selected: &Selected) -> Vec<Finding> {
    let mut findings = entry::check(folder, manifest, selected);
    if let Some(readme) = &manifest.readme {
        let codes = ["package.readme_missing", "package.readme_left_out"];
        findings.extend(named(folder, readme, selected, codes).err());
    }
    if manifest.description == DESCRIPTION_TO_WRITE {
        let message = "the description is still the one that the extension was started with";
        findings.push(
            Finding::warning("package.description", message)
                .help("say in `[extension] description` what it does; people choose by that"),
        );
    }
    for (name, dependency) in &manifest.dependencies {
        if let Some(path) = &dependency.path {
            let message =
                format!("the dependency `{name}` is taken from `{path}` here, but from a registry by others");
            findings.push(
                Finding::warning("package.path_dependency", message)
                    .help(format!("publish a `{name}` that is `{}`", dependency.requirement)),
            );
        }
    }
    findings.extend(selected.files.iter().filter_map(check_script));
    findings.extend(check_sizes(selected));
    sort(&mut findings);
    findings
}

fn sort(findings: &mut [Finding]) {
    findings.sort_by(|one, other| {
        (one.severity, &one.path, one.code).cmp(&(other.severity, &other.path, other.code))
    });
}

fn inspect_target(manifest: &Manifest, selected: &Selected) -> Option<Finding> {
    match detect_target(manifest, selected, None) {
        Ok(target) if target == Target::ANY => None,
        Ok(target) => match manifest.entry {
            // What a library is for, the manifest says.
            Entry::Native { .. } => None,
            Entry::Process { .. } | Entry::Wasm { .. } => several_fit(manifest, selected, target),
        },
        Err(error @ DetectError::Unnamed { .. }) => Some(
            Finding::warning("package.several_fit", error.to_string())
                .help("name the target when you package, and publish it once for each"),
        ),
        Err(DetectError::Disk(error)) => Some(Finding::error("package.unreadable", error.to_string())),
        Err(
            error @ (DetectError::Several { .. }
            | DetectError::Mismatch { .. }
            | DetectError::NoLibrary { .. }),
        ) => Some(
            Finding::error("package.target", error.to_string())
                .help("make one package for each target, leaving out what is for another"),
        ),
    }
}

fn several_fit(manifest: &Manifest, selected: &Selected, chosen: Target) -> Option<Finding> {
    let fits = candidates(manifest, selected).ok().filter(|fits| fits.len() > 1)?;
    let fits: Vec<_> = fits.iter().map(|target| format!("`{target}`")).collect();
    let message =
        format!("the compiled code fits {}; the package is made for `{chosen}`", fits.join(" and "));
    Some(Finding::warning("package.several_fit", message).help("name the target when you package"))
}

fn check_script(file: &SourceFile) -> Option<Finding> {
    let path = &file.path;
    match head(&file.from, 512) {
        Err(error) => Some(Finding::error("package.unreadable", error.to_string()).at(path)),
        Ok(head) if is_script(&head) && has_carriage_return_in_shebang(&head) => Some(
            Finding::error(
                "package.crlf_shebang",
                format!("the first line of `{path}` ends in a carriage return"),
            )
            .at(path)
            .help("save it with LF line endings; the system would look for an interpreter of another name"),
        ),
        Ok(_) => None,
    }
}

fn check_sizes(selected: &Selected) -> Vec<Finding> {
    let (mut findings, mut total) = (Vec::new(), 0_u64);
    for file in &selected.files {
        let size = file.from.symlink_metadata().map_or(0, |metadata| metadata.len());
        total = total.saturating_add(size);
        let path = &file.path;
        if path.as_str() == "extension.toml" && size > MAX_MANIFEST {
            let message = format!("the manifest has {size} bytes, at most {MAX_MANIFEST} are allowed");
            findings.push(Finding::error("package.manifest_size", message).at(path));
        } else if size > LARGE {
            let message = format!("`{path}` has {} MiB", size >> 20);
            findings.push(Finding::warning("package.large_file", message).at(path));
        }
    }
    if total > MAX_UNPACKED {
        let message = format!("the files have {total} bytes, at most {MAX_UNPACKED} are allowed");
        findings.push(Finding::error("package.too_large", message));
    }
    if selected.files.len() as u64 > MAX_FILES {
        let message = format!("there are {} files, at most {MAX_FILES} are allowed", selected.files.len());
        findings.push(Finding::error("package.too_many_files", message));
    }
    findings
}
