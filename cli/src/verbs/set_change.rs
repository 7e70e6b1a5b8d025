//! What the verbs that change a set share: show the plan, carry it out, say what became of it.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint, Ui};
use crate::view::{note, plan as plan_view};
use pintle_registry::operations::PlanError;
use pintle_registry::operations::change::{self, Changed, Consent, LockRule};
use pintle_registry::operations::context::Context;
use pintle_registry::operations::plan::Plan;
use pintle_registry::operations::snapshot::Snapshot;
use pintle_registry::store::Scope;
use serde_json::{Map, Value};

/// Whether to change, or only to say what would change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intention {
    Change,
    DryRun,
}

impl Intention {
    pub(super) const fn from_flag(dry_run: bool) -> Self {
        if dry_run { Self::DryRun } else { Self::Change }
    }
}

struct Outcome<'a> {
    verb: &'static str,
    scope: Scope,
    changed: &'a Changed,
}

impl Document for Outcome<'_> {
    fn verb(&self) -> &'static str {
        self.verb
    }
    fn json(&self) -> Map<String, Value> {
        plan_view::document(&self.scope, &self.changed.plan, self.changed.set.as_ref(), self.changed.done)
    }
    fn human(&self, paint: Paint) -> String {
        let Changed { plan, set, done } = self.changed;
        let lines = plan_view::change_lines(&plan.changes, &plan.extensions, paint);
        lines + &plan_view::summary(plan, set.as_ref(), *done)
    }
}

/// Decides, changes, and says what became of it; what fails is not shown as if it had been done.
pub(super) fn run(
    situation: &Situation<'_>,
    verb: &'static str,
    intention: Intention,
    decide: impl Fn(&Context<'_>, &Snapshot) -> Result<Plan, PlanError>,
) -> Result<Changed, Failure> {
    let rule = if situation.globals.locked { LockRule::MustStay } else { LockRule::MayChange };
    let ui = situation.ui;
    let changed = situation.with_context(|context| {
        let mut consent = |_: &Plan, _: &Snapshot| match intention {
            Intention::Change => Consent::Given,
            Intention::DryRun => Consent::Withheld,
        };
        change::change(context, rule, &|snapshot| decide(context, snapshot), &mut consent)
    })?;
    notes(ui, &changed.plan);
    ui.outcome(&Outcome { verb, scope: situation.scope(), changed: &changed });
    Ok(changed)
}

/// Runs a change that needs nothing after it.
pub(super) fn run_to_end(
    situation: &Situation<'_>,
    verb: &'static str,
    intention: Intention,
    decide: impl Fn(&Context<'_>, &Snapshot) -> Result<Plan, PlanError>,
) -> Result<Exit, Failure> {
    run(situation, verb, intention, decide).map(|_| Exit::Done)
}

/// In a document the notes are part of it.
fn notes(ui: &Ui, plan: &Plan) {
    if ui.format == Format::Json {
        return;
    }
    for one in &plan.notes {
        match note::code(one) {
            "yanked" | "incompatible" | "gone" => ui.warning(note::words(one)),
            _ => ui.note(note::words(one)),
        }
    }
}
