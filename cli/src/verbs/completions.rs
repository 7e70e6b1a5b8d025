//! `pintle completions`: prints the completions of a shell, made from the command line's own description.

use crate::arguments::Cli;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

/// Prints completions for a shell
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pintle completions bash > ~/.local/share/bash-completion/completions/pintle"
)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "pintle", &mut script);
    super::man::print_text(situation, "completions", &String::from_utf8_lossy(&script));
    Ok(Exit::Done)
}
