//! `state/starts.json`: whose starts went wrong in a row. Written only when that changes, so a start in which all goes
//! well writes nothing.

use super::files::FileError;
use super::json_file::{FORMAT, JsonFile};
use super::quarantine::FaultNote;
use pintle_manifest::{Digest, Name, Version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// The largest that is read, in bytes.
const MAX: u64 = 16 * 1024 * 1024;

/// After how many unhealthy starts in a row an extension is left out.
pub(crate) const MOST: usize = 3;

/// Whose starts went wrong.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Starts {
    /// The unhealthy starts in a row, by name.
    pub extensions: BTreeMap<Name, Unhealthy>,
}

/// The unhealthy starts of an extension.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unhealthy {
    /// Its version.
    pub version: Version,
    /// Its tree hash, if it has one. Other files begin anew.
    pub tree: Option<Digest>,
    /// What happened at each, oldest first.
    pub starts: Vec<FaultNote>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StartsFile {
    version: u64,
    starts: BTreeMap<Name, Unhealthy>,
}

/// How one start of an extension went.
#[derive(Debug, Clone)]
pub(crate) struct Start {
    pub(crate) name: Name,
    pub(crate) version: Version,
    pub(crate) tree: Option<Digest>,
    /// What went wrong, if anything did.
    pub(crate) fault: Option<FaultNote>,
}

impl Starts {
    /// Reads it. A missing file means that nothing went wrong; an unreadable one is an error.
    pub fn read(state: &Path) -> Result<Self, FileError> {
        let extensions = file(state).read()?.map(|file| file.starts).unwrap_or_default();
        Ok(Self { extensions })
    }

    /// Tells whether its lock is one.
    pub(super) fn check_lock(state: &Path) -> Result<(), FileError> {
        file(state).check_lock()
    }

    /// Notes how starts went, and returns those that went wrong too often, with everything that happened.
    pub(crate) fn note(state: &Path, starts: &[Start]) -> Result<Vec<(Name, Unhealthy)>, FileError> {
        let known = Self::read(state)?;
        let nothing_changes =
            |start: &Start| start.fault.is_none() && !known.extensions.contains_key(&start.name);
        if starts.iter().all(nothing_changes) {
            return Ok(Vec::new());
        }
        file(state).change(|before| {
            let mut all = before.map(|file| file.starts).unwrap_or_default();
            let over = count(&mut all, starts);
            Ok((StartsFile { version: FORMAT, starts: all }, over))
        })
    }
}

fn count(all: &mut BTreeMap<Name, Unhealthy>, starts: &[Start]) -> Vec<(Name, Unhealthy)> {
    let mut over = Vec::new();
    for Start { name, version, tree, fault } in starts {
        let Some(fault) = fault else {
            all.remove(name);
            continue;
        };
        let new = || Unhealthy { version: version.clone(), tree: *tree, starts: Vec::new() };
        let unhealthy = all.entry(name.clone()).or_insert_with(new);
        if unhealthy.version != *version || unhealthy.tree != *tree {
            *unhealthy = new();
        }
        unhealthy.starts.push(fault.clone());
        if unhealthy.starts.len() >= MOST {
            over.extend(all.remove_entry(name));
        }
    }
    over
}

fn file(state: &Path) -> JsonFile<StartsFile> {
    JsonFile::new(state, ["starts.json", ".starts.lock"], MAX, serde_json::to_string_pretty)
}

#[cfg(test)]
mod tests {
    use super::{FaultNote, MOST, Start, count};
    use pintle_manifest::{Name, Version};
    use std::collections::BTreeMap;

    fn start(version: u64, bad: bool) -> Start {
        let fault = bad.then(|| FaultNote {
            time_ms: 0,
            code: "fault.crashed".to_owned(),
            message: "it crashed".to_owned(),
            log: Vec::new(),
        });
        Start {
            name: Name::parse("acme-a").unwrap(),
            version: Version::new(version, 0, 0),
            tree: None,
            fault,
        }
    }

    #[test]
    fn three_in_a_row_are_too_many_and_a_good_one_ends_the_row() {
        let check = |starts: &[Start], expected: usize| {
            let mut all = BTreeMap::new();
            let over: usize =
                starts.iter().map(|start| count(&mut all, std::slice::from_ref(start)).len()).sum();
            assert_eq!(over, expected);
        };
        let (bad, good, other) = (start(1, true), start(1, false), start(2, true));
        check(&vec![bad.clone(); MOST - 1], 0);
        check(&vec![bad.clone(); MOST], 1);
        check(&[bad.clone(), bad.clone(), good, bad.clone(), bad.clone()], 0);
        check(&[bad.clone(), bad.clone(), other], 0);
    }
}
