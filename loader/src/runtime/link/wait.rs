//! The link itself: callbacks go out, and each ends with an answer, a fault or the end of its time.

use super::clock::Clock;
use super::outbox::{Outbox, SendError};
use super::pending::{Parent, Pending, Taken, Waiting};
use super::reader;
use crate::runtime::{Answered, Asks, Callback, Fault, FaultKind, Limits};
use pintle_sdk::protocol::{
    Answer, CallId, Cancel, Dispose, DisposeReason, Hello, Ready, ToExtension, VERSION, encode,
};
use serde::Serialize;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::unix::pipe;
use tokio::sync::{oneshot, watch};
use tokio::time::{sleep_until, timeout};

/// How long a callback that was cancelled may still answer before its worker is ended.
const GRACE: Duration = Duration::from_millis(250);

/// The connection to one worker.
pub(crate) struct Link {
    outbox: Arc<Outbox>,
    pending: Mutex<Pending>,
    pub(super) asks: Arc<dyn Asks>,
    pub(super) requests: AtomicUsize,
    ready: Mutex<Option<oneshot::Sender<Ready>>>,
    disposed: watch::Sender<bool>,
    ended: watch::Sender<Option<Fault>>,
    /// Ends the worker at once.
    kill: Box<dyn Fn() + Send + Sync>,
    disposing: AtomicBool,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Link").field("ended", &*self.ended.borrow()).finish_non_exhaustive()
    }
}

impl Link {
    /// Connects, and reads from now on. When reading ends, `how` is asked how the worker did.
    pub(crate) fn new(
        to: pipe::Sender,
        from: pipe::Receiver,
        asks: Arc<dyn Asks>,
        kill: Box<dyn Fn() + Send + Sync>,
        how: impl Future<Output = Fault> + Send + 'static,
    ) -> (Arc<Self>, oneshot::Receiver<Ready>) {
        let (ready, shaken) = oneshot::channel();
        let link = Arc::new(Self {
            outbox: Outbox::new(to),
            pending: Mutex::default(),
            asks,
            requests: AtomicUsize::new(0),
            ready: Mutex::new(Some(ready)),
            disposed: watch::Sender::new(false),
            ended: watch::Sender::new(None),
            kill,
            disposing: AtomicBool::new(false),
        });
        let reading = Arc::clone(&link);
        tokio::spawn(async move {
            let wrong = reader::read_all(&reading, from).await;
            let fault = match wrong {
                Some(fault) => {
                    (reading.kill)();
                    fault
                }
                None => how.await,
            };
            reading.fail(fault);
        });
        (link, shaken)
    }

    /// Sends the first message.
    pub(crate) fn greet(&self, hello: Hello) {
        self.send(&ToExtension::Hello(hello));
    }

    /// Calls back, and waits for the answer.
    pub(crate) async fn call(self: &Arc<Self>, callback: Callback) -> Result<Answered, Fault> {
        let sent = self.begin(callback)?;
        self.wait(sent).await
    }

    /// Sends a callback. Whoever drops what is returned gives up on the answer.
    pub(crate) fn begin(self: &Arc<Self>, callback: Callback) -> Result<Sent, Fault> {
        let Callback { hook, payload, limits, depth, in_turn, next } = callback;
        if let Some(fault) = self.fault() {
            return Err(not_running(&fault));
        }
        let (answer, answered) = oneshot::channel();
        let clock = Arc::new(Clock::start());
        let waiting = Waiting { answer, clock: Arc::clone(&clock), depth, next };
        let id = self.pending.lock().expect("no holder panics").add(waiting);
        let sent = Sent { link: Arc::clone(self), id, answered, clock, hook, limits, done: false };
        let frame =
            encode(&CallFrame { call: CallBody { id, hook: &sent.hook, in_turn, payload: &payload } });
        let frame = frame.map_err(|error| {
            Fault::new(FaultKind::Unsendable { hook: sent.hook.to_string(), reason: error.to_string() })
        })?;
        match self.outbox.send(frame) {
            Ok(()) => Ok(sent),
            Err(SendError::Closed) => Err(self.gone()),
            Err(SendError::Full) => Err(self.not_reading()),
        }
    }

