//! Where things are kept, and how a change is made whole or not at all.
//!
//! ```text
//! PINTLE_HOME/
//!   store/<hex>/         one unpacked release, read-only, by its tree hash          [entries]
//!   store/<hex>.tree     its list of files; the digest of this text is <hex>
//!   store/.staging-*/    what a running command is unpacking
//!   cache/               what was read of registries                               [crate::index]
//!   projects/<key>/      one directory like the following for each project          [scope]
//!   generations/<n>/     one complete installed set, immutable                     [generation]
//!   current              link to one of them; swapping it is the commit             [commit]
//!   data/ config/        what extensions keep; never touched by an update
//!   state/               pending.json, disabled.json                               [commit, disabled]
//!   trust/               grants.json                                               [crate::trust]
//!   run/                 lease, store.lock: advisory locks                         [lease]
//! ```
//!
//! Reading order: [`fs`], [`Home`] and [`Scope`], [`Lease`], [`Store`], [`Set`], then [`commit`].

pub mod fs;
mod in_the_way;
mod remove;
mod home;
mod scope;
mod lease;
mod entries;
pub(crate) mod state_file;
mod set_file;
mod generation;
pub mod commit;
mod disabled;
mod written_path;

pub use commit::{CommitError, NewGeneration, Recovered};
pub use disabled::{Disabled, Lost, Why};
pub use entries::{Difference, Staging, Store};
pub use generation::{Generations, Hold};
pub use home::Home;
pub use lease::{Holder, Lease, LeaseError, Patience, StoreGuard, Waiting};
pub use scope::{Scope, ScopeKind};
pub use set_file::{Installed, Set, Source};
pub use state_file::StateError;
pub(crate) use written_path::WrittenPath;
