//! The sets on the disk: `pintle.toml` and `pintle.lock` against what is installed, every file against what it should be,
//! what an interrupted command left. Asks no registry and changes nothing.

use super::Finding;
use crate::failure::{Failure, lock_way_out, without_generation};
use crate::view::words;
use pintle_manifest::{Digest, Name};
use pintle_registry::operations::context::Context;
use pintle_registry::operations::garbage::{self, Collect};
use pintle_registry::operations::snapshot::SnapshotError;
use pintle_registry::operations::verify::{self, Verified};
use pintle_registry::set::{Lock, LockError, Wishes};
use pintle_registry::store::commit::{MAX_TEXT, is_pending};
use pintle_registry::store::{Difference, Lease, Scope, Set, Store, fs};
use rustix::fs::{Access, access};
use std::collections::BTreeSet;
use std::path::Path;

/// How many differences of one extension are told.
const TOLD: usize = 3;

/// What was found of one scope.
#[derive(Debug, Default)]
pub(crate) struct OfScope {
    /// The findings.
    pub findings: Vec<Finding>,
    /// What was compared, to be mended from.
    pub verified: Verified,
}

/// Looks at one scope. What of it can't be read was told before.
pub(crate) fn of_scope(context: &Context<'_>, set: Option<&Set>) -> OfScope {
    let scope = &context.scope;
    let mut found = OfScope::default();
    // In this order: what was interrupted stays, and what goes on may end in between.
    let pending = is_pending(scope);
    let holder = Lease::is_held(scope).unwrap_or_else(|error| {
        found.findings.push(Finding::of_failure(&Failure::from(error)));
        None
    });
    if let Some(by) = holder {
        let message = format!("a change is going on, by {by}; what is found here may be half of it");
        let finding = Finding::note("doctor.changing", message).at(&scope.base);
        found.findings.push(finding.next("look again when it is over"));
    } else if pending && is_pending(scope) {
        let finding =
            Finding::warning("doctor.interrupted", "a command was interrupted in the middle of a change");
        let next = "the next change finishes it or takes it back: run `pintle sync`";
        found.findings.push(finding.at(&scope.base.join("state/pending.json")).next(next));
    }
    if scope.base.exists() && access(&scope.base, Access::WRITE_OK | Access::EXEC_OK).is_err() {
        let message = "nothing can be written here: no change can be made, and what fails is not counted";
        let finding = Finding::note("doctor.read_only", message).at(&scope.base);
        found.findings.push(finding.next("if that is not meant so, look whose it is and how it is mounted"));
    }
    found.findings.extend(texts(scope, set));
    match verify::verify(context) {
        Ok(verified) => {
            found.findings.extend(files(scope, &verified));
            found.verified = verified;
        }
        // Without a set there is nothing to compare with.
        Err(_) if set.is_none() => {}
        Err(error) => found.findings.push(Finding::of_failure(&Failure::from(error))),
    }
    found.findings.extend(generations(scope, set));
    found
}

/// Compares the wishes and the lock with the set that was made of them.
fn texts(scope: &Scope, set: Option<&Set>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lock = match text_of(&scope.lock, &mut findings) {
        None => None,
        Some(text) => match Lock::parse(&text) {
            Ok(lock) => Some((lock, Digest::of(text.as_bytes()))),
            Err(error) => {
                findings.push(bad_lock(&scope.lock, &error));
                None
            }
        },
    };
    let Some(set) = set else { return findings };
    let wishes = text_of(&scope.wishes, &mut findings);
    if wishes.is_none() && !set.extensions.is_empty() && scope.wishes.symlink_metadata().is_err() {
        let (path, installed) = (scope.wishes.clone(), set.extensions.len());
        let gone = SnapshotError::WishesGone { path, installed, generation: set.generation };
        findings.push(Finding::of_failure(&Failure::from(gone)).at(&scope.wishes));
    }
    if lock.is_none() && !scope.lock.exists() {
        let finding = Finding::warning("doctor.no_lock", "the lock is gone, and something is installed");
        findings.push(finding.at(&scope.lock).next("`pintle lock` writes it anew"));
    }
    let differs = wishes.as_ref().is_some_and(|text| Digest::of(text.as_bytes()) != set.wishes);
    // One that can't be parsed was told when it was read for what is required.
    if differs && wishes.as_ref().is_some_and(|text| Wishes::parse(text).is_ok()) {
        let message = "`pintle.toml` was changed since this set was made";
        let finding = Finding::note("doctor.unsynced", message).at(&scope.wishes);
        findings
            .push(finding.next("`pintle sync -n` says whether that changes anything; `pintle sync` does it"));
    }
    if let Some((lock, _)) = lock.filter(|(_, digest)| *digest != set.lock) {
        let differing = differing(&lock, set);
        let finding = match differing.is_empty() {
            true => Finding::note(
                "doctor.unsynced",
                "`pintle.lock` was changed since this set was made, and names the same",
            ),
            false => Finding::warning(
                "doctor.lock_differs",
                format!("the lock and what is installed differ: {}", differing.join(", ")),
            ),
        };
        findings.push(finding.at(&scope.lock).next("`pintle sync` installs what the lock says"));
    }
    findings
}

