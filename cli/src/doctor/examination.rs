//! The whole examination, and what `--fix` mends. What a person wishes, granted or turned off is never touched.

use super::extensions::{self, Told};
use super::leftovers::Leftovers;
use super::sets::{self, OfScope};
use super::{Finding, history, hosts, interpreters, traces};
use crate::failure::{Failure, one_line};
use crate::host::tally::{Run, history as history_file, read_runs};
use crate::lower;
use crate::situation::Situation;
use pintle_loader::Promise;
use pintle_loader::bundle::Candidate;
use pintle_loader::doctor::{clear, examine};
use pintle_loader::keep::{Places, Quarantine, put_harmless_aside};
use pintle_manifest::Name;
use pintle_registry::operations::context::Context;
use pintle_registry::operations::verify::{self, Verified};
use pintle_registry::store::{Scope, Set};
use std::collections::BTreeSet;
use std::path::PathBuf;

/// What was found, and what was looked at.
#[derive(Debug, Default)]
pub(crate) struct Diagnosis {
    /// The findings, the worst first.
    pub findings: Vec<Finding>,
    /// How many extensions are installed.
    pub extensions: usize,
    /// How many runs are remembered or were traced.
    pub runs: usize,
    /// What differs in each scope, to be mended from.
    broken: Vec<(Scope, Verified)>,
    /// What killed commands left.
    leftovers: Leftovers,
}

/// Looks at everything.
pub(crate) fn diagnose(situation: &Situation<'_>, traced: &[PathBuf]) -> Result<Diagnosis, Failure> {
    let promise = Promise::compile(crate::host::agent().clone())
        .map_err(|error| Failure::of("contract.invalid", &error))?;
    let salvaged = lower::salvage(situation);
    let mut told = Told {
        no_grants: salvaged
            .unreadable
            .iter()
            .any(|failure| failure.file().is_some_and(|file| situation.home.grants() == *file)),
        ..Told::default()
    };
    let names: BTreeSet<&Name> = salvaged.candidates.iter().map(Candidate::name).collect();
    let mut diagnosis = Diagnosis { extensions: names.len(), ..Diagnosis::default() };
    let mut findings: Vec<Finding> = salvaged.unreadable.iter().map(Finding::of_failure).collect();
    for (scope, set) in &salvaged.sets {
        let of_scope = of_scope(situation, scope, set.as_ref());
        told.broken.extend(of_scope.verified.broken.keys().cloned());
        findings.extend(of_scope.findings);
        diagnosis.broken.push((scope.clone(), of_scope.verified));
    }
    let sets: Vec<&Set> = salvaged.sets.iter().filter_map(|(_, set)| set.as_ref()).collect();
    findings.extend(situation.with_context(|context| sets::store(context, &sets)));
    let scopes: Vec<&Scope> = salvaged.sets.iter().map(|(scope, _)| scope).collect();
    diagnosis.leftovers = Leftovers::find(&scopes);
    findings.extend(diagnosis.leftovers.findings());
    // A host keeps what it learns of extensions in the scope that it runs in.
    let own = Places::below(&situation.scope().base);
    let quarantine: Quarantine = extensions::quarantine(&own, &mut findings);
    let examination = examine(salvaged.candidates, &promise, &situation.machine(), &quarantine);
    findings.extend(extensions::of_reports(&examination, &told));
    findings.extend(extensions::old_quarantine(&quarantine, &examination, &own.state));
    findings.extend(extensions::starts(&own));
    scopes.iter().for_each(|scope| findings.extend(extensions::damages(&Places::below(&scope.base))));
    let passed = &situation.environment.passed;
    findings.extend(interpreters::check(&examination.ready, passed, &situation.directory));
    scopes.iter().for_each(|scope| findings.extend(hosts::check(&Places::below(&scope.base))));
    let runs = runs(situation, traced, &mut findings);
    findings.extend(history::check(&examination.ready, promise.contract(), &runs));
    diagnosis.runs = runs.len();
    // What is worse comes first; else the order in which it was looked at, which leads from the set to what it did.
    findings.sort_by_key(|finding| finding.severity);
    diagnosis.findings = findings;
    Ok(diagnosis)
}

