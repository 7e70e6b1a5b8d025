//! A folder for one test, which is gone afterwards even if it holds read-only directories.

use pintle_manifest::{Entry, Manifest, Selection};
use pintle_registry::archive::SourceFile;
use pintle_registry::store::fs;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

pub(crate) struct Folder {
    dir: Option<tempfile::TempDir>,
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("pintle test ").tempdir().unwrap();
        let path = dir.path().canonicalize().unwrap();
        Self { dir: Some(dir), path }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, and the directories above it.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path.join(name);
        fs::create_dirs(path.parent().unwrap()).unwrap();
        // A new file is much cheaper than a cut one: some file systems flush a file that is written over.
        fs::remove_file(&path).unwrap();
        std::fs::File::create(&path).unwrap().write_all(bytes.as_ref()).unwrap();
        path
    }

    /// Writes a file that may be run.
    pub(crate) fn write_program(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.write(name, bytes);
        set_mode(&path, 0o755);
        path
    }

    /// Writes a file and describes it for packing under a name.
    pub(crate) fn source(&self, name: &str, bytes: impl AsRef<[u8]>, executable: bool) -> SourceFile {
        let from = self.write(&format!("source/{name}"), bytes);
        SourceFile { path: name.parse().unwrap(), from, executable }
    }

    /// Lists everything beneath a folder: path, then mode and content.
    pub(crate) fn listing(&self) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        list(&self.path, &self.path, &mut found);
        found
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_tree(&self.path);
        drop(self.dir.take());
    }
}

pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

pub(crate) fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn list(root: &Path, dir: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        let name = path.strip_prefix(root).unwrap().display().to_string();
        let metadata = path.symlink_metadata().unwrap();
        let what = match (metadata.is_dir(), metadata.is_file()) {
            (true, _) => "directory".to_owned(),
            (_, true) => std::fs::read(&path).unwrap().escape_ascii().to_string(),
            (false, false) => "other".to_owned(),
        };
        found.insert(name, format!("{:o} {what}", mode(&path)));
        if metadata.is_dir() {
            list(root, &path, found);
        }
    }
}

/// The manifest of a process extension without anything that is not needed.
pub(crate) fn manifest(command: &[&str]) -> Manifest {
    Manifest {
        name: "blast-radius".parse().unwrap(),
        version: "0.3.1".parse().unwrap(),
        description: "shows what a command would change".to_owned(),
        license: None,
        authors: Vec::new(),
        keywords: Vec::new(),
        repository: None,
        homepage: None,
        readme: None,
        selection: Selection::default(),
        hosts: BTreeMap::new(),
        entry: Entry::Process {
            command: command.iter().map(ToString::to_string).collect(),
            requires: BTreeMap::new(),
        },
        hooks: BTreeMap::new(),
        permissions: BTreeMap::new(),
        slots: BTreeMap::new(),
        dependencies: BTreeMap::new(),
    }
}
