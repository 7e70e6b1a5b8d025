//! Disposal: the end of a load. The extension is told first, then everything it holds is taken back, newest first,
//! then its runtime ends, and then it is looked whether anything is left. All of it has five seconds, also for a whole
//! host; what is left then is forced, and named.

use crate::host::{Core, Notice};
use crate::ledger::{Holding, Kind, Undo};
use crate::runtime::{Ending, Fault, FaultKind, Process};
use crate::supervise::{self, Live, Member};
use crate::trace::TraceEvent;
use pintle_manifest::Name;
use pintle_sdk::protocol::DisposeReason;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::{timeout, timeout_at};

/// How long the disposal of a whole host may take in all.
pub const BUDGET: Duration = Duration::from_secs(5);
/// How much of it is for the extensions' own letting go.
const TELL: Duration = Duration::from_millis(2000);
/// How long one extension may take for that.
const TELL_ONE: Duration = Duration::from_millis(1000);
/// How long taking back one thing may take.
const UNDO: Duration = Duration::from_millis(500);
/// How long ending one runtime may take.
const END: Duration = Duration::from_millis(1500);

/// Why a load ends, for the extension and for people.
#[derive(Debug, Clone)]
pub(crate) struct Why {
    pub(crate) reason: DisposeReason,
    pub(crate) words: String,
}

impl Why {
    pub(crate) fn ended(reason: DisposeReason) -> Self {
        let words = match reason {
            DisposeReason::Disable => "it was disabled",
            DisposeReason::Reload => "it was loaded anew",
            DisposeReason::Update => "another version took its place",
            DisposeReason::Fault => "it failed",
            DisposeReason::Shutdown => "the host ended",
        };
        Self { reason, words: words.to_owned() }
    }
}

/// One load that is to end, and why.
#[derive(Debug, Clone)]
struct Leaving {
    member: Arc<Member>,
    live: Live,
    why: Why,
}

/// How the end of one load went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disposed {
    /// The extension.
    pub name: Name,
    /// Whether it said in time that it let go of everything.
    pub answered: bool,
    /// How much it held.
    pub released: usize,
    /// What had to be forced.
    pub forced: Vec<String>,
    /// What is still there, in spite of all.
    pub leaked: Vec<String>,
    /// How long it took.
    pub took: Duration,
}

impl Disposed {
    /// Says that there was nothing to end.
    pub(crate) fn nothing(name: &Name, took: Duration) -> Self {
        let (forced, leaked) = (Vec::new(), Vec::new());
        Self { name: name.clone(), answered: true, released: 0, forced, leaked, took }
    }
}

/// Takes everything of a load out of the tables of a host that is dropped, and waits for nothing.
pub(crate) fn drop_all(core: &Core, owner: &Name, epoch: u64) {
    core.ledger.poison(owner, epoch);
    for (_, undo) in core.ledger.take_all(owner, epoch) {
        match undo {
            Undo::Unlink(unlink) => unlink(),
            // What has to be ended is ended when it is dropped.
            Undo::Dispose(_) | Undo::WithInstance => {}
        }
    }
}

/// Ends the load of a member that runs, and says how that went.
pub(crate) async fn of_live(core: &Arc<Core>, member: &Arc<Member>, live: Live, why: &Why) -> Disposed {
    run(core, member, live, why, TELL_ONE).await
}

/// Cleans up after a load whose instance ended by itself.
pub(crate) async fn failed(core: &Arc<Core>, member: &Arc<Member>, live: Live, fault: &Fault) {
    let why = Why { reason: DisposeReason::Fault, words: format!("it failed: {fault}") };
    run(core, member, live, &why, Duration::ZERO).await;
}

/// Takes back what a load holds that never became ready.
pub(crate) async fn leftovers(core: &Core, member: &Member, epoch: u64, why: &str) {
    member.end_epoch(epoch, why);
    core.ledger.poison(member.name(), epoch);
    take_back(core.ledger.take_all(member.name(), epoch)).await;
}