    /// Waits for the answer of a callback that was sent.
    pub(crate) async fn wait(&self, mut sent: Sent) -> Result<Answered, Fault> {
        let clock = Arc::clone(&sent.clock);
        let limits = sent.limits;
        let wall = clock.began() + limits.wall;
        loop {
            let own = clock.own_deadline(limits.own);
            let deadline = own.map_or(wall, |own| own.min(wall));
            tokio::select! {
                biased;
                answer = &mut sent.answered => return sent.finish(answer),
                () = clock.changed() => {}
                () = sleep_until(deadline.into()) => {
                    let past_wall = Instant::now() >= wall;
                    if !past_wall && clock.own() < limits.own {
                        continue;
                    }
                    return Err(self.too_long(sent, past_wall).await);
                }
            }
        }
    }

    /// Cancels a callback whose time is over. One that does not even heed that costs the extension its worker.
    async fn too_long(&self, mut sent: Sent, past_wall: bool) -> Fault {
        let hook = sent.hook.to_string();
        let kind = match past_wall {
            true => FaultKind::WallTime { hook, limit: sent.limits.wall },
            false => FaultKind::OwnTime { hook, limit: sent.limits.own },
        };
        let fault = Fault::new(kind);
        self.send(&ToExtension::Cancel(Cancel { id: sent.id }));
        match timeout(GRACE, &mut sent.answered).await {
            Ok(Ok(_)) => sent.done = true,
            // It ended meanwhile, which is told and counted by whoever watches it.
            Ok(Err(_)) => return fault.ended(),
            Err(_) => {
                (self.kill)();
                self.fail(fault.clone());
                return fault.ended();
            }
        }
        fault
    }

    /// Waits until the worker ended, and says how.
    pub(crate) async fn ended(&self) -> Fault {
        let mut ended = self.ended.subscribe();
        match ended.wait_for(Option::is_some).await {
            Ok(fault) => fault.clone().expect("it was waited for"),
            Err(_) => Fault::new(FaultKind::Lost),
        }
    }

    /// Asks the extension to let go of everything. Tells whether it did in time.
    pub(crate) async fn dispose(&self, reason: DisposeReason, budget: Duration) -> bool {
        self.disposing.store(true, Ordering::Release);
        if self.fault().is_some() {
            return true;
        }
        let budget_ms = u64::try_from(budget.as_millis()).unwrap_or(u64::MAX);
        self.send(&ToExtension::Dispose(Dispose { reason, budget_ms }));
        let mut disposed = self.disposed.subscribe();
        let told = async {
            tokio::select! {
                told = disposed.wait_for(|disposed| *disposed) => told.is_ok(),
                _ = self.ended() => true,
            }
        };
        timeout(budget, told).await.unwrap_or(false)
    }

    /// Closes the way to the worker, which tells it to end.
    pub(crate) fn close(&self) {
        self.outbox.close();
    }

    /// Returns how the worker ended, if it did.
    pub(crate) fn fault(&self) -> Option<Fault> {
        self.ended.borrow().clone()
    }

    /// Notes that the worker is of no use any more. Whoever waits for it learns so.
    pub(crate) fn fail(&self, fault: Fault) {
        self.ended.send_if_modified(|ended| {
            let first = ended.is_none();
            ended.get_or_insert(fault.ended());
            first
        });
        self.outbox.close();
        self.pending.lock().expect("no holder panics").clear();
    }

    pub(super) fn shook_hands(&self, ready: Ready) -> Result<(), Fault> {
        let waiting = self.ready.lock().expect("no holder panics").take();
        match waiting {
            Some(waiting) => {
                let _ = waiting.send(ready);
                Ok(())
            }
            None => Err(Fault::protocol("protocol.twice_ready", "it said `ready` a second time")),
        }
    }

    pub(super) fn note_disposed(&self) -> Result<(), Fault> {
        if !self.disposing.load(Ordering::Acquire) {
            let message = "it said `disposed`, and nobody told it to let go of anything";
            return Err(Fault::protocol("protocol.unasked_disposed", message));
        }
        self.disposed.send_replace(true);
        Ok(())
    }

    pub(super) fn take_pending(&self, id: CallId) -> Taken {
        self.pending.lock().expect("no holder panics").take(id)
    }

