//! `state/faults.json`: what failed lately, across hosts. A host may live for one command only, so three faults in a
//! minute may well be faults in three of them. Written only when something fails.

use super::files::FileError;
use super::json_file::{FORMAT, JsonFile};
use super::quarantine::FaultNote;
use pintle_manifest::{Digest, Name, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The largest that is read, in bytes.
const MAX: u64 = 16 * 1024 * 1024;

/// What failed lately.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaultsFile {
    version: u64,
    faults: BTreeMap<Name, Lately>,
}

/// The latest faults of an extension.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lately {
    version: Version,
    /// Its tree hash, if it has one. Other files begin anew.
    tree: Option<Digest>,
    /// Oldest first.
    faults: Vec<FaultNote>,
}

/// Whose fault it was.
#[derive(Debug, Clone)]
pub(crate) struct Culprit<'a> {
    pub(crate) name: &'a Name,
    pub(crate) version: &'a Version,
    pub(crate) tree: Option<Digest>,
}

/// Notes a fault, and returns all of them if they are too many for their time. Those are forgotten then: they are evidence
/// from here on.
pub(crate) fn note(
    state: &Path,
    culprit: &Culprit<'_>,
    fault: FaultNote,
    (most, window): (usize, Duration),
) -> Result<Option<Vec<FaultNote>>, FileError> {
    file(state).change(|before| {
        let mut all = before.map(|file| file.faults).unwrap_or_default();
        let too_many = count(&mut all, culprit, fault, (most, window));
        Ok((FaultsFile { version: FORMAT, faults: all }, too_many))
    })
}

/// Tells whether it can be read and locked. What it says is a host's affair, and past after a minute.
pub(super) fn check(state: &Path) -> Result<(), FileError> {
    let file = file(state);
    file.check_lock().and_then(|()| file.read().map(drop))
}

/// Puts it aside if it is damaged, and tells whether it did: what is lost is the count of a minute.
pub(super) fn put_damaged_aside(state: &Path) -> Result<bool, FileError> {
    file(state).put_damaged_aside()
}

fn file(state: &Path) -> JsonFile<FaultsFile> {
    JsonFile::new(state, ["faults.json", ".faults.lock"], MAX, serde_json::to_string_pretty)
}

fn count(
    all: &mut BTreeMap<Name, Lately>,
    culprit: &Culprit<'_>,
    fault: FaultNote,
    (most, window): (usize, Duration),
) -> Option<Vec<FaultNote>> {
    let Culprit { name, version, tree } = culprit;
    let now = fault.time_ms;
    let window = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
    // A clock that was set back makes no fault the latest for ever.
    let is_late = |one: &FaultNote| one.time_ms <= now && now - one.time_ms <= window;
    for lately in all.values_mut() {
        lately.faults.retain(is_late);
    }
    all.retain(|_, lately| !lately.faults.is_empty());
    let new = || Lately { version: (*version).clone(), tree: *tree, faults: Vec::new() };
    let lately = all.entry((*name).clone()).or_insert_with(new);
    if lately.version != **version || lately.tree != *tree {
        *lately = new();
    }
    lately.faults.push(fault);
    if lately.faults.len() < most {
        return None;
    }
    all.remove(*name).map(|lately| lately.faults)
}

#[cfg(test)]
mod tests {
    use super::{Culprit, FaultNote, count};
    use pintle_manifest::{Name, Version};
    use std::collections::BTreeMap;
    use std::time::Duration;

    #[test]
    fn three_in_a_minute_are_too_many_whoever_saw_them() {
        let check = |times: &[(u64, u64)], expected: Option<usize>| {
            let (mut all, mut last) = (BTreeMap::new(), None);
            for (second, version) in times {
                let time_ms = 1_000_000 + second * 1000;
                let (code, message) = ("fault.crashed".to_owned(), "it crashed".to_owned());
                let fault = FaultNote { time_ms, code, message, log: Vec::new() };
                let (name, version) = (Name::parse("acme-a").unwrap(), Version::new(*version, 0, 0));
                let culprit = Culprit { name: &name, version: &version, tree: None };
                last = count(&mut all, &culprit, fault, (3, Duration::from_secs(60)));
            }
            assert_eq!(last.map(|faults| faults.len()), expected, "{times:?}");
        };
        check(&[(0, 1)], None);
        check(&[(0, 1), (10, 1), (20, 1)], Some(3));
        check(&[(0, 1), (10, 1), (71, 1)], None);
        check(&[(0, 1), (10, 1), (20, 2)], None);
        check(&[(0, 1), (10, 1), (20, 1), (30, 1)], None);
        check(&[(90, 1), (0, 1), (1, 1)], None);
    }
}
