//! Why a program was not started.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Says why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// A text can't be given to a program.
    #[error("{what} has a zero byte in it: `{}`", .text.display())]
    ZeroByte {
        /// Which text.
        what: &'static str,
        /// The text.
        text: OsString,
    },
    /// There is no such program in any directory of its `PATH`.
    #[error("there is no program `{}` in the `PATH` that it is given (`{}`)", .name.display(), .searched.display())]
    NotOnPath {
        /// Its name.
        name: PathBuf,
        /// The directories that were searched.
        searched: OsString,
    },
    /// There is no such file.
    #[error("there is no file `{}`", .path.display())]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// The working directory can't be entered.
    #[error("the directory `{}` can't be entered", .path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// What should run the program is not there.
    #[error("`{}` needs `{interpreter}` to run, which is not there", .path.display())]
    NoInterpreter {
        /// The program.
        path: PathBuf,
        /// What its first line or its header names.
        interpreter: String,
    },
    /// The first line of a script ends in the carriage return of another system.
    #[error("the first line of `{}` ends in a carriage return, so `{interpreter}` is not found", .path.display())]
    CarriageReturn {
        /// The script.
        path: PathBuf,
        /// What its first line names.
        interpreter: String,
    },
    /// It was built for another machine.
    #[error("`{}` is built for {built_for}, and this machine is {this}", .path.display())]
    OtherMachine {
        /// The program.
        path: PathBuf,
        /// The machine that it is built for.
        built_for: String,
        /// This machine.
        this: String,
    },
    /// It is neither a program nor a script that names its interpreter.
    #[error("`{}` is neither a program nor a script whose first line begins with `#!`", .path.display())]
    NoProgram {
        /// The file.
        path: PathBuf,
    },
    /// It may not be executed.
    #[error("`{}` may not be executed: {reason}", .path.display())]
    NotExecutable {
        /// The file.
        path: PathBuf,
        /// Why, as far as can be seen.
        reason: &'static str,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// Executing failed for another reason.
    #[error("`{}` can't be executed", .path.display())]
    Execute {
        /// The file.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The library can't be loaded.
    #[error("the library can't be loaded: {message}")]
    Library {
        /// What the system's loader says.
        message: String,
    },
    /// A step before the program failed.
    #[error("the process can't be prepared ({step})")]
    Prepare {
        /// Which step.
        step: &'static str,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The host's own process lacks something, such as descriptors.
    #[error("{what} can't be made")]
    Host {
        /// What was to be made.
        what: &'static str,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The host can't start the process that starts all others.
    #[error("the process that starts workers can't be started")]
    Nursery {
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The host's binary does not serve as nursery.
    #[error(
        "this program can't start workers: its `main` must call `pintle_loader::worker::enter()` first, before any \
         thread is started"
    )]
    NotEntered,
    /// Nursery or keeper ended before the program was started, twice.
    #[error("the process that starts workers was killed while it did so")]
    Lost,
    /// It took too long.
    #[error("the program was not started within {} s", .after.as_secs())]
    Timeout {
        /// How long was waited.
        after: Duration,
    },
}
