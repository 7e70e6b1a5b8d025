//! A directory of its own for each test, on a path with a blank in it, gone when the test ends.

use super::run::NOBODY;
use super::waiting::heed_keys;
use super::{Listing, Output, Package, Run};
use pintle_registry::store::fs;
use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// The places of one test: `home dir` is `PINTLE_HOME`, `work dir` is where commands run, and registries and packages
/// lie beside them.
pub(crate) struct Sandbox {
    dir: Option<tempfile::TempDir>,
    root: PathBuf,
    home: PathBuf,
}

impl Sandbox {
    /// Makes an empty one.
    pub(crate) fn new() -> Self {
        Self::with_home(OsStr::new("home dir"))
    }

    /// Makes an empty one whose home has another name.
    pub(crate) fn with_home(name: &OsStr) -> Self {
        heed_keys();
        let dir = tempfile::Builder::new().prefix("pintle test ").tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        // A run as another user has to get in.
        std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o755)).unwrap();
        let home = root.join(name);
        std::fs::create_dir_all(root.join("work dir")).unwrap();
        Self { dir: Some(dir), root, home }
    }

    /// Makes one with a registry `main` that the user's set looks in.
    pub(crate) fn with_registry() -> Self {
        let sandbox = Self::new();
        sandbox.registry("main");
        sandbox
    }

    /// Returns the directory that holds everything.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns a place in `PINTLE_HOME`.
    pub(crate) fn home(&self, below: &str) -> PathBuf {
        if below.is_empty() { self.home.clone() } else { self.home.join(below) }
    }

    /// Returns a place where commands run.
    pub(crate) fn work(&self, below: &str) -> PathBuf {
        let work = self.root.join("work dir");
        if below.is_empty() { work } else { work.join(below) }
    }

    /// Returns the directory of a registry.
    pub(crate) fn registry_dir(&self, name: &str) -> PathBuf {
        self.root.join("registries").join(name)
    }

    /// Makes a registry and names it in the user's `pintle.toml`.
    pub(crate) fn registry(&self, name: &str) -> PathBuf {
        let directory = self.make_registry(name);
        self.command(["registry", "add", name]).arg(&directory).run().succeeds();
        directory
    }

    /// Makes a registry that nothing names.
    pub(crate) fn make_registry(&self, name: &str) -> PathBuf {
        let directory = self.registry_dir(name);
        self.command(["registry", "init"]).arg(&directory).run().succeeds();
        directory
    }

    /// Starts to describe a package, version 1.0.0 until said otherwise.
    pub(crate) fn package(&self, name: &str) -> Package<'_> {
        Package::new(self, name)
    }

    /// Publishes versions of a package that needs nothing.
    pub(crate) fn publish(&self, name: &str, versions: &[&str]) {
        for version in versions {
            self.package(name).version(version).publish_to("main");
        }
    }

    /// Runs the program.
    pub(crate) fn pintle<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Output {
        self.command(arguments).run()
    }

    /// Runs the program in the project directory `work dir`.
    pub(crate) fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Run<'_> {
        Run::new(self, arguments)
    }

    /// Describes a run for someone who has read what it asks for: it allows exactly what its dry run shows.
    #[track_caller]
    pub(crate) fn allowing<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Run<'_> {
        let words: Vec<_> = arguments.into_iter().map(|word| word.as_ref().to_owned()).collect();
        let shown = self.command(&words).args(["--dry-run", "--format=json"]).run().succeeds().json();
        let hash = shown["accept_permissions"].as_str().expect("it asks for something");
        self.command(&words).args(["--accept-permissions", hash])
    }

    /// Writes a file, and the directories above it.
    pub(crate) fn write(&self, path: &Path, bytes: impl AsRef<[u8]>) {
        let directory = path.parent().unwrap();
        std::fs::create_dir_all(directory).unwrap();
        changing(directory, || {
            std::fs::File::create(path).unwrap().write_all(bytes.as_ref()).unwrap();
        });
    }

    /// Reads a file of text.
    pub(crate) fn read(&self, path: &Path) -> String {
        std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Lists everything that is on the disk, also outside of the home.
    pub(crate) fn listing(&self) -> Listing {
        Listing::of(&self.root)
    }

    /// Returns what is installed for the user, such as `acme-a 1.0.0, acme-d 1.2.0`.
    pub(crate) fn installed(&self) -> String {
        self.installed_by(self.command(["list", "--user", "--format", "json"]))
    }

    /// Returns what is installed, as another run of `list` sees it.
    pub(crate) fn installed_by(&self, list: Run<'_>) -> String {
        let document = list.run().succeeds().json();
        let one = |one: &serde_json::Value| {
            format!("{} {}", one["name"].as_str().unwrap(), one["version"].as_str().unwrap())
        };
        document["extensions"].as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(", ")
    }

    /// Returns the number of the user's current generation.
    pub(crate) fn generation(&self) -> u64 {
        let document = self.pintle(["list", "--user", "--format", "json"]).succeeds().json();
        document["generation"].as_u64().unwrap_or(0)
    }

    /// Returns the directory that an installed extension is read from.
    pub(crate) fn extension(&self, name: &str) -> PathBuf {
        self.home("current/ext").join(name).canonicalize().unwrap()
    }

    /// Gives everything to the user that [`Run::by_nobody`] runs as.
    pub(crate) fn give_to_nobody(&self) {
        if rustix::process::geteuid().is_root() {
            for path in self.listing().paths() {
                std::os::unix::fs::lchown(self.root.join(path), Some(NOBODY), Some(NOBODY)).unwrap();
            }
        }
    }

    /// Takes the right to write from everything in `PINTLE_HOME`, until what is returned is dropped. Root may write all the
    /// same, so commands are then to run [`Run::by_nobody`].
    pub(crate) fn read_only_home(&self) -> ReadOnly {
        let below = Listing::of(&self.home).paths().map(|path| self.home.join(path)).collect::<Vec<_>>();
        let all = below.into_iter().chain([self.home.clone()]).filter(|path| !path.is_symlink());
        let modes: Vec<_> = all.map(|path| (path.metadata().unwrap().permissions().mode(), path)).collect();
        for (mode, path) in &modes {
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode & !0o222)).unwrap();
        }
        ReadOnly { modes }
    }

    /// Fails if a command left something half done or temporary anywhere.
    #[track_caller]
    pub(crate) fn assert_no_leftovers(&self) {
        let is_leftover = |path: &&String| {
            path.contains(".tmp-") || path.contains(".staging-") || path.ends_with("pending.json")
        };
        let listing = self.listing();
        let left: Vec<_> = listing.paths().filter(is_leftover).collect();
        assert!(left.is_empty(), "left behind: {left:#?}");
    }

    /// Replaces what differs from run to run: the place of this sandbox, digests, process ids.
    pub(crate) fn normalise(&self, text: &str) -> String {
        let text = text.replace(&*self.root.to_string_lossy(), "[root]");
        mask_numbers(&mask_digests(&text), "process ")
    }
}

