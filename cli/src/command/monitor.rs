//! The process between us and a command that has a session of its own. It is needed because a session's first process
//! can't be stopped by Ctrl-Z, and neither can what no one in the session waits for. So the monitor leads the session,
//! the command is its child, and each stop is told to us. It also sees when we are killed: then it makes our terminal
//! as it was, and the command gets SIGHUP.
//!
//! It is a bare fork of ours: it allocates nothing, takes no lock, and makes nothing but system calls.

use super::Ended;
use super::program::{Program, SHELL};
use super::readiness::{Watched, watched};
use super::terminal::undo_raw;
use nix::libc;
use nix::sys::signal::{SigSet, SigmaskHow, Signal as Number, kill, killpg};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, setpgid, setsid};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};
use rustix::termios::{Termios, tcgetpgrp, tcsetpgrp};
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use tokio::io::Interest;

/// What the monitor tells us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Report {
    /// The command's process group is there, and keys that mean a signal reach it.
    Begun,
    /// The program could not be run, for this reason.
    NotRun(i32),
    /// The command was stopped by this signal.
    Stopped(i32),
    /// The command has ended.
    Ended(Ended),
}

/// What we tell the monitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// Go on, and use the terminal.
    Foreground,
    /// Go on, and leave the terminal alone.
    Background,
    /// Pass on a signal to all of the command's process group.
    Signal(Number),
}

/// A kind and a number, which is what travels both ways.
type Message = [u8; 5];

impl Report {
    fn message(self) -> Message {
        let (kind, number) = match self {
            Self::Begun => (b'b', 0),
            Self::NotRun(errno) => (b'n', errno),
            Self::Stopped(signal) => (b's', signal),
            Self::Ended(Ended { signal: Some(signal), .. }) => (b'k', signal),
            Self::Ended(Ended { code, signal: None }) => (b'e', code.unwrap_or(255)),
        };
        message(kind, number)
    }

    fn read(message: Message) -> Option<Self> {
        let (kind, number) = parts(message);
        Some(match kind {
            b'b' => Self::Begun,
            b'n' => Self::NotRun(number),
            b's' => Self::Stopped(number),
            b'k' => Self::Ended(Ended { code: None, signal: Some(number) }),
            b'e' => Self::Ended(Ended { code: Some(number), signal: None }),
            _ => return None,
        })
    }
}

impl Order {
    fn message(self) -> Message {
        match self {
            Self::Foreground => message(b'f', 0),
            Self::Background => message(b'b', 0),
            Self::Signal(signal) => message(b'k', signal as i32),
        }
    }

    fn read(message: Message) -> Option<Self> {
        let (kind, number) = parts(message);
        match kind {
            b'f' => Some(Self::Foreground),
            b'b' => Some(Self::Background),
            b'k' => Number::try_from(number).ok().map(Self::Signal),
            _ => None,
        }
    }
}

const fn message(kind: u8, number: i32) -> Message {
    let [a, b, c, d] = number.to_le_bytes();
    [kind, a, b, c, d]
}

const fn parts([kind, a, b, c, d]: Message) -> (u8, i32) {
    (kind, i32::from_le_bytes([a, b, c, d]))
}

/// Our side of a monitor. When it is dropped before the command has ended, the command is hung up.
pub(super) struct Monitor {
    control: Watched,
    id: Pid,
}

/// What the command is given.
pub(super) struct Given<'a> {
    /// Its terminal.
    pub terminal: OwnedFd,
    /// Its standard error, if that leads elsewhere.
    pub errors: Option<OwnedFd>,
    /// Our own terminal and how it was, to be mended if we are killed.
    pub ours: (&'a OwnedFd, Termios),
    /// Whether it may use its terminal from the start.
    pub in_foreground: bool,
}

impl Monitor {
    /// Starts one, which starts the command.
    pub(super) fn start(program: &Program, given: Given<'_>) -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let (ours, theirs) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        let ready = Ready::new(program)?;
        let mut before = SigSet::empty();
        // The fork must not run our handlers, which write to a socket that we share.
        nix::sys::signal::sigprocmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut before))?;
        let forked = forked();
        if let Ok(ForkResult::Child) = forked {
            lead(&ready, &given, &theirs, &before);
        }
        before.thread_set_mask()?;
        let ForkResult::Parent { child } = forked? else { end() };
        Ok(Self { control: watched(ours, Interest::READABLE)?, id: child })
    }

    /// Returns what it tells next, or nothing if it is gone. Nothing is lost if the future is dropped.
    pub(super) async fn report(&self) -> Option<Report> {
        let mut message = [0; 5];
        let read = self.control.async_io(Interest::READABLE, |fd| Ok(rustix::io::read(fd, &mut message)?));
        match read.await {
            Ok(5) => Report::read(message),
            Ok(_) | Err(_) => None,
        }
    }

    /// Tells it something.
    pub(super) fn order(&self, order: Order) {
        // If it is gone, that is what the next report is about.
        let _ = rustix::io::write(self.control.get_ref(), &order.message());
    }

    /// Lets it go, after the command has ended.
    pub(super) fn end(self) {
        drop(self.control);
        // It has nothing left to do but to end, unless someone has stopped it.
        let _ = kill(self.id, Number::SIGCONT);
        let _ = waitpid(self.id, None);
    }
}

