//! Failures of the disk, of state files, of leases and of commits.

use super::Failure;
use super::way_out::{ways_out, ways_round};
use crate::exit::Exit;
use pintle_registry::store::fs::FsError;
use pintle_registry::store::{CommitError, LeaseError, StateError};
use std::io::ErrorKind;

impl From<FsError> for Failure {
    fn from(error: FsError) -> Self {
        if let Some(obstacle) = error.obstacle() {
            let failure = Self::of("fs.in_the_way", &error);
            return ways_round(failure, &error.path, obstacle)
                .detail("path", error.path.to_string_lossy().into_owned());
        }
        let failure = match error.source.kind() {
            ErrorKind::PermissionDenied => {
                Self::of("fs.permission_denied", &error).hint("look at who owns it and its mode (`ls -ld`)")
            }
            ErrorKind::ReadOnlyFilesystem => Self::of("fs.read_only", &error)
                .hint("nothing can be changed there; name another place with `--home DIR`"),
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::of("fs.full", &error)
                .hint("make room (`pintle gc`, `pintle cache clean`) and run it again"),
            ErrorKind::NotFound => Self::of("fs.not_found", &error),
            _ => Self::of("fs.io", &error),
        };
        failure.detail("path", error.path.to_string_lossy().into_owned())
    }
}

impl From<StateError> for Failure {
    fn from(error: StateError) -> Self {
        let error = match error {
            StateError::Fs(error) => return error.into(),
            other => other,
        };
        match &error {
            StateError::Newer { path, .. } => Self::of("state.newer", &error)
                .hint("a newer Pintle wrote it; use that one. It is left as it is")
                .detail("path", path.to_string_lossy().into_owned()),
            StateError::Unreadable { path, .. } => {
                let failure =
                    Self::of("state.unreadable", &error).detail("path", path.to_string_lossy().into_owned());
                ways_out(failure, path)
            }
            StateError::Fs(source) => Self::of("fs.io", source),
        }
    }
}

impl From<LeaseError> for Failure {
    fn from(error: LeaseError) -> Self {
        match error {
            LeaseError::Timeout { .. } => Self::of("lock.timeout", &error)
                .hint("wait for it to end, or wait longer with `--lock-timeout 30m`"),
            LeaseError::Interrupted { .. } => Self::of("interrupted", &error).exit(Exit::Interrupted),
            LeaseError::Fs(error) => error.into(),
        }
    }
}

impl From<CommitError> for Failure {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::ChangedMeanwhile { .. } | CommitError::SetChangedMeanwhile => {
                Self::of("set.changed_meanwhile", &error).hint("run the command again")
            }
            CommitError::Unfinished { .. } => {
                Self::of("set.unfinished", &error).hint("when the cause is gone, `pintle sync` finishes it")
            }
            CommitError::NoGeneration { ref available, .. } => {
                let available: Vec<String> = available.iter().map(ToString::to_string).collect();
                let failure = Self::of("rollback.no_generation", &error);
                match available.is_empty() {
                    true => failure.hint("nothing was installed yet"),
                    false => {
                        failure.hint(format!("there are: {} (see `pintle history`)", available.join(", ")))
                    }
                }
            }
            CommitError::State(error) => error.into(),
            CommitError::Fs(error) => error.into(),
        }
    }
}
