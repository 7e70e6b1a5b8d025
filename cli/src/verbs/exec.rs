//! `pintle exec`: runs a command as a host. Extensions are asked before it runs, see what it prints, and may annotate its
//! end; else the command runs as if nobody were there.

mod verdict;

use crate::command::{self, Command, Finished, Received, Signals, Tap};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::payload::{OutputDelta, SessionEnd, SessionStart, Tool, ToolCall, ToolResult};
use crate::host::{Agent, program_of, report_lines, trace_file, words_of};
use crate::lower::{self, Selection};
use crate::situation::{Environment, Situation};
use crate::ui::{Format, Ui};
use clap::Args;
use pintle_loader::hook::Verdict;
use pintle_loader::keep::Places;
use pintle_loader::slot::InvokeError;
use pintle_loader::stage::Report;
use pintle_manifest::{Name, Untrusted};
use serde_json::json;
use std::ffi::OsString;
use std::fs::File;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;
use verdict::{blocked, tell_of_change};

/// What runs a command whatever is wrong with extensions.
const WAY_OUT: &str = "to run it without any extension: `--no-extensions`";
/// How many descriptors must be free before anything begins.
const SPARE: usize = 16;
/// How long the end of a stream is waited for.
const FLUSH: Duration = Duration::from_secs(1);

/// Runs a command under the eyes of the installed extensions
///
/// Extensions that guard `tool.call` are asked before the command runs. A command that one of them blocks does not
/// run, and the exit code is 126. Else its output streams through untouched, a terminal stays a terminal, and its exit
/// code is ours.
///
/// `--no-extensions`, or PINTLE_NO_EXTENSIONS=1, reads and runs nothing of any extension, and works whatever is damaged.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pintle exec -- rm -rf build\n  pintle exec --shell 'make && make install'\n  pintle exec --command blast"
)]
pub(crate) struct ExecArgs {
    /// The command and its arguments
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Lets a shell run this line
    #[arg(long, value_name = "LINE", conflicts_with = "command")]
    shell: Option<OsString>,
    /// Runs a command that an extension offers; what follows are its arguments
    #[arg(long = "command", value_name = "NAME", conflicts_with = "shell")]
    offered: Option<String>,
    #[command(flatten)]
    pub which: WhichArgs,
    /// Writes every dispatch, outcome, fault and duration to this file, a JSON object a line
    #[arg(long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// Keeps what is held, and what counts against extensions, in this directory alone: a trial of `pintle bisect`
    #[arg(long, value_name = "DIR", hide = true)]
    trial: Option<PathBuf>,
}

/// Which extensions are loaded.
#[derive(Debug, Clone, Args)]
pub(crate) struct WhichArgs {
    /// Reads and runs nothing of any extension [env: PINTLE_NO_EXTENSIONS]
    #[arg(long, conflicts_with_all = ["only", "without", "with"])]
    pub no_extensions: bool,
    /// Loads only these extensions, and what they need
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub only: Vec<Name>,
    /// Leaves these extensions out
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub without: Vec<Name>,
    /// Loads the extension in this folder, too, with everything it asks for; for authors
    #[arg(long, value_name = "DIR")]
    pub with: Vec<PathBuf>,
}

impl WhichArgs {
    /// Tells whether no extension is meant.
    pub(crate) fn none(&self, environment: &Environment) -> bool {
        self.no_extensions || environment.no_extensions
    }

    /// Returns which extensions are meant.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            only: self.only.iter().cloned().collect(),
            without: self.without.iter().cloned().collect(),
            folders: self.with.clone(),
        }
    }
}

/// What is to be run, as the person wrote it.
struct Written {
    tool: Tool,
    argv: Vec<OsString>,
    line: String,
}

/// Runs a command without any extension, in our place. Needs neither a home nor a set, nor anything else that a host
/// needs, so whatever is wrong with that does not matter.
pub(crate) fn run_without_extensions(
    environment: &Environment,
    ui: &Ui,
    arguments: &ExecArgs,
) -> Result<Exit, Failure> {
    no_document(ui)?;
    let written = written(arguments)?;
    if arguments.offered.is_some() {
        return Err(Failure::new("usage", "a command of an extension can't be run without extensions")
            .exit(Exit::Usage)
            .hint("leave out `--no-extensions`, and unset PINTLE_NO_EXTENSIONS"));
    }
    Err(command::become_it(&plain(environment, written.argv)).into())
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &ExecArgs) -> Result<Exit, Failure> {
    no_document(situation.ui)?;
    let written = written(arguments)?;
    in_runtime(exec(situation, arguments, written)).map_err(|failure| match failure.code == "exec.system" {
        true => not_run(failure),
        false => failure,
    })
}

