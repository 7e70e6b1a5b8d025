//! The nursery: takes requests from its host and forks a keeper for each, until the host is gone. Answers nothing
//! itself; a keeper speaks with the host over the socket that came with the request.

use super::library::ServeLibrary;
use super::system::{self, Forked};
use super::{descriptors, fencing, keeper, signals};
use crate::worker::fence::Descendants;
use crate::worker::hunt::{descendants, hunt};
use crate::worker::processes;
use crate::worker::report::{Failure, Report, Stage};
use crate::worker::request::{LONGEST, Request};
use crate::worker::socket;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    DumpableBehavior, PidfdFlags, Signal, WaitOptions, getpid, kill_process, pidfd_open, set_child_subreaper,
    set_dumpable_behavior, set_parent_process_death_signal, setsid, wait,
};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

/// How long a nursery looks for what a killed keeper left.
const SWEEP: Duration = Duration::from_secs(2);

struct Nursery {
    control: OwnedFd,
    /// Readable when a child ended.
    children: OwnedFd,
    /// This process, by which keepers see that it is gone.
    this: OwnedFd,
    descendants: Descendants,
    /// The keepers that live. Where a killed one leaves its worker behind, its socket is held open here until that is
    /// gone too, since the host takes the end of the socket for the end of the worker.
    keepers: BTreeMap<i32, Option<OwnedFd>>,
    serve: ServeLibrary,
}

/// Serves until the host is gone, and ends this process.
pub(super) fn serve(is_without_namespaces: bool, serve: ServeLibrary) -> ! {
    let Ok(control) = io::stdin().as_fd().try_clone_to_owned().and_then(let_go) else {
        system::exit(1);
    };
    let code = match prepare(is_without_namespaces) {
        Ok((descendants, children, this)) => {
            let keepers = BTreeMap::new();
            Nursery { control, children, this, descendants, keepers, serve }.run()
        }
        Err(error) => {
            // If the host is gone, there is nobody to tell.
            let _ = socket::send_all(&control, &Descendants::refusal(error.raw_os_error().unwrap_or(0)));
            1
        }
    };
    system::exit(code)
}

/// Lets go of all that was inherited but the socket.
fn let_go(control: OwnedFd) -> io::Result<OwnedFd> {
    let null = || OpenOptions::new().read(true).write(true).open("/dev/null").map(OwnedFd::from);
    descriptors::arrange(vec![null()?, null()?, null()?, control], 1)?;
    Ok(descriptors::take(3))
}

fn prepare(is_without_namespaces: bool) -> io::Result<(Descendants, OwnedFd, OwnedFd)> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    signals::reset();
    // It fails if this is the first of its session already.
    let _ = setsid();
    rustix::thread::set_no_new_privs(true)?;
    check_single_thread()?;
    let descendants = fencing::prepare(is_without_namespaces);
    // From here on nobody with the same user may look into this process or its keepers, or steer them.
    set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
    match descendants {
        Descendants::Subreaper { .. } => set_child_subreaper(Some(getpid()))?,
        Descendants::PidNamespace { .. } => {}
    }
    let children = signals::children()?;
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok((descendants, children, this))
}

/// A host that starts threads before it calls `enter` can't have a nursery: a fork would not be safe.
fn check_single_thread() -> io::Result<()> {
    match std::fs::read_dir("/proc/self/task")?.count() {
        1 => Ok(()),
        _ => Err(io::ErrorKind::Unsupported.into()),
    }
}

impl Nursery {
    fn run(mut self) -> i32 {
        if socket::send_all(&self.control, &self.descendants.to_bytes()).is_err() {
            return 0;
        }
        loop {
            let is_asked = {
                let mut waiting =
                    [PollFd::new(&self.control, PollFlags::IN), PollFd::new(&self.children, PollFlags::IN)];
                if poll(&mut waiting, None).is_err() {
                    continue;
                }
                !waiting[0].revents().is_empty()
            };
            self.reap();
            if is_asked {
                let Ok(Some((request, handed))) = receive(&self.control) else {
                    return 0;
                };
                self = self.start(&request, handed);
            }
        }
    }

    /// Forks a keeper. Takes the nursery by value, so that the keeper lets go of all of it.
    fn start(mut self, request: &Request, mut handed: Vec<OwnedFd>) -> Nursery {
        let status = handed.remove(0);
        let is_init = match self.descendants {
            Descendants::PidNamespace { .. } => true,
            Descendants::Subreaper { .. } => false,
        };
        let forked = if is_init { system::fork_into_namespace() } else { system::fork() };
        match forked {
            Ok(Forked::Child) => {
                let Nursery { control, children, this, descendants: _, keepers, serve } = self;
                drop((control, children, keepers));
                keeper::keep(keeper::Post { status, nursery: this, is_init }, request, handed, serve)
            }
            Ok(Forked::Parent(pid)) => {
                self.keepers.insert(pid, (!is_init).then_some(status));
            }
            Err(error) => {
                let failure = Failure::at(Stage::Keeper, error.raw_os_error().unwrap_or(0));
                // If the host is gone meanwhile, there is nobody to tell.
                let _ = socket::send_all(&status, &Report::Failed(failure).encode());
            }
        }
        self
    }

    /// Takes note of keepers that ended, and lets those go on that a worker stopped.
    fn reap(&mut self) {
        drain(self.children.as_fd());
        let mut killed = Vec::new();
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG | WaitOptions::UNTRACED) {
            if status.stopped() {
                let _ = kill_process(pid, Signal::CONT);
                continue;
            }
            let held = self.keepers.remove(&pid.as_raw_pid()).flatten();
            if let (Some(held), None) = (held, status.exit_status()) {
                killed.push(held);
            }
        }
        if !killed.is_empty() {
            self.sweep();
        }
    }

    /// Kills what a killed keeper left: whatever is a child of this process now and no keeper.
    fn sweep(&self) {
        let this = getpid().as_raw_pid();
        let find = || descendants(this, |child| self.keepers.contains_key(&child));
        hunt(find, || await_child(self.children.as_fd()), Instant::now() + SWEEP);
    }
}

/// Waits until a child ended, or a moment.
pub(super) fn await_child(children: BorrowedFd<'_>) {
    let moment = Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
    let _ = poll(&mut [PollFd::from_borrowed_fd(children, PollFlags::IN)], Some(&moment));
    drain(children);
}

/// Reads what says that children ended; which ones, `wait` tells.
pub(super) fn drain(children: BorrowedFd<'_>) {
    let mut buffer = [0; 1024];
    while rustix::io::read(children, &mut buffer).is_ok() {}
}

/// Receives a request with its descriptors; `None` when the host is gone.
fn receive(control: &OwnedFd) -> io::Result<Option<(Request, Vec<OwnedFd>)>> {
    let mut length = [0; 4];
    let (is_whole, handed) = socket::receive_exact(control, &mut length)?;
    let length = usize::try_from(u32::from_le_bytes(length)).map_err(io::Error::other)?;
    if !is_whole || length > LONGEST || handed.is_empty() {
        return Ok(None);
    }
    let mut body = vec![0; length];
    let (is_whole, _) = socket::receive_exact(control, &mut body)?;
    if !is_whole {
        return Ok(None);
    }
    Ok(Request::decode(&body).map(|request| (request, handed)))
}

/// Returns what `/proc` says of a child, before it was waited for.
pub(super) fn seen(pidfd: BorrowedFd<'_>) -> Option<processes::Entry> {
    processes::entry(processes::pid_of(pidfd)?)
}
