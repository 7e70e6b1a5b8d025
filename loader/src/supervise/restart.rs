//! Starting an instance, watching it, and what happens when it fails: it is started anew, or after too many faults put
//! into quarantine with the evidence.

use super::member::{Live, Member, State};
use crate::dispose::{self, Why};
use crate::host::{Core, Desk, Notice};
use crate::keep::faults::{self, Culprit};
use crate::keep::{Evidence, FaultNote, Quarantine};
use crate::ledger::{Kind, Undo};
use crate::runtime::{self, Fault, FaultKind, Limits, Start, StartError};
use crate::trace::TraceEvent;
use crate::worker::{Setting, SpawnError};
use pintle_sdk::protocol::{DisposeReason, Hello, VERSION};
use std::ffi::OsString;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::timeout;

/// How long an extension has to start and shake hands.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// How often a restart is tried that fails for something that is not the extension's.
const MOST_TRIES: u32 = 5;
/// How long the next try waits then.
const ANOTHER_TRY: Duration = Duration::from_secs(1);

/// Starts an instance of a member, and returns it once it shook hands.
pub(crate) async fn load(core: &Arc<Core>, member: &Arc<Member>) -> Result<Live, StartError> {
    load_as(core, member, core.next_epoch()).await
}

async fn load_as(core: &Arc<Core>, member: &Arc<Member>, epoch: u64) -> Result<Live, StartError> {
    core.ledger.open(member.name(), epoch);
    let (setting, data) = surroundings(core, member, epoch);
    let manifest = &member.bundle.manifest;
    let contract = core.promise.contract();
    let grants = member.bundle.grants.iter().map(|(name, value)| {
        (name.clone(), serde_json::to_value(value).expect("a grant is `true` or a list"))
    });
    let hello = Hello {
        protocol: VERSION,
        host: contract.name.to_string(),
        host_version: contract.version.to_string(),
        extension: manifest.name.to_string(),
        version: manifest.version.to_string(),
        root: member.bundle.root.clone(),
        data,
        epoch,
        grants: grants.collect(),
    };
    let (ledger_core, owner) = (Arc::clone(core), member.name().clone());
    let started = move |process: runtime::Process| {
        let kind = Kind::Worker { pid: process.pid, started: process.started };
        let _ = ledger_core.ledger.hold(&owner, epoch, kind, Undo::WithInstance);
    };
    let start = Start {
        hello,
        artifact: Arc::clone(&member.artifact),
        setting,
        asks: Arc::new(Desk::new(core, member, epoch)),
        log: Arc::clone(&member.log),
        hooks: manifest.hooks.keys().cloned().collect(),
        limits: Limits { own: HANDSHAKE, wall: HANDSHAKE },
        started: Box::new(started),
    };
    match runtime::start(start).await {
        Ok(instance) => Ok(Live { epoch, instance }),
        Err(error) => {
            dispose::leftovers(core, member, epoch, "it did not start").await;
            Err(error)
        }
    }
}

/// Returns the environment of an instance, and the directory that is its own.
fn surroundings(core: &Core, member: &Member, epoch: u64) -> (Setting, Option<std::path::PathBuf>) {
    let name = member.name();
    let mut environment = core.environment.clone();
    let mut set = |key: &str, value: OsString| {
        environment.retain(|(known, _)| known != key);
        environment.push((key.into(), value));
    };
    set("PINTLE_EXTENSION", name.as_str().into());
    let data = core.places.as_ref().map(|places| places.data_of(name));
    if let Some(data) = &data {
        let _ = crate::keep::files::create_dirs(data);
        set("PINTLE_DATA", data.into());
    }
    if let Some(record) = &core.record {
        let path = record.temporary(name, epoch);
        if crate::keep::files::create_dirs(&path).is_ok() {
            set("TMPDIR", path.clone().into());
            let remove = path.clone();
            let undo = Undo::Dispose(Box::new(move || {
                Box::pin(async move {
                    let removed =
                        tokio::task::spawn_blocking(move || crate::keep::files::remove_tree(&remove)).await;
                    removed.is_ok_and(|result| result.is_ok())
                })
            }));
            let _ = core.ledger.hold(name, epoch, Kind::TempDir { path }, undo);
        }
    }
    let setting = Setting {
        directory: member.bundle.root.clone(),
        environment,
        scope: core.scope_of(name, epoch),
        limits: crate::worker::Limits::default(),
    };
    (setting, data)
}

