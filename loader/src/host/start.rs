//! Starting a host: what dead hosts left is cleared, the set goes through the stages, what passes is loaded in load
//! order, and how each start went is noted.

use super::builder::HostBuilder;
use super::busy::Busy;
use super::choice::one_of_each;
use super::core::Core;
use super::notice::Notice;
use super::order::{Place, load_order};
use super::running::Host;
use crate::bundle::{Bundle, Candidate, Rank, Withheld};
use crate::hook::{Queue, Subscriber, Tables, drain};
use crate::keep::{Evidence, FaultNote, Quarantine, Start, Starts, edited_since, files};
use crate::ledger::{Ledger, Record, recover};
use crate::runtime::{Fault, FaultKind, Limits, Log};
use crate::stage::{self, Examined, Report, Stage, StageFailure, StageReport, Verdict};
use crate::supervise::{self, Binding, Member, State};
use crate::trace::{TraceEvent, Trouble};
use pintle_manifest::{HookKind, Name, QueueRule};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// How long one extension may take to start before the host is told for whom it waits.
const SLOW: Duration = Duration::from_secs(2);

/// A host that has started, and what the stages say of each extension.
#[derive(Debug)]
pub struct Started {
    /// The host.
    pub host: Host,
    /// A report for each extension, in load order.
    pub reports: Vec<Report>,
}

/// Makes a host without extensions.
pub(super) fn empty(builder: HostBuilder) -> Host {
    let cell = Arc::clone(&builder.core);
    let core = assemble(builder, None);
    let _ = cell.set(Arc::clone(&core));
    Host::new(core)
}

pub(super) async fn start(builder: HostBuilder, set: Vec<Candidate>) -> Started {
    let cell = Arc::clone(&builder.core);
    let machine = builder.machine.clone();
    let (record, notices) = open_record(&builder);
    let core = assemble(builder, record);
    notices.into_iter().for_each(|notice| core.tell(notice));
    let mut reports: BTreeMap<Name, Report> = BTreeMap::new();
    let (set, shadowed) = one_of_each(set);
    let bundles = admitted(&core, set, &mut reports);
    let examined = examine(&core, bundles, &machine, &mut reports).await;
    let order = order(&examined);
    let (loaded, unhealthy) = load_all(&core, examined, &order, &mut reports).await;
    note_starts(&core, &loaded, unhealthy);
    let mut members: Vec<Arc<Member>> = Vec::new();
    for name in &order {
        members.extend(loaded.iter().find(|member| member.name() == name).cloned());
    }
    for member in &members {
        if let Some(live) = member.live() {
            core.register(member, live.epoch);
            supervise::watch(&core, member, live);
        }
        feed(&core, member);
    }
    *core.members.write().expect("no holder panics") = members.into();
    core.rebuild();
    let _ = cell.set(Arc::clone(&core));
    trace_stages(&core, &reports);
    let ordered = order.iter().filter_map(|name| reports.remove(name)).collect::<Vec<_>>();
    let reports = ordered.into_iter().chain(reports.into_values()).chain(shadowed).collect();
    Started { host: Host::new(core), reports }
}

fn assemble(builder: HostBuilder, record: Option<Arc<Record>>) -> Arc<Core> {
    Arc::new(Core {
        promise: builder.promise,
        ledger: Ledger::new(record.clone()),
        record,
        places: builder.places,
        environment: builder.environment,
        calls: builder.calls,
        checks: builder.checks,
        bus: crate::bus::Bus::default(),
        directory: builder.directory,
        began: Instant::now(),
        person: builder.person,
        trace: builder.trace,
        notices: builder.notices,
        members: RwLock::new(Vec::new().into()),
        tables: RwLock::new(Arc::new(Tables::default())),
        epochs: AtomicU64::new(0),
        running: AtomicBool::new(true),
        observers: Busy::default(),
        restarts: Busy::default(),
    })
}

/// Clears what dead hosts left, and begins the record of this one. None of it stops a start.
fn open_record(builder: &HostBuilder) -> (Option<Arc<Record>>, Vec<Notice>) {
    let Some(places) = &builder.places else { return (None, Vec::new()) };
    let mut notices = clear_dead(places);
    match Record::begin(&places.hosts(), &builder.command) {
        Ok(record) => (Some(Arc::new(record)), notices),
        Err(error) => {
            notices.push(Notice::State { error: supervise::full(&error) });
            (None, notices)
        }
    }
}

