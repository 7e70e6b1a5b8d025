//! How every changing command runs: look, decide, ask, and only then take the lease; under the lease look again, and
//! decide again if someone else was faster. So nobody is kept waiting while a person reads a plan, and what is done
//! is always what was decided about the state that it is done to.

use super::apply::{self, ApplyError, Places};
use super::choose::PlanError;
use super::context::{Context, Event};
use super::plan::Plan;
use super::snapshot::{Snapshot, SnapshotError};
use super::sources::{self, SourceError};
use crate::set::Wishes;
use crate::store::commit::{self, CommitError};
use crate::store::fs::FsError;
use crate::store::{Lease, LeaseError, Set, Store};

/// Whether a plan is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// Do it.
    Given,
    /// Do nothing.
    Withheld,
}

/// What became of a change.
#[derive(Debug)]
pub struct Changed {
    /// What was decided.
    pub plan: Plan,
    /// The set that is now current, if it changed.
    pub set: Option<Set>,
    /// Whether the plan was carried out or was empty, rather than only shown.
    pub done: bool,
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
    /// The plan could not be carried out.
    #[error(transparent)]
    Apply(#[from] ApplyError),
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

/// Decides and, with consent, changes.
pub fn change(
    context: &Context<'_>,
    rule: LockRule,
    decide: &dyn Fn(&Snapshot) -> Result<Plan, PlanError>,
    consent: &mut dyn FnMut(&Plan, &Snapshot) -> Consent,
) -> Result<Changed, ChangeError> {
    let (first, plan) = match look(context, rule, decide) {
        // What a killed command left half done may be all that is wrong.
        Err(_) if commit::is_pending(&context.scope) => {
            settle(context)?;
            look(context, rule, decide)?
        }
        other => other?,
    };
    let is_clean = !commit::is_pending(&context.scope);
    if plan.is_empty() && plan.fetches.is_empty() && is_clean {
        return Ok(Changed { plan, set: None, done: true });
    }
    if consent(&plan, &first) == Consent::Withheld {
        return Ok(Changed { plan, set: None, done: false });
    }
    context.scope.create()?;
    let lease = take_lease(context)?;
    if first.still_holds(context)? {
        let set = carry_out(context, &lease, &first, &plan)?;
        return Ok(Changed { plan, set, done: true });
    }
    let second = Snapshot::read(context)?;
    let plan = decide_within(context, rule, &second, decide)?;
    if !plan.is_empty() && consent(&plan, &second) == Consent::Withheld {
        return Ok(Changed { plan, set: None, done: false });
    }
    let set = carry_out(context, &lease, &second, &plan)?;
    Ok(Changed { plan, set, done: true })
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
    plan: &Plan,
) -> Result<Option<Set>, ChangeError> {
    let configured = sources::configured(context, &snapshot.wishes)?;
    let places: Places = configured.into_iter().map(|one| (one.name, one.place)).collect();
    if !plan.set_changes && !plan.wishes_change() && !plan.lock_changes() {
        apply::fetch_only(context, plan, &places)?;
        return Ok(None);
    }
    Ok(Some(apply::apply(context, lease, plan, &places)?))
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
