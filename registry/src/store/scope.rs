//! Scopes: whose set is meant. The user's set lives in `PINTLE_HOME`; a project's wishes and lock live beside its
//! code, and what is installed for it lives in `PINTLE_HOME/projects`, so a checkout stays clean and may be read-only.

use super::fs::{self, FsError};
use super::{Generations, Home, Lease};
use pintle_manifest::Digest;
use std::path::{Path, PathBuf};

/// The name of the file of wishes.
pub(super) const WISHES: &str = "pintle.toml";
/// The name of the lock file.
pub(super) const LOCK: &str = "pintle.lock";

/// Says whose set is meant, and where its parts are.
#[derive(Debug, Clone)]
pub struct Scope {
    /// Whose it is.
    pub kind: ScopeKind,
    /// The home that it belongs to.
    pub home: Home,
    /// Where what is installed is kept: `PINTLE_HOME`, or `PINTLE_HOME/projects/<key>`.
    pub base: PathBuf,
    /// The file of wishes, links followed.
    pub wishes: PathBuf,
    /// The lock file, links followed.
    pub lock: PathBuf,
}

/// Whose set it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeKind {
    /// The person's own.
    User,
    /// That of the project in this directory.
    Project(PathBuf),
}

impl Scope {
    /// Returns the scope of the person.
    pub fn user(home: &Home) -> Self {
        let root = home.root().to_owned();
        Self {
            kind: ScopeKind::User,
            home: home.clone(),
            wishes: follow(root.join(WISHES)),
            lock: follow(root.join(LOCK)),
            base: root,
        }
    }

    /// Returns the scope of the project in a directory. One directory has one scope, whatever path leads to it.
    pub fn project(home: &Home, directory: &Path) -> Self {
        let directory = std::fs::canonicalize(directory).unwrap_or_else(|_| directory.to_owned());
        let key = Digest::of(directory.as_os_str().as_encoded_bytes()).to_hex()[..16].to_owned();
        Self {
            home: home.clone(),
            base: home.projects().join(key),
            wishes: follow(directory.join(WISHES)),
            lock: follow(directory.join(LOCK)),
            kind: ScopeKind::Project(directory),
        }
    }

    /// Finds the nearest directory at or above `from` that has a file of wishes, other than `PINTLE_HOME`. One that can't
    /// be read is found all the same, so that it fails there and is not passed over for another set.
    pub fn find_project(home: &Home, from: &Path) -> Option<PathBuf> {
        let home = std::fs::canonicalize(home.root()).unwrap_or_else(|_| home.root().to_owned());
        let is_home =
            |directory: &Path| std::fs::canonicalize(directory).is_ok_and(|directory| directory == home);
        from.ancestors()
            .find(|above| above.join(WISHES).symlink_metadata().is_ok() && !is_home(above))
            .map(Path::to_owned)
    }

    /// Returns the directory that relative paths in the wishes start from.
    pub fn directory(&self) -> &Path {
        match &self.kind {
            ScopeKind::User => &self.base,
            ScopeKind::Project(directory) => directory,
        }
    }

    /// Returns the installed sets of this scope.
    pub fn generations(&self) -> Generations {
        Generations::new(&self.base)
    }

    /// Returns where the extension of this name keeps its data.
    pub fn data(&self, name: &pintle_manifest::Name) -> PathBuf {
        self.base.join("data").join(name.as_str())
    }

    /// Returns where the settings of the extension of this name are.
    pub fn config(&self, name: &pintle_manifest::Name) -> PathBuf {
        self.base.join("config").join(format!("{name}.toml"))
    }

    /// Makes the directories of the scope.
    pub fn create(&self) -> Result<(), FsError> {
        for part in ["generations", "state", "run"] {
            fs::create_dirs(&self.base.join(part))?;
        }
        fs::create_dirs(&self.home.store())?;
        fs::create_dirs(&self.home.root().join("run"))
    }

    /// Notes for which project the scope is. Under the lease, so that what a killed command left can be swept.
    pub fn note(&self, _lease: &Lease) -> Result<(), FsError> {
        let ScopeKind::Project(directory) = &self.kind else { return Ok(()) };
        let note = self.base.join("project.json");
        if note.metadata().is_ok_and(|metadata| metadata.len() > 0) {
            return Ok(());
        }
        let text = serde_json::json!({ "version": 1, "path": directory.to_string_lossy() });
        // The barrier of the change that follows puts it on the disk; one that a power cut emptied is written again.
        let temporary = fs::temporary_name(&note);
        fs::draft(&temporary, format!("{text}\n").as_bytes())?;
        fs::rename(&temporary, &note)
    }
}

/// Follows links, so that a linked file is written where it really is. What leads to no file stays as it is, so that what
/// is wrong is told of the place that people know.
fn follow(path: PathBuf) -> PathBuf {
    std::fs::canonicalize(&path).ok().filter(|real| real.is_file()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::{Home, Scope, WISHES};

    #[test]
    fn the_nearest_wishes_are_the_projects_and_the_homes_are_not() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("project/src/deep");
        let home = Home::new(dir.path().join("project/home"));
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::create_dir_all(home.root()).unwrap();
        assert_eq!(Scope::find_project(&home, &deep), None);
        std::fs::File::create(dir.path().join("project").join(WISHES)).unwrap();
        std::fs::File::create(home.root().join(WISHES)).unwrap();
        assert_eq!(Scope::find_project(&home, &deep), Some(dir.path().join("project")));
        assert_eq!(Scope::find_project(&home, home.root()), Some(dir.path().join("project")));
    }
}