fn no_document(ui: &Ui) -> Result<(), Failure> {
    match ui.format {
        Format::Human => Ok(()),
        Format::Json => {
            Err(Failure::new("usage", "`pintle exec` has no document: standard output is the command's")
                .exit(Exit::Usage)
                .hint("`--trace FILE` writes what extensions did"))
        }
    }
}

/// Makes what hosts run in.
pub(super) fn runtime() -> Result<Runtime, Failure> {
    // The runtime panics if it can't have the descriptors that it needs for itself.
    let spare: Result<Vec<File>, _> = (0..SPARE).map(|_| File::open("/dev/null")).collect();
    spare.map_err(|error| Failure::new("exec.system", format!("no descriptors are left: {error}")))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::new("exec.system", format!("no runtime: {error}")))
}

/// Runs a host to its end.
pub(super) fn in_runtime<T>(host: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
    let runtime = runtime()?;
    let result = runtime.block_on(host);
    // Whatever still runs in the background is not waited for.
    runtime.shutdown_background();
    result
}

/// Listens for what asks us to end.
pub(crate) fn listen() -> Result<Signals, Failure> {
    Signals::listen()
        .map_err(|error| Failure::new("exec.system", format!("can't listen for signals: {error}")))
}

async fn exec(situation: &Situation<'_>, arguments: &ExecArgs, written: Written) -> Result<Exit, Failure> {
    let mut signals = listen()?;
    let agent = tokio::select! {
        agent = start(situation, arguments) => agent?,
        received = signals.next() => return Ok(interrupted(received)),
    };
    let exit = tokio::select! {
        exit = session(situation, arguments, written, &agent, &mut signals) => exit,
        never = crate::host::heed_disabling(situation, &agent) => match never {},
    };
    end(situation, &agent, &mut signals).await.map_or(exit, Ok)
}

/// Does what was asked for, between the first hook and the last.
async fn session(
    situation: &Situation<'_>,
    arguments: &ExecArgs,
    written: Written,
    agent: &Agent,
    signals: &mut Signals,
) -> Result<Exit, Failure> {
    let since = Instant::now();
    let session = format!("{}-{}", std::process::id(), situation.now.as_millisecond());
    agent.session_start.tell(&SessionStart {
        session: session.clone(),
        host_version: env!("CARGO_PKG_VERSION").to_owned(),
        cwd: situation.directory.to_string_lossy().into_owned(),
        interactive: situation.environment.can_ask(),
    });
    let exit = match &arguments.offered {
        Some(name) => tokio::select! {
            exit = invoke(situation, agent, name, &arguments.command) => exit,
            received = signals.next() => Ok(interrupted(received)),
        },
        None => command_under(situation, written, agent, signals).await,
    };
    let exit_code = exit.as_ref().map_or_else(|failure| failure.exit.code(), |exit| exit.code());
    let duration_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    agent.session_end.tell(&SessionEnd { session, exit_code: Some(i32::from(exit_code)), duration_ms });
    exit
}

/// Loads the set, says in a line each what is left out, and refuses to go on without what is required.
async fn start(situation: &Situation<'_>, arguments: &ExecArgs) -> Result<Agent, Failure> {
    let lowered = lower::lower(situation, &arguments.which.selection()).map_err(not_run)?;
    let trace = arguments.trace.as_deref().map(|path| trace_file(situation, path)).transpose()?;
    let trial = arguments.trial.as_deref();
    let started = Agent::start(situation, lowered, trial, trace).await;
    let agent = started.map_err(not_run)?;
    let missing = agent.reports.iter().find(|report| report.required && !report.is_ready());
    // What refuses the command is said at length.
    let others =
        agent.reports.iter().filter(|report| missing.is_none_or(|missing| missing.name != report.name));
    let places = Places::below(&situation.scope().base);
    report_lines(situation.ui, &places, &agent.lowered.folders, others);
    for name in &agent.lowered.left_out {
        situation.ui.warning(format_args!("`{name}` is required, and is left out as you asked"));
    }
    let Some(missing) = missing else { return Ok(agent) };
    let failure = not_ready(missing).hint(WAY_OUT);
    agent.host.shutdown().await;
    agent.remember(situation);
    Err(failure)
}

