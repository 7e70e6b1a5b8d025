//! `contract.toml`, what a host promises to extensions, as plain values.
//!
//! [`model`] is what a contract says. [`read`](mod@read) makes one from text: [`parts`] knows the keys, [`table`] reads
//! them, [`schema`] reads types by the [`keyword`]s of JSON Schema, [`links`] follows the names and [`alias`] judges
//! those that stand for others. [`compare`](mod@compare) tells two versions apart, [`fits`] whether an extension fits. [`word`] and [`fields`] serve all of
//! them, and [`locate`](mod@locate) finds a part in its text.

mod model;
mod word;

mod read;
mod parts;
mod table;
mod reading;
mod schema;
mod keyword;
mod links;
mod alias;

mod compare;
mod fits;

mod fields;
mod locate;

pub use compare::{Bump, Difference, Side, compare, needed};
pub use fits::{Misfit, MisfitKind, misfits, misfits_in};
pub use locate::locate;
pub use model::{
    Call, Collision, Contract, Deprecation, Hook, HookKind, Invoke, Matching, OnFault, PermissionKind,
    QueueRule, Risk, Slot,
};
pub use read::{CONTRACT_VERSION, MAX_CONTRACT, ReadContract};
