//! What the stages before load say of each member of a set, and who would get which name. Bundles and a contract in,
//! reports and clashes out. Files are read, none is run, nothing is written.

use crate::bundle::{Bundle, Candidate};
use crate::contract::Promise;
use crate::host::{Place, load_order, one_of_each, quarantined};
use crate::keep::Quarantine;
use crate::slot::{Clash, assign};
use crate::stage::{self, Machine, Report, Stage, StageFailure};
use pintle_manifest::{Contract, Name};
use std::collections::BTreeMap;

/// What is found without running anything.
#[derive(Debug, Default)]
pub struct Examination {
    /// A report for each extension, in load order; those that would not be loaded come last. The load stage was not
    /// looked at, unless it is known that it can't be reached.
    pub reports: Vec<Report>,
    /// The extensions that would be loaded, in load order.
    pub ready: Vec<Bundle>,
    /// The entries of slots that would not get the name they want.
    pub clashes: Vec<Clash>,
}

/// Takes a set through the stages before load.
pub fn examine(
    set: Vec<Candidate>,
    promise: &Promise,
    machine: &Machine,
    quarantine: &Quarantine,
) -> Examination {
    let mut reports: BTreeMap<Name, Report> = BTreeMap::new();
    let mut passed: BTreeMap<Name, Bundle> = BTreeMap::new();
    // The one of each name that a host would take.
    let (set, _) = one_of_each(set);
    for candidate in set {
        let (name, report, bundle) = one(candidate, promise, machine, quarantine);
        passed.extend(bundle.map(|bundle| (name.clone(), bundle)));
        reports.insert(name, report);
    }
    leave_out_dependents(&mut passed, &mut reports);
    let mut examination = Examination::default();
    for name in order(&passed) {
        examination.reports.extend(reports.remove(&name));
        examination.ready.extend(passed.remove(&name));
    }
    examination.reports.extend(reports.into_values());
    examination.clashes = clashes(&examination.ready, promise.contract());
    examination
}

fn one(
    candidate: Candidate,
    promise: &Promise,
    machine: &Machine,
    quarantine: &Quarantine,
) -> (Name, Report, Option<Bundle>) {
    let bundle = match candidate {
        Candidate::Withheld { name, version, required, why } => {
            let report = stage::withhold(&name, &version, required, &why);
            return (name, report, None);
        }
        Candidate::Bundle(bundle) => *bundle,
    };
    let name = bundle.name().clone();
    if let Some(report) = quarantined(quarantine, &bundle) {
        return (name, report, None);
    }
    let (report, examined) = stage::examine(bundle, promise, machine);
    (name, report, examined.map(|examined| examined.bundle))
}

/// What needs something that would not run would not run either, and so on.
fn leave_out_dependents(passed: &mut BTreeMap<Name, Bundle>, reports: &mut BTreeMap<Name, Report>) {
    while let Some((name, missing)) = lacking(passed) {
        let bundle = passed.remove(&name).expect("it was just found there");
        let why = match reports.get(&missing).and_then(Report::failure) {
            Some((stage, failure)) => {
                format!("it needs `{missing}`, which fails at the stage {}: {failure}", stage.as_str())
            }
            None => format!("it needs `{missing}`, which is not in the set"),
        };
        let failure = StageFailure::new("load.dependency", why);
        let report = Report::failed(&name, &bundle.manifest.version, bundle.required, Stage::Load, failure);
        reports.insert(name, report);
    }
}

fn lacking(passed: &BTreeMap<Name, Bundle>) -> Option<(Name, Name)> {
    passed.iter().find_map(|(name, bundle)| {
        let missing = bundle.manifest.dependencies.keys().find(|need| !passed.contains_key(*need))?;
        Some((name.clone(), missing.clone()))
    })
}

fn order(passed: &BTreeMap<Name, Bundle>) -> Vec<Name> {
    load_order(&passed.iter().map(|(name, bundle)| (name.clone(), Place::of(bundle))).collect())
}

/// Gives out the names of every slot as a host would, and returns who did not get the one that was wanted.
fn clashes(ready: &[Bundle], contract: &Contract) -> Vec<Clash> {
    let mut wanted: BTreeMap<&str, Vec<(String, Name)>> = BTreeMap::new();
    for bundle in ready {
        for (slot, entries) in &bundle.manifest.slots {
            let Some(described) = contract.slots.get(slot) else { continue };
            let slot = match &described.deprecated {
                Some(old) if old.alias => old.instead.as_str(),
                Some(_) | None => slot.as_str(),
            };
            let all = wanted.entry(slot).or_default();
            for entry in entries.keys() {
                let one = (entry.clone(), bundle.name().clone());
                // Declared under an older name of the slot too, it is there once.
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
    }
    let mut clashes = Vec::new();
    for (name, wanted) in wanted {
        let Some(slot) = contract.slots.get(name) else { continue };
        let (_, mut found) = assign(slot.collision, &slot.reserved, &wanted);
        found.iter_mut().for_each(|clash| name.clone_into(&mut clash.slot));
        clashes.extend(found);
    }
    clashes
}
