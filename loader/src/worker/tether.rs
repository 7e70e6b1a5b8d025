//! The host's hold on a keeper: the socket over which it reports, and the processes that can be woken or killed.
//! Dropping it ends the worker, at whatever point of its start it is.

use super::report::{LONGEST, Report};
use super::watch::watch;
use super::{Descendants, Fence, socket};
use rustix::net::{RecvFlags, Shutdown, shutdown};
use rustix::process::{Signal, pidfd_send_signal};
use std::io;
use std::os::fd::OwnedFd;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::time::timeout;

/// How long a keeper may be silent before it is woken, where a worker can stop it.
const SILENCE: Duration = Duration::from_secs(1);

/// A hold on a keeper.
#[derive(Debug)]
pub(super) struct Tether {
    status: AsyncFd<OwnedFd>,
    watchers: OnceLock<Watchers>,
    fence: OnceLock<Fence>,
    was_killed: AtomicBool,
}

/// The processes above a program.
#[derive(Debug)]
struct Watchers {
    keeper: AsyncFd<OwnedFd>,
    nursery: OwnedFd,
}

impl Tether {
    /// Makes a hold of the host's end of a worker's socket. Must be called in a tokio runtime.
    pub(super) fn new(status: OwnedFd) -> io::Result<Tether> {
        Ok(Tether {
            status: watch(status)?,
            watchers: OnceLock::new(),
            fence: OnceLock::new(),
            was_killed: AtomicBool::new(false),
        })
    }

    pub(super) fn set_fence(&self, fence: Fence) {
        self.fence.get_or_init(|| fence);
    }

    pub(super) fn was_killed(&self) -> bool {
        self.was_killed.load(Ordering::Relaxed)
    }

    /// Returns what the keeper says next; `None` when it is gone.
    pub(super) async fn report(&self) -> Option<(Report, Vec<OwnedFd>)> {
        loop {
            let receive = self.status.async_io(Interest::READABLE, receive);
            match timeout(SILENCE, receive).await {
                Ok(Ok(Some((Report::Kept, processes)))) => self.hold(processes),
                Ok(Ok(Some(report))) => return Some(report),
                Ok(Ok(None) | Err(_)) => return None,
                Err(_) => self.wake(),
            }
        }
    }

    fn hold(&self, processes: Vec<OwnedFd>) {
        if let Ok([keeper, nursery]) = <[OwnedFd; 2]>::try_from(processes)
            && let Ok(keeper) = watch(keeper)
        {
            self.watchers.get_or_init(|| Watchers { keeper, nursery });
        }
    }

    /// Waits until the keeper is gone, which it is after all that it kept.
    pub(super) async fn gone(&self) {
        while self.report().await.is_some() {}
        if let Some(Watchers { keeper, .. }) = self.watchers.get() {
            // It is never read from, so the first readiness stays. Without a runtime there is no waiting.
            let _ = keeper.readable().await.map(|mut ready| ready.retain_ready());
        }
    }

    /// Kills all that is kept. Returns before it is gone.
    pub(super) fn kill(&self) {
        self.was_killed.store(true, Ordering::Relaxed);
        match self.fence.get().map(|fence| fence.descendants) {
            // With the first process of a namespace the kernel ends all of it.
            Some(Descendants::PidNamespace { .. }) => self.kill_keeper(),
            Some(Descendants::Subreaper { .. }) | None => self.wake(),
        }
        // An error means that it is gone already, here and below.
        let _ = shutdown(self.status.get_ref(), Shutdown::Write);
    }

    /// Kills the keeper itself. Without a namespace the nursery then takes its place.
    pub(super) fn kill_keeper(&self) {
        if let Some(Watchers { keeper, .. }) = self.watchers.get() {
            let _ = pidfd_send_signal(keeper.get_ref(), Signal::KILL);
        }
    }

    /// Lets keeper and nursery go on. Without a namespace a worker can see and stop them.
    pub(super) fn wake(&self) {
        if let Some(Watchers { keeper, nursery }) = self.watchers.get() {
            let _ = pidfd_send_signal(keeper.get_ref(), Signal::CONT);
            let _ = pidfd_send_signal(nursery, Signal::CONT);
        }
    }
}

impl Drop for Tether {
    fn drop(&mut self) {
        self.kill();
        // A keeper that was never heard is told of in what was not read yet.
        if self.watchers.get().is_none()
            && let Ok(Some((Report::Kept, processes))) = receive(self.status.get_ref())
        {
            for process in processes {
                let _ = pidfd_send_signal(process, Signal::CONT);
            }
        }
    }
}

/// Reads one report; `None` when there will be no other.
fn receive(status: &OwnedFd) -> io::Result<Option<(Report, Vec<OwnedFd>)>> {
    let mut buffer = [0; LONGEST];
    let (length, descriptors) = socket::receive(status, &mut buffer, RecvFlags::DONTWAIT)?;
    Ok(Report::decode(&buffer[..length]).map(|report| (report, descriptors)))
}
