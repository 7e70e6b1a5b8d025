//! A registry in a temporary directory, with a cache beside it and archives to publish.

use jiff::Timestamp;
use pintle_manifest::{Digest, Name, Requirement, Target, Version};
use pintle_registry::index::{
    Artifact, IndexError, NewRelease, Package, PublishError, Published, Registry, RegistryName, Release,
    Runtime, init, publish,
};
use pintle_registry::store::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Shelf {
    pub(crate) dir: tempfile::TempDir,
}

impl Shelf {
    /// Makes an empty registry, on a path with a space.
    pub(crate) fn new() -> Self {
        let shelf = Self { dir: tempfile::Builder::new().prefix("pintle shelf").tempdir().unwrap() };
        init(&shelf.root()).unwrap();
        shelf
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.dir.path().join("registry")
    }

    pub(crate) fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    /// Describes a release of an archive that holds `bytes`.
    pub(crate) fn release(&self, name_: &str, version: &str, bytes: &str) -> NewRelease {
        let digest = Digest::of(bytes.as_bytes());
        let archive = self.dir.path().join(digest.to_hex());
        fs::write_atomic(&archive, bytes.as_bytes()).unwrap();
        NewRelease {
            name: name(name_),
            version: Version::parse(version).unwrap(),
            published: time("2026-01-01T00:00:00Z"),
            description: format!("What {name_} does"),
            license: Some("Apache-2.0".to_owned()),
            keywords: vec!["test".to_owned()],
            repository: None,
            homepage: None,
            hosts: [("agent".parse().unwrap(), Requirement::parse(">=1, <2").unwrap())].into(),
            dependencies: [].into(),
            permissions: [].into(),
            runtime: Runtime::Process,
            target: Target::ANY,
            artifact: Artifact {
                archive: digest,
                size: bytes.len() as u64,
                tree: Digest::of(format!("tree of {bytes}").as_bytes()),
                unpacked: 10,
                files: 1,
            },
            archive,
            readme: Some(format!("# {name_}").into_bytes()),
        }
    }

    pub(crate) fn try_publish(&self, release: &NewRelease) -> Result<Published, PublishError> {
        publish(&self.root(), release)
    }

    /// Publishes a release whose archive holds its name and version.
    pub(crate) fn publish(&self, name: &str, version: &str) {
        self.try_publish(&self.release(name, version, &format!("{name} {version}"))).unwrap();
    }

    pub(crate) fn try_open(&self) -> Result<Registry, IndexError> {
        open(&self.root(), Some(&self.cache()), false)
    }

    /// Opens it with the cache.
    pub(crate) fn open(&self) -> Registry {
        self.try_open().unwrap()
    }

    pub(crate) fn offline(&self) -> Result<Registry, IndexError> {
        open(&self.root(), Some(&self.cache()), true)
    }

    /// Opens it without a cache.
    pub(crate) fn bare(&self) -> Registry {
        open(&self.root(), None, false).unwrap()
    }

    /// Returns the versions of a package as they are now.
    pub(crate) fn versions(&self, name: &str) -> Vec<String> {
        versions(&self.bare(), name)
    }

    pub(crate) fn files(&self, directory: &str) -> Vec<PathBuf> {
        files_below(&self.root().join(directory))
    }
}

pub(crate) fn open(root: &Path, cache: Option<&Path>, offline: bool) -> Result<Registry, IndexError> {
    Registry::open(registry_name("main"), root, cache, offline)
}

pub(crate) fn registry_name(text: &str) -> RegistryName {
    RegistryName::parse(text).unwrap()
}

pub(crate) fn name(text: &str) -> Name {
    Name::parse(text).unwrap()
}

pub(crate) fn version(text: &str) -> Version {
    Version::parse(text).unwrap()
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn versions(registry: &Registry, text: &str) -> Vec<String> {
    let package = registry.package(&name(text)).unwrap();
    let of = |package: &Package| package.releases.iter().map(|release| release.version.to_string()).collect();
    package.map(|package| of(&package)).unwrap_or_default()
}

/// Returns every file below a directory, sorted.
pub(crate) fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten() {
        let path = entry.unwrap().path();
        match path.is_dir() {
            true => files.extend(files_below(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}

/// Overwrites a file in place, as rot does.
pub(crate) fn spoil(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    fs::draft(path, bytes).unwrap();
}

/// Makes a package as a generator of many would.
pub(crate) fn generated(name_: &str, releases: u64) -> Package {
    let release = |minor| Release {
        version: Version::new(1, minor, 0),
        published: time("2026-01-01T00:00:00Z"),
        yanked: None,
        description: format!("What {name_} does, told in a line of about the usual length"),
        license: Some("Apache-2.0".to_owned()),
        keywords: vec!["generated".to_owned()],
        repository: Some(format!("https://example.org/acme/{name_}")),
        homepage: None,
        hosts: [("agent".parse().unwrap(), Requirement::parse(">=1, <2").unwrap())].into(),
        dependencies: [(name("acme-base"), Requirement::caret(&Version::new(1, minor, 0)))].into(),
        permissions: [].into(),
        runtime: Runtime::Process,
        artifacts: [(
            Target::ANY,
            Artifact {
                archive: Digest::of(format!("{name_} {minor}").as_bytes()),
                size: 10_000,
                tree: Digest::of(name_.as_bytes()),
                unpacked: 30_000,
                files: 12,
            },
        )]
        .into(),
        readme: None,
    };
    Package { name: name(name_), releases: (0..releases).map(release).collect() }
}