/// Watches a running instance until it ends, and takes care of what is next.
pub(crate) fn watch(core: &Arc<Core>, member: &Arc<Member>, live: Live) {
    let (core, member) = (Arc::downgrade(core), Arc::clone(member));
    tokio::spawn(async move {
        let fault = live.instance.ended().await;
        let Some(core) = core.upgrade() else { return };
        // Who was put away or replaced does not count as failed.
        if member.live().is_none_or(|now| now.epoch != live.epoch) {
            return;
        }
        ended(&core, &member, live, fault).await;
    });
}

async fn ended(core: &Arc<Core>, member: &Arc<Member>, live: Live, fault: Fault) {
    let _going = core.restarts.begin();
    if member.set(State::Starting).is_none() {
        return;
    }
    let mut tries = 0;
    let mut next = note(core, member, &fault);
    dispose::failed(core, member, live, &fault).await;
    while let Ok(backoff) = next {
        if timeout(backoff, member.over()).await.is_ok() {
            return;
        }
        let since = Instant::now();
        let epoch = core.next_epoch();
        let started = tokio::select! {
            biased;
            started = load_as(core, member, epoch) => started,
            // Nobody wants it any more; what was started of it ends with the future.
            () = member.over() => {
                dispose::leftovers(core, member, epoch, "it was put away while it was being started").await;
                return;
            }
        };
        match started {
            Ok(live) => {
                core.register(member, live.epoch);
                if member.set(State::Ready(live.clone())).is_none() {
                    dispose::of_live(core, member, live, &Why::ended(DisposeReason::Disable)).await;
                    return;
                }
                core.tell(Notice::Restarted { name: member.name().clone(), took: since.elapsed() });
                watch(core, member, live);
                return;
            }
            // Who was put away meanwhile does not count as failed.
            Err(_) if member.is_over() => return,
            Err(error) => {
                let fault = start_fault(error);
                next = match fault.counts() {
                    true => note(core, member, &fault),
                    false => Ok(ANOTHER_TRY),
                };
                tries += u32::from(!fault.counts());
                if tries > MOST_TRIES {
                    core.tell(Notice::Fault { name: member.name().clone(), fault: fault.clone() });
                    member.set(State::Over(fault.to_string()));
                    core.rebuild();
                    return;
                }
            }
        }
    }
    let was = put_away(core, member, next.err().unwrap_or_default());
    end(core, member, was).await;
}

/// Counts a fault of an instance that goes on running; one too many ends that.
pub(crate) fn fault(core: &Arc<Core>, member: &Arc<Member>, fault: &Fault) {
    if fault.ended || !fault.counts() || member.is_over() {
        return;
    }
    if let Err(evidence) = note(core, member, fault) {
        // It is written down before anything is waited for: this may be the last that its host does.
        let was = put_away(core, member, evidence);
        let (core, member) = (Arc::clone(core), Arc::clone(member));
        tokio::spawn(async move { end(&core, &member, was).await });
    }
}

/// Puts a member away for good, and returns what ran of it until now. If that had failed, and whoever watches it has not
/// noticed yet, the fault is counted here: this may be the last that its host does.
pub(crate) fn take_down(core: &Core, member: &Member, why: &str) -> Option<Live> {
    let live = member.set(State::Over(why.to_owned())).and_then(State::into_live)?;
    if let Some(fault) = live.instance.fault()
        && let Err(evidence) = note(core, member, &fault)
    {
        put_away(core, member, evidence);
    }
    Some(live)
}

/// Counts a fault of a load that is being ended.
pub(crate) fn fault_at_the_end(core: &Core, member: &Member, fault: &Fault) {
    if let Err(evidence) = note(core, member, fault) {
        put_away(core, member, evidence);
    }
}

