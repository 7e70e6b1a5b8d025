//! What the remembered runs say of each extension: slow, failing, declared and never used. Values in, findings out. Only
//! runs of the version that is installed count, and each finding says over how many.

use super::Finding;
use crate::host::tally::{Answers, Run, Seen};
use crate::view::words;
use pintle_loader::Bundle;
use pintle_manifest::{Contract, HookKind, HookUse, Name};
use std::collections::BTreeMap;
use std::time::Duration;

/// Loading longer than this is slow: every command waits for it.
const SLOW_LOAD: Duration = Duration::from_millis(500);
/// What was slow once may have been the machine: files that were not read for long, other work.
const OFTEN: usize = 2;
/// Computing longer than this is slow at a hook whose answer the host waits for.
const SLOW_ANSWER: Duration = Duration::from_millis(250);
/// At a hook that nobody waits for, this part of the time that the contract gives is slow.
const SLOW_SHARE: u32 = 2;
/// What did not happen in fewer runs than this may yet happen; what went wrong or was slow before the last of so many is
/// over.
const ENOUGH: usize = 20;

/// What is remembered of one extension.
struct Past<'a> {
    bundle: &'a Bundle,
    contract: &'a Contract,
    /// The runs in which this version of it was part of the set.
    runs: Vec<(&'a Run, &'a Seen)>,
}

/// Says what the runs tell of extensions that would be loaded.
pub(crate) fn check(bundles: &[Bundle], contract: &Contract, runs: &[Run]) -> Vec<Finding> {
    let past = |bundle: &Bundle| -> Vec<Finding> {
        let is_this =
            |seen: &&Seen| seen.version.as_ref().is_none_or(|version| *version == bundle.manifest.version);
        let of = |run| {
            let run: &Run = run;
            run.extensions.get(bundle.name()).filter(is_this).map(|seen| (run, seen))
        };
        Past { bundle, contract, runs: runs.iter().filter_map(of).collect() }.findings()
    };
    bundles.iter().flat_map(past).collect()
}