/// Everything that has to be made before the fork, since after it nothing can be allocated.
struct Ready {
    path: CString,
    argv: Words,
    shell: CString,
    by_shell: Option<Words>,
    directory: Option<CString>,
}

/// Words as the system wants them.
struct Words {
    _words: Vec<CString>,
    pointers: Vec<*const libc::c_char>,
}

impl Words {
    fn new<S: AsRef<OsStr>>(words: &[S]) -> io::Result<Self> {
        let words = words.iter().map(|word| c_string(word.as_ref())).collect::<io::Result<Vec<_>>>()?;
        let pointers = words.iter().map(|word| word.as_ptr()).chain([std::ptr::null()]).collect();
        Ok(Self { _words: words, pointers })
    }
}

fn c_string(text: &OsStr) -> io::Result<CString> {
    Ok(CString::new(text.as_bytes())?)
}

impl Ready {
    fn new(program: &Program) -> io::Result<Self> {
        Ok(Self {
            path: c_string(program.path.as_os_str())?,
            argv: Words::new(&program.argv)?,
            shell: c_string(OsStr::new(SHELL))?,
            by_shell: program.by_shell.as_deref().map(Words::new).transpose()?,
            directory: program.directory.as_ref().map(|path| c_string(path.as_os_str())).transpose()?,
        })
    }
}

#[expect(unsafe_code, reason = "no library forks without running a program at once")]
fn forked() -> nix::Result<ForkResult> {
    // SAFETY: the child makes nothing but system calls until it ends or runs another program: see `lead`.
    unsafe { fork() }
}

#[expect(unsafe_code, reason = "to end without what a program does in the end, which is our parent's")]
fn end() -> ! {
    // SAFETY: it has no conditions.
    unsafe { libc::_exit(127) }
}

/// The life of the monitor. All signals are blocked in it.
fn lead(ready: &Ready, given: &Given<'_>, control: &OwnedFd, before: &SigSet) -> ! {
    let _ = setsid();
    let _ = rustix::process::ioctl_tiocsctty(&given.terminal);
    let mut child_ends = SigSet::empty();
    child_ends.add(Number::SIGCHLD);
    let Ok(children) = SignalFd::with_flags(&child_ends, SfdFlags::SFD_CLOEXEC | SfdFlags::SFD_NONBLOCK)
    else {
        end()
    };
    match forked() {
        Err(error) => {
            tell(control, Report::NotRun(error as i32));
            end()
        }
        Ok(ForkResult::Child) => {
            let errno = become_command(ready, given, control, before);
            tell(control, Report::NotRun(errno));
            end()
        }
        Ok(ForkResult::Parent { child }) => {
            let _ = setpgid(child, child);
            let kept = [control.as_raw_fd(), children.as_fd().as_raw_fd()];
            close_all_but([kept[0], kept[1], given.terminal.as_raw_fd(), given.ours.0.as_raw_fd()]);
            watch(child, given, control, &children)
        }
    }
}

/// Closes every other descriptor but the three standard ones, such as locks and pipes that are not the monitor's.
#[expect(unsafe_code, reason = "closing descriptors that are not owned here is the point")]
fn close_all_but(mut kept: [i32; 4]) {
    kept.sort_unstable();
    let mut first = 3;
    for last in kept.into_iter().chain([i32::MAX]) {
        if first < last {
            // SAFETY: nothing in this process uses any of them again; the fork's owners of them never run.
            unsafe { libc::syscall(libc::SYS_close_range, first, last - 1, 0) };
        }
        first = last.saturating_add(1);
    }
}

