//! The words that the tests are written in: a [`Sandbox`] with a home, registries and packages in it, a [`Run`] of
//! the program, its [`Output`], a [`Listing`] of everything on the disk, and archives that no honest tool makes.

mod archive;
mod extension_host;
mod listing;
mod output;
mod package;
mod run;
mod sandbox;
mod terminal;
mod waiting;

pub(crate) use archive::{RawEntry, archive_of, gzip, tar_of};
pub(crate) use extension_host::ExtensionHost;
pub(crate) use listing::Listing;
pub(crate) use output::Output;
pub(crate) use package::Package;
pub(crate) use run::Run;
pub(crate) use sandbox::{Sandbox, remove};
pub(crate) use terminal::Terminal;
pub(crate) use waiting::{interrupt, wait_for};
