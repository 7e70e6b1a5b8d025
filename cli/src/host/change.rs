//! What an extension may make of a command. It must be one that can be run, and be called what it is; else it is the
//! extension's fault, and its name is known.

use super::payload::{Tool, ToolCall};
use crate::command::{self, Command};
use pintle_manifest::Untrusted;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Returns the last part of the path of the program.
pub(crate) fn program_of(argv: &[String]) -> String {
    let first = argv.first().map(String::as_str).unwrap_or_default();
    Path::new(first).file_name().map_or_else(|| first.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Returns the words that are run.
pub(crate) fn words_of(call: &ToolCall) -> Vec<OsString> {
    match call.tool {
        Tool::Exec => call.argv.iter().map(OsString::from).collect(),
        Tool::Shell => vec!["sh".into(), "-c".into(), OsString::from(&call.line)],
    }
}

/// Returns what checks a change. `search` is where programs are looked for.
pub(super) fn checked(
    search: Option<OsString>,
) -> impl Fn(ToolCall, ToolCall) -> Result<(), String> + Send + Sync + 'static {
    move |present, wanted| {
        named_as_it_is(&wanted)?;
        can_be_run(&present, &wanted, search.as_ref())
    }
}

/// Filters go by `program`, so what is run must be what it says; else an extension could slip past another's filter.
fn named_as_it_is(wanted: &ToolCall) -> Result<(), String> {
    let runs = program_of(&wanted.argv);
    match wanted.tool == Tool::Shell || wanted.program == runs {
        true => Ok(()),
        false => Err(format!(
            "it changes the command to `{}` and says that it is `{}`",
            Untrusted(&runs),
            Untrusted(&wanted.program)
        )),
    }
}

/// A person's own mistake stays theirs: only what was changed is looked at.
fn can_be_run(present: &ToolCall, wanted: &ToolCall, search: Option<&OsString>) -> Result<(), String> {
    let moved = wanted.cwd != present.cwd;
    if words_of(wanted) == words_of(present) && !moved {
        return Ok(());
    }
    let directory = moved.then(|| PathBuf::from(&wanted.cwd));
    let command = Command { argv: words_of(wanted), directory, search: search.cloned() };
    command::check(&command).map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("what it wants to run instead can't be run: {error}{cause}")
    })
}
