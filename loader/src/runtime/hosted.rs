//! An extension in a worker, as an [`Instance`]: a link to talk over, and a worker to end.

use super::link::{Link, check_ready};
use super::log::From;
use super::{Answered, Boxed, Callback, Ending, Fault, FaultKind, Instance, Log, Process, Start, StartError};
use crate::worker::{Ended, Nursery, Process as WorkerProcess, Program, Worker};
use pintle_sdk::protocol::DisposeReason;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::time::timeout;

/// How many of the last lines of its log go with a fault.
const LAST_LINES: usize = 40;
/// How long a worker that closed its connection may take to end, before it is ended.
const AFTER_CLOSE: Duration = Duration::from_millis(250);

/// A running extension in a worker.
#[derive(Debug)]
struct Hosted {
    link: Arc<Link>,
    process: Arc<WorkerProcess>,
}

/// Spawns a worker, shakes hands, and returns the running extension.
pub(super) async fn start(start: Start, program: Program) -> Result<Arc<dyn Instance>, StartError> {
    let Start { hello, setting, asks, log, hooks, limits, started, .. } = start;
    let Worker { process, to, from, stdout, stderr } = Nursery::shared().spawn(&program, &setting).await?;
    drop(program);
    started(Process { pid: process.pid, started: process.started });
    listen(&log, From::Out, stdout);
    listen(&log, From::Err, stderr);
    let pipes = pipe::Sender::from_owned_fd(to).and_then(|to| Ok((to, pipe::Receiver::from_owned_fd(from)?)));
    let (to, from) = pipes.map_err(|_| StartError::Handshake(Fault::new(FaultKind::Lost)))?;
    let process = Arc::new(process);
    let how = how_it_ended(Arc::clone(&process), Arc::clone(&log));
    let killed = Arc::clone(&process);
    let (link, mut ready) = Link::new(to, from, asks, Box::new(move || killed.kill()), how);
    // From here on, whoever gives the start up ends the worker.
    let hosted = Hosted { link, process };
    let (link, process) = (&hosted.link, &hosted.process);
    let (name, version) = (hello.extension.clone(), hello.version.clone());
    link.greet(hello);
    let shaken = timeout(limits.wall, async {
        tokio::select! {
            biased;
            fault = link.ended() => Err(fault),
            ready = &mut ready => ready.map_err(|_| Fault::new(FaultKind::Lost)),
        }
    });
    let result = match shaken.await {
        Ok(Ok(ready)) => check_ready(&ready, &name, &version, &hooks),
        Ok(Err(fault)) => Err(before_handshake(fault)),
        Err(_) => Err(Fault::new(FaultKind::LateHandshake { limit: limits.wall })),
    };
    match result {
        Ok(()) => Ok(Arc::new(hosted)),
        Err(mut fault) => {
            // Nothing of it is left when the failure is told.
            process.end(Duration::ZERO).await;
            fault.log = log.last(LAST_LINES);
            link.fail(fault.clone());
            Err(StartError::Handshake(fault))
        }
    }
}

fn before_handshake(fault: Fault) -> Fault {
    let how = match &fault.kind {
        FaultKind::Exited { code } => format!("exit code {code}"),
        FaultKind::Signaled { number, name } => format!("signal {number} ({name})"),
        FaultKind::Lost
        | FaultKind::Library { .. }
        | FaultKind::OwnTime { .. }
        | FaultKind::WallTime { .. }
        | FaultKind::Handler { .. }
        | FaultKind::BadOutcome { .. }
        | FaultKind::Protocol { .. }
        | FaultKind::NoHandshake { .. }
        | FaultKind::LateHandshake { .. }
        | FaultKind::NotRunning { .. }
        | FaultKind::NotStarted { .. }
        | FaultKind::Unsendable { .. } => return fault,
    };
    Fault { log: fault.log, ..Fault::new(FaultKind::NoHandshake { how }) }
}

async fn how_it_ended(process: Arc<WorkerProcess>, log: Arc<Log>) -> Fault {
    let kind = match timeout(AFTER_CLOSE, process.wait()).await {
        Ok(Ended::Exited(code)) => FaultKind::Exited { code },
        Ok(Ended::Signaled(number)) => FaultKind::Signaled { number, name: signal_name(number).to_owned() },
        Ok(Ended::KeeperLost) => FaultKind::Lost,
        Err(_) => {
            process.kill();
            FaultKind::Protocol {
                code: "protocol.closed",
                reason: "it closed the connection and went on running".to_owned(),
            }
        }
    };
    Fault { log: log.last(LAST_LINES), ..Fault::new(kind) }
}

fn signal_name(number: i32) -> &'static str {
    match number {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => "another signal",
    }
}

/// Reads what the worker prints into the log, for as long as anyone can print.
fn listen(log: &Arc<Log>, from: From, pipe: OwnedFd) {
    let Ok(pipe) = pipe::Receiver::from_owned_fd(pipe) else { return };
    let log = Arc::clone(log);
    tokio::spawn(async move {
        let mut piece = vec![0; 16 * 1024];
        while pipe.readable().await.is_ok() {
            match pipe.try_read(&mut piece) {
                Ok(0) => break,
                Ok(read) => log.print(from, &piece[..read]),
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
                Err(_) => break,
            }
        }
    });
}

impl Instance for Hosted {
    fn call(&self, call: Callback) -> Boxed<'_, Result<Answered, Fault>> {
        Box::pin(self.link.call(call))
    }

    fn send(&self, call: Callback) -> Boxed<'static, Result<Answered, Fault>> {
        // The frame goes out now, and so keeps its place among others; the answer is waited for later.
        let link = Arc::clone(&self.link);
        match link.begin(call) {
            Ok(sent) => Box::pin(async move { link.wait(sent).await }),
            Err(fault) => Box::pin(std::future::ready(Err(fault))),
        }
    }

    fn ended(&self) -> Boxed<'_, Fault> {
        Box::pin(self.link.ended())
    }

    fn fault(&self) -> Option<Fault> {
        self.link.fault()
    }

    fn dispose(&self, reason: DisposeReason, budget: Duration) -> Boxed<'_, bool> {
        Box::pin(self.link.dispose(reason, budget))
    }

    fn end(&self, budget: Duration) -> Boxed<'_, Ending> {
        Box::pin(async move {
            self.link.close();
            // The closed connection is the first request to end, the signal the second, and then it is no request.
            let by_itself = timeout((budget / 4).min(AFTER_CLOSE), self.process.wait()).await.is_ok();
            let grace = if by_itself { Duration::ZERO } else { budget / 4 };
            let ending = timeout(budget, self.process.end(grace)).await;
            match by_itself || ending.is_ok_and(|ending| !ending.was_forced) {
                true => Ending::Orderly,
                false => Ending::Forced,
            }
        })
    }

    fn kill(&self) {
        self.process.kill();
    }

    fn process(&self) -> Option<Process> {
        Some(Process { pid: self.process.pid, started: self.process.started })
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        self.process.kill();
    }
}