/// Says that a failure keeps a command from being run, and what runs it all the same.
pub(super) fn not_run(failure: Failure) -> Failure {
    match failure.exit == Exit::Bug {
        true => failure,
        false => failure.exit(Exit::CannotRun).hint(WAY_OUT),
    }
}

fn not_ready(report: &Report) -> Failure {
    let name = &report.name;
    let failure = Failure::new(
        "exec.required",
        format!("`{name}` is required and not ready, so the command is not run"),
    )
    .exit(Exit::CannotRun);
    let Some((stage, why)) = report.failure() else { return failure };
    let failure = failure.cause(format!("stage {}: {} ({})", stage.as_str(), why.message, why.code));
    match &why.hint {
        Some(hint) => failure.hint(hint.clone()),
        None => failure,
    }
}

/// Asks the guards, runs the command, and lets its result be annotated.
async fn command_under(
    situation: &Situation<'_>,
    written: Written,
    agent: &Agent,
    signals: &mut Signals,
) -> Result<Exit, Failure> {
    let id = format!("{}-1", std::process::id());
    let first = call(situation, &written, &id);
    agent.hearing.hold();
    let verdict = tokio::select! {
        verdict = agent.tool_call.ask(first.clone()) => verdict,
        received = signals.next() => {
            agent.hearing.release(None);
            situation.ui.note(format_args!("`{}` was not run", Untrusted(&first.line)));
            return Ok(interrupted(received));
        }
    };
    let allowed = match verdict {
        Verdict::Continue(call) => call,
        Verdict::Block(why) => {
            agent.hearing.release(Some(&why));
            return Err(blocked(situation, agent, &first, &why));
        }
    };
    agent.hearing.release(None);
    tell_of_change(situation, agent, &first, &allowed);
    let command = what_runs(situation, written, &first, &allowed);
    let finished = {
        // Nothing is asked of the person, and where the screen is the command's, nothing is shown.
        let _screen = Lent::to_command(situation, agent);
        run_watched(agent, &command, &id, signals).await?
    };
    if let Some((stream, error)) = &finished.lost {
        situation
            .ui
            .warning(format_args!("the output of the command ({stream:?}) can't be written: {error}"));
    }
    agent.output.flush(FLUSH).await;
    annotate(situation, agent, &allowed, &finished).await;
    Ok(Exit::OfCommand(finished.exit_code()))
}

/// The person and their screen, while the command has them.
struct Lent<'a> {
    agent: &'a Agent,
    can_ask: bool,
}

impl<'a> Lent<'a> {
    fn to_command(situation: &Situation<'_>, agent: &'a Agent) -> Self {
        agent.board.may_ask(false);
        if situation.environment.stderr_is_terminal {
            agent.hearing.hold();
            agent.board.hold();
        }
        Self { agent, can_ask: situation.environment.can_ask() }
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.agent.board.may_ask(self.can_ask);
        self.agent.board.release();
        self.agent.hearing.release(None);
    }
}

/// Runs the command, with every piece of output on its way to whoever listens.
async fn run_watched(
    agent: &Agent,
    command: &Command,
    id: &str,
    signals: &mut Signals,
) -> Result<Finished, Failure> {
    let mut seq = 0;
    let listens = agent.output.is_heard();
    let mut tap = |stream: command::Stream, piece: &[u8]| {
        if !listens {
            return;
        }
        let stream = match stream {
            command::Stream::Out | command::Stream::Both => "stdout",
            command::Stream::Err => "stderr",
        };
        let text = String::from_utf8_lossy(piece).into_owned();
        agent.output.push(&OutputDelta { id: id.to_owned(), stream, seq, text });
        seq += 1;
    };
    let tap: Option<Tap<'_>> = match listens || agent.tool_result.is_heard() {
        true => Some(&mut tap),
        false => None,
    };
    Ok(command::run(command, tap, signals).await?)
}

