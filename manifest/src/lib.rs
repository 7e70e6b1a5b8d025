//! What an extension is and what its host promises, as plain values.
//!
//! Everything here is parsed once, at the border, into a type that cannot hold a wrong value; the rest of the
//! house passes those types and never the string. The crate knows nothing of files, clocks, networks, threads
//! or terminals: text comes in, values or [`Problem`]s go out.
//!
//! Reading order: the words ([`Name`], [`Version`], [`Requirement`], [`Digest`], [`Target`], [`PackagePath`]),
//! then [`Manifest`], which is made of them, then [`Problem`], which is what a bad one yields. [`kept`] is beside that:
//! how whoever keeps files reads them back, since those who do know nothing of each other.

mod name;
mod version;
mod requirement;
mod digest;
mod target;
mod package_path;
mod permission;

mod extension;
mod contract;
mod problem;

pub mod kept;

mod as_text;
mod nearest;
mod untrusted;

pub use contract::{
    Bump, CONTRACT_VERSION, Call, Collision, Contract, Deprecation, Difference, Hook, HookKind, Invoke,
    MAX_CONTRACT, Matching, Misfit, MisfitKind, OnFault, PermissionKind, QueueRule, ReadContract, Risk, Side,
    Slot, compare, locate, misfits, misfits_in, needed,
};
pub use digest::{Digest, DigestError, Hasher};
pub use extension::{
    Dependency, Entry, HookUse, MANIFEST_VERSION, Manifest, Parsed, Selection, SlotUse, json_schema, parse,
    syntax_problem,
};
pub use name::{HostName, Name, NameError};
pub use nearest::nearest;
pub use package_path::{MAX_DEPTH, MAX_PATH, PackagePath, PathError};
pub use permission::{PermissionValue, Permissions, covering};
pub use problem::{Problem, Severity, Span};
pub use requirement::{Comparator, Operator, Requirement, RequirementError};
pub use target::{Target, TargetError};
pub use untrusted::Untrusted;
pub use version::{Version, VersionError};
