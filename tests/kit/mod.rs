//! The words that the tests are written in: a [`Sandbox`] with a home, registries and packages in it, a [`Run`] of
//! the program, its [`Output`], a [`Listing`] of everything on the disk, archives that no honest tool makes, the examples as they are
//! built, and [`Actor`]s: extensions that do what the test says.

mod actor;
mod archive;
mod example;
mod left;
mod listing;
mod output;
mod package;
mod run;
mod sandbox;
mod terminal;
mod waiting;

pub(crate) use actor::Actor;
pub(crate) use archive::{RawEntry, archive_of, gzip, tar_of};
pub(crate) use left::{assert_nothing_runs, running};
pub(crate) use listing::Listing;
pub(crate) use output::Output;
pub(crate) use package::Package;
pub(crate) use run::Run;
pub(crate) use sandbox::{Sandbox, remove};
pub(crate) use terminal::Terminal;
pub(crate) use waiting::{interrupt, send, wait_for};
