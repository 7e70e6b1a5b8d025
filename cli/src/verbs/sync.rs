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
use pintle_registry::operations::snapshot::read_wishes;
use pintle_registry::operations::sync;
use pintle_registry::store::{Scope, ScopeKind, Set};
use serde_json::{Map, Value};
use std::path::Path;

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
    refuse_without_lock(situation)?;
    let intention = Intention::from_flag(arguments.dry_run);
    if let Some(set) = situation.with_context(sync::up_to_date) {
        say_which_is_empty(situation, set.extensions.is_empty());
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
    let changed =
        set_change::run(situation, &change, |context, snapshot, _| sync::prepare(context, snapshot))?;
    say_which_is_empty(situation, changed.plan.extensions.is_empty());
    Ok(Exit::Done)
}

/// With `--locked`, and nothing that one would be locked for, it is likely the wrong directory, and to have nothing
/// installed is no success. A project that wants nothing needs no lock.
pub(super) fn refuse_without_lock(situation: &Situation<'_>) -> Result<(), Failure> {
    let scope = situation.scope();
    let is_there = |path: &Path| path.symlink_metadata().is_ok();
    // That wishes can't be read, and that there are some without a lock, is told by whoever goes on.
    let wants_something = || read_wishes(&scope).map_or(true, |(wishes, _)| !wishes.extensions.is_empty());
    let is_meant = || is_there(&scope.wishes) && (!is_own_unasked(situation) || wants_something());
    if !situation.globals.locked || is_there(&scope.lock) || is_meant() {
        return Ok(());
    }
    let message = format!("there is no lock to install from: `{}` is not there", scope.lock.display());
    let failure = Failure::new("lock.missing", message).exit(Exit::LockWouldChange);
    Err(match is_own_unasked(situation) {
        true => failure.hint(
            "that is your own set, since there is no `pintle.toml` here or above: go to the folder of the project",
        ),
        false => failure.hint("there is no `pintle.toml` either: go to the folder that has one"),
    })
}

/// Nothing installed as wished looks like success wherever one is.
fn say_which_is_empty(situation: &Situation<'_>, is_empty: bool) {
    if is_empty && is_own_unasked(situation) {
        let directory = situation.scope().directory().display().to_string();
        situation.ui.note(format_args!(
            "this is your own set, in `{directory}`: there is no `pintle.toml` here or above"
        ));
    }
}

/// Tells whether it is the person's own set that is meant, only because there is no project.
fn is_own_unasked(situation: &Situation<'_>) -> bool {
    situation.scope().kind == ScopeKind::User && !situation.globals.user
}