async fn annotate(situation: &Situation<'_>, agent: &Agent, call: &ToolCall, finished: &Finished) {
    if !agent.tool_result.is_heard() {
        return;
    }
    let result = ToolResult {
        id: call.id.clone(),
        tool: call.tool,
        program: call.program.clone(),
        exit_code: finished.code,
        signal: finished.signal,
        duration_ms: u64::try_from(finished.duration.as_millis()).unwrap_or(u64::MAX),
        tail: String::from_utf8_lossy(&finished.tail).into_owned(),
        truncated: finished.truncated,
        notes: Vec::new(),
    };
    let result = agent.tool_result.apply(result).await;
    for note in &result.notes {
        situation.ui.rendered(&format!("note: {}\n", Untrusted(note)));
    }
}

/// Runs a command that an extension offers.
async fn invoke(
    situation: &Situation<'_>,
    agent: &Agent,
    name: &str,
    words: &[OsString],
) -> Result<Exit, Failure> {
    let args: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let payload = json!({
        "args": args,
        "cwd": situation.directory.to_string_lossy(),
        "interactive": situation.environment.can_ask(),
    });
    let reply = agent.command.invoke(name, &payload).await.map_err(|error| {
        let offered: Vec<String> = agent.command.entries().iter().map(|entry| entry.name.clone()).collect();
        let is_unknown = matches!(error, InvokeError::Unknown { .. });
        let failure = Failure::from_invoke(error, &offered);
        // Whoever does not run offers nothing.
        let absent = agent.reports.iter().filter(|_| is_unknown).filter_map(|report| {
            let (_, why) = report.failure()?;
            Some(format!("`{}` does not run now: {} ({})", report.name, why.message, why.code))
        });
        absent.fold(failure, |failure, hint| failure.hint(hint))
    })?;
    if let Some(text) = reply["text"].as_str() {
        situation.ui.out(&format!("{}\n", crate::ui::escaped(text, "")));
    }
    let code = reply["exit_code"].as_u64().and_then(|code| u8::try_from(code).ok()).unwrap_or(0);
    Ok(Exit::OfCommand(code))
}

/// Ends all extensions, and says what did not end by itself. Whoever does not want to wait for that ends it all at once.
async fn end(situation: &Situation<'_>, agent: &Agent, signals: &mut Signals) -> Option<Exit> {
    let ended = tokio::select! {
        ended = agent.host.shutdown() => ended,
        received = signals.next() => return Some(interrupted(received)),
    };
    for disposed in ended.iter().filter(|disposed| !disposed.forced.is_empty()) {
        let (name, forced) = (&disposed.name, disposed.forced.join(", "));
        situation.ui.warning(format_args!("`{name}` did not end when it was told to; killed: {forced}"));
    }
    agent.remember(situation);
    None
}

fn written(arguments: &ExecArgs) -> Result<Written, Failure> {
    if let Some(line) = &arguments.shell {
        let argv = vec!["sh".into(), "-c".into(), line.clone()];
        return Ok(Written { tool: Tool::Shell, argv, line: line.to_string_lossy().into_owned() });
    }
    if arguments.command.is_empty() && arguments.offered.is_none() {
        return Err(Failure::new("usage", "no command is given")
            .exit(Exit::Usage)
            .hint("write it after two dashes: `pintle exec -- make test`"));
    }
    let line = command::line(&arguments.command);
    Ok(Written { tool: Tool::Exec, argv: arguments.command.clone(), line })
}

fn call(situation: &Situation<'_>, written: &Written, id: &str) -> ToolCall {
    let argv: Vec<String> = written.argv.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    ToolCall {
        id: id.to_owned(),
        tool: written.tool,
        program: program_of(&argv),
        argv,
        cwd: situation.directory.to_string_lossy().into_owned(),
        line: written.line.clone(),
        interactive: situation.environment.can_ask(),
    }
}

/// Returns what is run in the end. What no extension changed is run exactly as it was written, also where that is no
/// text.
fn what_runs(situation: &Situation<'_>, written: Written, first: &ToolCall, allowed: &ToolCall) -> Command {
    let argv = match words_of(allowed) == words_of(first) {
        true => written.argv,
        false => words_of(allowed),
    };
    let directory = (allowed.cwd != first.cwd).then(|| PathBuf::from(&allowed.cwd));
    Command { directory, ..plain(situation.environment, argv) }
}

fn plain(environment: &Environment, argv: Vec<OsString>) -> Command {
    Command { argv, directory: None, search: environment.search.clone() }
}

pub(super) fn interrupted(received: Received) -> Exit {
    Exit::OfCommand(u8::try_from(128 + received.signal as i32).unwrap_or(130))
}