/// Ends every load of a host, and is back at a time that is given.
pub(crate) async fn all(core: &Arc<Core>, why: &Why, until: Instant) -> Vec<Disposed> {
    let members = core.members().into_iter().map(|member| (member, why.clone()));
    these(core, members.collect(), until).await
}

/// Ends the loads of some members, and is back at a time that is given. Extensions are told before what they depend on
/// is; who is slow to end holds up nobody. What has not ended by then is killed, and named.
pub(crate) async fn these(
    core: &Arc<Core>,
    members: Vec<(Arc<Member>, Why)>,
    until: Instant,
) -> Vec<Disposed> {
    let since = Instant::now();
    let mut left: Vec<Leaving> = Vec::new();
    for (member, why) in members {
        if let Some(live) = supervise::take_down(core, &member, &why.words) {
            left.push(Leaving { member, live, why });
        }
    }
    core.rebuild();
    let mut order: Vec<Leaving> = Vec::new();
    let mut ending = JoinSet::new();
    let levels = levels(left);
    let count = levels.len();
    for (index, level) in levels.into_iter().enumerate() {
        order.extend(level.iter().cloned());
        let rounds = u32::try_from(count - index).unwrap_or(u32::MAX);
        let share = (since + TELL).saturating_duration_since(Instant::now()) / rounds;
        let mut telling = JoinSet::new();
        for leaving in level {
            let core = Arc::clone(core);
            telling.spawn(async move {
                let Leaving { member, live, why } = &leaving;
                let told = tell(&core, member, live, why.reason, share.min(TELL_ONE)).await;
                (leaving, told)
            });
        }
        while let Some(done) = telling.join_next().await {
            let Ok((Leaving { member, live, why }, told)) = done else { continue };
            let core = Arc::clone(core);
            ending.spawn(async move { end(&core, &member, live, &why, told).await });
        }
    }
    let mut ended: BTreeMap<Name, Disposed> = BTreeMap::new();
    while let Ok(Some(done)) = timeout_at(until.into(), ending.join_next()).await {
        ended.extend(done.ok().map(|disposed| (disposed.name.clone(), disposed)));
    }
    let reports = order.into_iter().map(|leaving| match ended.remove(leaving.member.name()) {
        Some(disposed) => disposed,
        None => force(core, &leaving, since),
    });
    reports.collect()
}

/// Kills what has not ended in time, and takes its entries out of the host's tables.
fn force(core: &Arc<Core>, leaving: &Leaving, since: Instant) -> Disposed {
    let Leaving { member, live, why } = leaving;
    live.instance.kill();
    member.end_epoch(live.epoch, &why.words);
    let taken = core.ledger.take_all(member.name(), live.epoch);
    let released = taken.len();
    let mut forced = vec!["all of it, when the time was over".to_owned()];
    for (holding, undo) in taken {
        match undo {
            Undo::Unlink(unlink) => unlink(),
            // What is dropped here is killed.
            Undo::Dispose(_) => forced.push(describe(&holding.kind)),
            Undo::WithInstance => {}
        }
    }
    let leaked = live.instance.process().filter(is_there).map(|process| format!("process {}", process.pid));
    Disposed {
        name: member.name().clone(),
        answered: false,
        released,
        forced,
        leaked: leaked.into_iter().collect(),
        took: since.elapsed(),
    }
}

fn is_there(process: &Process) -> bool {
    crate::worker::start_time(process.pid) == Some(process.started)
}

/// Sorts into rounds, from the dependents down: nobody needs anyone of the same round or of an earlier one.
fn levels(mut left: Vec<Leaving>) -> Vec<Vec<Leaving>> {
    let mut levels = Vec::new();
    while !left.is_empty() {
        let needs =
            |one: &Leaving| one.member.bundle.manifest.dependencies.keys().cloned().collect::<Vec<_>>();
        let needed: BTreeSet<Name> = left.iter().flat_map(needs).collect();
        let (later, mut now): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|one| needed.contains(one.member.name()));
        left = later;
        // A circle can't be loaded, so there is none; should there be one, it ends in one round.
        if now.is_empty() {
            now = std::mem::take(&mut left);
        }
        levels.push(now);
    }
    levels
}

