//! `pintle update`: moves extensions to newer releases. Never down by itself, and never what is pinned.

use super::consent::ConsentArgs;
use super::set_change::{self, Intention, SetChange};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use pintle_manifest::{Name, Version};
use pintle_registry::operations::consent::{Held, Unanswered};
use pintle_registry::operations::update::{self, Update};

/// Moves extensions to the newest releases that pintle.toml allows
///
/// Never moves down by itself, never moves what is pinned, and leaves linked folders alone. What is newer than
/// `pintle.toml` allows is named, with the command that takes it.
///
/// A version that asks for more than was allowed needs a yes; without one the old version stays, and the rest is updated.
#[derive(Debug, Args)]
#[command(visible_aliases = ["upgrade", "up"])]
pub(crate) struct UpdateArgs {
    /// What to update; everything, if nothing is named
    #[arg(value_name = "NAME")]
    names: Vec<Name>,
    /// Moves the one named extension to exactly this version, up or down
    #[arg(long, value_name = "VERSION", requires = "names")]
    precise: Option<Version>,
    /// Allows pre-releases
    #[arg(long)]
    pre: bool,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    consent: ConsentArgs,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &UpdateArgs) -> Result<Exit, Failure> {
    if arguments.precise.is_some() && arguments.names.len() > 1 {
        return Err(Failure::new("usage", "`--precise` moves one extension at a time").exit(Exit::Usage));
    }
    let update = Update {
        names: arguments.names.clone(),
        precise: arguments.precise.clone(),
        prereleases: arguments.pre,
        held: Held::new(),
    };
    let change = SetChange {
        verb: "update",
        intention: Intention::from_flag(arguments.dry_run),
        named: &arguments.names,
        // One version was asked for, and nothing else would do.
        unanswered: if update.precise.is_some() { Unanswered::Refuse } else { Unanswered::Hold },
        consent: Some(&arguments.consent),
    };
    let changed = set_change::run(situation, &change, |context, snapshot, held| {
        update::prepare(context, snapshot, &Update { held: held.clone(), ..update.clone() })
    })?;
    Ok(if change.is_left_waiting(&changed) { Exit::Refused } else { Exit::Done })
}
