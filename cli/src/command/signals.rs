//! Signals sent to us, with where they came from. What was ignored when we were started stays ignored (`nohup`), and
//! what was set before is set again in the end. It decides nothing about them.

use super::readiness::{Watched, watched};
use nix::libc::{c_int, c_void, siginfo_t};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal as Number, sigaction};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};
use tokio::io::Interest;

/// What asks a process to end, or means what the process says it means.
const PASSED_ON: [Number; 6] =
    [Number::SIGINT, Number::SIGTERM, Number::SIGHUP, Number::SIGQUIT, Number::SIGUSR1, Number::SIGUSR2];

/// Where the handler writes to; below zero while no one listens.
static LISTENER: AtomicI32 = AtomicI32::new(-1);

/// How often we went on after a stop, while someone listened for that.
static CONTINUED: AtomicUsize = AtomicUsize::new(0);

/// A signal that was sent to us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Received {
    /// Which one.
    pub signal: Number,
    /// Whether the system sent it, such as for Ctrl-C on a terminal: then all of our process group got it.
    pub to_group: bool,
}

/// Listens until it is dropped: to SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1 and SIGUSR2.
///
/// A host makes one before it does anything else, and asks it as long as it lives. No other code may set handlers for
/// these signals meanwhile.
pub(crate) struct Signals {
    received: Watched,
    /// Dropped after the handlers, which write to it.
    _kept: (Handlers, OwnedFd),
}

impl Signals {
    /// Starts to listen. There can be only one listener at a time.
    pub(crate) fn listen() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (ours, handlers_side) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        let received = watched(ours, Interest::READABLE)?;
        LISTENER
            .compare_exchange(-1, handlers_side.as_raw_fd(), Ordering::SeqCst, Ordering::SeqCst)
            .map_err(|_| io::Error::from(io::ErrorKind::ResourceBusy))?;
        let mut handlers = Handlers { saved: Vec::new(), is_listener: true };
        handlers.add(&PASSED_ON)?;
        Ok(Self { received, _kept: (handlers, handlers_side) })
    }

    /// Returns the next signal that is passed on. None is lost if the future is dropped.
    ///
    /// What came for [`Handlers::also`] and was not asked for in time is past: a window that got another size while the
    /// command ended ends nobody.
    pub(crate) async fn next(&mut self) -> Received {
        loop {
            let received = self.next_also().await;
            if PASSED_ON.contains(&received.signal) {
                return received;
            }
        }
    }

    /// Returns the next signal, also one that [`Handlers::also`] listens to. None is lost if the future is dropped.
    pub(super) async fn next_also(&mut self) -> Received {
        loop {
            let mut message = [0_u8; 2];
            let read =
                self.received.async_io(Interest::READABLE, |fd| Ok(rustix::io::read(fd, &mut message)?));
            let is_whole = matches!(read.await, Ok(2));
            if let (true, Ok(signal)) = (is_whole, Number::try_from(c_int::from(message[0]))) {
                return Received { signal, to_group: message[1] != 0 };
            }
        }
    }

    /// Forgets what came until now: it was for the command, which has ended.
    pub(super) fn forget(&mut self) {
        let mut message = [0_u8; 2];
        while matches!(rustix::io::read(self.received.get_ref(), &mut message), Ok(1..)) {}
    }
}

/// Handlers that are set, and what was there before.
pub(super) struct Handlers {
    saved: Vec<(Number, SigAction)>,
    is_listener: bool,
}

impl Handlers {
    /// Listens to more signals until it is dropped. They come from [`Signals::next_also`].
    pub(super) fn also(signals: &[Number]) -> io::Result<Self> {
        let mut handlers = Self { saved: Vec::new(), is_listener: false };
        handlers.add(signals)?;
        Ok(handlers)
    }

    fn add(&mut self, signals: &[Number]) -> io::Result<()> {
        let flags = SaFlags::SA_SIGINFO | SaFlags::SA_RESTART;
        let action = SigAction::new(SigHandler::SigAction(note), flags, SigSet::empty());
        for signal in signals {
            let before = set(*signal, &action)?;
            match before.handler() {
                SigHandler::SigIgn => {
                    set(*signal, &before)?;
                }
                SigHandler::SigDfl | SigHandler::Handler(_) | SigHandler::SigAction(_) => {
                    self.saved.push((*signal, before));
                }
            }
        }
        Ok(())
    }
}

impl Drop for Handlers {
    fn drop(&mut self) {
        for (signal, before) in &self.saved {
            let _ = set(*signal, before);
        }
        if self.is_listener {
            LISTENER.store(-1, Ordering::SeqCst);
        }
    }
}

/// Lets a write past the limit of a file's size (`ulimit -f`) fail as on a full disk, and not end us without a word, as
/// long as we live. What we start has the signal as we had it.
pub(crate) fn outlive_file_limit() {
    let action = SigAction::new(SigHandler::Handler(nothing), SaFlags::SA_RESTART, SigSet::empty());
    if let Ok(before) = set(Number::SIGXFSZ, &action)
        && matches!(before.handler(), SigHandler::SigIgn)
    {
        let _ = set(Number::SIGXFSZ, &before);
    }
}

extern "C" fn nothing(_: c_int) {}

/// Lets a signal act as the system has it while `body` runs, such as to stop us.
pub(super) fn with_default<T>(signal: Number, body: impl FnOnce() -> T) -> io::Result<T> {
    let default = SigAction::new(SigHandler::SigDfl, SaFlags::empty(), SigSet::empty());
    let before = set(signal, &default)?;
    let result = body();
    set(signal, &before)?;
    Ok(result)
}

/// Returns how often SIGCONT came while it was listened for.
pub(super) fn continued() -> usize {
    CONTINUED.load(Ordering::SeqCst)
}

#[expect(unsafe_code, reason = "only so can a handler be set, and the one before be set again")]
fn set(signal: Number, action: &SigAction) -> io::Result<SigAction> {
    // SAFETY: our handler does only what a handler may do; any other action was set by the process before.
    Ok(unsafe { sigaction(signal, action) }?)
}

#[expect(unsafe_code, reason = "what a handler is given and uses are raw")]
extern "C" fn note(signal: c_int, info: *mut siginfo_t, _: *mut c_void) {
    if signal == Number::SIGCONT as c_int {
        CONTINUED.fetch_add(1, Ordering::SeqCst);
    }
    let listener = LISTENER.load(Ordering::SeqCst);
    if listener < 0 {
        return;
    }
    // SAFETY: with SA_SIGINFO the system hands over a valid pointer.
    let to_group = unsafe { (*info).si_code } > 0;
    // SAFETY: the descriptor is closed only after the handlers are gone and `LISTENER` says so.
    let listener = unsafe { BorrowedFd::borrow_raw(listener) };
    // One system call, that touches neither memory nor errno. A full queue holds more than anyone wants to know.
    let _ = rustix::io::write(listener, &[u8::try_from(signal).unwrap_or(0), u8::from(to_group)]);
}