/// Tells everyone of a fault, and counts it.
fn note(core: &Core, member: &Member, fault: &Fault) -> Result<Duration, Vec<FaultNote>> {
    core.trace(|| TraceEvent::Fault {
        extension: member.name().clone(),
        code: fault.code().to_owned(),
        message: fault.to_string(),
    });
    core.tell(Notice::Fault { name: member.name().clone(), fault: fault.clone() });
    let backoff = member.count(fault)?;
    match lately(core, member, fault) {
        Some(faults) => Err(faults),
        None => Ok(backoff),
    }
}

/// Counts a fault beside those that other hosts saw lately, and returns all of them if they are too many.
fn lately(core: &Core, member: &Member, fault: &Fault) -> Option<Vec<FaultNote>> {
    let places = core.places.as_ref().filter(|_| !member.is_on_trial())?;
    let (name, version) = (member.name(), &member.bundle.manifest.version);
    let culprit = Culprit { name, version, tree: member.tree() };
    let limit = (super::intensity::MOST, super::intensity::WINDOW);
    match faults::note(&places.state, &culprit, FaultNote::now(fault), limit) {
        Ok(too_many) => too_many,
        Err(error) => {
            core.tell(Notice::State { error: full(&error) });
            None
        }
    }
}

/// Puts a member into quarantine, and returns how it was until now, if it was not over.
fn put_away(core: &Core, member: &Member, faults: Vec<FaultNote>) -> Option<State> {
    let reason = too_many(&faults);
    let evidence = Evidence {
        version: member.bundle.manifest.version.clone(),
        tree: member.tree(),
        since_ms: crate::keep::files::now_ms(),
        reason: reason.clone(),
        faults,
    };
    // Several faults at once put it away once. One whose host is ending is put away all the same.
    let was = member.set(State::Over(format!("it is in quarantine: {reason}")));
    let places = core.places.as_ref().filter(|_| !member.is_on_trial());
    let lasts = match places.map(|places| Quarantine::add(&places.state, member.name(), evidence)) {
        Some(Ok(())) => true,
        Some(Err(error)) => {
            core.tell(Notice::State { error: full(&error) });
            false
        }
        None => false,
    };
    if member.quarantine() {
        core.tell(Notice::Quarantined { name: member.name().clone(), reason, lasts });
        core.rebuild();
    }
    was
}

fn too_many(faults: &[FaultNote]) -> String {
    let last = faults.last().map(|fault| fault.message.as_str()).unwrap_or_default();
    format!("{} faults within a minute; the last: {last}", super::intensity::MOST)
}

/// Ends what a member that was put away still runs.
async fn end(core: &Arc<Core>, member: &Arc<Member>, was: Option<State>) {
    if let Some(live) = was.and_then(State::into_live) {
        dispose::of_live(core, member, live, &Why::ended(DisposeReason::Fault)).await;
    }
}

/// Returns a failed start as a fault.
pub(crate) fn start_fault(error: StartError) -> Fault {
    match error {
        StartError::Handshake(fault) => fault,
        StartError::Spawn(SpawnError::Library { message }) => {
            Fault::new(FaultKind::Library { reason: message }).ended()
        }
        StartError::Spawn(error) if is_of_the_machine(&error) => {
            Fault::new(FaultKind::NotRunning { reason: full(&error) }).ended()
        }
        StartError::Spawn(error) => Fault::new(FaultKind::NotStarted { reason: full(&error) }).ended(),
    }
}

/// Tells whether a start failed for something that is not the extension's.
const fn is_of_the_machine(error: &SpawnError) -> bool {
    match error {
        SpawnError::Prepare { .. }
        | SpawnError::Host { .. }
        | SpawnError::Nursery { .. }
        | SpawnError::NotEntered
        | SpawnError::Lost
        | SpawnError::Timeout { .. } => true,
        SpawnError::ZeroByte { .. }
        | SpawnError::NotOnPath { .. }
        | SpawnError::NoFile { .. }
        | SpawnError::Directory { .. }
        | SpawnError::NoInterpreter { .. }
        | SpawnError::CarriageReturn { .. }
        | SpawnError::OtherMachine { .. }
        | SpawnError::NoProgram { .. }
        | SpawnError::NotExecutable { .. }
        | SpawnError::Execute { .. }
        | SpawnError::Library { .. } => false,
    }
}

/// Returns an error with its causes on one line.
pub(crate) fn full(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
