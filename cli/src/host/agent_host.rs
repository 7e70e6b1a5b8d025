//! The host behind `pintle exec`: the agent contract, claimed and answered in full.

use super::board::{self, Board};
use super::change;
use super::hearing::Hearing;
use super::payload::{OutputDelta, SessionEnd, SessionStart, ToolCall, ToolResult};
use super::tally::Tally;
use crate::failure::Failure;
use crate::lower::Lowered;
use crate::situation::Situation;
use pintle_loader::call::{CallError, Caller};
use pintle_loader::hook::{Guard, Observe, Stream, Transform};
use pintle_loader::keep::{Places, Quarantine};
use pintle_loader::slot::Slot;
use pintle_loader::stage::Report;
use pintle_loader::trace::TraceEvent;
use pintle_loader::{BuildError, Host, HostBuilder, Promise};
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;

/// A running agent host.
pub(crate) struct Agent {
    pub host: Host,
    pub reports: Vec<Report>,
    pub board: Arc<Board>,
    pub hearing: Arc<Hearing>,
    pub session_start: Observe<SessionStart>,
    pub session_end: Observe<SessionEnd>,
    pub tool_call: Guard<ToolCall>,
    pub output: Stream<OutputDelta>,
    pub tool_result: Transform<ToolResult>,
    pub command: Slot,
    /// What happened; of a trial nothing is remembered.
    tally: Option<Tally>,
    /// What the set was, and what keeps it in place.
    pub lowered: Lowered,
}

/// Where a trace goes.
pub(crate) type Trace = Box<dyn Fn(&TraceEvent) + Send + Sync>;

#[derive(Deserialize)]
struct Nothing {}

#[derive(Serialize)]
struct Directory {
    path: String,
}

impl Agent {
    /// Loads a set. What fails is in the reports, and stops nothing here. A trial keeps what it holds, and what counts
    /// against extensions, in a directory of its own.
    pub(crate) async fn start(
        situation: &Situation<'_>,
        mut lowered: Lowered,
        trial: Option<&Path>,
        trace: Option<Trace>,
    ) -> Result<Self, Failure> {
        let places = places(situation, trial);
        // What can't be read is never taken for nothing: what is in quarantine would run again.
        Quarantine::read(&places.state)?;
        let promise = Promise::of_tested(super::agent().clone());
        let board = Board::new(situation.ui, situation.environment.can_ask());
        let hearing = Hearing::new(situation.ui);
        let heard = Arc::clone(&hearing);
        let mut builder = HostBuilder::new(promise);
        builder
            .places(places)
            .environment(situation.environment.passed.clone())
            .directory(situation.directory.clone())
            .command(situation.environment.command())
            .notices(move |notice| heard.hear(notice));
        let tally = Tally::default();
        builder.trace(tally.beside(trace));
        if situation.environment.can_ask() {
            let person = Arc::clone(&board);
            builder.person(move |by, question| board::decide(Arc::clone(&person), by, question));
        }
        let claimed = Claimed::of(&mut builder, situation, &board)?;
        let candidates = std::mem::take(&mut lowered.candidates);
        let started = builder.start(candidates).await?;
        let Claimed { session_start, session_end, tool_call, output, tool_result, command } = claimed;
        Ok(Self {
            host: started.host,
            reports: started.reports,
            board,
            hearing,
            session_start,
            session_end,
            tool_call,
            output,
            tool_result,
            command,
            tally: trial.is_none().then_some(tally),
            lowered,
        })
    }

    /// Adds the run to the history, at its end. A trial is none, and neither is what a folder on the command line did.
    pub(crate) fn remember(&self, situation: &Situation<'_>) {
        let Some(tally) = &self.tally else { return };
        let counts = |report: &&Report| !self.lowered.folders.contains(&report.name);
        let reports: Vec<&Report> = self.reports.iter().filter(counts).collect();
        tally.keep(&situation.home.root().join("log"), situation.now, &reports);
    }
}

fn places(situation: &Situation<'_>, trial: Option<&Path>) -> Places {
    let places = Places::below(&situation.scope().base);
    match trial {
        Some(own) => Places { state: own.join("state"), run: own.join("run"), ..places },
        None => places,
    }
}

/// Everything that the contract promises.
struct Claimed {
    session_start: Observe<SessionStart>,
    session_end: Observe<SessionEnd>,
    tool_call: Guard<ToolCall>,
    output: Stream<OutputDelta>,
    tool_result: Transform<ToolResult>,
    command: Slot,
}

impl Claimed {
    fn of(
        builder: &mut HostBuilder,
        situation: &Situation<'_>,
        board: &Arc<Board>,
    ) -> Result<Self, BuildError> {
        let cwd = situation.directory.to_string_lossy().into_owned();
        let shown = || Arc::clone(board);
        let (notify, confirm, select, status) = (shown(), shown(), shown(), shown());
        builder
            .answer("ui.notify", move |caller: Caller, asked| {
                board::notify(Arc::clone(&notify), caller, asked)
            })?
            .answer("ui.confirm", move |caller: Caller, asked| {
                board::confirm(Arc::clone(&confirm), caller, asked)
            })?
            .answer("ui.select", move |caller: Caller, asked| {
                board::select(Arc::clone(&select), caller, asked)
            })?
            .answer("ui.status", move |caller: Caller, asked| {
                board::status(Arc::clone(&status), caller, asked)
            })?
            .check("tool.call", change::checked(situation.environment.search.clone()))?
            .answer("session.cwd", move |_caller: Caller, _: Nothing| {
                let path = cwd.clone();
                async move { Ok::<_, CallError>(Directory { path }) }
            })?;
        // Its lines are shown by the board as they come; nobody reads them here.
        builder.slot("status")?;
        Ok(Self {
            session_start: builder.observe("session.start")?,
            session_end: builder.observe("session.end")?,
            tool_call: builder.guard("tool.call")?,
            output: builder.stream("output.delta")?,
            tool_result: builder.transform("tool.result")?,
            command: builder.slot("command")?,
        })
    }
}
