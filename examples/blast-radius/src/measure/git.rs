//! How git is asked: through someone else, who runs it. What is asked never takes a lock, never runs a hook, a pager,
//! a filter or a program that the repository's own settings name, and never talks to another machine.

use std::path::Path;

/// Runs git.
pub trait Git {
    /// Runs git with these arguments in a directory, with none of the variables that point git elsewhere, and returns
    /// what it wrote.
    fn git(&self, dir: &Path, arguments: &[String]) -> Result<Ran, GitError>;
}

/// What git wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ran {
    /// Whether it ended well.
    pub success: bool,
    /// Its output; what is no UTF-8 is replaced.
    pub stdout: String,
    /// What it said besides.
    pub stderr: String,
    /// Whether there was more output than this.
    pub truncated: bool,
}

/// Says why git could not be asked, or did not answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GitError {
    /// It can't be run.
    #[error("git could not be asked: {message}")]
    NotRun {
        /// Why.
        message: String,
    },
    /// It failed.
    #[error("git says: {message}")]
    Failed {
        /// The first line of what it said.
        message: String,
    },
    /// It has more to say than can be read.
    #[error("git has too much to say")]
    TooMuch,
}

/// What stands before every subcommand.
pub const SAFE_ARGUMENTS: [&str; 16] = [
    "--no-optional-locks",
    "--no-pager",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.quotePath=false",
    "-c",
    "diff.external=",
    "-c",
    "log.showSignature=false",
    "-c",
    "protocol.allow=never",
    "-c",
    "submodule.recurse=false",
];

/// The variables with which git is run, besides those that every program gets.
pub const SAFE_ENVIRONMENT: [(&str, &str); 4] =
    [("LC_ALL", "C"), ("GIT_OPTIONAL_LOCKS", "0"), ("GIT_NO_LAZY_FETCH", "1"), ("GIT_TERMINAL_PROMPT", "0")];
