//! The store: unpacked releases, each known by its tree hash, each whole or absent, none ever changed.
//!
//! Beside `store/<hex>/` lies `store/<hex>.tree`, the list of its files whose digest is `<hex>`. The list is put
//! there last, after everything was synced, so a directory without a list is not ours or not whole, and is set
//! aside. That makes "is it there?" two stats, and "is it unchanged?" a question that needs no registry.

use super::fs::{self, Barrier, FsError};
use crate::archive::{Mode, Tree};
use pintle_manifest::{Digest, Hasher, PackagePath};
use std::collections::BTreeSet;
use std::fs::Metadata;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The longest list of files that is read: 10,000 files of at most 340 bytes each.
const MAX_LIST: u64 = 4 * 1024 * 1024;

/// The directory of unpacked releases.
#[derive(Debug, Clone)]
pub struct Store {
    directory: PathBuf,
}

/// One way in which an entry differs from its list.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// There is no such entry, or its list is gone.
    NoEntry,
    /// A listed file is not there.
    Missing(PackagePath),
    /// A listed file has other bytes, or is no file.
    Changed(PackagePath),
    /// A listed file is executable and should not be, or the reverse.
    Mode(PackagePath),
    /// Something is there that is not listed.
    Extra(String),
    /// Something could not be read.
    Unreadable(String),
}

impl std::fmt::Display for Difference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoEntry => f.write_str("it is not in the store"),
            Self::Missing(path) => write!(f, "missing file `{path}`"),
            Self::Changed(path) => write!(f, "changed file `{path}`"),
            Self::Mode(path) => write!(f, "changed mode of `{path}`"),
            Self::Extra(path) => write!(f, "extra file `{}`", pintle_manifest::Untrusted(path)),
            Self::Unreadable(path) => write!(f, "unreadable `{}`", pintle_manifest::Untrusted(path)),
        }
    }
}

impl Store {
    /// Names the store in a directory.
    pub const fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    /// Returns the directory of an entry, whether or not it is there.
    pub fn entry(&self, tree: &Digest) -> PathBuf {
        self.directory.join(tree.to_hex())
    }

    fn list_path(&self, tree: &Digest) -> PathBuf {
        self.directory.join(format!("{}.tree", tree.to_hex()))
    }

    /// Tells whether a whole entry is there, by two stats.
    pub fn has(&self, tree: &Digest) -> bool {
        self.list_path(tree).is_file() && self.entry(tree).is_dir()
    }

    /// Tells, by one stat, whether an entry that was whole still is: it loses its list first.
    pub fn has_still(&self, tree: &Digest) -> bool {
        self.list_path(tree).is_file()
    }

    /// Returns every entry, whole or not, sorted.
    pub fn entries(&self) -> Result<BTreeSet<Digest>, FsError> {
        let listing = match std::fs::read_dir(&self.directory) {
            Ok(listing) => listing,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeSet::new()),
            Err(error) => return Err(FsError::new("list", &self.directory)(error)),
        };
        let mut entries = BTreeSet::new();
        for entry in listing {
            let name = entry.map_err(FsError::new("list", &self.directory))?.file_name();
            let name = name.to_string_lossy();
            entries.extend(Digest::parse(name.strip_suffix(".tree").unwrap_or(&name)).ok());
        }
        Ok(entries)
    }

    /// Returns the list of an entry's files, if it is there and is what its name says.
    pub fn tree(&self, tree: &Digest) -> Option<Tree> {
        let text = fs::read(&self.list_path(tree), MAX_LIST).ok()?;
        (Digest::of(&text) == *tree).then(|| Tree::decode(&text).ok()).flatten()
    }

    /// Compares an entry with its list, byte by byte. Nothing found means that it is unchanged.
    pub fn compare(&self, tree: &Digest) -> Vec<Difference> {
        let Some(list) = self.tree(tree) else { return vec![Difference::NoEntry] };
        let root = self.entry(tree);
        if !root.is_dir() {
            return vec![Difference::NoEntry];
        }
        compare_files(&root, &list).into_iter().collect()
    }

    /// Starts a place to unpack into, on the same file system. It is removed when dropped.
    pub fn stage(&self) -> Result<Staging, FsError> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        fs::create_dirs(&self.directory)?;
        let barrier = Barrier::raise(&self.directory)?;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = self.directory.join(format!(".staging-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => return Ok(Staging { store: self.clone(), path, barrier }),
                // Of a killed process, or of a live one in another container that has the same number.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(FsError::new("create", &path)(error)),
            }
        }
    }

    /// Removes an entry: first its list, so that what a crash leaves is not taken for whole.
    pub fn remove(&self, tree: &Digest) -> Result<(), FsError> {
        fs::remove_file(&self.list_path(tree))?;
        fs::remove_tree(&self.entry(tree))
    }

    /// Removes what killed commands were unpacking. The caller has the store alone.
    pub fn sweep(&self) -> Result<usize, FsError> {
        let Ok(listing) = std::fs::read_dir(&self.directory) else { return Ok(0) };
        let mut swept = 0;
        for entry in listing.flatten() {
            if entry.file_name().to_string_lossy().starts_with('.') {
                fs::remove_tree(&entry.path())?;
                swept += 1;
            }
        }
        Ok(swept)
    }

    /// Returns the bytes that an entry takes on the disk, by its list.
    pub fn size(&self, tree: &Digest) -> u64 {
        self.tree(tree).map_or(0, |tree| tree.unpacked_size())
    }
}

