//! `pintle contract`: shows what a host promises, and checks a contract or the step from one version to the next.
//! Changes nothing.

mod check;
mod show;
mod source;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::{Args, Subcommand};
use pintle_manifest::Contract;

/// Shows and checks what hosts promise to extensions
///
/// A host's contract is a file, `contract.toml`. The one of `pintle exec` is built in and called `agent`.
#[derive(Debug, Args)]
pub(crate) struct ContractArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows when a host calls, what it hands over, what it reads back, and how an extension may act
    ///
    /// Also says what of it is enforced and what is only trusted.
    Show {
        /// A hook, call, slot or permission; or a contract: `agent` or a file; or a contract and a name of it
        #[arg(value_name = "NAME|FILE", num_args = 0..=2)]
        what: Vec<String>,
    },
    /// Checks a contract, or says which step of the version a change of it needs
    ///
    /// With two contracts, ends with exit code 1 if the later version is too small a step, or if something is removed
    /// before its time.
    Check {
        /// The contract: a file, or `agent`; of two, the earlier
        #[arg(value_name = "OLD")]
        old: String,
        /// The later one
        #[arg(value_name = "NEW")]
        new: Option<String>,
    },
}

/// Reads a contract that must be right: a file, or `agent`.
pub(super) fn read(situation: &Situation<'_>, word: &str) -> Result<Contract, Failure> {
    source::read(situation, word).and_then(|source| source::parse(&source))
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ContractArgs) -> Result<Exit, Failure> {
    match &arguments.action {
        Action::Show { what } => show::run(situation, what),
        Action::Check { old, new: Some(new) } => check::step(situation, old, new),
        Action::Check { old, new: None } => check::alone(situation, old),
    }
}
