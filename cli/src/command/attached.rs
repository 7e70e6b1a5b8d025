//! A command that stays in our session and process group: with our own descriptors, or with pipes and terminals that
//! carry its output alone. The real terminal does the job control.

use super::copy::{Copied, Flow, Outcome, PIECE, Source, copy};
use super::program::{CommandError, Program, SHELL};
use super::readiness::{Watched, watched};
use super::signals::{Handlers, Signals};
use super::sink::Sink;
use super::terminal::{Pair, copy_size};
use super::wiring::{Wire, Wires};
use super::{Ended, Stream};
use nix::sys::signal::{Signal as Number, kill};
use nix::unistd::Pid;
use rustix::io::Errno;
use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;
use tokio::io::Interest;
use tokio::process::Child;
use tokio::sync::watch;

/// Runs it with our own descriptors.
pub(super) async fn run_untouched(program: &Program, signals: &mut Signals) -> Result<Ended, CommandError> {
    let mut child = start(program, |_| Ok(()))?;
    wait(&mut child, signals, || {}).await
}

/// Runs it with its output copied.
pub(super) async fn run(
    program: &Program,
    wires: Wires,
    copied: &Copied<'_>,
    signals: &mut Signals,
    begun: Instant,
) -> Result<Outcome, CommandError> {
    let failed = CommandError::system("joining the command's output to ours");
    let (out, err) = (io::stdout(), io::stderr());
    let stream = if wires.errors == Wire::WithOutput { Stream::Both } else { Stream::Out };
    let output = Joined::new(wires.output, out.as_fd(), stream).map_err(&failed)?;
    let errors = match wires.errors {
        Wire::WithOutput | Wire::Untouched => None,
        wire @ (Wire::Pipe | Wire::Terminal) => {
            Some(Joined::new(wire, err.as_fd(), Stream::Err).map_err(&failed)?)
        }
    };
    let mut child = start(program, |command| {
        command.stdout(output.commands.try_clone()?);
        if wires.errors != Wire::Untouched {
            command.stderr(errors.as_ref().unwrap_or(&output).commands.try_clone()?);
        }
        Ok(())
    })?;

    let (ended, end) = watch::channel(false);
    let mut windows = Vec::new();
    let mut copies = Vec::new();
    for joined in [Some(output), errors].into_iter().flatten() {
        let (source, sink, window) = joined.begin().map_err(&failed)?;
        windows.extend(window);
        let end = end.clone();
        copies.push(async move { copy(source, sink, copied, end, &Cell::new(true)).await });
    }
    let _resized = match windows.is_empty() {
        true => None,
        false => Some(Handlers::also(&[Number::SIGWINCH]).map_err(&failed)?),
    };
    let mut flow = Flow::new(copies);
    let resize = || windows.iter().for_each(Window::fit);
    let status = flow.alongside(wait(&mut child, signals, resize)).await?;
    let duration = begun.elapsed();
    ended.send_replace(true);
    Ok((status, duration, flow.finish(signals).await))
}

/// One stream of the command, joined to one of ours.
struct Joined<'a> {
    ours: BorrowedFd<'a>,
    commands: OwnedFd,
    read: OwnedFd,
    is_terminal: bool,
    stream: Stream,
}

impl<'a> Joined<'a> {
    fn new(wire: Wire, ours: BorrowedFd<'a>, stream: Stream) -> io::Result<Self> {
        let is_terminal = wire == Wire::Terminal;
        let (read, commands) = match is_terminal {
            true => {
                let pair = Pair::like(ours)?.without_processing()?;
                (pair.ours, pair.commands)
            }
            false => pipe()?,
        };
        Ok(Self { ours, commands, read, is_terminal, stream })
    }

    /// Lets go of the command's end.
    fn begin(self) -> io::Result<(Source, Sink, Option<Window>)> {
        let sink = Sink::new(self.ours, PIECE)?;
        if !self.is_terminal {
            return Ok((Source::pipe(self.read, self.stream)?, sink, None));
        }
        let read = Rc::new(watched(self.read, Interest::READABLE)?);
        let window = Window { ours: self.ours.try_clone_to_owned()?, commands: Rc::clone(&read) };
        Ok((Source::terminal(read, self.stream), sink, Some(window)))
    }
}

/// A terminal of the command's that has the size of ours.
struct Window {
    ours: OwnedFd,
    commands: Rc<Watched>,
}

impl Window {
    fn fit(&self) {
        // A terminal that is gone has no size, and then no one looks.
        let _ = copy_size(&self.ours, &*self.commands);
    }
}

/// Makes a pipe, to read from and for the command to write to.
pub(super) fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let (read, write) = io::pipe()?;
    // A larger pipe saves switching to and fro. Where it may not be had, the usual one does.
    let _ = rustix::pipe::fcntl_setpipe_size(&read, PIECE);
    Ok((read.into(), write.into()))
}

/// Returns what runs a program, or the shell that runs it for us.
fn described(program: &Program, path: &Path, argv: &[OsString]) -> std::process::Command {
    let mut command = std::process::Command::new(path);
    command.arg0(&argv[0]).args(&argv[1..]);
    if let Some(directory) = &program.directory {
        command.current_dir(directory);
    }
    command
}

/// Tells whether the system can't run a file, since its first line does not say what runs it.
fn is_for_a_shell(error: &io::Error) -> bool {
    error.raw_os_error() == Some(Errno::NOEXEC.raw_os_error())
}

/// Turns us into a program. Returns only if that can't be.
pub(super) fn become_it(program: &Program) -> CommandError {
    let error = described(program, &program.path, &program.argv).exec();
    match &program.by_shell {
        Some(argv) if is_for_a_shell(&error) => {
            program.explain(described(program, SHELL.as_ref(), argv).exec())
        }
        Some(_) | None => program.explain(error),
    }
}

fn start(
    program: &Program,
    join: impl Fn(&mut std::process::Command) -> io::Result<()>,
) -> Result<Child, CommandError> {
    let spawn = |path: &Path, argv: &[OsString]| {
        let mut command = described(program, path, argv);
        join(&mut command)?;
        tokio::process::Command::from(command).spawn()
    };
    match (spawn(&program.path, &program.argv), &program.by_shell) {
        (Err(error), Some(argv)) if is_for_a_shell(&error) => spawn(SHELL.as_ref(), argv),
        (started, _) => started,
    }
    .map_err(|error| program.explain(error))
}

/// Waits for the end, and passes on what was sent to us alone.
async fn wait(child: &mut Child, signals: &mut Signals, resize: impl Fn()) -> Result<Ended, CommandError> {
    loop {
        let received = tokio::select! {
            biased;
            status = child.wait() => {
                let status = status.map_err(CommandError::system("waiting for the command"))?;
                signals.forget();
                return Ok(Ended { code: status.code(), signal: status.signal() });
            }
            received = signals.next_also() => received,
        };
        let is_resize = received.signal == Number::SIGWINCH;
        if is_resize {
            resize();
        }
        // The command was told of a new size when its terminal did not have it yet, so it is told again.
        if let (Some(id), true) = (child.id(), is_resize || !received.to_group) {
            let id = Pid::from_raw(i32::try_from(id).expect("a process id is a positive number"));
            // It may have ended just now.
            let _ = kill(id, received.signal);
        }
    }
}
