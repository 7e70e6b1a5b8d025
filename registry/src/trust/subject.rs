//! What a grant is bound to: the exact content of a release, or a folder on this machine whose content may change.

use crate::store::{Installed, Source};
use pintle_manifest::{Digest, Untrusted};
use std::path::{Path, PathBuf};

/// What a grant is bound to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A release, by its tree hash: other content is another subject.
    Tree(Digest),
    /// A linked folder, by its path with links followed. Its files may change; what it asks for may not grow.
    Folder(PathBuf),
}

impl Subject {
    /// Returns the subject of what is installed; for a linked folder the file system is asked where it really is.
    /// `None` only for a release without a tree hash, which no set holds and nobody can allow.
    pub fn of(one: &Installed) -> Option<Self> {
        match (&one.tree, &one.source) {
            (Some(tree), _) => Some(Self::Tree(*tree)),
            (None, Source::Folder(path) | Source::Archive(path)) => Some(Self::folder(path)),
            (None, Source::Registry(_)) => None,
        }
    }

    /// Returns the subject of a linked folder. A folder that is gone keeps the path it had.
    pub fn folder(path: &Path) -> Self {
        Self::Folder(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()))
    }

    /// Tells whether the content may change under the grant.
    pub const fn is_folder(&self) -> bool {
        match self {
            Self::Tree(_) => false,
            Self::Folder(_) => true,
        }
    }
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tree(tree) => write!(f, "{tree}"),
            Self::Folder(path) => write!(f, "folder {}", Untrusted(&path.to_string_lossy())),
        }
    }
}