/// Clears what dead hosts left, and counts whose start killed them.
pub(crate) fn clear_dead(places: &crate::keep::Places) -> Vec<Notice> {
    let mut notices = Vec::new();
    let state = |error: &dyn std::error::Error| Notice::State { error: supervise::full(error) };
    let recovered = match recover(&places.run) {
        Ok(recovered) => recovered,
        Err(error) => return vec![state(&error)],
    };
    notices.extend(recovered.orphans.into_iter().map(Notice::Orphan));
    notices.extend(recovered.unreadable.iter().map(|error| state(error)));
    let suspects = recovered.suspects.into_iter();
    let starts: Vec<Start> = suspects
        .map(|(name, version, tree)| Start { name, version, tree, fault: Some(killed_while_loading()) })
        .collect();
    if !starts.is_empty() {
        note_and_quarantine(places, &starts, &mut |notice| notices.push(notice));
    }
    notices
}

fn killed_while_loading() -> FaultNote {
    FaultNote {
        time_ms: files::now_ms(),
        code: "start.killed".to_owned(),
        message: "the host was killed while this extension was being started".to_owned(),
        log: Vec::new(),
    }
}

/// Keeps back what must not run. What is in quarantine with exactly these files is such, too.
fn admitted(core: &Core, set: Vec<Candidate>, reports: &mut BTreeMap<Name, Report>) -> Vec<Bundle> {
    let quarantine = quarantine(core);
    let mut bundles = Vec::new();
    for candidate in set {
        match candidate {
            Candidate::Withheld { name, version, required, why } => {
                reports.insert(name.clone(), stage::withhold(&name, &version, required, &why));
            }
            Candidate::Bundle(bundle) => match quarantined(&quarantine, &bundle) {
                Some(report) => drop(reports.insert(bundle.name().clone(), report)),
                None => bundles.push(*bundle),
            },
        }
    }
    bundles
}

/// Returns what is in quarantine. If that can't be read, the host is told.
pub(super) fn quarantine(core: &Core) -> Quarantine {
    let quarantine = core.places.as_ref().map(|places| Quarantine::read(&places.state));
    quarantine.unwrap_or_else(|| Ok(Quarantine::default())).unwrap_or_else(|error| {
        core.tell(Notice::State { error: supervise::full(&error) });
        Quarantine::default()
    })
}

/// Returns the report of an extension whose very files are in quarantine. A folder under development is tried again when
/// its author has changed it, and one that is named on the command line whatever it did before.
pub(crate) fn quarantined(quarantine: &Quarantine, bundle: &Bundle) -> Option<Report> {
    if bundle.rank == Rank::CommandLine {
        return None;
    }
    let (name, version) = (bundle.name(), &bundle.manifest.version);
    let tree = bundle.content.as_ref().map(|content| content.tree);
    let Evidence { reason, since_ms, .. } = quarantine.of(name, version, tree)?;
    if tree.is_none() && edited_since(bundle, *since_ms) {
        return None;
    }
    let why = Withheld::Quarantined { reason: reason.clone() };
    Some(stage::withhold(name, version, bundle.required, &why))
}

/// Runs the stages that run nothing, on every processor.
async fn examine(
    core: &Arc<Core>,
    bundles: Vec<Bundle>,
    machine: &stage::Machine,
    reports: &mut BTreeMap<Name, Report>,
) -> BTreeMap<Name, Examined> {
    let mut running = JoinSet::new();
    for bundle in bundles {
        let (promise, machine) = (core.promise.clone(), machine.clone());
        let failure = StageFailure::new("install.failed", "the stages could not be gone through");
        let version = &bundle.manifest.version;
        let failed = Report::failed(bundle.name(), version, bundle.required, Stage::Install, failure);
        // This stands unless the stages say something else.
        reports.insert(bundle.name().clone(), failed);
        running.spawn_blocking(move || stage::examine(bundle, &promise, &machine));
    }
    let mut examined = BTreeMap::new();
    while let Some(done) = running.join_next().await {
        let Ok((report, passed)) = done else { continue };
        if let Some(passed) = passed {
            examined.insert(report.name.clone(), passed);
        }
        reports.insert(report.name.clone(), report);
    }
    examined
}

fn order(examined: &BTreeMap<Name, Examined>) -> Vec<Name> {
    let places = examined.iter().map(|(name, one)| (name.clone(), Place::of(&one.bundle)));
    load_order(&places.collect())
}

