use super::disable::switch;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::switch_off::Switch;

/// Turns extensions on again
#[derive(Debug, Args)]
pub(crate) struct EnableArgs {
    /// What to turn on
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &EnableArgs) -> Result<Exit, Failure> {
    let outcome = switch(situation, ("enable", "enabled"), &arguments.names, &Switch::On, arguments.dry_run)?;
    situation.ui.outcome(&outcome);
    Ok(Exit::Done)
}
