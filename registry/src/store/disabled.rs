//! What a person turned off. Kept apart from the sets, so that it survives updates, reinstallations and rollbacks,
//! works when a set can't be read, and waits for no installation. A file that is damaged is never taken for empty: if
//! something is to be turned off all the same, it is put aside, and of everything else it is unknown whether it was off
//! until somebody says so.

use super::fs;
use super::lease::Lease;
use super::scope::Scope;
use super::set_file::Set;
use super::state_file::{self, StateError};
use jiff::Timestamp;
use pintle_manifest::Name;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::PathBuf;

/// The format that is written while it is known what is off.
const FORMAT: u64 = 1;
/// The format that is written while it is not. A reader that does not know it turns nothing on.
const LOST: u64 = 2;
/// The largest that is read, in bytes.
const MAX: u64 = 16 * 1024 * 1024;

/// What is turned off in a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disabled {
    /// Each name, and why.
    pub names: BTreeMap<Name, Why>,
    /// If what was turned off before was lost: what is known to be on.
    pub lost: Option<Lost>,
}

/// When something was turned off, and for what reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// When.
    pub since: Timestamp,
    /// The person's words, if they gave any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// That an earlier file was damaged, so that whatever is not named may have been off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lost {
    /// When that was found.
    pub since: Timestamp,
    /// What a person turned on since.
    pub enabled: BTreeSet<Name>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DisabledFile {
    version: u64,
    disabled: BTreeMap<Name, Why>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lost: Option<Lost>,
}

impl Disabled {
    /// Reads what is turned off. A missing file means nothing is; an unreadable one is an error, never nothing.
    pub fn read(scope: &Scope) -> Result<Self, StateError> {
        let path = Self::path(scope);
        let Some(file) = state_file::read::<DisabledFile>(&path, MAX, LOST)? else {
            return Ok(Self::default());
        };
        match (file.version, &file.lost) {
            (FORMAT, None) | (LOST, Some(_)) => Ok(Self { names: file.disabled, lost: file.lost }),
            (_, _) => {
                let reason = "`lost` belongs to format 2, and to no other".to_owned();
                Err(StateError::Unreadable { path, reason })
            }
        }
    }

    /// Reads what is turned off, and if that is damaged, says so, and that nothing is known. What a newer Pintle wrote, or
    /// what may not be looked at, is not damaged, and stays an error.
    pub fn read_or_lost(scope: &Scope, now: Timestamp) -> Result<(Self, Option<StateError>), StateError> {
        match Self::read(scope) {
            Ok(disabled) => Ok((disabled, None)),
            Err(error) if is_damage(&error) => Ok((Self::unknown(now), Some(error))),
            Err(error) => Err(error),
        }
    }

    /// Returns what is known if nothing is.
    pub fn unknown(now: Timestamp) -> Self {
        Self { names: BTreeMap::new(), lost: Some(Lost { since: now, enabled: BTreeSet::new() }) }
    }

    /// Tells whether it is unknown if something is on or off.
    pub fn is_undecided(&self, name: &Name) -> bool {
        let is_unknown = |lost: &Lost| !lost.enabled.contains(name) && !self.names.contains_key(name);
        self.lost.as_ref().is_some_and(is_unknown)
    }

    /// Turns something off.
    pub fn turn_off(&mut self, name: &Name, why: Why) {
        if let Some(lost) = &mut self.lost {
            lost.enabled.remove(name);
        }
        self.names.insert(name.clone(), why);
    }

    /// Turns something on.
    pub fn turn_on(&mut self, name: &Name) {
        self.names.remove(name);
        if let Some(lost) = &mut self.lost {
            lost.enabled.insert(name.clone());
        }
    }

    /// Returns of which members of a set it is unknown whether they are on. Once it is of none, nothing is missed any more.
    pub fn undecided<'a>(&'a self, set: &'a Set) -> impl Iterator<Item = &'a Name> {
        set.extensions.keys().filter(|name| self.is_undecided(name))
    }

    /// Writes it. The lease is the one of [`Lease::take_for_state`].
    pub fn write(&self, scope: &Scope, _lease: &Lease) -> Result<(), StateError> {
        state_file::write(&Self::path(scope), &self.to_file())
    }

    /// Writes it in the place of one that is damaged, and returns where that is now.
    pub fn write_over_damaged(&self, scope: &Scope, _lease: &Lease) -> Result<PathBuf, StateError> {
        let text = serde_json::to_string_pretty(&self.to_file()).expect("names are texts");
        Ok(fs::replace_damaged(&Self::path(scope), format!("{text}\n").as_bytes())?)
    }

    fn to_file(&self) -> DisabledFile {
        let version = if self.lost.is_some() { LOST } else { FORMAT };
        DisabledFile { version, disabled: self.names.clone(), lost: self.lost.clone() }
    }

    /// Returns where it is kept.
    pub fn path(scope: &Scope) -> PathBuf {
        scope.base.join("state/disabled.json")
    }
}

/// Tells whether a file is of no use to anyone any more, whoever reads it.
fn is_damage(error: &StateError) -> bool {
    match error {
        StateError::Unreadable { .. } => true,
        StateError::Newer { .. } => false,
        // One that only someone else may read is whole, as far as is known; so is one in a directory that is none.
        StateError::Fs(error) => {
            error.source.kind() != ErrorKind::PermissionDenied
                && error.obstacle().is_none_or(|what| !what.is_on_the_way())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Disabled, fs};
    use crate::store::{Home, Scope};
    use pintle_manifest::Name;

    #[test]
    fn both_formats_are_read_and_none_passes_for_the_other() {
        let check = |text: &str, expected: Option<[bool; 3]>| {
            let dir = tempfile::tempdir().unwrap();
            let scope = Scope::user(&Home::new(dir.path().to_owned()));
            scope.create().unwrap();
            fs::write_atomic(&Disabled::path(&scope), text.as_bytes()).unwrap();
            let names = ["acme-a", "acme-b", "acme-c"].map(|name| Name::parse(name).unwrap());
            let found =
                Disabled::read(&scope).ok().map(|disabled| names.map(|name| disabled.is_undecided(&name)));
            assert_eq!(found, expected, "{text}");
        };
        let since = r#""since":"2030-01-10T12:00:00Z""#;
        let disabled = format!(r#""disabled":{{"acme-a":{{{since}}}}}"#);
        let lost = format!(r#""lost":{{{since},"enabled":["acme-b"]}}"#);
        check(&format!(r#"{{"version":1,{disabled}}}"#), Some([false, false, false]));
        check(&format!(r#"{{"version":2,{disabled},{lost}}}"#), Some([false, false, true]));
        check(&format!(r#"{{"version":1,{disabled},{lost}}}"#), None);
        check(&format!(r#"{{"version":2,{disabled}}}"#), None);
        check(&format!(r#"{{"version":3,{disabled},{lost}}}"#), None);
    }
}
