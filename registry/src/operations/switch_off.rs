//! `disable` and `enable`: what a person turns off and on. Needs no set and no list of what is off that can be read, no
//! registry, no lease of the set, and runs no extension.

use super::context::Context;
use crate::store::fs::FsError;
use crate::store::{Disabled, Lease, LeaseError, Set, StateError, Why};
use pintle_manifest::{Name, nearest};
use std::path::PathBuf;

/// What became of it.
#[derive(Debug)]
pub struct Switched {
    /// The names that were not in the wanted state and now are.
    pub changed: Vec<Name>,
    /// The names that were so already.
    pub unchanged: Vec<Name>,
    /// What needs something that is now off, and so is left out with it.
    pub left_out: Vec<Name>,
    /// Why what was turned off before is not known, if that file is damaged.
    pub damaged: Option<StateError>,
    /// Where the damaged file was put.
    pub aside: Option<PathBuf>,
    /// The members of the set of which nobody knows whether they are off.
    pub undecided: Vec<Name>,
}

/// Says why nothing was turned on or off.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// It is neither installed nor disabled.
    #[error("`{name}` is not installed")]
    NotInstalled {
        /// The name.
        name: Name,
        /// The installed name most like it.
        similar: Option<String>,
    },
    /// What is disabled can't be read.
    #[error(transparent)]
    State(#[from] StateError),
    /// Another process would not give way.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The disk refused.
    #[error(transparent)]
    Fs(#[from] FsError),
}

/// What to turn.
#[derive(Debug, Clone)]
pub enum Switch {
    /// Off, for this reason if one was given.
    Off(Option<String>),
    /// On.
    On,
}

/// Decides what would change, and changes nothing.
pub fn prepare(context: &Context<'_>, names: &[Name], switch: &Switch) -> Result<Switched, SwitchError> {
    // A set that can't be read is no reason not to turn something off; then any name is taken at its word.
    let (set, is_readable) = match context.scope.generations().read_current() {
        Ok(set) => (set, true),
        Err(_) => (None, false),
    };
    let (mut disabled, damaged) = Disabled::read_or_lost(&context.scope, context.now)?;
    let mut switched = Switched {
        changed: Vec::new(),
        unchanged: Vec::new(),
        left_out: Vec::new(),
        damaged,
        aside: None,
        undecided: Vec::new(),
    };
    for name in names {
        let is_off = disabled.names.contains_key(name);
        let is_installed = set.as_ref().is_some_and(|set| set.extensions.contains_key(name));
        if is_readable && !is_installed && !is_off {
            let known = set.iter().flat_map(|set| set.extensions.keys()).map(Name::as_str);
            let similar = nearest(name.as_str(), known).map(str::to_owned);
            return Err(SwitchError::NotInstalled { name: name.clone(), similar });
        }
        match is_off == matches!(switch, Switch::Off(_)) && !disabled.is_undecided(name) {
            true => switched.unchanged.push(name.clone()),
            false => switched.changed.push(name.clone()),
        }
    }
    turn(&mut disabled, &switched.changed, switch, context);
    switched.undecided.extend(set.iter().flat_map(|set| disabled.undecided(set)).cloned());
    if let (Some(set), Switch::Off(_)) = (&set, switch) {
        switched.left_out = dependents(set, names);
    }
    Ok(switched)
}

/// Turns extensions off or on.
pub fn apply(context: &Context<'_>, names: &[Name], switch: &Switch) -> Result<Switched, SwitchError> {
    context.scope.create()?;
    let lease = context.with_patience(|patience| Lease::take_for_state(&context.scope, patience))?;
    let mut switched = prepare(context, names, switch)?;
    if switched.changed.is_empty() {
        return Ok(switched);
    }
    let (mut disabled, damaged) = Disabled::read_or_lost(&context.scope, context.now)?;
    turn(&mut disabled, &switched.changed, switch, context);
    if switched.undecided.is_empty() && context.scope.generations().read_current().is_ok() {
        disabled.lost = None;
    }
    match damaged {
        Some(_) => switched.aside = Some(disabled.write_over_damaged(&context.scope, &lease)?),
        None => disabled.write(&context.scope, &lease)?,
    }
    Ok(switched)
}

fn turn(disabled: &mut Disabled, names: &[Name], switch: &Switch, context: &Context<'_>) {
    for name in names {
        match switch {
            Switch::Off(reason) => {
                disabled.turn_off(name, Why { since: context.now, reason: reason.clone() });
            }
            Switch::On => disabled.turn_on(name),
        }
    }
}

/// Returns everything that needs one of these, directly or through others.
pub fn dependents(set: &Set, names: &[Name]) -> Vec<Name> {
    let mut found: Vec<Name> = Vec::new();
    let mut open: Vec<Name> = names.to_vec();
    while let Some(name) = open.pop() {
        for (other, one) in &set.extensions {
            if one.dependencies.contains_key(&name) && !found.contains(other) && !names.contains(other) {
                found.push(other.clone());
                open.push(other.clone());
            }
        }
    }
    found.sort();
    found
}