/// Loads what passed, round after round: in each, everything whose needs are running. Returns what runs, and whose start
/// went wrong.
async fn load_all(
    core: &Arc<Core>,
    mut examined: BTreeMap<Name, Examined>,
    order: &[Name],
    reports: &mut BTreeMap<Name, Report>,
) -> (Vec<Arc<Member>>, Vec<Start>) {
    let (mut running, mut unhealthy): (Vec<Arc<Member>>, Vec<Start>) = Default::default();
    let mut ready: BTreeSet<Name> = BTreeSet::new();
    while !examined.is_empty() {
        let waiting: BTreeSet<Name> = examined.keys().cloned().collect();
        let mut round = JoinSet::new();
        for name in order {
            let Some(one) = examined.get(name) else { continue };
            if one.bundle.manifest.dependencies.keys().any(|need| waiting.contains(need)) {
                continue;
            }
            let one = examined.remove(name).expect("it was there a line ago");
            if let Some(missing) = one.bundle.manifest.dependencies.keys().find(|need| !ready.contains(*need))
            {
                failed(reports, name, dependency(missing, reports.get(missing)), Duration::ZERO);
                continue;
            }
            let core = Arc::clone(core);
            round.spawn(async move { load_one(&core, one).await });
        }
        let mut progress = examined.len() < waiting.len();
        while let Some(done) = round.join_next().await {
            let Ok((member, result, took)) = done else { continue };
            let name = member.name().clone();
            match result {
                Ok(()) => {
                    if let Some(report) = reports.get_mut(&name) {
                        report.stages.push(StageReport {
                            stage: Stage::Load,
                            verdict: Verdict::Passed,
                            took,
                        });
                    }
                    ready.insert(name);
                    running.push(member);
                }
                Err(fault) => {
                    // What the machine lacks says nothing about the extension.
                    if fault.counts() && !member.is_on_trial() {
                        unhealthy.push(start_of(&member, Some(FaultNote::now(&fault))));
                    }
                    failed(reports, &name, load_failure(core, &name, &fault), took);
                }
            }
            progress = true;
        }
        if !progress {
            for (name, _) in std::mem::take(&mut examined) {
                let message = "it needs something that needs it, so neither can be the first";
                failed(reports, &name, StageFailure::new("load.circle", message), Duration::ZERO);
            }
        }
    }
    (running, unhealthy)
}

async fn load_one(core: &Arc<Core>, one: Examined) -> (Arc<Member>, Result<(), Fault>, Duration) {
    let since = Instant::now();
    let member = Arc::new(member(core, one));
    let manifest = &member.bundle.manifest;
    let record = core.record.as_ref().filter(|_| !member.is_on_trial());
    if let Some(record) = record {
        record.loading(&manifest.name, &manifest.version, member.tree());
    }
    let result = match attributed(core, &member, supervise::load(core, &member)).await {
        Ok(live) => {
            if let Some(record) = record {
                record.loaded(&manifest.name);
            }
            member.set(State::Ready(live));
            Ok(())
        }
        Err(error) => {
            if let Some(record) = record {
                record.failed(&manifest.name);
            }
            Err(supervise::start_fault(error))
        }
    };
    (member, result, since.elapsed())
}

/// Waits for a start, and tells whose it is if that takes long.
async fn attributed<T>(core: &Core, member: &Member, start: impl Future<Output = T>) -> T {
    tokio::pin!(start);
    match tokio::time::timeout(SLOW, &mut start).await {
        Ok(started) => started,
        Err(_) => {
            core.tell(Notice::Slow { name: member.name().clone() });
            start.await
        }
    }
}

/// Makes a member: its hooks by the contract's names, with the least of the times that contract and manifest give.
pub(super) fn member(core: &Core, one: Examined) -> Member {
    let Examined { bundle, artifact } = one;
    let bind = |(wire, used): (&String, &pintle_manifest::HookUse)| {
        let hook = core.promise.hook(wire)?;
        let canonical = match &hook.deprecated {
            // One that names a hook by both names is called once.
            Some(old) if old.alias && bundle.manifest.hooks.contains_key(&old.instead) => return None,
            Some(old) if old.alias => &old.instead,
            Some(_) | None => wire,
        };
        let hook = core.promise.hook(canonical)?;
        let own = used.own_time.map_or(hook.own_time, |asked| asked.min(hook.own_time));
        let queue = (hook.kind == HookKind::Stream)
            .then(|| Arc::new(Queue::new(hook.queue.unwrap_or(QueueRule::DropOldest))));
        Some(Binding {
            hook: canonical.as_str().into(),
            wire: wire.as_str().into(),
            filter: used.filter.iter().map(|(field, text)| (field.clone(), text.clone())).collect(),
            limits: Limits { own, wall: hook.wall_time },
            queue,
        })
    };
    let bindings = bundle.manifest.hooks.iter().filter_map(bind).collect();
    let log_path = core.places.as_ref().map(|places| {
        let _ = files::create_dirs(&places.log);
        places.log_of(bundle.name())
    });
    Member::new(Arc::new(bundle), Arc::new(artifact), bindings, Arc::new(Log::new(log_path)))
}

/// Begins to deliver the streams of a member.
pub(super) fn feed(core: &Arc<Core>, member: &Arc<Member>) {
    for binding in &member.bindings {
        if let Some(queue) = &binding.queue {
            let subscriber = Subscriber { member: Arc::clone(member), binding: binding.clone() };
            tokio::spawn(drain(Arc::downgrade(core), subscriber, Arc::clone(queue)));
        }
    }
}

