//! `pintle sync`: installs what the wishes and the lock say, and nothing newer.

use super::consent::ConsentArgs;
use super::set_change::{self, Intention, SetChange};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{plan, words};
use clap::Args;
use pintle_registry::operations::consent::Unanswered;
use pintle_registry::operations::sync;
use pintle_registry::store::{Scope, Set};
use serde_json::{Map, Value};

/// Installs exactly what pintle.toml and pintle.lock say
///
/// What is locked is installed as it is locked. The lock changes only if `pintle.toml` does; with `--locked` it does
/// not change at all.
///
/// What is new is installed also if nobody allowed what it asks for; then it is not loaded until somebody does
/// (`pintle trust grant`). A version that may run is not replaced by one that asks for more.
#[derive(Debug, Args)]
pub(crate) struct SyncArgs {
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
    #[command(flatten)]
    consent: ConsentArgs,
}

/// The same document as of any change, for a set that needs none.
struct UpToDate {
    scope: Scope,
    set: Set,
    intention: Intention,
}

impl Document for UpToDate {
    fn verb(&self) -> &'static str {
        "sync"
    }
    fn json(&self) -> Map<String, Value> {
        plan::document_of_nothing(&self.scope, self.intention == Intention::DryRun)
    }
    fn human(&self, _paint: Paint) -> String {
        let count = words::count(self.set.extensions.len(), "extension", "extensions");
        format!("Nothing to do: {count} as wished\n")
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &SyncArgs) -> Result<Exit, Failure> {
    let intention = Intention::from_flag(arguments.dry_run);
    if let Some(set) = situation.with_context(sync::up_to_date) {
        situation.ui.outcome(&UpToDate { scope: situation.scope(), set, intention });
        return Ok(Exit::Done);
    }
    let change = SetChange {
        verb: "sync",
        intention,
        named: &[],
        unanswered: Unanswered::PutInPlace,
        consent: Some(&arguments.consent),
    };
    set_change::run_to_end(situation, &change, |context, snapshot, _| sync::prepare(context, snapshot))
}
