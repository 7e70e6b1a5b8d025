//! What is to be run, and in what surroundings. Values only; nothing is looked up here.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// The variable by which everything that belongs to a worker can be told, also after its host is gone.
pub const SCOPE_VARIABLE: &str = "PINTLE_SCOPE";

/// A program to execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exec {
    /// The file. A name without a slash is looked up in the `PATH` of the environment that the program gets.
    pub path: PathBuf,
    /// All of its arguments; the first is the name by which it is called.
    pub arguments: Vec<OsString>,
}

/// What runs in a worker. Both speak the protocol on descriptors 3 (in) and 4 (out).
#[derive(Debug)]
pub enum Program {
    /// Any program.
    Exec(Exec),
    /// A program whose file was opened before, which is what is executed: what its path leads to by now does not matter.
    /// Not for scripts, which their interpreter opens by their path.
    Open {
        /// The file.
        file: OwnedFd,
        /// Its path, for messages, and its arguments.
        exec: Exec,
    },
    /// A native extension.
    Native {
        /// The library, in sealed memory: see [`memfd_sealed`](super::memfd_sealed).
        library: OwnedFd,
    },
}

/// In what surroundings a program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting {
    /// Its working directory.
    pub directory: PathBuf,
    /// Its whole environment, but for [`SCOPE_VARIABLE`].
    pub environment: Vec<(OsString, OsString)>,
    /// The value of [`SCOPE_VARIABLE`]: a token that no other load has.
    pub scope: String,
    /// What it may use.
    pub limits: Limits,
}

/// What one process of a worker may use. A hard limit that is lower already stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Open descriptors.
    pub open_files: u64,
    /// Bytes of its own memory that can be written (`RLIMIT_DATA`).
    pub data: u64,
    /// Bytes of stack of its first thread.
    pub stack: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { open_files: 1024, data: 2 << 30, stack: 8 << 20 }
    }
}

/// What a tool gets for its three standard streams.
#[derive(Debug)]
pub struct Streams {
    /// What it reads.
    pub stdin: OwnedFd,
    /// Where it writes.
    pub stdout: OwnedFd,
    /// Where it complains.
    pub stderr: OwnedFd,
}