/// A home that can't be written to.
pub(crate) struct ReadOnly {
    modes: Vec<(u32, PathBuf)>,
}

impl Drop for ReadOnly {
    fn drop(&mut self) {
        for (mode, path) in self.modes.iter().rev() {
            let _ = std::fs::set_permissions(path, std::fs::Permissions::from_mode(*mode));
        }
    }
}

/// Removes a file, or a directory and all that is in it, also if it is read-only as the store is.
pub(crate) fn remove(path: impl AsRef<Path>) {
    let path = path.as_ref();
    changing(path.parent().unwrap(), || fs::remove_tree(path).unwrap());
}

/// Does something in a directory that may be read-only, as the store is, and leaves it as it was.
fn changing(directory: &Path, body: impl FnOnce()) {
    let before = directory.metadata().ok().map(|metadata| metadata.permissions());
    let Some(before) = before.filter(|before| before.mode() & 0o200 == 0) else { return body() };
    std::fs::set_permissions(directory, std::fs::Permissions::from_mode(0o755)).unwrap();
    body();
    std::fs::set_permissions(directory, before).unwrap();
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // The store is read-only, which an ordinary removal stumbles over.
        let _ = fs::remove_tree(&self.root);
        drop(self.dir.take());
    }
}

fn mask_digests(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c.is_ascii_hexdigit()) {
        masked.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(rest.len());
        masked.push_str(if end == 64 { "[digest]" } else { &rest[..end] });
        rest = &rest[end..];
    }
    masked + rest
}

fn mask_numbers(text: &str, lead: &str) -> String {
    let mut parts = text.split(lead);
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit());
        masked.push_str(lead);
        masked.push_str(if rest.len() < part.len() { "[pid]" } else { "" });
        masked.push_str(rest);
    }
    masked
}
