//! What the verbs that change a set share: decide, have a person asked, carry it out, say what became of it.

use super::consent::{ConsentArgs, Person};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::plan as plan_view;
use pintle_manifest::Name;
use pintle_registry::operations::PlanError;
use pintle_registry::operations::change::{self, ChangeError, Changed, LockRule, Rules};
use pintle_registry::operations::consent::{Held, Unanswered};
use pintle_registry::operations::context::Context;
use pintle_registry::operations::plan::{Note, Plan};
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

/// One command that changes a set.
pub(super) struct SetChange<'a> {
    pub verb: &'static str,
    pub intention: Intention,
    /// The extensions that it is about; whoever names one wants it moved.
    pub named: &'a [Name],
    /// What is done if nobody allows what is asked for.
    pub unanswered: Unanswered,
    /// What was said to that on the command line; `None` if the command asks nobody.
    pub consent: Option<&'a ConsentArgs>,
}

impl SetChange<'_> {
    /// Tells whether what was named waits for a yes, so that not all that was asked for holds.
    pub(super) fn is_left_waiting(&self, changed: &Changed) -> bool {
        let waits = |note: &Note| matches!(note, Note::Waits { name, .. } if self.named.contains(name));
        changed.plan.notes.iter().any(waits)
    }
}

struct Outcome<'a> {
    change: &'a SetChange<'a>,
    scope: Scope,
    changed: &'a Changed,
    /// Whether the plan was shown already, with a question.
    shown: bool,
}

impl Document for Outcome<'_> {
    fn verb(&self) -> &'static str {
        self.change.verb
    }
    fn ok(&self) -> bool {
        !self.change.is_left_waiting(self.changed)
    }
    fn json(&self) -> Map<String, Value> {
        plan_view::document(&self.scope, self.changed)
    }
    fn human(&self, paint: Paint) -> String {
        let Changed { plan, done, refused, .. } = self.changed;
        let summary = plan_view::summary(self.changed);
        if self.shown {
            return summary;
        }
        let mut text = plan_view::change_lines(&plan.changes, &plan.extensions, refused, paint);
        if !done {
            text.push_str(&plan_view::unchanged_lines(&plan.changes, refused, paint));
        }
        text + &summary
    }
}

/// Decides, asks, changes, and says what became of it; what fails is not shown as if it had been done.
pub(super) fn run(
    situation: &Situation<'_>,
    change: &SetChange<'_>,
    decide: impl Fn(&Context<'_>, &Snapshot, &Held) -> Result<Plan, PlanError>,
) -> Result<Changed, Failure> {
    let lock = if situation.globals.locked { LockRule::MustStay } else { LockRule::MayChange };
    let rules = Rules { lock, unanswered: change.unanswered };
    let person = Person::new(situation, change);
    let changed = situation.with_context(|context| {
        let mut consent = |plan: &Plan, _: &Snapshot| person.answer(plan);
        change::change(context, rules, &|snapshot, held| decide(context, snapshot, held), &mut consent)
    });
    let changed = match changed {
        Err(ChangeError::NeedsConsent { plan }) => return Err(person.refusal(&plan)),
        other => other?,
    };
    // What was shown with the question is not what was done where something was left out.
    let shown = person.said_yes();
    person.notes(&changed);
    situation.ui.outcome(&Outcome { change, scope: situation.scope(), changed: &changed, shown });
    Ok(changed)
}

/// Runs a change that needs nothing after it.
pub(super) fn run_to_end(
    situation: &Situation<'_>,
    change: &SetChange<'_>,
    decide: impl Fn(&Context<'_>, &Snapshot, &Held) -> Result<Plan, PlanError>,
) -> Result<Exit, Failure> {
    run(situation, change, decide).map(|_| Exit::Done)
}
