//! `pintle lock`: writes `pintle.lock` for `pintle.toml`. Installs nothing.

use crate::exit::Exit;
use crate::failure::{Failure, lock_changes};
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::change::{self, ChangeError};
use pintle_registry::operations::plan::Plan;
use pintle_registry::operations::snapshot::Snapshot;
use pintle_registry::operations::sync;
use serde_json::{Map, Value, json};

/// Writes pintle.lock for pintle.toml, and installs nothing
///
/// What is locked and still fits stays as it is.
#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    /// Fails (exit code 8) if the lock would change, and changes nothing
    #[arg(long)]
    check: bool,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    changes: Vec<(Name, String)>,
    changed: bool,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "lock"
    }
    fn json(&self) -> Map<String, Value> {
        let changes =
            self.changes.iter().map(|(name, what)| json!({ "name": name, "change": what })).collect();
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("lock_changed".to_owned(), json!(self.changed));
        map.insert("changes".to_owned(), changes);
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for (name, what) in &self.changes {
            text.push_str(&format!("{} {what}\n", paint.bold(name.as_str())));
        }
        text.push_str(match (self.changed, self.dry_run) {
            (true, true) => "The lock would change (dry run)\n",
            (true, false) => "Wrote pintle.lock\n",
            (false, _) => "The lock is up to date\n",
        });
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &LockArgs) -> Result<Exit, Failure> {
    let plan_and_before = situation.with_context(|context| -> Result<(Plan, Snapshot), ChangeError> {
        let must_stay = arguments.check || situation.globals.locked;
        if must_stay || arguments.dry_run {
            change::settle(context)?;
            let before = Snapshot::read(context)?;
            let plan = sync::prepare(context, &before)?;
            if must_stay && plan.lock_changes() {
                return Err(ChangeError::LockWouldChange {
                    plan: Box::new(plan),
                    before: Box::new(before.lock),
                });
            }
            return Ok((plan, before));
        }
        context.scope.create()?;
        let lease = change::take_lease(context)?;
        let before = Snapshot::read(context)?;
        let plan = sync::prepare(context, &before)?;
        change::write_lock(context, &lease, &plan)?;
        Ok((plan, before))
    });
    let (plan, before) = plan_and_before?;
    situation.ui.outcome(&Outcome {
        changes: lock_changes(&before.lock, &plan.lock),
        changed: plan.lock_changes(),
        dry_run: arguments.dry_run,
    });
    Ok(Exit::Done)
}