/// A place where releases are unpacked before they become entries.
#[derive(Debug)]
pub struct Staging {
    store: Store,
    path: PathBuf,
    barrier: Barrier,
}

impl Staging {
    /// Returns where the release with this tree hash is to be unpacked.
    pub fn place(&self, tree: &Digest) -> PathBuf {
        self.path.join(tree.to_hex())
    }

    /// Returns the place itself, for what is to become no entry.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes entries of what was unpacked: syncs everything, then renames each into the store.
    /// Returns the foreign directories that stood in the way and where they were moved.
    pub fn keep(self, trees: &[(&Path, &Tree)]) -> Result<Vec<PathBuf>, FsError> {
        for (_, tree) in trees {
            let list = self.path.join(format!("{}.tree", tree.digest().to_hex()));
            let write = std::fs::File::create_new(&list)
                .and_then(|mut file| std::io::Write::write_all(&mut file, &tree.encode()));
            match write {
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                other => other.map_err(FsError::new("write", &list))?,
            }
        }
        self.barrier.sync()?;
        let mut aside = Vec::new();
        for (root, tree) in trees {
            aside.extend(self.keep_one(root, tree)?);
        }
        fs::sync_dir(&self.store.directory)?;
        Ok(aside)
    }

    fn keep_one(&self, root: &Path, list: &Tree) -> Result<Option<PathBuf>, FsError> {
        let tree = &list.digest();
        if self.store.has(tree) {
            return Ok(None);
        }
        let entry = self.store.entry(tree);
        let mut aside = None;
        let there = std::fs::symlink_metadata(&entry);
        // A command that was killed just before it put the list there leaves a whole entry, which is taken as it is.
        let is_whole = there.as_ref().is_ok_and(Metadata::is_dir) && compare_files(&entry, list).is_empty();
        if there.is_ok() && !is_whole {
            // A name that no sweep takes: a person is told of it, and it is theirs to look at.
            let to = self.store.directory.join(format!("aside-{}-{}", tree.short(), std::process::id()));
            fs::rename(&entry, &to)?;
            aside = Some(to);
        }
        if !is_whole {
            fs::rename(root, &entry)?;
        }
        fs::set_mode(&entry, 0o555)?;
        let list = self.path.join(format!("{}.tree", tree.to_hex()));
        fs::rename(&list, &self.store.list_path(tree))?;
        Ok(aside)
    }

    /// Puts a good copy in the place of an entry that was changed, in one step, and removes the changed one.
    pub fn replace(self, root: &Path, tree: &Tree) -> Result<(), FsError> {
        let digest = tree.digest();
        self.barrier.sync()?;
        let (entry, broken) = (self.store.entry(&digest), self.path.join("broken"));
        if let Ok(there) = std::fs::symlink_metadata(&entry) {
            // A directory that may not be changed can't be moved to another, unless one is root.
            if there.is_dir() {
                fs::set_mode(&entry, 0o755)?;
            }
            fs::exchange(root, &entry)?;
            fs::rename(root, &broken)?;
        } else {
            fs::rename(root, &entry)?;
        }
        fs::set_mode(&entry, 0o555)?;
        fs::write_atomic(&self.store.list_path(&digest), &tree.encode())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // What can't be removed now is removed by the next command that has the store alone.
        let _ = fs::remove_tree(&self.path);
    }
}

