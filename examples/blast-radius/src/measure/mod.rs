//! Looks at what a danger would lose. It only reads: files are counted, and git is asked in ways that change nothing
//! and start no program that a repository names. What it can't measure it says, and asks all the same.

mod phrase;
mod git;
mod repository;
mod targets;
mod walk;
mod remove;
mod tracked;
mod changes;
mod clean;
mod commits;
mod configured;
mod forget;
mod trees;
mod stash;
mod database;
mod survey;
mod report;

pub use git::{Git, GitError, Ran, SAFE_ARGUMENTS, SAFE_ENVIRONMENT};
pub use survey::{Finding, Limits, Survey};
