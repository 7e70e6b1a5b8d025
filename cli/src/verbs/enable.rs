//! `pintle enable`: turns on again what `pintle disable` turned off.

use super::disable::switch;
use super::quarantine;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use pintle_loader::keep::Places;
use pintle_manifest::Name;
use pintle_registry::operations::switch_off::Switch;

/// Turns extensions on again
///
/// Lets them out of quarantine, too.
#[derive(Debug, Args)]
pub(crate) struct EnableArgs {
    /// What to turn on
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

/// Whoever turns something on wants it to run, also if it was the system that had turned it off.
fn release(situation: &Situation<'_>, arguments: &EnableArgs) -> Result<(), Failure> {
    let state = Places::below(&situation.scope().base).state;
    for name in &arguments.names {
        if quarantine::release(&state, name, arguments.dry_run)? {
            situation.ui.note(format_args!("`{name}` was in quarantine, which ends with this"));
        }
    }
    Ok(())
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &EnableArgs) -> Result<Exit, Failure> {
    let outcome = switch(situation, ("enable", "enabled"), &arguments.names, &Switch::On, arguments.dry_run)?;
    release(situation, arguments)?;
    situation.ui.outcome(&outcome);
    Ok(Exit::Done)
}
