//! A program that runs, and how to wait for it and end it. Dropping it ends it, with all that it started.

use super::report::Report;
use super::tether::Tether;
use super::{Fence, Nursery, Record, processes};
use rustix::process::{Signal, pidfd_send_signal};
use std::os::fd::OwnedFd;
use std::time::Duration;
use tokio::sync::OnceCell;
use tokio::time::timeout;

/// How long the end of a killed tree is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often keeper and nursery are woken meanwhile.
const WAKES: u32 = 10;

/// A worker: a process, and the host's ends of its pipes.
#[derive(Debug)]
pub struct Worker {
    /// The process.
    pub process: Process,
    /// What is written here, the program reads from descriptor 3.
    pub to: OwnedFd,
    /// What the program writes to descriptor 4, is read here.
    pub from: OwnedFd,
    /// Its standard output.
    pub stdout: OwnedFd,
    /// Its standard error.
    pub stderr: OwnedFd,
}

/// A program that was started. When it ends, whatever it started is ended too.
#[derive(Debug)]
pub struct Process {
    /// Its number, as this process sees it.
    pub pid: u32,
    /// When it started, in ticks since the machine did; tells it from a later process with the same number.
    pub started: u64,
    /// What holds all that it starts.
    pub fence: Fence,
    scope: String,
    program: OwnedFd,
    tether: Tether,
    ended: OnceCell<Ended>,
    gone: OnceCell<()>,
    /// Without its nursery a process would end.
    _nursery: Nursery,
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It returned this code.
    Exited(i32),
    /// This signal ended it.
    Signaled(i32),
    /// The process that watched it was killed, so nobody knows.
    KeeperLost,
}

/// How a program was ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ending {
    /// How the program ended.
    pub how: Ended,
    /// Whether it did not end by itself when it was asked to.
    pub was_forced: bool,
    /// Whether all that it started is gone, too. If not, some of it can't be killed yet, such as a process that waits for a disk.
    pub is_gone: bool,
}

impl Process {
    pub(super) fn new(
        nursery: Nursery,
        fence: Fence,
        tether: Tether,
        scope: String,
        (pid, started): (u32, u64),
        program: OwnedFd,
    ) -> Process {
        let (ended, gone) = (OnceCell::new(), OnceCell::new());
        Process { pid, started, fence, scope, program, tether, ended, gone, _nursery: nursery }
    }

    /// Returns what a later host needs to find this process again, should this one be killed.
    pub fn record(&self) -> Record {
        Record { pid: self.pid, started: self.started, scope: self.scope.clone() }
    }

    /// Waits until the program ended. What it started may take a moment longer: see [`Process::gone`].
    pub async fn wait(&self) -> Ended {
        *self.ended.get_or_init(|| self.await_end()).await
    }

    async fn await_end(&self) -> Ended {
        loop {
            match self.tether.report().await {
                Some((Report::Ended(ended), _)) => return ended,
                Some((Report::Kept | Report::Started { .. } | Report::Failed(_), _)) => {}
                None if self.tether.was_killed() => return Ended::Signaled(Signal::KILL.as_raw()),
                None => return Ended::KeeperLost,
            }
        }
    }

    /// Waits until the program and all that it started is gone. Does not end anything itself.
    pub async fn gone(&self) {
        self.gone
            .get_or_init(|| async {
                self.wait().await;
                self.tether.gone().await;
            })
            .await;
    }

    /// Kills the program and all that it started, at once. Returns before it is gone.
    pub fn kill(&self) {
        self.tether.kill();
    }

    /// Asks the program to end, and after `grace` kills it with all that it started. Returns when all of it is gone.
    pub async fn end(&self, grace: Duration) -> Ending {
        let has_ended = if grace.is_zero() {
            self.ended.get().is_some()
        } else {
            self.ask_to_end();
            timeout(grace, self.wait()).await.is_ok()
        };
        self.kill();
        let mut is_gone = self.is_gone_within(PATIENCE / 2).await;
        if !is_gone {
            // Whatever holds up the keeper: the nursery takes its place.
            self.tether.kill_keeper();
            is_gone = self.is_gone_within(PATIENCE / 2).await;
        }
        let how =
            if is_gone { self.wait().await } else { self.ended.get().copied().unwrap_or(Ended::KeeperLost) };
        Ending { how, was_forced: !has_ended, is_gone }
    }

    async fn is_gone_within(&self, time: Duration) -> bool {
        for _ in 0..WAKES {
            if timeout(time / WAKES, self.gone()).await.is_ok() {
                return true;
            }
            self.tether.wake();
        }
        false
    }

    /// A stopped program does not hear the first signal without the second. Errors mean that it is gone.
    fn ask_to_end(&self) {
        let _ = pidfd_send_signal(&self.program, Signal::TERM);
        let _ = pidfd_send_signal(&self.program, Signal::CONT);
    }

    /// Returns the processor time that the program and the children it waited for have used; zero once it ended.
    pub fn cpu_time(&self) -> Duration {
        let entry = i32::try_from(self.pid).ok().and_then(processes::entry);
        let ticks = entry.filter(|entry| entry.started == self.started).map_or(0, |entry| entry.ticks);
        let per_second = rustix::param::clock_ticks_per_second().max(1);
        Duration::from_millis(ticks.saturating_mul(1000) / per_second)
    }
}
