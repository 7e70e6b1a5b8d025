//! `pintle sync`: installs what the wishes and the lock say, and nothing newer.

use super::set_change::{self, Intention};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use pintle_registry::operations::sync;

/// Installs exactly what pintle.toml and pintle.lock say
///
/// What is locked is installed as it is locked. The lock changes only if `pintle.toml` does; with `--locked` it does
/// not change at all.
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &SyncArgs) -> Result<Exit, Failure> {
    let intention = Intention::from_flag(arguments.dry_run);
    set_change::run_to_end(situation, "sync", intention, sync::prepare)
}
