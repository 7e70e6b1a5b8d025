//! What can go wrong while a registry is read. Each kind is a different thing for a person to do.

use super::format::FormatError;
use super::object::Kind;
use super::registry_name::RegistryName;
use super::transport::TransportError;
use pintle_manifest::Digest;
use std::error::Error;

/// Says why a registry could not be read.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// It is gone, or may not be read. Never a reason to look elsewhere.
    #[error("the registry `{registry}` at `{location}` can't be reached")]
    Unreachable {
        /// Which registry.
        registry: RegistryName,
        /// Where it should be.
        location: String,
        /// What the system said.
        #[source]
        source: Box<dyn Error + Send + Sync>,
    },
    /// There is an empty directory.
    #[error("there is no registry `{registry}` at `{location}`: it is empty")]
    Empty {
        /// Which registry.
        registry: RegistryName,
        /// Where it should be.
        location: String,
    },
    /// There is something without a `head.json`.
    #[error("what is at `{location}` is not a registry: it has no `head.json`")]
    NotRegistry {
        /// Which registry.
        registry: RegistryName,
        /// Where it should be.
        location: String,
    },
    /// `head.json` is something else: a web page, garbage, a part.
    #[error("the `head.json` of the registry `{registry}` at `{location}` is not one: {reason}")]
    BadHead {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A file of it was made by a newer Pintle.
    #[error(
        "the {what} of the registry `{registry}` at `{location}` was made by a newer Pintle \
         (format {format}, this one knows {known})"
    )]
    NewerFormat {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// Which file: `head.json`, or the kind and digest of an object.
        what: String,
        /// The format it has.
        format: u64,
        /// The newest format that is known.
        known: u64,
    },
    /// It offers an older state than was seen before.
    #[error("the registry `{registry}` at `{location}` went back from version {seen} to version {offered}")]
    Rollback {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// The version that was seen before.
        seen: u64,
        /// The version that it offers now.
        offered: u64,
    },
    /// It offers another state under a version that was seen before.
    #[error(
        "the registry `{registry}` at `{location}` changed without a new version (it has version {version})"
    )]
    Diverged {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// The version.
        version: u64,
    },
    /// An object that it names is not there.
    #[error("the registry `{registry}` at `{location}` is incomplete: it has no {kind} `{digest}`")]
    Incomplete {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// What kind of object.
        kind: Kind,
        /// Its name.
        digest: Digest,
    },
    /// An object has other bytes than its name says.
    #[error("the {kind} `{digest}` of the registry `{registry}` at `{location}` is damaged: {damage}")]
    Corrupt {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// What kind of object.
        kind: Kind,
        /// Its name.
        digest: Digest,
        /// In which way.
        damage: String,
    },
    /// An object has the bytes that its name says, and they make no sense.
    #[error("the {kind} `{digest}` of the registry `{registry}` at `{location}` can't be read: {reason}")]
    BadObject {
        /// Which registry.
        registry: RegistryName,
        /// Where it is.
        location: String,
        /// What kind of object.
        kind: Kind,
        /// Its name.
        digest: Digest,
        /// What is wrong with it.
        reason: String,
    },
    /// Offline, and the registry was never read on this machine.
    #[error("the registry `{registry}` was never read on this machine, so it can't be used offline")]
    NeverSeen {
        /// Which registry.
        registry: RegistryName,
    },
    /// Offline, and an object is not in the cache.
    #[error(
        "the {kind} {what} in the registry `{registry}` is not in the cache, so it can't be used offline"
    )]
    NotCached {
        /// Which registry.
        registry: RegistryName,
        /// What kind of object.
        kind: Kind,
        /// The name of the package in backticks, or the digest.
        what: String,
    },
}

/// Knows a registry by its name and its place, and makes the errors that tell of both.
#[derive(Debug, Clone)]
pub(super) struct Identity {
    pub(super) registry: RegistryName,
    pub(super) location: String,
}

impl Identity {
    fn parts(&self) -> (RegistryName, String) {
        (self.registry.clone(), self.location.clone())
    }

    pub(super) fn transport(&self, error: TransportError) -> IndexError {
        let (registry, location) = self.parts();
        match error {
            TransportError::Unreachable { source } => IndexError::Unreachable { registry, location, source },
            TransportError::Empty => IndexError::Empty { registry, location },
            TransportError::NotRegistry => IndexError::NotRegistry { registry, location },
            TransportError::LargeHead => {
                IndexError::BadHead { registry, location, reason: "it is too large".to_owned() }
            }
        }
    }

    pub(super) fn bad_head(&self, error: FormatError) -> IndexError {
        let (registry, location) = self.parts();
        match error {
            FormatError::Newer { format, known } => {
                IndexError::NewerFormat { registry, location, what: "`head.json`".to_owned(), format, known }
            }
            FormatError::Malformed(reason) => IndexError::BadHead { registry, location, reason },
        }
    }

    pub(super) fn bad_object(&self, kind: Kind, digest: Digest, error: FormatError) -> IndexError {
        let (registry, location) = self.parts();
        match error {
            FormatError::Newer { format, known } => IndexError::NewerFormat {
                registry,
                location,
                what: format!("{kind} `{digest}`"),
                format,
                known,
            },
            FormatError::Malformed(reason) => {
                IndexError::BadObject { registry, location, kind, digest, reason }
            }
        }
    }

    pub(super) fn corrupt(&self, kind: Kind, digest: Digest, damage: String) -> IndexError {
        let (registry, location) = self.parts();
        IndexError::Corrupt { registry, location, kind, digest, damage }
    }

    pub(super) fn incomplete(&self, kind: Kind, digest: Digest) -> IndexError {
        let (registry, location) = self.parts();
        IndexError::Incomplete { registry, location, kind, digest }
    }

    pub(super) fn unreadable(&self, error: std::io::Error) -> IndexError {
        let (registry, location) = self.parts();
        IndexError::Unreachable { registry, location, source: Box::new(error) }
    }

    pub(super) fn not_cached(&self, kind: Kind, what: String) -> IndexError {
        IndexError::NotCached { registry: self.registry.clone(), kind, what }
    }

    pub(super) fn rollback(&self, seen: u64, offered: u64) -> IndexError {
        let (registry, location) = self.parts();
        IndexError::Rollback { registry, location, seen, offered }
    }

    pub(super) fn diverged(&self, version: u64) -> IndexError {
        let (registry, location) = self.parts();
        IndexError::Diverged { registry, location, version }
    }
}
