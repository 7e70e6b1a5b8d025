//! How every changing command runs: look, decide, ask, and only then take the lease; under the lease look again, and
//! decide again if someone else was faster. So nobody is kept waiting while a person reads a plan, and what is done
//! is always what was decided about the state that it is done to.

use super::apply::{self, ApplyError, Places};
use super::choose::PlanError;
use super::consent::{Accepted, Consent, Held, Unanswered, find_asks};
use super::context::{Context, Event};
use super::plan::{Note, Plan};
use super::snapshot::{Snapshot, SnapshotError};
use super::sources::{self, SourceError};
use super::trust;
use crate::set::Wishes;
use crate::store::commit::{self, CommitError};
use crate::store::fs::FsError;
use crate::store::{Lease, LeaseError, Set, Store};
use crate::trust::Ask;

/// What became of a change.
#[derive(Debug)]
pub struct Changed {
    /// What was decided.
    pub plan: Plan,
    /// The set that is now current, if it changed.
    pub set: Option<Set>,
    /// Whether the plan was carried out or was empty, rather than only shown.
    pub done: bool,
    /// What was asked for and not granted, so that something is not as it would have been.
    pub refused: Vec<Ask>,
}

/// Says why a set was not changed. The old one stands.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// No plan could be made.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The lock would change, and must not.
    #[error("the lock would change")]
    LockWouldChange {
        /// The plan that would change it.
        plan: Box<Plan>,
        /// The lock as it is.
        before: Box<crate::set::Lock>,
    },
    /// The plan asks for what nobody allowed, and can't be carried out without it.
    #[error("{} for what nobody has allowed", asking(plan))]
    NeedsConsent {
        /// The plan, with what it asks for.
        plan: Box<Plan>,
    },
    /// The set was changed by others again and again while this one was decided.
    #[error("the set is changed by others again and again")]
    NoRest,
    /// The plan could not be carried out.
    #[error(transparent)]
    Apply(#[from] ApplyError),
}

fn asking(plan: &Plan) -> String {
    let names: Vec<String> = plan.asks.iter().map(|ask| format!("`{} {}`", ask.name, ask.version)).collect();
    format!("{} {}", names.join(", "), if names.len() == 1 { "asks" } else { "ask" })
}

impl From<SnapshotError> for ChangeError {
    fn from(error: SnapshotError) -> Self {
        Self::Plan(error.into())
    }
}
impl From<SourceError> for ChangeError {
    fn from(error: SourceError) -> Self {
        Self::Plan(error.into())
    }
}
impl From<LeaseError> for ChangeError {
    fn from(error: LeaseError) -> Self {
        Self::Apply(error.into())
    }
}
impl From<CommitError> for ChangeError {
    fn from(error: CommitError) -> Self {
        Self::Apply(error.into())
    }
}
impl From<FsError> for ChangeError {
    fn from(error: FsError) -> Self {
        Self::Apply(error.into())
    }
}

/// Whether the lock may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockRule {
    /// It may.
    MayChange,
    /// It must stay as it is.
    MustStay,
}

/// What must hold of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// Whether the lock may change.
    pub lock: LockRule,
    /// What is done if nobody says yes to what is asked for.
    pub unanswered: Unanswered,
}

/// How a command decides: what it makes of a snapshot, if these stay where they are.
pub type Decide<'a> = dyn Fn(&Snapshot, &Held) -> Result<Plan, PlanError> + 'a;
/// Whoever is shown a plan, and says yes or no. Called while no lease is held.
pub type Asked<'a> = dyn FnMut(&Plan, &Snapshot) -> Consent + 'a;

/// How often it is decided anew before it is given up.
const ROUNDS: usize = 10;

/// Decides and, with consent, changes. What is granted is what was shown: if the plan asks for something else under the
/// lease, the lease is let go and the person asked again.
pub fn change(
    context: &Context<'_>,
    rules: Rules,
    decide: &Decide<'_>,
    consent: &mut Asked<'_>,
) -> Result<Changed, ChangeError> {
    let mut waiting = Waiting::default();
    for _ in 0..ROUNDS {
        let (first, mut plan) = look_with(context, rules.lock, decide, &mut waiting)?;
        let is_clean = !commit::is_pending(&context.scope);
        let has_nothing = plan.is_empty() && plan.fetches.is_empty() && is_clean;
        let asks_nothing = plan.asks.is_empty() && plan.ungranted.is_empty();
        if has_nothing && asks_nothing {
            return Ok(waiting.into_changed(plan, None, true));
        }
        let accepted = match consent(&plan, &first) {
            Consent::Withheld => return Ok(waiting.into_changed(plan, None, has_nothing)),
            Consent::Given(accepted) => accepted,
            Consent::Mismatched => return Err(ChangeError::NeedsConsent { plan: Box::new(plan) }),
            Consent::Refused if plan.may_be_put_in_place(rules.unanswered) => Accepted::nothing(),
            Consent::Refused => match plan.held_back(&first) {
                Some((held, notes)) if rules.unanswered == Unanswered::Hold => {
                    waiting.wait_for(held, notes, plan);
                    continue;
                }
                Some(_) | None => return Err(ChangeError::NeedsConsent { plan: Box::new(plan) }),
            },
        };
        if has_nothing && accepted.names.is_empty() {
            plan.accept(&accepted, context);
            return Ok(waiting.into_changed(plan, None, true));
        }
        context.scope.create()?;
        let lease = take_lease(context)?;
        let shown = plan.clone();
        let now = match first.still_holds(context)? {
            true => first,
            false => {
                let second = Snapshot::read(context)?;
                plan =
                    decide_within(context, rules.lock, &second, &|snapshot| decide(snapshot, &waiting.held))?;
                second
            }
        };
        if plan.asks != shown.asks || (!accepted.names.is_empty() && plan.ungranted != shown.ungranted) {
            drop(lease);
            waiting = Waiting::default();
            continue;
        }
        waiting.refused.extend(plan.asks.iter().filter(|ask| !accepted.names.contains(&ask.name)).cloned());
        plan.accept(&accepted, context);
        let set = carry_out(context, &lease, &now, &mut plan)?;
        return Ok(waiting.into_changed(plan, set, true));
    }
    Err(ChangeError::NoRest)
}