fn compare_files(root: &Path, list: &Tree) -> BTreeSet<Difference> {
    let mut differences: BTreeSet<_> =
        list.files().filter_map(|(path, file)| compare_file(root, path, file)).collect();
    let listed: BTreeSet<&str> = list.files().map(|(path, _)| path.as_str()).collect();
    find_extra(root, "", &listed, &mut differences);
    differences
}

fn compare_file(root: &Path, path: &PackagePath, file: &crate::archive::FileEntry) -> Option<Difference> {
    let place = root.join(path.as_str());
    let Ok(metadata) = std::fs::symlink_metadata(&place) else {
        return Some(Difference::Missing(path.clone()));
    };
    if !metadata.is_file() || metadata.len() != file.size {
        return Some(Difference::Changed(path.clone()));
    }
    match digest_of_file(&place) {
        Err(_) => return Some(Difference::Unreadable(path.to_string())),
        Ok(digest) if digest != file.digest => return Some(Difference::Changed(path.clone())),
        Ok(_) => {}
    }
    (is_executable(&metadata) != (file.mode == Mode::Executable)).then(|| Difference::Mode(path.clone()))
}

#[cfg(unix)]
fn is_executable(metadata: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    metadata.permissions().mode() & 0o100 != 0
}

fn digest_of_file(path: &Path) -> std::io::Result<Digest> {
    let mut file = std::fs::File::open(path)?;
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            count => hasher.update(&buffer[..count]),
        }
    }
}

fn find_extra(root: &Path, below: &str, listed: &BTreeSet<&str>, found: &mut BTreeSet<Difference>) {
    let Ok(listing) = std::fs::read_dir(root.join(below)) else {
        found.insert(Difference::Unreadable(below.to_owned()));
        return;
    };
    for entry in listing.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let path = if below.is_empty() { name.into_owned() } else { format!("{below}/{name}") };
        if listed.contains(path.as_str()) {
            continue;
        }
        let prefix = format!("{path}/");
        let leads_somewhere =
            listed.range(prefix.as_str()..).next().is_some_and(|next| next.starts_with(&prefix));
        let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        match leads_somewhere && is_directory {
            true => find_extra(root, &path, listed, found),
            false => drop(found.insert(Difference::Extra(path))),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::Store;
    use crate::archive::Tree;
    use pintle_manifest::Digest;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    fn unpack(root: &Path, text: &str) -> Tree {
        std::fs::create_dir_all(root).unwrap();
        crate::store::fs::write_atomic(&root.join("a"), text.as_bytes()).unwrap();
        let list = format!("pintle-tree 1\n0644 {} {} a\n", text.len(), Digest::of(text.as_bytes()).to_hex());
        Tree::decode(list.as_bytes()).unwrap()
    }

    #[test]
    fn an_entry_whose_list_a_killed_command_did_not_put_there_is_taken_as_it_is_if_it_is_whole() {
        let check = |text: &str, taken: bool| {
            let dir = tempfile::tempdir().unwrap();
            let store = Store::new(dir.path().join("store"));
            let staging = store.stage().unwrap();
            let tree = unpack(&dir.path().join("tree"), "right");
            let (entry, root) = (store.entry(&tree.digest()), staging.place(&tree.digest()));
            unpack(&entry, text);
            unpack(&root, "right");
            let before = std::fs::metadata(&entry).unwrap().ino();
            let aside = staging.keep(&[(&root, &tree)]).unwrap();
            assert!(store.has(&tree.digest()) && store.compare(&tree.digest()).is_empty());
            assert_eq!(aside.is_empty(), taken, "only what is something else is moved");
            assert_eq!(std::fs::metadata(&entry).unwrap().ino() == before, taken);
        };
        check("right", true);
        check("wrong", false);
    }
}
