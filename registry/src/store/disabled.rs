//! What a person turned off. Kept apart from the sets, so that it survives updates, reinstallations and rollbacks,
//! works when a set can't be read, and waits for no installation.

use super::fs;
use super::lease::Lease;
use super::scope::Scope;
use super::set_file::{StateError, check_format};
use jiff::Timestamp;
use pintle_manifest::Name;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What is turned off in a scope.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Disabled {
    /// Each name, and why.
    pub names: BTreeMap<Name, Why>,
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

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct DisabledFile {
    version: u64,
    disabled: BTreeMap<Name, Why>,
}

impl Disabled {
    /// Reads what is turned off. A missing file means nothing is; an unreadable one is an error, never nothing.
    pub fn read(scope: &Scope) -> Result<Self, StateError> {
        let path = path(scope);
        let Some(bytes) = fs::read_if_present(&path, 16 * 1024 * 1024)? else { return Ok(Self::default()) };
        check_format(&path, &bytes, 1)?;
        let file: DisabledFile = serde_json::from_slice(&bytes)
            .map_err(|error| StateError::Unreadable { path, reason: error.to_string() })?;
        Ok(Self { names: file.disabled })
    }

    /// Writes it. The lease is the one of [`Lease::take_for_state`].
    pub fn write(&self, scope: &Scope, _lease: &Lease) -> Result<(), StateError> {
        let path = path(scope);
        // Only the holder of this lease writes such names, so what is there was left by a killed one.
        fs::sweep(fs::parent(&path), ".disabled.json.tmp-")?;
        let file = DisabledFile { version: 1, disabled: self.names.clone() };
        let mut text = serde_json::to_string_pretty(&file).expect("names are texts");
        text.push('\n');
        Ok(fs::write_atomic(&path, text.as_bytes())?)
    }
}

fn path(scope: &Scope) -> PathBuf {
    scope.base.join("state/disabled.json")
}
