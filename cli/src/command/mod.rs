//! Runs one command of a person as its transparent parent, and lets a tap see what it prints. It knows nothing of
//! extensions, prints nothing of its own, and adds nothing to the command's environment.
//!
//! Three ways, chosen in [`wiring`]:
//! - Nobody looks: the command gets our own descriptors, and nothing is copied.
//! - Standard input and output are a terminal: the command gets a terminal of its own, in a session of its own. Ours is
//!   raw for that time, so every key reaches the command's terminal and acts there. [`session`] is our side of it;
//!   [`monitor`] is the process between, which is what makes Ctrl-Z work.
//! - Else: pipes, and where standard output or error is a terminal, a terminal that carries output alone. The command
//!   stays in our session and our process group, so that Ctrl-C, Ctrl-Z and `/dev/tty` are those of the real terminal,
//!   also in the middle of a pipeline. At the end of one (standard output and error are a terminal, standard input is
//!   none) standard error is our own and the tap does not see it: pagers and editors take their keys from there.
//!
//! Without any extension there is nothing to do before or after it, and we become the command ourselves.
//!
//! What holds in all of them:
//! - The bytes of each stream arrive unchanged and in order. If both streams lead to the same place, they share one
//!   pipe, so the order between them holds too. A slow reader slows the command. If the reader goes, the command gets
//!   SIGPIPE.
//! - The end of the command ends the run, also if something that it left in the background still holds its output
//!   open: what was printed until then is passed on, then comes a tenth of a second for what is late. What the
//!   background prints after that is lost. (A plain shell would let it go on printing.)
//! - Signals sent to us are passed on. One that the terminal sent to the whole group is not passed on twice.
//! - If we are killed, the command is not: it may be in the middle of something. It runs until it writes to a pipe
//!   that nobody reads. On a terminal of its own it gets SIGHUP, as if the window had been closed.
//! - Keys typed ahead that the command did not read are gone with its terminal, as with `script`.

mod line;
mod program;

mod wiring;
mod attached;
mod session;
mod monitor;

mod copy;
mod readiness;
mod sink;
mod tail;
mod terminal;
mod signals;

pub(crate) use line::line;
pub(crate) use program::CommandError;
pub(crate) use readiness::{is_ready, watched};
pub(crate) use signals::{Received, Signals, outlive_file_limit};

use program::Program;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use wiring::{Ends, Wiring};

/// What to run.
#[derive(Debug, Clone)]
pub(crate) struct Command {
    /// The program and its arguments; `sh -c LINE` for a shell line.
    pub argv: Vec<OsString>,
    /// Where it runs; our own working directory if none is given.
    pub directory: Option<PathBuf>,
    /// The value of PATH, which says where a program without a slash is looked for.
    pub search: Option<OsString>,
}

/// Which stream a piece of output belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
    /// Both lead to the same place, such as one terminal, and can't be told apart.
    Both,
}

/// Sees each piece of output before it is passed on. It must be quick: the command waits for it.
pub(crate) type Tap<'a> = &'a mut dyn FnMut(Stream, &[u8]);

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The exit code, unless a signal ended it.
    pub code: Option<i32>,
    /// The signal that ended it.
    pub signal: Option<i32>,
    /// From its start until its end, without the time that its last output took to arrive.
    pub duration: Duration,
    /// The last 64 KiB of output, both streams as they came. Empty if there was no tap.
    pub tail: Vec<u8>,
    /// Whether there was more output than `tail` holds.
    pub truncated: bool,
    /// What could not be passed on, other than because its reader had gone.
    pub lost: Option<(Stream, io::Error)>,
}

impl Finished {
    /// Returns the exit code that a shell would give: 128 and the signal's number for a signal.
    pub(crate) fn exit_code(&self) -> u8 {
        let code = match (self.code, self.signal) {
            (Some(code), _) => code,
            (None, Some(signal)) => 128 + signal,
            (None, None) => 255,
        };
        u8::try_from(code & 0xff).expect("masked to a byte")
    }
}

/// What became of the process itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ended {
    code: Option<i32>,
    signal: Option<i32>,
}

/// Says why a command can't be run, as far as that can be told without running it.
pub(crate) fn check(command: &Command) -> Result<(), CommandError> {
    Program::find(command).map(drop)
}

/// Turns us into a command, with all that is ours. Returns only if that can't be.
pub(crate) fn become_it(command: &Command) -> CommandError {
    match Program::find(command) {
        Ok(program) => attached::become_it(&program),
        Err(error) => error,
    }
}

/// Runs a command to its end, on a current-thread runtime in the main thread. Without a tap nothing is copied.
///
/// A future that is dropped before its end leaves the command to itself, and the terminal as it was.
pub(crate) async fn run(
    command: &Command,
    tap: Option<Tap<'_>>,
    signals: &mut Signals,
) -> Result<Finished, CommandError> {
    let program = Program::find(command)?;
    let start = Instant::now();
    let Some(tap) = tap else {
        let ended = attached::run_untouched(&program, signals).await?;
        return Ok(copy::Copied::new(&mut |_, _| {}).finish(ended, start.elapsed(), None));
    };
    let copied = copy::Copied::new(tap);
    let (ended, duration, lost) = match Wiring::choose(&Ends::look()) {
        Wiring::Session { errors } => session::run(&program, errors, &copied, signals, start).await?,
        Wiring::Attached(wires) => attached::run(&program, wires, &copied, signals, start).await?,
    };
    Ok(copied.finish(ended, duration, lost))
}