/// Turns the process into the command, and returns why it could not.
#[expect(unsafe_code, reason = "running a program in the place of this process")]
fn become_command(ready: &Ready, given: &Given<'_>, control: &OwnedFd, before: &SigSet) -> i32 {
    let failed = || io::Error::last_os_error().raw_os_error().unwrap_or(libc::EINVAL);
    let here = Pid::from_raw(0);
    let _ = setpgid(here, here);
    if given.in_foreground {
        let _ = tcsetpgrp(&given.terminal, rustix::process::getpid());
    }
    tell(control, Report::Begun);
    let errors = given.errors.as_ref().unwrap_or(&given.terminal);
    for (fd, standard) in [(&given.terminal, 0), (&given.terminal, 1), (errors, 2)] {
        // SAFETY: both are open or are to be replaced, and this process has no other use for the standard three.
        if unsafe { libc::dup2(fd.as_raw_fd(), standard) } < 0 {
            return failed();
        }
    }
    if let Some(directory) = &ready.directory {
        // SAFETY: the text ends with a zero byte.
        if unsafe { libc::chdir(directory.as_ptr()) } < 0 {
            return failed();
        }
    }
    // SAFETY: no code of ours runs in a handler; a Rust program ignores SIGPIPE, and others do not expect that.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
    let _ = before.thread_set_mask();
    // SAFETY: all texts end with a zero byte, and both lists with a null pointer.
    unsafe { libc::execv(ready.path.as_ptr(), ready.argv.pointers.as_ptr()) };
    let errno = failed();
    if let (libc::ENOEXEC, Some(argv)) = (errno, &ready.by_shell) {
        // SAFETY: as above.
        unsafe { libc::execv(ready.shell.as_ptr(), argv.pointers.as_ptr()) };
    }
    errno
}

fn tell(control: &OwnedFd, report: Report) {
    // If no one listens, the next look at the control says so.
    let _ = rustix::io::write(control, &report.message());
}

/// Waits for the command and for orders, until we let go.
fn watch(child: Pid, given: &Given<'_>, control: &OwnedFd, children: &SignalFd) -> ! {
    let mut has_ended = false;
    loop {
        let mut polled = [PollFd::new(control, PollFlags::IN), PollFd::new(children, PollFlags::IN)];
        let _ = poll(&mut polled, None);
        let [has_order, has_news] = polled.map(|polled| !polled.revents().is_empty());
        if has_news {
            while let Ok(Some(_)) = children.read_signal() {}
            has_ended |= tell_news(child, given, control);
        }
        if !has_order {
            continue;
        }
        let mut message = [0; 5];
        match rustix::io::read(control, &mut message) {
            Ok(5) if !has_ended => {
                Order::read(message).into_iter().for_each(|order| obey(order, child, given))
            }
            Ok(5) => {}
            Ok(_) | Err(_) => {
                if !has_ended {
                    hang_up(child, given);
                }
                end()
            }
        }
    }
}

/// Tells what became of the command, and returns whether it has ended.
fn tell_news(child: Pid, given: &Given<'_>, control: &OwnedFd) -> bool {
    loop {
        let report = match waitpid(child, Some(WaitPidFlag::WUNTRACED | WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Stopped(_, signal)) => Report::Stopped(signal as i32),
            Ok(WaitStatus::Exited(_, code)) => Report::Ended(Ended { code: Some(code), signal: None }),
            Ok(WaitStatus::Signaled(_, signal, _)) => {
                Report::Ended(Ended { code: None, signal: Some(signal as i32) })
            }
            Ok(_) | Err(_) => return false,
        };
        let has_ended = matches!(report, Report::Ended(_));
        if has_ended {
            // What the command left in the background is not hung up when the session ends with us.
            let _ = tcsetpgrp(&given.terminal, rustix::process::getpid());
            close(&given.terminal);
        }
        tell(control, report);
        if has_ended {
            return true;
        }
    }
}

/// Closes the command's terminal, so that it ends when the command's last process lets go of it.
#[expect(unsafe_code, reason = "the owner of the descriptor never runs in this process")]
fn close(terminal: &OwnedFd) {
    // SAFETY: after the end of the command nothing uses it: see `watch`.
    unsafe { libc::close(terminal.as_raw_fd()) };
}

fn obey(order: Order, child: Pid, given: &Given<'_>) {
    match order {
        Order::Foreground => {
            let group = rustix::process::Pid::from_raw(child.as_raw());
            let _ = group.map(|group| tcsetpgrp(&given.terminal, group));
            let _ = killpg(child, Number::SIGCONT);
        }
        Order::Background => {
            let _ = tcsetpgrp(&given.terminal, rustix::process::getpid());
            let _ = killpg(child, Number::SIGCONT);
        }
        Order::Signal(signal) => {
            let _ = killpg(child, signal);
        }
    }
}

/// Does what a terminal does that is closed, since whoever held it was killed.
fn hang_up(child: Pid, given: &Given<'_>) {
    undo_raw(given.ours.0, &given.ours.1);
    if let Ok(group) = tcgetpgrp(&given.terminal)
        && group != rustix::process::getpid()
    {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::HUP);
    }
    let _ = killpg(child, Number::SIGHUP);
    let _ = killpg(child, Number::SIGCONT);
}
