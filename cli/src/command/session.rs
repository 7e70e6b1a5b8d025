//! Our side of a command that has a terminal and a session of its own: keys go in, output comes out, and its stops,
//! ends and sizes are made to be ours.

use super::Stream;
use super::attached::pipe;
use super::copy::{Copied, Flow, Outcome, PIECE, Source, copy};
use super::monitor::{Given, Monitor, Order, Report};
use super::program::{CommandError, Program};
use super::readiness::{Watched, is_ready, watched};
use super::signals::{Handlers, Received, Signals, continued, with_default};
use super::sink::Sink;
use super::terminal::{Keyboard, Pair, Screen};
use super::wiring::Wire;
use nix::sys::signal::{Signal as Number, kill, raise};
use nix::unistd::Pid;
use rustix::event::PollFlags;
use rustix::termios::tcgetattr;
use std::cell::Cell;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::rc::Rc;
use std::time::{Duration, Instant};
use tokio::io::Interest;
use tokio::sync::watch;

/// How long the last output before a stop may take to be shown.
const BEFORE_STOP: Duration = Duration::from_millis(200);
/// How often it is looked whether it is.
const LOOK: Duration = Duration::from_millis(2);

/// Runs it.
pub(super) async fn run(
    program: &Program,
    errors: Wire,
    copied: &Copied<'_>,
    signals: &mut Signals,
    begun: Instant,
) -> Result<Outcome, CommandError> {
    let failed = CommandError::system("giving the command a terminal of its own");
    let Started { mut session, end, out, err } = Started::new(program, errors).map_err(&failed)?;
    let _handlers = Handlers::also(&[Number::SIGWINCH, Number::SIGCONT, Number::SIGTSTP]).map_err(&failed)?;
    let (out_idle, err_idle) = (Cell::new(true), Cell::new(true));
    let copies = [Some((out, &out_idle)), err.map(|err| (err, &err_idle))].into_iter().flatten();
    let mut flow =
        Flow::new(copies.map(|((source, sink), idle)| copy(source, sink, copied, end.subscribe(), idle)));
    let status = loop {
        let next = flow.alongside(session.next(signals)).await;
        match next {
            Next::Signal(received) => session.pass_on(received),
            Next::Report(Some(Report::Begun)) => session.has_begun = true,
            Next::Report(Some(Report::Ended(status))) => break status,
            Next::Report(Some(Report::NotRun(errno))) => {
                session.screen.leave();
                session.monitor.end();
                return Err(program.explain(io::Error::from_raw_os_error(errno)));
            }
            Next::Report(Some(Report::Stopped(signal))) => {
                let is_shown = || session.is_read_out() && out_idle.get() && err_idle.get();
                flow.alongside(until(is_shown)).await;
                session.stop(signal);
            }
            Next::Report(None) => {
                let source = io::Error::from(io::ErrorKind::UnexpectedEof);
                return Err(CommandError::System { what: "watching the command", source });
            }
        }
    };
    let duration = begun.elapsed();
    signals.forget();
    end.send_replace(true);
    let lost = flow.finish(signals).await;
    session.screen.leave();
    session.monitor.end();
    Ok((status, duration, lost))
}

/// Waits until something holds, but not long.
async fn until(holds: impl Fn() -> bool) {
    let deadline = tokio::time::Instant::now() + BEFORE_STOP;
    while !holds() && tokio::time::Instant::now() < deadline {
        tokio::time::sleep(LOOK).await;
    }
}

/// What a session is when it has just been started.
struct Started {
    session: Session,
    end: watch::Sender<bool>,
    out: (Source, Sink),
    err: Option<(Source, Sink)>,
}

