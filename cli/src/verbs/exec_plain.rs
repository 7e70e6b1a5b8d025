//! `pintle exec-plain`: runs a command and nothing else, to try that.

use crate::command::{self, Command, Signals, Stream};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use clap::Args;
use serde_json::json;
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs a command
#[derive(Debug, Args)]
pub(crate) struct ExecPlainArgs {
    /// Does not look at the output
    #[arg(long)]
    untapped: bool,
    /// Writes what came of it
    #[arg(long)]
    report: Option<PathBuf>,
    /// The command
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    command: Vec<OsString>,
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ExecPlainArgs) -> Result<Exit, Failure> {
    let bug = |error: std::io::Error| Failure::new("command.system", error.to_string());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(bug)?;
    let command = Command {
        argv: arguments.command.clone(),
        directory: None,
        search: situation.environment.search.clone(),
    };
    let (mut out, mut err, mut both) = (0, 0, 0);
    let mut tap = |stream: Stream, piece: &[u8]| match stream {
        Stream::Out => out += piece.len(),
        Stream::Err => err += piece.len(),
        Stream::Both => both += piece.len(),
    };
    let finished = runtime.block_on(async {
        let mut signals = Signals::listen().map_err(bug)?;
        let tap: Option<command::Tap<'_>> = if arguments.untapped { None } else { Some(&mut tap) };
        command::run(&command, tap, &mut signals).await.map_err(Failure::from)
    })?;
    if let Some(path) = &arguments.report {
        let report = json!({ "out": out, "err": err, "both": both, "code": finished.code, "signal": finished.signal,
            "tail": String::from_utf8_lossy(&finished.tail), "truncated": finished.truncated });
        #[expect(clippy::disallowed_methods, reason = "no state")]
        std::fs::write(path, report.to_string()).map_err(bug)?;
    }
    if let Some((stream, error)) = &finished.lost {
        situation
            .ui
            .warning(format_args!("the output of the command ({stream:?}) can't be written: {error}"));
    }
    Ok(Exit::OfCommand(finished.exit_code()))
}
