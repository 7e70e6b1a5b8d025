//! The keeper: starts one program, tells the host how that went, and ends all that is left of it when the program
//! ended, when the host no longer wants it, or when host or nursery are gone.

use super::library::ServeLibrary;
use super::serve::{await_child, drain, seen};
use super::system::{self, Forked};
use super::{program, signals};
use crate::worker::hunt::{descendants, hunt};
use crate::worker::process::Ended;
use crate::worker::report::{Failure, LONGEST, Report, Stage};
use crate::worker::request::Request;
use crate::worker::socket;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, pidfd_open, pidfd_send_signal,
    set_child_subreaper, set_parent_process_death_signal, wait,
};
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::time::{Duration, Instant};

/// How long a keeper looks for what it can't kill, before it gives up.
const HUNT: Duration = Duration::from_secs(30);

/// What a keeper is given.
pub(super) struct Post {
    /// The worker's socket: reports go out, and its end says that the worker is no longer wanted.
    pub(super) status: OwnedFd,
    /// The nursery's process.
    pub(super) nursery: OwnedFd,
    /// Whether this is the first process of a namespace, with which all of it ends.
    pub(super) is_init: bool,
}

/// A keeper with its program.
struct Keeper {
    post: Post,
    /// Readable when a child ended.
    children: OwnedFd,
    pid: Pid,
    program: OwnedFd,
    /// Says how the start went: a word when it went well or an end when it was executed, else a failure. `None` once
    /// that is known.
    start: Option<OwnedFd>,
    ended: Option<Ended>,
}

/// Keeps a program, and ends this process with it.
pub(super) fn keep(post: Post, request: &Request, handed: Vec<OwnedFd>, serve: ServeLibrary) -> ! {
    let status = post.status.as_fd().try_clone_to_owned();
    match begin(post, request, handed, serve) {
        Ok(keeper) => keeper.run(),
        Err(error) => {
            if let Ok(status) = status {
                fail(&status, error.raw_os_error().unwrap_or(0));
            }
        }
    }
    system::exit(0)
}

fn fail(status: &OwnedFd, errno: i32) {
    // If the host is gone meanwhile, there is nobody to tell.
    let _ = socket::send_all(status, &Report::Failed(Failure::at(Stage::Keeper, errno)).encode());
}

fn begin(post: Post, request: &Request, handed: Vec<OwnedFd>, serve: ServeLibrary) -> io::Result<Keeper> {
    if post.is_init {
        set_parent_process_death_signal(Some(Signal::KILL))?;
    } else {
        // When the nursery is gone, the worker still has to be looked for and killed, also if it stopped this process.
        set_parent_process_death_signal(Some(Signal::CONT))?;
        set_child_subreaper(Some(getpid()))?;
    }
    // If the host gave up meanwhile this fails, and nothing is started.
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    socket::send(&post.status, &Report::Kept.encode(), &[this.as_fd(), post.nursery.as_fd()])?;
    drop(this);
    let children = signals::children()?;
    let (start, told) = pipe_with(PipeFlags::CLOEXEC)?;
    let this = getpid();
    match system::fork()? {
        Forked::Child => {
            drop((post, children, start));
            program::become_program(this, request, handed, told, serve)
        }
        Forked::Parent(pid) => {
            let pid = Pid::from_raw(pid).expect("a fork returns a number above zero");
            let program = pidfd_open(pid, PidfdFlags::empty())?;
            Ok(Keeper { post, children, pid, program, start: Some(start), ended: None })
        }
    }
}

impl Keeper {
    fn run(mut self) {
        loop {
            let [is_told, has_ended, is_unwanted] = self.await_anything();
            if is_told && self.started().is_err() {
                break;
            }
            if has_ended {
                self.reap();
            }
            if is_unwanted || self.ended.is_some() {
                break;
            }
        }
        self.end();
    }

    fn await_anything(&self) -> [bool; 3] {
        let mut waiting = vec![
            PollFd::new(&self.children, PollFlags::IN),
            PollFd::new(&self.post.status, PollFlags::IN | PollFlags::RDHUP),
            PollFd::new(&self.post.nursery, PollFlags::IN),
        ];
        waiting.extend(self.start.as_ref().map(|start| PollFd::new(start, PollFlags::IN)));
        if poll(&mut waiting, None).is_err() {
            return [false; 3];
        }
        let is_ready = |index: usize| waiting.get(index).is_some_and(|fd| !fd.revents().is_empty());
        [is_ready(3), is_ready(0), is_ready(1) || is_ready(2)]
    }

    /// Tells the host how the start went, once that is known.
    fn started(&mut self) -> Result<(), ()> {
        let Some(start) = self.start.take() else {
            return Ok(());
        };
        let mut told = [0; LONGEST];
        let length = rustix::io::retry_on_intr(|| rustix::io::read(&start, &mut told)).unwrap_or(0);
        match Report::decode(&told[..length]) {
            Some(failure) => {
                let _ = socket::send_all(&self.post.status, &failure.encode());
                Err(())
            }
            None => self.report_start().map_err(|error| {
                fail(&self.post.status, error.raw_os_error().unwrap_or(0));
            }),
        }
    }

    /// The program was not waited for yet, so it is in `/proc`, even if it ended.
    fn report_start(&self) -> io::Result<()> {
        let seen = seen(self.program.as_fd()).ok_or(Errno::SRCH)?;
        let pid = u32::try_from(seen.pid).map_err(io::Error::other)?;
        let report = Report::Started { pid, started: seen.started }.encode();
        socket::send(&self.post.status, &report, &[self.program.as_fd()])?;
        Ok(())
    }

    /// Takes note of the children that ended. Returns whether there are others; as whatever loses its parent becomes a
    /// child of this process, without children there are no descendants at all.
    fn reap(&mut self) -> bool {
        drain(self.children.as_fd());
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.pid => self.tell(ended(status)),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => return true,
                Err(_) => return false,
            }
        }
    }

    fn tell(&mut self, ended: Ended) {
        if self.ended.is_none() {
            self.ended = Some(ended);
            let _ = socket::send_all(&self.post.status, &Report::Ended(ended).encode());
        }
    }

    /// Ends all that is left. In a namespace the kernel does that when this process ends.
    fn end(mut self) {
        if !self.post.is_init {
            self.kill_all();
        }
        self.tell(Ended::Signaled(Signal::KILL.as_raw()));
    }

    fn kill_all(&mut self) {
        let until = Instant::now() + HUNT;
        // Most programs leave nothing, which is cheaper to see than by a look at every process of the machine.
        let _ = pidfd_send_signal(&self.program, Signal::KILL);
        while self.ended.is_none() && self.reap() && Instant::now() < until {
            self.await_child();
        }
        let this = getpid().as_raw_pid();
        while self.reap() && Instant::now() < until {
            hunt(|| descendants(this, |_| false), || self.await_child(), until);
        }
    }

    fn await_child(&self) {
        await_child(self.children.as_fd());
    }
}

fn ended(status: WaitStatus) -> Ended {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Ended::Exited(code),
        (None, Some(signal)) => Ended::Signaled(signal),
        (None, None) => Ended::KeeperLost,
    }
}
