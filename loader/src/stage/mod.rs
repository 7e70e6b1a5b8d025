//! The stages that an extension passes before its code runs, and what they say of it. None of them runs anything of
//! the extension; the last stage, load, is that of `runtime`.
//!
//! Each stage is one file with one function. `examine` runs them in order and stops at the first that fails.

mod report;

mod install;
mod trust;
mod entry;
mod elf;
mod interpreter;
mod compat;

pub(crate) use entry::{Artifact, Program};
pub(crate) use interpreter::is_program;
pub use report::{Report, Stage, StageFailure, StageReport, Verdict, Warning};

use crate::bundle::{Bundle, Withheld};
use crate::contract::Promise;
use pintle_manifest::{Name, Version};
use std::time::Instant;

/// An extension that may be loaded: every stage before that passed.
#[derive(Debug)]
pub(crate) struct Examined {
    pub(crate) bundle: Bundle,
    /// What will be run, opened while it was checked.
    pub(crate) artifact: Artifact,
}

/// Runs the stages before load. The report has a line for each; the extension is handed on if all passed.
pub(crate) fn examine(bundle: Bundle, promise: &Promise, machine: &Machine) -> (Report, Option<Examined>) {
    let mut report = Report {
        name: bundle.name().clone(),
        version: bundle.manifest.version.clone(),
        required: bundle.required,
        stages: Vec::new(),
        warnings: Vec::new(),
    };
    let artifact = stages(&bundle, promise, machine, &mut report);
    let reached = report.stages.len();
    let rest = Stage::ALL[reached..].iter().filter(|stage| **stage != Stage::Load || artifact.is_none());
    report.stages.extend(rest.map(|stage| StageReport {
        stage: *stage,
        verdict: Verdict::Skipped,
        took: std::time::Duration::ZERO,
    }));
    (report, artifact.map(|artifact| Examined { bundle, artifact }))
}

/// What is known of the machine that extensions run on.
#[derive(Debug, Clone)]
pub struct Machine {
    /// Its target.
    pub target: pintle_manifest::Target,
    /// Where programs without a `/` are looked for, in order.
    pub search_path: Vec<std::path::PathBuf>,
}

/// Reports an extension that must not run. None of its files is read.
pub(crate) fn withhold(name: &Name, version: &Version, required: bool, why: &Withheld) -> Report {
    let failed = match why {
        Withheld::Unreadable { .. } => Stage::Install,
        Withheld::Disabled { .. } | Withheld::Quarantined { .. } | Withheld::Denied { .. } => Stage::Trust,
    };
    Report::failed(name, version, required, failed, trust::withheld(name, why))
}

fn stages(bundle: &Bundle, promise: &Promise, machine: &Machine, report: &mut Report) -> Option<Artifact> {
    let mut timed = |stage: Stage, result: Result<(), StageFailure>, since: Instant| {
        let passed = result.is_ok();
        let verdict = result.map_or_else(Verdict::Failed, |()| Verdict::Passed);
        report.stages.push(StageReport { stage, verdict, took: since.elapsed() });
        passed.then_some(())
    };
    let since = Instant::now();
    let checked = install::check(bundle);
    let (checked, result) = split(checked);
    timed(Stage::Install, result, since)?;
    let since = Instant::now();
    timed(Stage::Trust, trust::check(bundle, promise.contract()), since)?;
    let since = Instant::now();
    let (artifact, result) = split(entry::check(bundle, checked?, machine));
    timed(Stage::Entry, result, since)?;
    let since = Instant::now();
    let (warnings, result) = split(compat::check(bundle, promise));
    timed(Stage::Compat, result, since)?;
    report.warnings = warnings.unwrap_or_default();
    artifact
}

fn split<T>(result: Result<T, StageFailure>) -> (Option<T>, Result<(), StageFailure>) {
    match result {
        Ok(value) => (Some(value), Ok(())),
        Err(failure) => (None, Err(failure)),
    }
}
