//! What the stages say of each extension without running it, and what is kept about it: turned off, in quarantine,
//! starts that went wrong. The codes are those of the stages.

use super::Finding;
use crate::failure::Failure;
use crate::host::{Expected, clash_words, expected};
use pintle_loader::doctor::Examination;
use pintle_loader::keep::files::FileError;
use pintle_loader::keep::{Damage, Places, Quarantine, Starts, damages as damages_of};
use pintle_loader::stage::{Report, Stage, StageFailure};
use pintle_manifest::{Name, Untrusted};
use std::collections::BTreeSet;
use std::path::Path;

/// What was told in other words already, and would only be told again.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// The files of these are not as they were installed.
    pub broken: BTreeSet<Name>,
    /// What was granted can't be read.
    pub no_grants: bool,
}

/// Says which extensions would not be loaded and why, and what of the others is not as it should be.
pub(crate) fn of_reports(examination: &Examination, told: &Told) -> Vec<Finding> {
    let mut findings = Vec::new();
    for report in &examination.reports {
        if let Some((stage, failure)) = report.failure() {
            findings.extend(of_failure(report, stage, failure, told));
        }
        for warning in &report.warnings {
            let finding = Finding::note(warning.code, warning.message.clone()).of(&report.name);
            findings.push(
                finding
                    .next("its author has to change that; look for a newer version with `pintle outdated`"),
            );
        }
    }
    for clash in &examination.clashes {
        let finding = Finding::warning("doctor.collision", clash_words(clash)).of(&clash.owner);
        let key = format!("slots.{}.{}", clash.slot, Untrusted(&clash.entry));
        let next = match &clash.winner {
            Some(winner) => format!(
                "turn one of them off (`pintle disable {}` or `{winner}`), or use the name that it got",
                clash.owner
            ),
            None => "ask its author for another name".to_owned(),
        };
        findings.push(finding.key(key).next(next));
    }
    findings
}

fn of_failure(report: &Report, stage: Stage, failure: &StageFailure, told: &Told) -> Option<Finding> {
    let name = &report.name;
    if (stage == Stage::Install && told.broken.contains(name))
        || (told.no_grants && failure.code == "trust.not_granted")
    {
        return None;
    }
    // What a person turned off is as that person wants it, unless the host is not to do without it. What is there for
    // another host is nobody's business here.
    let mut finding = match expected(report) {
        Some(Expected::OtherHost) => return None,
        Some(Expected::Off) if failure.code == "trust.disabled" && !report.required => {
            Finding::note(failure.code, failure.message.clone())
        }
        Some(Expected::Off | Expected::Shadowed) | None => {
            Finding::error(failure.code, failure.message.clone())
        }
    };
    if report.required {
        finding.message.push_str("; it is required, so a host refuses to run without it");
    }
    finding = finding.of(name).key(stage.as_str());
    Some(match &failure.hint {
        Some(hint) => finding.next(hint.clone()),
        // To turn it off would only be another way not to be ready.
        None if report.required => finding.next(
            "`pintle sync` installs what is missing; else install another version of it, or do not require it",
        ),
        None => {
            finding.next(format!("turn it off (`pintle disable {name}`) or install another version of it"))
        }
    })
}

/// Reads what is in quarantine. That it can't be read is found, and nothing is taken to be in it.
pub(crate) fn quarantine(places: &Places, findings: &mut Vec<Finding>) -> Quarantine {
    Quarantine::read(&places.state).unwrap_or_else(|error| {
        findings.push(Finding::of_failure(&Failure::from(error)));
        Quarantine::default()
    })
}

/// Says what is kept and can't be read: what failed lately, and what extensions store.
pub(crate) fn damages(places: &Places) -> Vec<Finding> {
    let told = |damage: Damage| {
        let faults = damage.error.path().ends_with("faults.json");
        let newer = matches!(damage.error, FileError::Newer { .. });
        let finding = Finding::of_failure(&Failure::from(damage.error));
        let finding = match &damage.owner {
            Some(owner) => finding.of(owner),
            None => finding,
        };
        // It counts the faults of one minute, and protects nobody any longer. What an extension stores may.
        match faults && !newer {
            true => finding.next("`pintle doctor --fix` puts it aside, and counting begins anew").mendable(),
            false => finding,
        }
    };
    damages_of(places).into_iter().map(told).collect()
}

/// Says what is in quarantine and is not what the set holds now: it does no harm, and is no use.
pub(crate) fn old_quarantine(
    quarantine: &Quarantine,
    examination: &Examination,
    state: &Path,
) -> Vec<Finding> {
    let is_told = |name: &&Name| {
        let report = examination.reports.iter().find(|report| report.name == **name);
        report.and_then(Report::failure).is_some_and(|(_, failure)| failure.code == "trust.quarantined")
    };
    let others = quarantine.extensions.iter().filter(|(name, _)| !is_told(name));
    let old = |(name, evidence): (&Name, &pintle_loader::keep::Evidence)| {
        let message =
            format!("{} of it is in quarantine, and is not what would be loaded now", evidence.version);
        let finding = Finding::note("doctor.old_quarantine", message).of(name);
        finding.at(&state.join("quarantine.json")).next(format!("`pintle quarantine show {name}` tells why"))
    };
    others.map(old).collect()
}

/// Says whose last starts went wrong, though not often enough yet to be left out.
pub(crate) fn starts(places: &Places) -> Vec<Finding> {
    let starts = match Starts::read(&places.state) {
        Ok(starts) => starts,
        Err(error) => return vec![Finding::of_failure(&Failure::from(error))],
    };
    let unhealthy = |(name, unhealthy): (&Name, &pintle_loader::keep::Unhealthy)| {
        let last = unhealthy.starts.last();
        let what =
            last.map_or_else(String::new, |last| format!("; the last: {} [{}]", last.message, last.code));
        let count = match unhealthy.starts.len() {
            1 => "its last start".to_owned(),
            count => format!("its last {count} starts"),
        };
        let message = format!("{count} ({}) went wrong{what}", unhealthy.version);
        let finding = Finding::warning("doctor.unhealthy_starts", message).of(name);
        let next = format!(
            "`pintle load --only {name}` tries it alone; after three in a row it goes into quarantine"
        );
        finding.at(&places.state.join("starts.json")).next(next)
    };
    starts.extensions.iter().map(unhealthy).collect()
}
