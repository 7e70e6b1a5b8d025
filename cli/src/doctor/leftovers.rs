//! What killed commands left half done, and what lies in the store and is none of ours. Only names of files are looked
//! at. What a process that still runs is writing is left alone.

use super::Finding;
use pintle_manifest::Untrusted;
use pintle_registry::store::{Scope, Store, StoreGuard, fs};
use std::path::{Path, PathBuf};

/// What was left, and is of no use to anyone.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    /// Files that were being written.
    files: Vec<PathBuf>,
    /// Directories of the store into which something was being unpacked.
    staging: Vec<PathBuf>,
    /// What is in the store and was not put there by Pintle.
    foreign: Vec<PathBuf>,
}

impl Leftovers {
    /// Looks for them in the scopes at hand.
    pub(crate) fn find(scopes: &[&Scope]) -> Self {
        let mut found = Self::default();
        let Some(first) = scopes.first() else { return found };
        let home = first.home.root();
        let mut places: Vec<PathBuf> = vec![home.join("trust"), home.join("log")];
        places.extend(scopes.iter().map(|scope| scope.base.join("state")));
        for place in places {
            let is_left = |path: &PathBuf| left_by(path, ".tmp-").is_some_and(|pid| !runs(pid));
            found.files.extend(listed(&place).into_iter().filter(is_left));
        }
        for path in listed(&first.home.store()) {
            match (left_by(&path, ".staging-"), is_ours(&path)) {
                (Some(pid), _) if !runs(pid) => found.staging.push(path),
                (Some(_), _) | (None, true) => {}
                (None, false) => found.foreign.push(path),
            }
        }
        found
    }

    /// Says what they are.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let left = self.files.iter().chain(&self.staging).map(|path| {
            let finding = Finding::note("doctor.leftover", "a command that was killed left it half written");
            finding.at(path).next("`pintle doctor --fix` removes it").mendable()
        });
        let foreign = self.foreign.iter().map(|path| {
            let finding =
                Finding::note("doctor.foreign", "it lies in the store, and Pintle did not put it there");
            finding.at(path).next("nothing uses it, and nothing here removes it: look what it is")
        });
        left.chain(foreign).collect()
    }

    /// Removes them, unless something is being installed just now.
    pub(crate) fn remove(&self, scope: &Scope) {
        // What can't be removed is found again, and told.
        self.files.iter().for_each(|path| drop(fs::remove_file(path)));
        if !self.staging.is_empty()
            && let Some(_alone) = StoreGuard::try_alone(&scope.home)
        {
            let _ = Store::new(scope.home.store()).sweep();
        }
    }
}

fn listed(directory: &Path) -> Vec<PathBuf> {
    let listing = std::fs::read_dir(directory).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = listing.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Returns the process that a temporary name says it belongs to.
fn left_by(path: &Path, mark: &str) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let (_, rest) = name.split_once(mark)?;
    rest.split('-').next()?.parse().ok()
}

/// Tells whether there is a process with this number.
fn runs(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    let Some(pid) = pid else { return true };
    // One of another user may not be asked, and is there.
    rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

/// Tells whether something in the store has a name that the store gives.
fn is_ours(path: &Path) -> bool {
    let name =
        path.file_name().map(|name| Untrusted(&name.to_string_lossy()).to_string()).unwrap_or_default();
    let hex = name.strip_suffix(".tree").unwrap_or(&name);
    name.starts_with('.') || (hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests {
    use super::{is_ours, left_by, runs};
    use std::path::Path;

    #[test]
    fn a_temporary_name_says_whose_it_is() {
        let check = |name: &str, mark: &str, expected: Option<u32>| {
            assert_eq!(left_by(Path::new(name), mark), expected, "{name}");
        };
        check("state/.disabled.json.tmp-71-0", ".tmp-", Some(71));
        check("state/.starts.json.tmp-72-1f3a", ".tmp-", Some(72));
        check("log/runs.jsonl.tmp-73", ".tmp-", Some(73));
        check("state/disabled.json", ".tmp-", None);
        check("state/notes.tmp-mine", ".tmp-", None);
        check("store/.staging-7-0", ".staging-", Some(7));
        assert!(runs(std::process::id()));
    }

    #[test]
    fn the_store_names_what_it_holds() {
        let check = |name: &str, expected: bool| assert_eq!(is_ours(Path::new(name)), expected, "{name}");
        let hex = "0".repeat(64);
        check(&hex, true);
        check(&format!("{hex}.tree"), true);
        check(".staging-1-0", true);
        check("acme-a", false);
        check(&hex[1..], false);
    }
}