pub(super) fn load_failure(core: &Core, name: &Name, fault: &Fault) -> StageFailure {
    let mut message = fault.to_string();
    if let Some(last) = fault.log.last() {
        message.push_str(&format!("; the last that it printed: `{}`", pintle_manifest::Untrusted(last)));
    }
    let failure = StageFailure::new(fault.code(), message);
    match &fault.kind {
        FaultKind::NoHandshake { .. } | FaultKind::Exited { .. } | FaultKind::Signaled { .. } => {
            let log = core.places.as_ref().map(|places| places.log_of(name)).filter(|log| log.exists());
            let log = log.map(|log| format!("the rest of what it printed is in `{}`; ", log.display()));
            let log = log.unwrap_or_default();
            failure.hint(format!("{log}an extension answers `hello` on descriptor 3 with `ready` on 4"))
        }
        FaultKind::Lost
        | FaultKind::Library { .. }
        | FaultKind::OwnTime { .. }
        | FaultKind::WallTime { .. }
        | FaultKind::Handler { .. }
        | FaultKind::BadOutcome { .. }
        | FaultKind::Protocol { .. }
        | FaultKind::LateHandshake { .. }
        | FaultKind::NotRunning { .. }
        | FaultKind::NotStarted { .. }
        | FaultKind::Unsendable { .. } => failure,
    }
}

pub(super) fn dependency(missing: &Name, report: Option<&Report>) -> StageFailure {
    let message = match report.and_then(Report::failure) {
        Some((stage, failure)) => {
            format!("it needs `{missing}`, which failed at the stage {}: {failure}", stage.as_str())
        }
        None => format!("it needs `{missing}`, which is not in the set"),
    };
    StageFailure::new("load.dependency", message)
}

fn failed(reports: &mut BTreeMap<Name, Report>, name: &Name, failure: StageFailure, took: Duration) {
    if let Some(report) = reports.get_mut(name) {
        report.stages.retain(|report| report.stage != Stage::Load);
        report.stages.push(StageReport { stage: Stage::Load, verdict: Verdict::Failed(failure), took });
    }
}

fn start_of(member: &Member, fault: Option<FaultNote>) -> Start {
    let (name, version) = (member.name().clone(), member.bundle.manifest.version.clone());
    Start { name, version, tree: member.tree(), fault }
}

/// Counts healthy and unhealthy starts. One that failed for lack of another did not run, and is not counted.
fn note_starts(core: &Core, loaded: &[Arc<Member>], unhealthy: Vec<Start>) {
    let Some(places) = &core.places else { return };
    let mut starts = unhealthy;
    let healthy = loaded.iter().filter(|member| !member.is_on_trial());
    starts.extend(healthy.map(|member| start_of(member, None)));
    note_and_quarantine(places, &starts, &mut |notice| core.tell(notice));
}

fn note_and_quarantine(places: &crate::keep::Places, starts: &[Start], tell: &mut dyn FnMut(Notice)) {
    let over = match Starts::note(&places.state, starts) {
        Ok(over) => over,
        Err(error) => return tell(Notice::State { error: supervise::full(&error) }),
    };
    for (name, unhealthy) in over {
        let count = unhealthy.starts.len();
        let last = unhealthy.starts.last().map(|note| note.message.clone()).unwrap_or_default();
        let reason = format!("{count} starts in a row went wrong");
        let evidence = Evidence {
            version: unhealthy.version,
            tree: unhealthy.tree,
            since_ms: files::now_ms(),
            reason: format!("{reason}; the last: {last}"),
            faults: unhealthy.starts,
        };
        // What is not kept does not last: the next start tries it again. Why it is left out in this one is told anyway.
        match Quarantine::add(&places.state, &name, evidence) {
            Ok(()) => tell(Notice::Quarantined { name, reason, lasts: true }),
            Err(error) => tell(Notice::State { error: supervise::full(&error) }),
        }
    }
}

fn trace_stages(core: &Core, reports: &BTreeMap<Name, Report>) {
    for report in reports.values() {
        for stage in report.stages.iter().filter(|stage| stage.verdict != Verdict::Skipped) {
            core.trace(|| TraceEvent::Stage {
                extension: report.name.clone(),
                stage: stage.stage.as_str(),
                passed: stage.verdict == Verdict::Passed,
                took_us: crate::hook::micros(stage.took),
                failure: match &stage.verdict {
                    Verdict::Failed(failure) => {
                        Some(Trouble { code: failure.code.to_owned(), message: failure.message.clone() })
                    }
                    Verdict::Passed | Verdict::Skipped => None,
                },
            });
        }
    }
}
