//! `pintle enable`: turns on again what `pintle disable` turned off.

use super::disable::{switch, tell_lost};
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
fn release(situation: &Situation<'_>, arguments: &EnableArgs) {
    let state = Places::below(&situation.scope().base).state;
    for name in &arguments.names {
        match quarantine::release(&state, name, arguments.dry_run) {
            Ok(true) => {
                situation.ui.note(format_args!("`{name}` was in quarantine, which ends with this"));
            }
            Ok(false) => {}
            // It is turned on all the same. Hosts refuse until that can be read, and say so.
            Err(error) => return situation.ui.warning_of(&error.into()),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &EnableArgs) -> Result<Exit, Failure> {
    let outcome = switch(situation, ("enable", "enabled"), &arguments.names, &Switch::On, arguments.dry_run)?;
    release(situation, arguments);
    situation.ui.outcome(&outcome);
    tell_lost(situation, &outcome);
    Ok(Exit::Done)
}