fn bad_lock(path: &Path, error: &LockError) -> Finding {
    let code = match error {
        LockError::Newer { .. } => "lock.unsupported_version",
        LockError::Unreadable { .. } => "lock.unreadable",
        LockError::MergeConflict { .. } => "lock.merge_conflict",
    };
    let finding = Finding::error(code, format!("the lock can't be read: {error}"));
    finding.at(path).next(lock_way_out(path, error))
}

fn text_of(path: &Path, findings: &mut Vec<Finding>) -> Option<String> {
    match fs::read_if_present(path, MAX_TEXT) {
        Ok(bytes) => bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        Err(error) => {
            findings.push(Finding::of_failure(&Failure::from(error)));
            None
        }
    }
}

/// Says how a lock and a set differ in what they name.
fn differing(lock: &Lock, set: &Set) -> Vec<String> {
    let names: BTreeSet<&Name> = lock.extensions.keys().chain(set.extensions.keys()).collect();
    let told = |name: &&Name| match (lock.extensions.get(*name), set.extensions.get(*name)) {
        (Some(locked), Some(one)) if locked.version != one.version => {
            Some(format!("{name} is {} in the lock and {} on the disk", locked.version, one.version))
        }
        (Some(locked), Some(one)) => {
            let tree = locked.artifacts.get(&one.target).map(|artifact| artifact.tree);
            (tree != one.tree).then(|| format!("{name} {} has other files in the lock", one.version))
        }
        (Some(locked), None) => Some(format!("{name} {} is not installed", locked.version)),
        (None, Some(one)) => Some(format!("{name} {} is not in the lock", one.version)),
        (None, None) => None,
    };
    names.iter().filter_map(told).collect()
}

/// Says which files are not what was installed.
fn files(scope: &Scope, verified: &Verified) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (name, differences) in &verified.broken {
        let message = match differences.as_slice() == [Difference::NoEntry] {
            true => "its files are gone".to_owned(),
            false => format!("its files are not those that were installed: {}", told(differences)),
        };
        let finding = Finding::error("doctor.changed_files", message).of(name);
        let place = scope.generations().current_link().join("ext").join(name.as_str());
        findings.push(finding.at(&place).next("`pintle verify --fix` fetches them anew").mendable());
    }
    for (name, problem) in &verified.links {
        let finding = Finding::error("doctor.link", problem.clone()).of(name);
        let place = scope.generations().current_link().join("ext").join(name.as_str());
        findings.push(finding.at(&place).next("`pintle verify --fix` makes it anew").mendable());
    }
    findings
}

fn told(differences: &[Difference]) -> String {
    let mut told: Vec<String> = differences.iter().take(TOLD).map(ToString::to_string).collect();
    if let more @ 1.. = differences.len().saturating_sub(TOLD) {
        told.push(format!("and {more} more"));
    }
    told.join(", ")
}

/// Looks at the generations that one can go back to. That the current one can't be read was told before.
fn generations(scope: &Scope, current: Option<&Set>) -> Vec<Finding> {
    let generations = scope.generations();
    let numbers = match generations.numbers() {
        Ok(numbers) => numbers,
        Err(error) => return vec![Finding::of_failure(&Failure::from(error))],
    };
    let current = current.map(|set| set.generation).or_else(|| generations.current().ok().flatten());
    let others = numbers.into_iter().filter(|number| Some(*number) != current);
    let unreadable = |number: u64| {
        let error = generations.read(number).err()?;
        let finding = Finding::warning("doctor.generation", crate::failure::one_line(&error));
        let next = format!("{}; `pintle gc` waits for that", without_generation(&generations.path(number)));
        Some(finding.at(&generations.path(number)).next(next))
    };
    others.filter_map(unreadable).collect()
}

/// Looks at every release in the store that is in none of the sets at hand, and at what nothing needs any more.
pub(crate) fn store(context: &Context<'_>, sets: &[&Set]) -> Vec<Finding> {
    let store = Store::new(context.scope.home.store());
    let current: BTreeSet<Digest> =
        sets.iter().flat_map(|set| set.extensions.values()).filter_map(|one| one.tree).collect();
    let entries = match store.entries() {
        Ok(entries) => entries,
        Err(error) => return vec![Finding::of_failure(&Failure::from(error))],
    };
    let mut findings = Vec::new();
    for entry in entries.iter().filter(|entry| !current.contains(*entry)) {
        let differences = store.compare(entry);
        if differences.is_empty() {
            continue;
        }
        let message = format!("a release that no set here uses was changed: {}", told(&differences));
        let next =
            "it is fetched anew when it is installed again; `pintle gc` removes it if nothing needs it";
        findings.push(Finding::warning("doctor.store_changed", message).at(&store.entry(entry)).next(next));
    }
    // If a set can't be read, it is not known what is needed, and that was told.
    if let Ok(garbage) = garbage::collect(context, Collect::DryRun)
        && !garbage.releases.is_empty()
    {
        let releases = words::count(garbage.releases.len(), "release", "releases");
        let message = format!("nothing needs {releases} any more ({})", words::bytes(garbage.bytes));
        let finding = Finding::note("doctor.garbage", message).at(&context.scope.home.store());
        findings.push(finding.next("`pintle gc` lets go of them"));
    }
    findings
}