/// What waits for a yes while the rest is done.
#[derive(Default)]
struct Waiting {
    held: Held,
    notes: Vec<Note>,
    refused: Vec<Ask>,
    /// The plan that asked, if nothing can be done without what it asked for.
    plan: Option<Box<Plan>>,
}

impl Waiting {
    fn wait_for(&mut self, held: Held, notes: Vec<Note>, mut plan: Plan) {
        self.held.extend(held);
        self.notes.extend(notes);
        // What was asked for first is what the same command would ask for again.
        if self.refused.is_empty() {
            self.refused = std::mem::take(&mut plan.asks);
            plan.asks.clone_from(&self.refused);
            self.plan = Some(Box::new(plan));
        }
    }

    /// Ends a change, with all that is to be said of what was not granted.
    fn into_changed(mut self, mut plan: Plan, set: Option<Set>, done: bool) -> Changed {
        plan.notes.append(&mut self.notes);
        plan.tell_ungranted();
        if !done {
            self.refused.extend(plan.asks.iter().cloned());
        }
        Changed { plan, set, done, refused: self.refused }
    }
}

/// Looks and decides; what a killed command left half done is settled first if it may be all that is wrong. If the
/// rest can't be decided without what waits, nothing is done.
fn look_with(
    context: &Context<'_>,
    rule: LockRule,
    decide: &Decide<'_>,
    waiting: &mut Waiting,
) -> Result<(Snapshot, Plan), ChangeError> {
    let held = &waiting.held;
    let decide = |snapshot: &Snapshot| decide(snapshot, held);
    match look(context, rule, &decide) {
        Err(_) if commit::is_pending(&context.scope) => {
            settle(context)?;
            look(context, rule, &decide)
        }
        Err(ChangeError::Plan(PlanError::Resolve(error))) => match waiting.plan.take() {
            Some(plan) => Err(ChangeError::NeedsConsent { plan }),
            None => Err(ChangeError::Plan(PlanError::Resolve(error))),
        },
        other => other,
    }
}

fn look(
    context: &Context<'_>,
    rule: LockRule,
    decide: &dyn Fn(&Snapshot) -> Result<Plan, PlanError>,
) -> Result<(Snapshot, Plan), ChangeError> {
    let snapshot = Snapshot::read(context)?;
    let plan = decide_within(context, rule, &snapshot, decide)?;
    Ok((snapshot, plan))
}

/// Finishes or drops what a killed command left, if it left something.
pub fn settle(context: &Context<'_>) -> Result<(), ChangeError> {
    match commit::is_pending(&context.scope) {
        true => take_lease(context).map(drop),
        false => Ok(()),
    }
}

/// Takes the lease, and finishes or drops what a killed command left.
pub fn take_lease(context: &Context<'_>) -> Result<Lease, ChangeError> {
    let lease = context.with_patience(|patience| Lease::take(&context.scope, patience))?;
    if let Some(recovered) = commit::recover(&context.scope, &lease)? {
        (context.events)(Event::Recovered(recovered));
    }
    context.scope.note(&lease)?;
    Ok(lease)
}

fn decide_within(
    context: &Context<'_>,
    rule: LockRule,
    snapshot: &Snapshot,
    decide: &dyn Fn(&Snapshot) -> Result<Plan, PlanError>,
) -> Result<Plan, ChangeError> {
    let mut plan = decide(snapshot)?;
    plan.look_into(&Store::new(context.scope.home.store()));
    find_asks(context, snapshot, &mut plan).map_err(SnapshotError::State)?;
    match rule == LockRule::MustStay && plan.lock_changes() {
        true => Err(ChangeError::LockWouldChange {
            plan: Box::new(plan),
            before: Box::new(snapshot.lock.clone()),
        }),
        false => Ok(plan),
    }
}

fn carry_out(
    context: &Context<'_>,
    lease: &Lease,
    snapshot: &Snapshot,
    plan: &mut Plan,
) -> Result<Option<Set>, ChangeError> {
    let configured = sources::configured(context, &snapshot.wishes)?;
    let places: Places = configured.into_iter().map(|one| (one.name, one.place)).collect();
    let mut dropped = Vec::new();
    let mut record = || {
        dropped = trust::record(context, &plan.grants)?;
        Ok(())
    };
    let set = match plan.set_changes || plan.wishes_change() || plan.lock_changes() {
        true => Some(apply::apply(context, lease, plan, &places, &mut record)?),
        false => {
            apply::fetch_only(context, plan, &places)?;
            record().map_err(ApplyError::Trust)?;
            None
        }
    };
    plan.drop_grants(&dropped);
    Ok(set)
}

/// Writes the lock that a plan holds and installs nothing.
pub fn write_lock(context: &Context<'_>, lease: &Lease, plan: &Plan) -> Result<(), ChangeError> {
    match plan.lock_changes() {
        true => Ok(commit::write_beside_set(&context.scope, lease, &context.scope.lock, &plan.lock_text)?),
        false => Ok(()),
    }
}

/// Writes the wishes and changes nothing else.
pub fn write_wishes(context: &Context<'_>, lease: &Lease, wishes: &Wishes) -> Result<(), ChangeError> {
    Ok(commit::write_beside_set(&context.scope, lease, &context.scope.wishes, &wishes.to_text())?)
}
