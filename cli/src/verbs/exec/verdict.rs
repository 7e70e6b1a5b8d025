//! What a person is told of what the guards decided: who blocked a command and why, or who changed it and into what.

use crate::command;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::payload::{Tool, ToolCall};
use crate::host::{Agent, words_of};
use crate::situation::Situation;
use pintle_loader::hook::Blocked;
use pintle_loader::keep::Places;
use pintle_manifest::Untrusted;
use pintle_registry::store::Disabled;

/// Says what runs instead of what was written, and who wants it so.
pub(super) fn tell_of_change(situation: &Situation<'_>, agent: &Agent, first: &ToolCall, allowed: &ToolCall) {
    let (is_same, moved) = (words_of(allowed) == words_of(first), allowed.cwd != first.cwd);
    if is_same && !moved {
        return;
    }
    let by: Vec<String> = agent.hearing.changed_by().iter().map(|name| format!("`{name}`")).collect();
    let runs = match allowed.tool {
        Tool::Exec => command::line(words_of(allowed)),
        Tool::Shell => allowed.line.clone(),
    };
    let place = if moved { format!(" in `{}`", Untrusted(&allowed.cwd)) } else { String::new() };
    let (by, runs) = (by.join(" and "), Untrusted(&runs));
    situation.ui.note(format_args!("{by} changed the command: `{runs}` is run{place}"));
}

/// Says why nobody could be asked, and how to be.
fn unasked(situation: &Situation<'_>, call: &ToolCall, failure: Failure) -> Failure {
    let environment = situation.environment;
    let missing = match (environment.stdin_is_terminal, environment.stderr_is_terminal) {
        (false, true) => "standard input",
        (true, false) => "standard error",
        // A machine, or one that says that it is one.
        (_, _) => return failure.hint("run it in a terminal, where you can answer"),
    };
    let failure =
        failure.hint(format!("{missing} leads elsewhere than to your terminal, so you can't be asked"));
    match call.tool {
        Tool::Exec => failure.hint("give it the whole line, with its pipes: `pintle exec --shell '…'`"),
        Tool::Shell => failure.hint("leave standard input and error to it; pipes belong into the line"),
    }
}

/// Returns what a blocked command fails with.
pub(super) fn blocked(situation: &Situation<'_>, agent: &Agent, call: &ToolCall, why: &Blocked) -> Failure {
    let line = Untrusted(&call.line).to_string();
    let by = why.by.as_ref().map_or_else(|| "pintle".to_owned(), ToString::to_string);
    let (code, what) = match why.code.as_str() {
        "guard.blocked" => ("guard.blocked", format!("`{by}` blocked `{line}`")),
        "guard.refused" => ("guard.refused", format!("`{line}` was not run: you said no to `{by}`")),
        "guard.unasked" => (
            "guard.unasked",
            format!("`{by}` blocked `{line}`: it needs a yes, and nobody is here to be asked"),
        ),
        _ => ("guard.fault", format!("`{line}` was not run: `{by}` guards it and failed")),
    };
    let cause = match code {
        "guard.fault" => format!("{} [{}]", why.reason, why.code),
        _ => why.reason.clone(),
    };
    let failure = Failure::new(code, what).exit(Exit::CannotRun).cause(cause);
    match code {
        "guard.unasked" => unasked(situation, call, failure),
        "guard.fault" => {
            // Of the host's own mistakes no extension is to blame.
            let Some(by) = &why.by else { return failure };
            let log = Places::below(&situation.scope().base).log_of(by);
            let failure = match !agent.host.log(by, 1).is_empty() && log.exists() {
                true => failure.hint(format!("what it printed and logged is in `{}`", log.display())),
                false => failure,
            };
            let is_off = Disabled::read(&situation.scope()).is_ok_and(|off| off.names.contains_key(by));
            match (agent.lowered.folders.contains(by), is_off) {
                (true, _) => failure.hint(format!(
                    "it runs because `--with` names the folder of `{by}`; leave that out to run without it"
                )),
                (false, true) => failure.hint("it was turned off just now; run the command again"),
                (false, false) => failure.hint(format!("`pintle disable {by}` turns it off")),
            }
        }
        _ => failure,
    }
}