    /// Returns what a request takes from the callback in which it says that it is made.
    pub(super) fn parent(&self, parent: Option<CallId>) -> Result<Parent, Fault> {
        let pending = self.pending.lock().expect("no holder panics");
        let Some(id) = parent else { return Ok(Parent::default()) };
        match pending.get(id) {
            Some(waiting) => Ok(Parent {
                clock: Some(Arc::clone(&waiting.clock)),
                depth: waiting.depth,
                next: waiting.next.clone(),
            }),
            // It was answered or given up in this instant.
            None if pending.was_made(id) => Ok(Parent::default()),
            None => Err(Fault::protocol(
                "protocol.unknown_call",
                format!("it asked for something in call {id}, which was never made"),
            )),
        }
    }

    pub(super) fn send_frame(&self, frame: Vec<u8>) {
        if self.outbox.send(frame) == Err(SendError::Full) {
            self.not_reading();
        }
    }

    fn send(&self, message: &ToExtension) {
        if let Ok(frame) = encode(message) {
            self.send_frame(frame);
        }
    }

    /// Ends a worker that does not read.
    fn not_reading(&self) -> Fault {
        let fault = Fault::protocol("protocol.not_reading", "it does not read what it is sent");
        (self.kill)();
        self.fail(fault.clone());
        fault.ended()
    }

    fn gone(&self) -> Fault {
        self.fault().unwrap_or_else(|| Fault::new(FaultKind::Lost).ended())
    }
}

fn not_running(fault: &Fault) -> Fault {
    Fault { log: fault.log.clone(), ..Fault::new(FaultKind::NotRunning { reason: fault.to_string() }) }
}

/// A callback that was sent.
pub(crate) struct Sent {
    link: Arc<Link>,
    id: CallId,
    answered: oneshot::Receiver<Result<Answer, String>>,
    clock: Arc<Clock>,
    hook: Arc<str>,
    limits: Limits,
    done: bool,
}

impl Sent {
    fn finish(
        mut self,
        answer: Result<Result<Answer, String>, oneshot::error::RecvError>,
    ) -> Result<Answered, Fault> {
        self.done = true;
        let (own, wall) = (self.clock.own(), self.clock.wall());
        match answer {
            Ok(Ok(answer)) => Ok(Answered { answer, own, wall }),
            Ok(Err(message)) => Err(Fault::new(FaultKind::Handler { hook: self.hook.to_string(), message })),
            Err(_) => Err(self.link.gone()),
        }
    }
}

impl Drop for Sent {
    fn drop(&mut self) {
        if !self.done {
            self.link.pending.lock().expect("no holder panics").give_up(self.id);
            self.link.send(&ToExtension::Cancel(Cancel { id: self.id }));
        }
    }
}

#[derive(Serialize)]
struct CallFrame<'a> {
    call: CallBody<'a>,
}

#[derive(Serialize)]
struct CallBody<'a> {
    id: CallId,
    hook: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    in_turn: bool,
    payload: &'a RawValue,
}

/// Checks what an extension said of itself against what is known of it.
pub(crate) fn check_ready(ready: &Ready, name: &str, version: &str, hooks: &[String]) -> Result<(), Fault> {
    if ready.protocol != VERSION {
        return Err(Fault::protocol(
            "protocol.version",
            format!("it speaks version {} of the protocol, and this host {VERSION}", ready.protocol),
        ));
    }
    if ready.extension != name || ready.version != version {
        return Err(Fault::protocol(
            "protocol.wrong_identity",
            format!(
                "it says that it is `{} {}`, and its manifest says `{name} {version}`",
                pintle_manifest::Untrusted(&ready.extension),
                pintle_manifest::Untrusted(&ready.version)
            ),
        ));
    }
    if let Some(hook) = ready.hooks.iter().find(|hook| !hooks.contains(hook)) {
        return Err(Fault::protocol(
            "protocol.undeclared_hook",
            format!("it answers `{}`, which its manifest does not name", pintle_manifest::Untrusted(hook)),
        ));
    }
    if let Some(hook) =
        ready.hooks.iter().enumerate().find_map(|(at, hook)| ready.hooks[..at].contains(hook).then_some(hook))
    {
        return Err(Fault::protocol("protocol.repeated_hook", format!("it names `{hook}` twice")));
    }
    if let Some(hook) = hooks.iter().find(|hook| !ready.hooks.contains(hook)) {
        return Err(Fault::protocol(
            "protocol.unanswered_hook",
            format!("its manifest names `{hook}`, which it does not answer"),
        ));
    }
    Ok(())
}