async fn run(core: &Arc<Core>, member: &Arc<Member>, live: Live, why: &Why, budget: Duration) -> Disposed {
    let told = tell(core, member, &live, why.reason, budget).await;
    end(core, member, live, why, told).await
}

/// Whether an extension let go of everything when it was told to, and since when it is being ended.
#[derive(Debug, Clone)]
struct Told {
    answered: bool,
    since: Instant,
    /// What it did wrong meanwhile.
    fault: Option<Fault>,
}

async fn tell(
    core: &Arc<Core>,
    member: &Member,
    live: &Live,
    reason: DisposeReason,
    budget: Duration,
) -> Told {
    let since = Instant::now();
    // Nothing new can be held from here on.
    core.ledger.poison(member.name(), live.epoch);
    let had_failed = live.instance.fault().is_some();
    let answered = budget.is_zero() || live.instance.dispose(reason, budget).await;
    // That it ends is what it is told to do. What it was still busy with, and was not to be any more, is another thing.
    let is_wrong = |fault: &Fault| {
        matches!(
            fault.kind,
            FaultKind::OwnTime { .. } | FaultKind::WallTime { .. } | FaultKind::Protocol { .. }
        )
    };
    let fault = live.instance.fault().filter(|fault| !had_failed && is_wrong(fault));
    Told { answered, since, fault }
}

async fn end(core: &Arc<Core>, member: &Arc<Member>, live: Live, why: &Why, told: Told) -> Disposed {
    let name = member.name().clone();
    if let Some(fault) = &told.fault {
        supervise::fault_at_the_end(core, member, fault);
    }
    member.end_epoch(live.epoch, &why.words);
    let taken = core.ledger.take_all(&name, live.epoch);
    let released = taken.len();
    // A directory is removed when nobody is left who could put something into it.
    let is_directory = |(holding, _): &(Holding, Undo)| matches!(holding.kind, Kind::TempDir { .. });
    let (directories, taken): (Vec<_>, Vec<_>) = taken.into_iter().partition(is_directory);
    let mut forced = take_back(taken).await;
    let process = live.instance.process();
    // Who did not answer was ended by a signal, also where the first was enough.
    if live.instance.end(END).await == Ending::Forced || !told.answered {
        let pid = process.map(|process| format!(" (pid {})", process.pid)).unwrap_or_default();
        forced.push(format!("its worker{pid}"));
    }
    let mut leaked = take_back(directories).await;
    if let Some(process) = process.filter(is_there) {
        leaked.push(format!("process {}", process.pid));
    }
    let held = core.ledger.count(&name, live.epoch);
    if held > 0 {
        leaked.push(format!("{held} entries of the ledger"));
    }
    let Told { answered, since, .. } = told;
    let disposed = Disposed { name: name.clone(), answered, released, forced, leaked, took: since.elapsed() };
    core.trace(|| TraceEvent::Disposed {
        extension: name,
        released,
        forced: disposed.forced.clone(),
        took_us: crate::hook::micros(disposed.took),
    });
    if !disposed.leaked.is_empty() {
        core.tell(Notice::Leaked { name: disposed.name.clone(), what: disposed.leaked.clone() });
    }
    disposed
}

/// Takes everything back: first out of the tables of the host, then what has to be ended, side by side. Returns what did not
/// end in time.
async fn take_back(taken: Vec<(Holding, Undo)>) -> Vec<String> {
    let mut ending = JoinSet::new();
    let mut to_end = Vec::new();
    for (holding, undo) in taken {
        match undo {
            Undo::Unlink(unlink) => unlink(),
            Undo::Dispose(dispose) => to_end.push((holding.kind, dispose)),
            Undo::WithInstance => {}
        }
    }
    for (kind, dispose) in to_end {
        ending.spawn(async move {
            let done = timeout(UNDO, dispose()).await.unwrap_or(false);
            (!done).then(|| describe(&kind))
        });
    }
    let mut forced = Vec::new();
    while let Some(done) = ending.join_next().await {
        forced.extend(done.ok().flatten());
    }
    forced
}

fn describe(kind: &Kind) -> String {
    format!("{} {}", kind.word(), kind.key())
}
