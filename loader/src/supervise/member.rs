//! One extension of a host, through all its loads.

use super::intensity::{Decision, Intensity};
use crate::bundle::{Bundle, Rank};
use crate::hook::Queue;
use crate::keep::FaultNote;
use crate::runtime::{Fault, FaultKind, Instance, Limits, Log};
use crate::stage::Artifact;
use pintle_manifest::{Digest, Name};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;
use tokio::time::timeout;

/// How many faults are kept as evidence.
const EVIDENCE: usize = 10;

/// One extension of a host.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) bundle: Arc<Bundle>,
    pub(crate) artifact: Arc<Artifact>,
    /// The hooks it is called at, by the contract's names for them.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) log: Arc<Log>,
    state: watch::Sender<State>,
    intensity: Mutex<Intensity>,
    evidence: Mutex<VecDeque<FaultNote>>,
    /// Whether it was put into quarantine here.
    quarantined: AtomicBool,
    /// Why each load ended, by its epoch, for whoever still uses one.
    past: Mutex<BTreeMap<u64, Past>>,
}

/// Why a load ended, and when, in milliseconds since 1970.
#[derive(Debug, Clone)]
pub(crate) struct Past {
    pub(crate) why: String,
    pub(crate) at_ms: u64,
}

/// One hook that an extension is called at.
#[derive(Debug, Clone)]
pub(crate) struct Binding {
    /// The contract's name for it.
    pub(crate) hook: Arc<str>,
    /// The name by which the extension knows it, an older one perhaps.
    pub(crate) wire: Arc<str>,
    /// What the payload must hold, field by field.
    pub(crate) filter: Vec<(String, String)>,
    pub(crate) limits: Limits,
    /// Where items of a stream wait for it.
    pub(crate) queue: Option<Arc<Queue>>,
}

/// How an extension is.
#[derive(Debug, Clone)]
pub(crate) enum State {
    /// It is being started, for the first time or again.
    Starting,
    /// It runs.
    Ready(Live),
    /// It runs no more, and will not.
    Over(String),
}

impl State {
    /// Returns the instance that runs, if one does.
    pub(crate) fn into_live(self) -> Option<Live> {
        match self {
            Self::Ready(live) => Some(live),
            Self::Starting | Self::Over(_) => None,
        }
    }
}

/// A running instance, and which load of the extension it is.
#[derive(Debug, Clone)]
pub(crate) struct Live {
    pub(crate) epoch: u64,
    pub(crate) instance: Arc<dyn Instance>,
}

impl Member {
    pub(crate) fn new(
        bundle: Arc<Bundle>,
        artifact: Arc<Artifact>,
        bindings: Vec<Binding>,
        log: Arc<Log>,
    ) -> Self {
        Self {
            bundle,
            artifact,
            bindings,
            log,
            state: watch::Sender::new(State::Starting),
            intensity: Mutex::default(),
            evidence: Mutex::default(),
            quarantined: AtomicBool::new(false),
            past: Mutex::default(),
        }
    }

    pub(crate) fn name(&self) -> &Name {
        self.bundle.name()
    }

    /// Tells whether its folder was named on the command line. Whoever did that tries it out, and what comes of it is not
    /// held against it later.
    pub(crate) fn is_on_trial(&self) -> bool {
        self.bundle.rank == Rank::CommandLine
    }

    /// Notes that it is put into quarantine. Tells whether that is new.
    pub(super) fn quarantine(&self) -> bool {
        !self.quarantined.swap(true, Ordering::AcqRel)
    }

    pub(crate) fn tree(&self) -> Option<Digest> {
        self.bundle.content.as_ref().map(|content| content.tree)
    }

    /// Returns the running instance, if there is one now.
    pub(crate) fn live(&self) -> Option<Live> {
        match &*self.state.borrow() {
            State::Ready(live) => Some(live.clone()),
            State::Starting | State::Over(_) => None,
        }
    }

    /// Returns the running instance, and waits for it while it is being started.
    pub(crate) async fn live_within(&self, wait: Duration) -> Result<Live, Fault> {
        self.live_after(None, wait).await
    }

    /// Returns the running instance, but not that of a load that turned out to have ended, and waits for it while it is
    /// being started.
    pub(crate) async fn live_after(&self, ended: Option<u64>, wait: Duration) -> Result<Live, Fault> {
        if let Some(live) = self.live().filter(|live| Some(live.epoch) != ended) {
            return Ok(live);
        }
        let mut state = self.state.subscribe();
        let settled = state.wait_for(|state| match state {
            State::Starting => false,
            State::Ready(live) => Some(live.epoch) != ended,
            State::Over(_) => true,
        });
        let reason = match timeout(wait, settled).await {
            Ok(Ok(state)) => match &*state {
                State::Ready(live) => return Ok(live.clone()),
                State::Over(why) => why.clone(),
                State::Starting => "it is being restarted".to_owned(),
            },
            Ok(Err(_)) | Err(_) => "it is being restarted".to_owned(),
        };
        Err(Fault::new(FaultKind::NotRunning { reason }))
    }

    /// Changes how it is, and returns how it was. One that is over stays so, which is told by `None`.
    pub(crate) fn set(&self, new: State) -> Option<State> {
        let is_over = matches!(new, State::Over(_));
        let mut old = None;
        self.state.send_if_modified(|state| {
            if matches!(state, State::Over(_)) {
                return false;
            }
            old = Some(std::mem::replace(state, new));
            true
        });
        if is_over && old.is_some() {
            // Whoever delivers a stream has nobody to deliver it to any more.
            self.bindings.iter().filter_map(|binding| binding.queue.as_ref()).for_each(|queue| queue.end());
        }
        old
    }

    /// Waits until it runs no more.
    pub(crate) async fn over(&self) {
        let mut state = self.state.subscribe();
        // The sender is this member's own, so it can't be gone.
        let _ = state.wait_for(|state| matches!(state, State::Over(_))).await;
    }

    pub(crate) fn is_over(&self) -> bool {
        matches!(&*self.state.borrow(), State::Over(_))
    }

    /// Ends a load: whoever still uses its context is told why.
    pub(crate) fn end_epoch(&self, epoch: u64, why: &str) {
        let past = Past { why: why.to_owned(), at_ms: crate::keep::files::now_ms() };
        self.past.lock().expect("no holder panics").insert(epoch, past);
    }

    /// Returns why a load ended, if it did.
    pub(crate) fn past(&self, epoch: u64) -> Option<Past> {
        self.past.lock().expect("no holder panics").get(&epoch).cloned()
    }

    /// Counts a fault. Returns how long a restart is to wait, or the evidence if it was one too many.
    pub(super) fn count(&self, fault: &Fault) -> Result<Duration, Vec<FaultNote>> {
        let mut evidence = self.evidence.lock().expect("no holder panics");
        evidence.push_back(FaultNote::now(fault));
        while evidence.len() > EVIDENCE {
            evidence.pop_front();
        }
        match self.intensity.lock().expect("no holder panics").fault(Instant::now()) {
            Decision::GoOn(backoff) => Ok(backoff),
            Decision::Quarantine => Err(evidence.iter().cloned().collect()),
        }
    }
}
