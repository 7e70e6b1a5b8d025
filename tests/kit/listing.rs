//! Everything on the disk below a directory, so that "nothing changed" can be shown and not only hoped.

use pintle_manifest::Digest;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

/// Each path below a directory, with what is there: a directory or file with its mode and content, or a link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listing(BTreeMap<String, String>);

impl Listing {
    /// Lists what is below a directory.
    pub(crate) fn of(directory: &Path) -> Self {
        let mut found = BTreeMap::new();
        list(directory, directory, &mut found);
        Self(found)
    }

    /// Leaves out what is below some directories.
    pub(crate) fn without(&self, directories: &[&str]) -> Self {
        let is_out =
            |path: &String| directories.iter().any(|out| path == out || path.starts_with(&format!("{out}/")));
        let stays = self.0.iter().filter(|(path, _)| !is_out(path));
        Self(stays.map(|(path, what)| (path.clone(), what.clone())).collect())
    }

    /// Leaves out what serves only other processes and saves only time: lock files and what was read of registries.
    pub(crate) fn without_traces(&self) -> Self {
        self.without(&["home dir/cache", "home dir/run"])
    }

    /// Returns every path.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }

    /// Fails the test unless both are the same, and says what differs.
    #[track_caller]
    pub(crate) fn assert_same(&self, after: &Self, when: &str) {
        let gone = self.0.iter().filter(|(path, what)| after.0.get(*path) != Some(what));
        let gone = gone.map(|(path, what)| format!("- {path}: {what}"));
        let new = after.0.iter().filter(|(path, what)| self.0.get(*path) != Some(what));
        let new = new.map(|(path, what)| format!("+ {path}: {what}"));
        let differences: Vec<String> = gone.chain(new).collect();
        assert!(differences.is_empty(), "{when} changed the disk:\n{}", differences.join("\n"));
    }
}

fn list(root: &Path, directory: &Path, found: &mut BTreeMap<String, String>) {
    let Ok(entries) = std::fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let mode = metadata.permissions().mode() & 0o7777;
        let what = match (metadata.is_symlink(), metadata.is_dir()) {
            (true, _) => format!("link to {}", std::fs::read_link(&path).unwrap().display()),
            (false, true) => format!("directory {mode:o}"),
            (false, false) => {
                let bytes = std::fs::read(&path).unwrap_or_default();
                format!("file {mode:o}, {} bytes, {}", bytes.len(), Digest::of(&bytes))
            }
        };
        found.insert(path.strip_prefix(root).unwrap().to_string_lossy().into_owned(), what);
        if metadata.is_dir() {
            list(root, &path, found);
        }
    }
}