impl Past<'_> {
    fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = self.faults().into_iter().collect();
        findings.extend(self.slow_load());
        findings.extend(self.slow_answers());
        findings.extend(self.dropped());
        findings.extend(self.deprecated_calls());
        if self.loaded() >= ENOUGH {
            findings.extend(self.never_fired());
            findings.extend(self.never_used());
        }
        findings
    }

    fn name(&self) -> &Name {
        self.bundle.name()
    }

    /// Returns in how many runs it was loaded.
    fn loaded(&self) -> usize {
        self.runs.iter().filter(|(_, seen)| seen.load_us.is_some()).count()
    }

    fn over(&self, count: usize) -> String {
        words::count(count, "run", "runs")
    }

    fn faults(&self) -> Option<Finding> {
        let mut codes: BTreeMap<&str, u64> = BTreeMap::new();
        // What went wrong long ago and never again is over.
        let recent = &self.runs[self.runs.len().saturating_sub(ENOUGH)..];
        for (code, count) in recent.iter().flat_map(|(_, seen)| &seen.faults) {
            let all = codes.entry(code).or_default();
            *all = all.saturating_add(*count);
        }
        let all: u64 = codes.values().fold(0, |sum, count| sum.saturating_add(*count));
        if all == 0 {
            return None;
        }
        let failing = recent.iter().filter(|(_, seen)| !seen.faults.is_empty()).count();
        let told: Vec<String> = codes.iter().map(|(code, count)| format!("{code} {count}")).collect();
        let told = told.join(", ");
        let message = match recent.len() {
            1 => format!("it failed in its last run ({told})"),
            count => format!("it failed in {failing} of its last {count} runs ({told})"),
        };
        let next = format!(
            "its log says more; `pintle exec --trace FILE` shows when, `pintle disable {}` turns it off",
            self.name()
        );
        Some(Finding::warning("doctor.faults", message).of(self.name()).next(next))
    }

    fn slow_load(&self) -> Option<Finding> {
        let loads: Vec<u64> = self.runs.iter().filter_map(|(_, seen)| seen.load_us).collect();
        let recent = &loads[loads.len().saturating_sub(ENOUGH)..];
        let slow: Vec<Duration> =
            recent.iter().map(|us| Duration::from_micros(*us)).filter(|load| *load > SLOW_LOAD).collect();
        if slow.len() < OFTEN {
            return None;
        }
        let message = format!(
            "it took longer than {} to load in {} of its last {}; the longest {}",
            milliseconds(SLOW_LOAD),
            slow.len(),
            self.over(recent.len()),
            milliseconds(slow.into_iter().max().unwrap_or_default())
        );
        let next = "every command waits for that; `pintle load` shows its stages, and its author can say why";
        Some(Finding::warning("doctor.slow_load", message).of(self.name()).next(next))
    }

    fn slow_answers(&self) -> Vec<Finding> {
        let mut hooks: BTreeMap<&str, Answers> = BTreeMap::new();
        for (hook, answers) in self.runs.iter().flat_map(|(_, seen)| &seen.hooks) {
            hooks.entry(hook).or_default().add_all(answers);
        }
        let slow = |(hook, answers): (&str, &Answers)| {
            let limit = self.limit(hook)?;
            let p95 = Duration::from_micros(answers.p95_us());
            if p95 <= limit {
                return None;
            }
            let message = format!(
                "it computes for {} at `{hook}` (95 of 100, over {}; the longest {}), and more than {} is slow",
                milliseconds(p95),
                words::count(usize::try_from(answers.count).unwrap_or(usize::MAX), "call", "calls"),
                milliseconds(Duration::from_micros(answers.max_us)),
                milliseconds(limit)
            );
            let next =
                "a filter in its manifest saves calls; what it waits for at the host is not counted here";
            Some(
                Finding::warning("doctor.slow_hook", message)
                    .of(self.name())
                    .key(format!("hooks.{hook}"))
                    .next(next),
            )
        };
        hooks.iter().filter_map(|(hook, answers)| slow((hook, answers))).collect()
    }

    /// Returns how long it may compute at a hook before that is slow.
    fn limit(&self, hook: &str) -> Option<Duration> {
        let hook = self.contract.hooks.get(hook)?;
        Some(match hook.kind {
            HookKind::Guard
            | HookKind::Transform
            | HookKind::Claim
            | HookKind::Collect
            | HookKind::Around => SLOW_ANSWER.min(hook.own_time / SLOW_SHARE),
            HookKind::Observe | HookKind::Stream => hook.own_time / SLOW_SHARE,
        })
    }

    fn dropped(&self) -> Option<Finding> {
        let count = self.runs.iter().fold(0_u64, |sum, (_, seen)| sum.saturating_add(seen.dropped));
        if count == 0 {
            return None;
        }
        let runs = self.runs.iter().filter(|(_, seen)| seen.dropped > 0).count();
        let message =
            format!("it was too slow for a stream: {count} items were dropped in {}", self.over(runs));
        let next = "what it says of the output may miss something; its author can do less for each item";
        Some(Finding::note("doctor.dropped", message).of(self.name()).next(next))
    }

    fn deprecated_calls(&self) -> Vec<Finding> {
        let mut calls: Vec<&String> = self.runs.iter().flat_map(|(_, seen)| seen.calls.keys()).collect();
        calls.sort();
        calls.dedup();
        let deprecated = |call: &&String| {
            let old = self.contract.calls.get(*call)?.deprecated.as_ref()?;
            let message = format!(
                "it makes the call `{call}`, deprecated since {} and gone in {}; use `{}` instead",
                old.since, old.remove_in, old.instead
            );
            let next = "its author has to change that; look for a newer version with `pintle outdated`";
            Some(Finding::note("compat.deprecated", message).of(self.name()).key(call.as_str()).next(next))
        };
        calls.iter().filter_map(deprecated).collect()
    }

    fn never_fired(&self) -> Vec<Finding> {
        self.bundle.manifest.hooks.iter().filter_map(|(wire, used)| self.never_fired_at(wire, used)).collect()
    }

    fn never_fired_at(&self, wire: &str, used: &HookUse) -> Option<Finding> {
        let hook = match self.contract.hooks.get(wire)?.deprecated.as_ref() {
            Some(old) if old.alias => old.instead.as_str(),
            Some(_) | None => wire,
        };
        if self.runs.iter().any(|(_, seen)| seen.hooks.contains_key(hook)) {
            return None;
        }
        let fired = self.runs.iter().fold(0_u64, |sum, (run, _)| {
            sum.saturating_add(run.hooks.get(hook).copied().unwrap_or_default())
        });
        let filter: Vec<String> =
            used.filter.iter().map(|(field, text)| format!("{field} = `{text}`")).collect();
        let why = match (fired, filter.is_empty()) {
            (0, true) => "nothing happened that fires it".to_owned(),
            (0, false) => format!("nothing happened that passes its filter ({})", filter.join(", ")),
            (fired, false) => {
                format!("it fired {fired} times, and its filter ({}) never matched", filter.join(", "))
            }
            (fired, true) => format!("it fired {fired} times, and the extension never answered"),
        };
        let message =
            format!("it was loaded in {} and never called at `{wire}`: {why}", self.over(self.loaded()));
        let next = format!("`pintle contract show {hook}` says when it fires");
        let finding = Finding::note("doctor.never_fired", message).of(self.name());
        Some(finding.key(format!("hooks.{wire}")).next(next))
    }

    fn never_used(&self) -> Vec<Finding> {
        let is_used = |permission: &String| {
            let mut calls =
                self.contract.calls.iter().filter(|(_, call)| call.permission.as_ref() == Some(permission));
            calls.any(|(call, _)| self.runs.iter().any(|(_, seen)| seen.calls.contains_key(call)))
        };
        let unused = self.bundle.manifest.permissions.keys().filter(|permission| !is_used(permission));
        let finding = |permission: &String| {
            let message = format!(
                "it was granted `{permission}` and never asked for it in {}",
                self.over(self.loaded())
            );
            let next = format!(
                "it may need it only rarely; `pintle trust revoke {}` takes back all that it was granted, and then it is not loaded",
                self.name()
            );
            Finding::note("doctor.never_used", message)
                .of(self.name())
                .key(format!("permissions.{permission}"))
                .next(next)
        };
        unused.map(finding).collect()
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}