fn of_scope(situation: &Situation<'_>, scope: &Scope, set: Option<&Set>) -> OfScope {
    in_scope(situation, scope, |context| sets::of_scope(context, set))
}

/// Calls `body` with what an operation on this scope is handed.
fn in_scope<T>(situation: &Situation<'_>, scope: &Scope, body: impl FnOnce(&Context<'_>) -> T) -> T {
    situation.with_context(|context| {
        body(&Context {
            scope: scope.clone(),
            hosts: context.hosts.clone(),
            asked_hosts: context.asked_hosts.clone(),
            meaning: context.meaning.clone(),
            target: context.target,
            now: context.now,
            command: context.command.clone(),
            access: context.access,
            patience: context.patience,
            events: context.events,
            cancelled: context.cancelled,
        })
    })
}

/// Returns the runs that are remembered, and those that were traced.
fn runs(situation: &Situation<'_>, traced: &[PathBuf], findings: &mut Vec<Finding>) -> Vec<Run> {
    let log = situation.home.root().join("log");
    let mut runs = match read_runs(&log) {
        Ok(read) => {
            if read.passed_over > 0 {
                let message = format!(
                    "{} lines of the history of runs can't be read and were passed over",
                    read.passed_over
                );
                let finding = Finding::note("doctor.history", message).at(&history_file(&log));
                findings.push(
                    finding.next("they are torn, or a newer Pintle wrote them; they go as the file grows"),
                );
            }
            read.runs
        }
        Err(error) => {
            let message = format!("the history of runs can't be read: {}", one_line(&error));
            let finding = Finding::warning("doctor.history", message).at(&history_file(&log));
            findings.push(finding.next("move it away; a new one is begun with the next run"));
            Vec::new()
        }
    };
    for path in traced {
        let path = situation.directory.join(path);
        let finding = match traces::read(&path) {
            Ok((run, passed_over)) => {
                runs.push(run);
                if passed_over == 0 {
                    continue;
                }
                Finding::note("doctor.trace", format!("{passed_over} lines of it are none of a trace"))
                    .next("was it written by `pintle exec --trace FILE`?")
            }
            Err(error) => Finding::error("doctor.trace", format!("it can't be read: {error}"))
                .next("name a file that `pintle exec --trace FILE` wrote"),
        };
        findings.push(finding.at(&path));
    }
    runs
}

/// Mends what can be mended without asking anyone, and looks again. What was mended stays in the report.
pub(crate) fn mend(
    situation: &Situation<'_>,
    found: Diagnosis,
    traced: &[PathBuf],
) -> Result<Diagnosis, Failure> {
    let mut failed = Vec::new();
    for (scope, verified) in &found.broken {
        // Found by a host before it could be ended here, it is gone all the same when it is looked for again.
        let places = Places::below(&scope.base);
        let _ = clear(&places);
        if let Err(error) = put_harmless_aside(&places) {
            failed.push(Finding::of_failure(&Failure::from(error)));
        }
        found.leftovers.remove(scope);
        if verified.is_whole() {
            continue;
        }
        if let Err(error) = in_scope(situation, scope, |context| verify::fix(context, verified)) {
            failed.push(Finding::of_failure(&Failure::from(error)));
        }
    }
    let mut after = diagnose(situation, traced)?;
    let is_gone = |finding: &Finding| !after.findings.iter().any(|left| left.is_about_the_same(finding));
    let mended: Vec<Finding> = found
        .findings
        .into_iter()
        .filter(|finding| finding.mendable && is_gone(finding))
        .map(|finding| Finding { mended: true, ..finding })
        .collect();
    after.findings.extend(failed);
    after.findings.sort_by_key(|finding| finding.severity);
    after.findings.extend(mended);
    Ok(after)
}
