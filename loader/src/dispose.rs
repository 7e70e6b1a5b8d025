//! Disposal: the end of a load. The extension is told first, then everything it holds is taken back, newest first,
//! then its runtime ends, and then it is looked whether anything is left. All of it has five seconds, also for a whole
//! host; what is left then is forced, and named.

use crate::host::{Core, Notice};
use crate::ledger::{Holding, Kind, Undo};
use crate::runtime::{Ending, Fault};
use crate::supervise::{Live, Member, State};
use crate::trace::TraceEvent;
use pintle_manifest::Name;
use pintle_sdk::protocol::DisposeReason;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;
use tokio::time::timeout;

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

/// Ends every load of a host. Extensions end before what they depend on.
pub(crate) async fn all(core: &Arc<Core>, why: &Why) -> Vec<Disposed> {
    let mut left: Vec<(Arc<Member>, Live)> = Vec::new();
    for member in core.members() {
        if let Some(live) = member.set(State::Over(why.words.clone())) {
            left.push((member, live));
        }
    }
    core.rebuild();
    let levels = levels(left);
    let deadline = Instant::now() + TELL;
    let mut reports = Vec::new();
    let count = levels.len();
    for (index, level) in levels.into_iter().enumerate() {
        let share = deadline.saturating_duration_since(Instant::now())
            / u32::try_from(count - index).unwrap_or(u32::MAX);
        let tell = share.min(TELL_ONE);
        let mut running = JoinSet::new();
        for (member, live) in level {
            let (core, why) = (Arc::clone(core), why.clone());
            running.spawn(async move { run(&core, &member, live, &why, tell).await });
        }
        // Who is slow to end does not hold up those that come after it, only those that need it.
        while let Some(done) = running.join_next().await {
            reports.extend(done.ok());
        }
    }
    reports
}

/// Sorts into rounds: in each, nothing depends on anything of the same or a later one... from the dependents down.
fn levels(mut left: Vec<(Arc<Member>, Live)>) -> Vec<Vec<(Arc<Member>, Live)>> {
    let mut levels = Vec::new();
    while !left.is_empty() {
        let needed: BTreeSet<Name> =
            left.iter().flat_map(|(member, _)| member.bundle.manifest.dependencies.keys().cloned()).collect();
        let (later, mut now): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(member, _)| needed.contains(member.name()));
        left = later;
        // A circle can't be loaded, so there is none; should there be one, it ends in one round.
        if now.is_empty() {
            now = std::mem::take(&mut left);
        }
        levels.push(now);
    }
    levels
}

async fn run(core: &Arc<Core>, member: &Arc<Member>, live: Live, why: &Why, tell: Duration) -> Disposed {
    let since = Instant::now();
    let name = member.name().clone();
    // Nothing new can be held from here on.
    core.ledger.poison(&name, live.epoch);
    let answered = tell.is_zero() || live.instance.dispose(why.reason, tell).await;
    member.end_epoch(live.epoch, &why.words);
    let taken = core.ledger.take_all(&name, live.epoch);
    let released = taken.len();
    let mut forced = take_back(taken).await;
    let process = live.instance.process();
    if live.instance.end(END).await == Ending::Forced {
        let pid = process.map(|process| format!(" (pid {})", process.pid)).unwrap_or_default();
        forced.push(format!("its worker{pid}"));
    }
    let mut leaked = Vec::new();
    if let Some(process) = process
        && crate::worker::start_time(process.pid) == Some(process.started)
    {
        leaked.push(format!("process {}", process.pid));
    }
    if core.ledger.count(&name) > 0 && member.live().is_none() {
        leaked.push(format!("{} entries of the ledger", core.ledger.count(&name)));
    }
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
