//! Failures of the loader: of state that it keeps, of the host itself, and of what extensions offer.

use super::Failure;
use super::way_out::{ways_out, ways_round};
use crate::exit::Exit;
use pintle_loader::BuildError;
use pintle_loader::keep::files::FileError;
use pintle_loader::slot::InvokeError;
use pintle_manifest::Untrusted;

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let path = error.path().to_owned();
        let failure = match error {
            FileError::Io { .. } => match error.obstacle() {
                Some(obstacle) => ways_round(Self::of("fs.in_the_way", &error), &path, obstacle),
                None => Self::of("state.failed", &error),
            },
            FileError::Unreadable { .. } => ways_out(Self::of("state.unreadable", &error), &path),
            FileError::Newer { .. } => Self::of("state.newer", &error)
                .hint("a newer Pintle wrote it; use that one. It is left as it is"),
            FileError::Busy { .. } => {
                Self::of("state.busy", &error).hint("another Pintle process holds it; try again")
            }
        };
        failure.detail("path", path.to_string_lossy().into_owned())
    }
}

impl From<BuildError> for Failure {
    /// The host is our own, so that its contract and what it does differ is our own mistake.
    fn from(error: BuildError) -> Self {
        Self::of("host.incomplete", &error).exit(Exit::Bug)
    }
}

impl Failure {
    /// Makes one of a command of an extension that gave no reply.
    pub(crate) fn from_invoke(error: InvokeError, offered: &[String]) -> Self {
        match &error {
            InvokeError::Unknown { name, similar, .. } => {
                let what = format!("no extension that runs offers a command `{}`", Untrusted(name));
                let failure = Self::new("command.unknown", what).hint_nearest(similar.as_deref());
                match offered.is_empty() {
                    true => failure.hint("see what runs, and what does not, with `pintle load`"),
                    false => failure.hint(format!("there is {}", offered.join(", "))),
                }
            }
            InvokeError::Fault { fault, .. } => {
                let failure =
                    Self::of("command.fault", &error).exit(Exit::Fault).detail("fault", fault.code());
                fault
                    .log
                    .iter()
                    .rev()
                    .take(5)
                    .rev()
                    .fold(failure, |failure, line| failure.cause(line.clone()))
            }
        }
    }
}
