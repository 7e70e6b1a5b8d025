//! `install`: adds to the wishes. What is installed already stays at its version; moving it is what `update` is for.

use super::choose::{Freed, Intent, PlanError, choose};
use super::consent::Held;
use super::context::Context;
use super::local::Local;
use super::outdated::{self, Outdated};
use super::plan::{Note, Plan};
use super::snapshot::Snapshot;
use super::spec::{Spec, SpecError};
use crate::index::RegistryName;
use crate::set::{Wish, WishOrigin};
use pintle_manifest::{Name, Requirement};
use std::collections::{BTreeMap, BTreeSet};

/// What to install.
#[derive(Debug, Clone)]
pub struct Install {
    /// What a person named. Paths are as the file of wishes will hold them.
    pub specs: Vec<Spec>,
    /// The registry that they are to come from.
    pub registry: Option<RegistryName>,
    /// Whether pre-releases may be chosen.
    pub prereleases: bool,
}

/// Plans an installation.
pub fn prepare(context: &Context<'_>, snapshot: &Snapshot, install: &Install) -> Result<Plan, PlanError> {
    let mut intent = Intent {
        wishes: snapshot.wishes.clone(),
        lock: snapshot.lock.clone(),
        fill: BTreeSet::new(),
        freed: Freed::Nothing,
        held: Held::new(),
        exact: BTreeMap::new(),
        prereleases: install.prereleases,
    };
    let mut named = BTreeSet::new();
    let mut already = Vec::new();
    for spec in &install.specs {
        let (name, wish) = wish_for(context, spec, install.registry.as_ref())?;
        if !named.insert(name.clone()) {
            return Err(SpecError::Twice { name }.into());
        }
        let present = intent.wishes.extensions.get(&name);
        match (spec, present) {
            (Spec::Newest(_), Some(_)) if install.registry.is_none() => already.push(name),
            // Only where it comes from was named now; which versions will do stays as it was.
            (
                Spec::Newest(_),
                Some(Wish { requirement, origin: WishOrigin::Any | WishOrigin::Registry(_) }),
            ) => {
                let wish = Wish { requirement: requirement.clone(), origin: wish.origin };
                intent.wishes.set(&name, wish);
            }
            (Spec::Newest(_), _) => {
                intent.wishes.set(&name, wish);
                // What is here as a dependency becomes a wish at the version it has.
                intent.fill.insert(name);
            }
            (Spec::Required(..) | Spec::Folder(_) | Spec::Archive(_), Some(present)) if *present == wish => {
                already.push(name);
            }
            (Spec::Required(_, requirement), Some(Wish { origin, .. })) if keeps_origin(origin, install) => {
                let wish = Wish { requirement: requirement.clone(), origin: origin.clone() };
                intent.wishes.set(&name, wish);
            }
            (Spec::Required(..) | Spec::Folder(_) | Spec::Archive(_), _) => intent.wishes.set(&name, wish),
        }
    }
    let mut plan = choose(context, snapshot, intent)?;
    plan.notes.extend(already_installed(context, snapshot, &plan, &already));
    Ok(plan)
}

/// Says of what was there already which version it stays at, and what would move it.
fn already_installed(context: &Context<'_>, snapshot: &Snapshot, plan: &Plan, already: &[Name]) -> Vec<Note> {
    let stays: Vec<_> = already.iter().filter(|name| !plan.changes.contains_key(*name)).collect();
    if stays.is_empty() {
        return Vec::new();
    }
    let newer = outdated::among(context, snapshot, &|name| stays.contains(&name));
    let mut notes = Vec::new();
    for name in stays {
        let Some(installed) = plan.extensions.get(name) else { continue };
        let pinned = installed.wish.as_ref().is_some_and(|wish| wish.pinned().is_some());
        let newer = newer.iter().find(|one| one.name == *name);
        let (version, source) = (installed.version.clone(), installed.source.clone());
        let update = newer.map(|one| one.in_range.clone()).filter(|update| *update > version);
        notes.push(Note::AlreadyInstalled { name: name.clone(), version, source, pinned, update });
        notes.extend(newer.cloned().filter(|_| !pinned).and_then(Outdated::held_back));
    }
    notes
}

/// A new requirement for something from a registry leaves the registry as it was, unless one was named now.
fn keeps_origin(origin: &WishOrigin, install: &Install) -> bool {
    install.registry.is_none() && matches!(origin, WishOrigin::Any | WishOrigin::Registry(_))
}

fn wish_for(
    context: &Context<'_>,
    spec: &Spec,
    registry: Option<&RegistryName>,
) -> Result<(Name, Wish), PlanError> {
    let directory = context.scope.directory();
    let origin = registry.map_or(WishOrigin::Any, |registry| WishOrigin::Registry(registry.clone()));
    Ok(match spec {
        Spec::Newest(name) => (name.clone(), Wish { requirement: Requirement::any(), origin }),
        Spec::Required(name, requirement) => {
            (name.clone(), Wish { requirement: requirement.clone(), origin })
        }
        Spec::Folder(path) => {
            let local = Local::folder(directory, path)?;
            let origin = WishOrigin::Folder(path.clone());
            (local.name, Wish { requirement: Requirement::any(), origin })
        }
        Spec::Archive(path) => {
            let local = Local::archive(directory, path)?;
            let origin = WishOrigin::Archive(path.clone());
            (local.name, Wish { requirement: Requirement::any(), origin })
        }
    })
}
