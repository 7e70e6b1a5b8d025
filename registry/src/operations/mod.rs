//! The use-cases, one a file. Reading order: [`context`] is what each is handed, [`snapshot`] what it finds, `choose`
//! how a set is decided, [`plan`] what was decided, [`change`] how a plan becomes real, [`apply`] the steps of that.
//! Then the verbs: [`install`], [`uninstall`], [`update`], [`sync`], [`rollback`], [`switch_off`], [`verify`],
//! [`garbage`], and those that only look: [`graph`], [`outdated`]; for maintainers, [`release`].

pub mod apply;
mod catalog;
pub mod change;
mod choose;
pub mod context;
pub mod garbage;
pub mod graph;
pub mod install;
pub mod local;
pub mod outdated;
pub mod plan;
pub mod release;
pub mod rollback;
pub mod snapshot;
pub mod sources;
pub mod spec;
pub mod switch_off;
pub mod sync;
pub mod uninstall;
pub mod update;
pub mod verify;

pub use choose::PlanError;
