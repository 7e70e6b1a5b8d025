//! What `extension.toml` says, as plain values. Nothing here reads: a [`Manifest`] that exists is one in which
//! every value was checked.

use crate::{HostName, Name, PackagePath, Permissions, Problem, Requirement, Target, Version};
use std::collections::BTreeMap;
use std::time::Duration;

/// The only `manifest_version` that this Pintle reads and writes.
pub const MANIFEST_VERSION: u32 = 1;

/// Everything that an author says about an extension.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// What it is called.
    pub name: Name,
    /// Which release of it this is.
    pub version: Version,
    /// What it does, in one line of at most 300 characters.
    pub description: String,
    /// Under which terms (an SPDX expression, not checked further).
    pub license: Option<String>,
    /// Who made it.
    pub authors: Vec<String>,
    /// Words to find it by, at most ten.
    pub keywords: Vec<String>,
    /// Where its source is (an `https` address).
    pub repository: Option<String>,
    /// Where to read about it (an `https` address).
    pub homepage: Option<String>,
    /// The file that `pintle info` shows.
    pub readme: Option<PackagePath>,
    /// Which files of the folder belong to the package.
    pub selection: Selection,
    /// The contracts it serves, each with the versions it works under. Never empty, always bounded above.
    pub hosts: BTreeMap<HostName, Requirement>,
    /// How its code is run.
    pub entry: Entry,
    /// The hooks it wants to be called at, by the contract's name for them.
    pub hooks: BTreeMap<String, HookUse>,
    /// What it asks to be allowed.
    pub permissions: Permissions,
    /// What it puts into the host's slots: slot, then the name of the entry.
    pub slots: BTreeMap<String, BTreeMap<String, SlotUse>>,
    /// The extensions it needs beside it.
    pub dependencies: BTreeMap<Name, Dependency>,
}

/// Which files of a folder belong to the package; patterns are those of `.gitignore`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selection {
    /// If not empty, only what matches belongs to it (the manifest always does).
    pub include: Vec<String>,
    /// What matches does not belong to it.
    pub exclude: Vec<String>,
}

/// How the code is run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A program of any kind, talked to over pipes.
    Process {
        /// Program and arguments, never empty. A program with a `/` is a file of the package.
        command: Vec<String>,
        /// Interpreters that must be on the machine, with the versions that will do.
        requires: BTreeMap<String, Requirement>,
    },
    /// A dynamic library, loaded by a worker.
    Native {
        /// The library for each target, never empty.
        library: BTreeMap<Target, PackagePath>,
    },
    /// A WebAssembly component.
    Wasm {
        /// The component.
        component: PackagePath,
    },
}

impl Entry {
    /// Returns the targets on which it can be run as far as the manifest says: those of its libraries, else `any`.
    pub fn targets(&self) -> Vec<Target> {
        match self {
            Self::Native { library } => library.keys().copied().collect(),
            Self::Process { .. } | Self::Wasm { .. } => vec![Target::ANY],
        }
    }
}

/// How a hook is used.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct HookUse {
    /// What the payload must match for the extension to be called; text fields, compared by the host.
    pub filter: BTreeMap<String, String>,
    /// Less time than the contract gives; `None` takes what the contract gives.
    pub own_time: Option<Duration>,
}

/// One entry for a slot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SlotUse {
    /// What a person reads about it.
    pub description: String,
}

/// Another extension that this one needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dependency {
    /// Which versions will do.
    pub requirement: Requirement,
    /// For development: a folder to take it from, relative to the manifest. Never published.
    pub path: Option<String>,
}

/// What reading a manifest gives: the value if there is no error, and every problem found, in order of place.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// The manifest, if no problem is an error.
    pub manifest: Option<Manifest>,
    /// All problems, errors and warnings.
    pub problems: Vec<Problem>,
}
