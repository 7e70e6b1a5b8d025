//! The use-cases, one a file. Reading order: [`context`] is what each is handed, [`snapshot`] what it finds, `choose`
//! and `from_lock` how a set is decided, [`plan`] what was decided, [`consent`] what it asks a person for, [`change`] how a plan becomes real, [`apply`] the steps of that.
//! Then the verbs: [`install`], [`uninstall`], [`update`], [`sync`], [`rollback`], [`switch_off`], [`trust`], [`verify`],
//! [`garbage`], and those that only look: [`graph`], [`outdated`]; for maintainers, [`release`].

pub mod context;
pub mod snapshot;
pub mod local;
pub mod sources;

mod catalog;
mod choose;
mod from_lock;
pub mod plan;
pub mod consent;
pub mod change;
pub mod apply;

pub mod spec;
pub mod install;
pub mod uninstall;
pub mod update;
pub mod sync;
pub mod rollback;
pub mod switch_off;
pub mod trust;
pub mod verify;
pub mod garbage;

pub mod graph;
pub mod outdated;
pub mod release;

pub use choose::PlanError;
