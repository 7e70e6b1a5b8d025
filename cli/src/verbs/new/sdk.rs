//! Finds the SDK on this machine. It is in no registry, so a Rust extension names the folder of a checkout. Nothing is
//! fetched.

use crate::failure::Failure;
use crate::situation::Situation;
use std::path::{Path, PathBuf};

/// Returns the folder that was named, else that of the checkout around the working directory or around this program.
pub(super) fn find(situation: &Situation<'_>, named: Option<&Path>) -> Result<PathBuf, Failure> {
    if let Some(named) = named {
        let folder = situation.directory.join(named);
        return match is_sdk(&folder) {
            true => absolute(&folder),
            false => Err(Failure::new("new.no_sdk", format!("`{}` is not the SDK", folder.display()))
                .hint("it is the folder `sdk` of a checkout of Pintle")),
        };
    }
    let starts = [Some(situation.directory.as_path()), situation.environment.program.as_deref()];
    let above = starts.into_iter().flatten().flat_map(Path::ancestors);
    match above.map(|folder| folder.join("sdk")).find(|folder| is_sdk(folder)) {
        Some(folder) => absolute(&folder),
        None => Err(Failure::new("new.no_sdk", "a Rust extension needs the SDK, and it is not here")
            .hint("name the folder `sdk` of a checkout of Pintle: `--sdk DIR`")
            .hint("or start with `--template python` or `node`, which need none")),
    }
}

/// The path is written into a file, and must hold wherever cargo is run.
fn absolute(folder: &Path) -> Result<PathBuf, Failure> {
    let absolute = folder.canonicalize().map_err(|error| {
        Failure::new("new.no_sdk", format!("can't find `{}`", folder.display())).cause(error.to_string())
    })?;
    match absolute.to_str() {
        Some(_) => Ok(absolute),
        None => Err(Failure::new(
            "new.no_sdk",
            format!("`{}` is no UTF-8, and Cargo.toml is", absolute.display()),
        )
        .hint("move the checkout to another folder")),
    }
}

fn is_sdk(folder: &Path) -> bool {
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml"));
    manifest.is_ok_and(|text| text.lines().any(|line| line.trim() == "name = \"pintle-sdk\""))
}
