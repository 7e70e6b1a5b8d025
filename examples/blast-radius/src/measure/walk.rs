//! Counts what is below some paths. Links are never followed, and what takes too long is given up: then everything
//! counted is "at least".

use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

/// How much may still be looked at.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    entries: u64,
    until: Instant,
}

impl Budget {
    pub(super) fn new(entries: u64, until: Instant) -> Budget {
        Budget { entries, until }
    }

    /// Takes one entry; says whether there was one left.
    pub(super) fn take(&mut self) -> bool {
        // A look at the clock for each entry would cost more than the entry.
        if self.entries == 0 || self.entries.is_multiple_of(256) && Instant::now() >= self.until {
            self.entries = 0;
            return false;
        }
        self.entries -= 1;
        true
    }
}

/// What is below some paths.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Everything that is no directory.
    pub(super) files: u64,
    pub(super) directories: u64,
    pub(super) links: u64,
    pub(super) bytes: u64,
    /// The largest files, largest first.
    pub(super) largest: Vec<(u64, PathBuf)>,
    pub(super) newest: Option<(SystemTime, PathBuf)>,
    /// Directories that hold a `.git`.
    pub(super) repositories: Vec<PathBuf>,
    /// Directories on another file system than the one that holds them.
    pub(super) mounts: Vec<PathBuf>,
    pub(super) unreadable: Vec<PathBuf>,
    /// Whether there is more than was looked at.
    pub(super) is_partial: bool,
}

const LARGEST: usize = 3;

/// Counts what is below paths.
pub(super) fn walk(paths: &[PathBuf], recursive: bool, one_file_system: bool, budget: &mut Budget) -> Tree {
    let mut tree = Tree::default();
    for path in paths {
        let Ok(metadata) = fs::symlink_metadata(path) else { continue };
        if !metadata.is_dir() {
            tree.file(path.clone(), &metadata);
        } else if recursive {
            let parent = path.parent().and_then(|parent| fs::metadata(parent).ok());
            if parent.is_some_and(|parent| device(&parent) != device(&metadata)) {
                tree.mounts.push(path.clone());
            }
            tree.directory(path.clone(), device(&metadata), one_file_system, budget);
        }
        if tree.is_partial {
            break;
        }
    }
    tree
}

impl Tree {
    fn file(&mut self, path: PathBuf, metadata: &Metadata) {
        self.files += 1;
        if metadata.is_symlink() {
            self.links += 1;
            return;
        }
        let size = metadata.len();
        self.bytes = self.bytes.saturating_add(size);
        if let Ok(time) = metadata.modified()
            && self.newest.as_ref().is_none_or(|(newest, _)| time > *newest)
        {
            self.newest = Some((time, path.clone()));
        }
        let is_large =
            self.largest.len() < LARGEST || self.largest.last().is_some_and(|(least, _)| size > *least);
        if metadata.is_file() && is_large {
            let at = self.largest.partition_point(|(other, _)| *other >= size);
            self.largest.insert(at, (size, path));
            self.largest.truncate(LARGEST);
        }
    }

    /// Goes through a directory. The paths still to be looked at are kept here and not on the stack, however deep.
    fn directory(&mut self, top: PathBuf, top_device: u64, one_file_system: bool, budget: &mut Budget) {
        let mut open = vec![(top, top_device)];
        while let Some((path, own_device)) = open.pop() {
            self.directories += 1;
            let Ok(entries) = fs::read_dir(&path) else {
                self.unreadable.push(path);
                continue;
            };
            for entry in entries {
                if !budget.take() {
                    self.is_partial = true;
                    return;
                }
                let Ok(entry) = entry else { continue };
                let Ok(metadata) = entry.metadata() else {
                    self.unreadable.push(entry.path());
                    continue;
                };
                if entry.file_name() == ".git" {
                    self.repositories.push(path.clone());
                }
                if !metadata.is_dir() {
                    self.file(entry.path(), &metadata);
                    continue;
                }
                let is_mount = device(&metadata) != own_device;
                if is_mount {
                    self.mounts.push(entry.path());
                }
                if !(is_mount && one_file_system) {
                    open.push((entry.path(), device(&metadata)));
                }
            }
        }
    }
}

#[cfg(unix)]
fn device(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

#[cfg(not(unix))]
fn device(_metadata: &Metadata) -> u64 {
    0
}

/// Returns a path without links in the directory that holds it, and without `.` and `..`. The last component stays what
/// it is, unless a slash behind it means what it leads to.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let text = path.as_os_str().as_encoded_bytes();
    let leads_on = text.ends_with(b"/") || text.ends_with(b"/.") || text.ends_with(b"/..");
    let resolved = match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if !leads_on => fs::canonicalize(parent).map(|parent| parent.join(name)),
        _ => fs::canonicalize(path),
    };
    resolved.unwrap_or_else(|_| path.to_owned())
}
