//! Whether a folder under development is still the one that failed. It has no tree hash, so the times of its files
//! decide. Looks only, at a bounded number of files.

use crate::bundle::Bundle;
use pintle_manifest::Entry;
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

/// How many files and directories are looked at.
const MOST: usize = 5000;
/// How deep.
const DEEPEST: usize = 8;
/// What tools and runs leave in a folder, and no author edits.
const NOT_SOURCES: [&str; 4] = ["target", "node_modules", "__pycache__", "venv"];

/// Tells whether a file of the folder was written after a time, in milliseconds since 1970: its program, its manifest or
/// any other, other than in hidden directories and those that tools make.
pub(crate) fn edited_since(bundle: &Bundle, time_ms: u64) -> bool {
    let is_newer = |path: &Path| {
        let written = path.metadata().and_then(|metadata| metadata.modified());
        written.is_ok_and(|written| written > UNIX_EPOCH + Duration::from_millis(time_ms))
    };
    let programs: Vec<&str> = match &bundle.manifest.entry {
        Entry::Process { command, .. } => command.iter().map(String::as_str).collect(),
        Entry::Native { library } => library.values().map(|path| path.as_str()).collect(),
        Entry::Wasm { component } => vec![component.as_str()],
    };
    let mut left = MOST;
    programs.iter().any(|program| is_newer(&bundle.root.join(program)))
        || any_file(&bundle.root, DEEPEST, &mut left, &is_newer)
}

fn any_file(directory: &Path, depth: usize, left: &mut usize, holds: &dyn Fn(&Path) -> bool) -> bool {
    for entry in std::fs::read_dir(directory).into_iter().flatten().flatten() {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return false;
        }
        let Ok(kind) = entry.file_type() else { continue };
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let found = match kind.is_dir() {
            true if name.starts_with('.') || NOT_SOURCES.contains(&&*name) || depth == 0 => false,
            true => any_file(&entry.path(), depth - 1, left, holds),
            false => kind.is_file() && holds(&entry.path()),
        };
        if found {
            return true;
        }
    }
    false
}