impl Started {
    fn new(program: &Program, errors: Wire) -> io::Result<Self> {
        let (input, output) = (io::stdin(), io::stdout());
        let pair = Pair::like(&input)?;
        let stream = if errors == Wire::WithOutput { Stream::Both } else { Stream::Out };
        let ours: OwnedFd = input.as_fd().try_clone_to_owned()?;
        let modes = tcgetattr(&ours)?;
        let mut screen = Screen::new(&ours)?;
        let in_foreground = screen.is_ours();
        let keyboard = Keyboard::new(&ours)?;
        let (errors, err) = match errors {
            Wire::WithOutput | Wire::Untouched => (None, None),
            Wire::Terminal => (Some(pair.commands.try_clone()?), None),
            Wire::Pipe => {
                let (read, write) = pipe()?;
                let sink = Sink::new(io::stderr().as_fd(), PIECE)?;
                (Some(write), Some((Source::pipe(read, Stream::Err)?, sink)))
            }
        };
        let terminal = Rc::new(watched(pair.ours, Interest::READABLE | Interest::WRITABLE)?);
        let sink = Sink::new(output.as_fd(), PIECE)?;
        let out = (Source::terminal(Rc::clone(&terminal), stream), sink);
        if in_foreground {
            screen.enter()?;
        }
        let given = Given { terminal: pair.commands, errors, ours: (&ours, modes), in_foreground };
        let monitor = Monitor::start(program, given)?;
        let session =
            Session { screen, keyboard, terminal, monitor, has_modes: in_foreground, has_begun: false };
        Ok(Self { session, end: watch::Sender::new(false), out, err })
    }
}

/// What happens next.
enum Next {
    Report(Option<Report>),
    Signal(Received),
}

/// Our terminal, the command's, and who watches the command. Dropped in this order.
struct Session {
    screen: Screen,
    keyboard: Keyboard,
    terminal: Rc<Watched>,
    monitor: Monitor,
    /// Whether the command's terminal got the modes of ours, which it can't in the background.
    has_modes: bool,
    /// Whether the command's process group is there.
    has_begun: bool,
}

impl Session {
    /// Carries keys until something else happens.
    async fn next(&mut self, signals: &mut Signals) -> Next {
        loop {
            tokio::select! {
                biased;
                report = self.monitor.report() => return Next::Report(report),
                received = signals.next_also() => return Next::Signal(received),
                () = self.keyboard.carry(&self.terminal), if self.takes_keys() => {}
            }
        }
    }

    /// Tells whether the person's keys are for the command.
    fn takes_keys(&self) -> bool {
        self.has_begun && self.screen.is_raw() && self.keyboard.is_open()
    }

    fn pass_on(&mut self, received: Received) {
        match received.signal {
            Number::SIGWINCH => self.screen.give_size(&*self.terminal),
            // Someone stopped us and not the command, and whoever had the terminal meanwhile changed it.
            Number::SIGCONT => self.take_screen(),
            signal => self.monitor.order(Order::Signal(signal)),
        }
    }

    /// Tells whether everything that was printed has been read.
    fn is_read_out(&self) -> bool {
        !is_ready(&*self.terminal, PollFlags::IN)
    }

    fn take_screen(&mut self) {
        if !self.has_modes && self.screen.is_ours() {
            self.has_modes = true;
            self.screen.give_modes(&*self.terminal);
        }
        // If it can't be raw, keys go the long way, and nothing else is wrong.
        if self.screen.is_ours() && self.screen.enter().is_ok() {
            self.screen.give_size(&*self.terminal);
        }
    }

    /// Is stopped as the command was, and lets it go on when someone lets us go on.
    fn stop(&mut self, signal: i32) {
        let wants_screen = signal == Number::SIGTTIN as i32 || signal == Number::SIGTTOU as i32;
        let has_stopped = if wants_screen && self.screen.is_ours() {
            true
        } else {
            self.screen.leave();
            stop_us(signal)
        };
        self.take_screen();
        // In a process group that no shell looks after nothing can be stopped: there the command may have its
        // terminal, or it would ask for it without end.
        let may_have_it = self.screen.is_ours() || (wants_screen && !has_stopped);
        self.monitor.order(if may_have_it { Order::Foreground } else { Order::Background });
    }
}

/// Stops our process group, or us alone if the command alone was stopped. Returns, after someone has let us go on,
/// whether we were stopped at all.
fn stop_us(signal: i32) -> bool {
    let before = continued();
    match Number::try_from(signal) {
        Ok(signal @ (Number::SIGTSTP | Number::SIGTTIN | Number::SIGTTOU)) => {
            let _ = with_default(signal, || kill(Pid::from_raw(0), signal));
        }
        Ok(_) | Err(_) => {
            let _ = raise(Number::SIGSTOP);
        }
    }
    continued() != before
}
