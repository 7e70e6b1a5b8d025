//! What may be to blame: everything that would be loaded, and what a host refuses to do without.

use super::search::{Members, Needs};
use crate::failure::Failure;
use crate::lower;
use crate::situation::Situation;
use crate::verbs::exec::WhichArgs;
use pintle_loader::Promise;
use pintle_loader::bundle::{Candidate, Rank};
use pintle_loader::doctor::examine;
use pintle_loader::keep::{Places, Quarantine};
use pintle_manifest::Name;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Returns it in load order, with the folders of those that come from the command line.
pub(crate) fn candidates(
    situation: &Situation<'_>,
    which: &WhichArgs,
) -> Result<(Needs, BTreeMap<Name, PathBuf>), Failure> {
    let lowered = match which.none(situation.environment) {
        true => lower::Lowered::default(),
        false => lower::lower(situation, &which.selection())?,
    };
    let promise = Promise::compile(crate::host::agent().clone())
        .map_err(|error| Failure::of("contract.invalid", &error))?;
    let quarantine = Quarantine::read(&Places::below(&situation.scope().base).state)?;
    let mut needs: BTreeMap<Name, Members> = BTreeMap::new();
    let mut folders = BTreeMap::new();
    for candidate in &lowered.candidates {
        let Candidate::Bundle(bundle) = candidate else { continue };
        needs.insert(bundle.name().clone(), bundle.manifest.dependencies.keys().cloned().collect());
        if bundle.rank == Rank::CommandLine {
            folders.insert(bundle.name().clone(), bundle.root.clone());
        }
    }
    let examination = examine(lowered.candidates, &promise, &situation.machine(), &quarantine);
    let is_meant = |report: &&pintle_loader::stage::Report| {
        report.required || examination.ready.iter().any(|bundle| *bundle.name() == report.name)
    };
    let meant = examination.reports.iter().filter(is_meant);
    let order: Vec<(Name, Members)> = meant
        .map(|report| (report.name.clone(), needs.get(&report.name).cloned().unwrap_or_default()))
        .collect();
    if order.is_empty() {
        return Err(Failure::new(
            "bisect.no_extensions",
            "no extension would be loaded, so none can be to blame",
        )
        .hint("`pintle load` says why; `pintle list` shows what is installed"));
    }
    Ok((Needs::new(order), folders))
}
