//! The part that talks to the host: it takes each command, lets it be analysed and measured, and asks. It decides
//! nothing by itself: where something could be lost, the person does.

use crate::analyse::{Command, analyse};
use crate::measure::{Finding, Git, GitError, Limits, Ran, SAFE_ENVIRONMENT, Survey};
use pintle_sdk::agent::{CommandCall, CommandReply, LogLevel, ProcessRun, Tool, ToolCall};
use pintle_sdk::protocol::Question;
use pintle_sdk::{Context, Error, Extension, Guard, Hooks};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The key under which the last hold is kept.
const LAST: &str = "last";
/// Longest line that is kept with it, in characters.
const LONGEST_KEPT: usize = 2000;
/// When a question to git is given up.
const GIT_TIME: Duration = Duration::from_secs(10);

/// The extension.
pub struct BlastRadius {
    home: Option<PathBuf>,
}

impl Extension for BlastRadius {
    fn start(_context: &Context) -> Result<Self, Error> {
        Ok(Self { home: std::env::home_dir().filter(|home| home.is_absolute()) })
    }

    fn hooks(hooks: &mut Hooks<Self>) {
        hooks.guard("tool.call", Self::on_tool_call);
        hooks.command("blast", Self::explain);
    }
}

/// What was held last.
#[derive(Debug, Serialize, Deserialize)]
struct Hold {
    line: String,
    cwd: String,
    title: String,
    details: Vec<String>,
}

impl BlastRadius {
    fn on_tool_call(&self, context: &Context, call: ToolCall) -> Result<Guard<ToolCall>, Error> {
        let command = match call.tool {
            Tool::Shell => Command::Line(&call.line),
            Tool::Exec => Command::Exact(&call.argv),
        };
        let dangers = analyse(command, Path::new(&call.cwd), self.home.as_deref());
        if dangers.is_empty() {
            return Ok(Guard::Continue);
        }
        let passed = u64::try_from(context.now()?.unix_ms).unwrap_or(0);
        let survey = Survey {
            git: &HostGit { context },
            now: SystemTime::UNIX_EPOCH + Duration::from_millis(passed),
            home: self.home.as_deref(),
            limits: Limits::default(),
        };
        let Some(Finding { title, details }) = survey.report(&dangers) else { return Ok(Guard::Continue) };
        let line = call.line.chars().take(LONGEST_KEPT).collect();
        let hold = Hold { line, cwd: call.cwd, title: title.clone(), details: details.clone() };
        // The question matters more than the record of it.
        if let Err(error) = context.store_set(LAST, &hold) {
            context.log(LogLevel::Warning, &format!("the hold could not be kept: {error}"))?;
        }
        Ok(Guard::Ask(Question { title, details }))
    }

    fn explain(&self, context: &Context, _call: CommandCall) -> Result<CommandReply, Error> {
        let Some(hold) = context.store_get::<Hold>(LAST)? else {
            return Ok(CommandReply::text("nothing was held yet\n"));
        };
        let mut text = format!("{}\n", hold.title);
        for line in &hold.details {
            text.push_str(&format!("  {line}\n"));
        }
        text.push_str(&format!("\nThe whole line was: {}\nIn: {}\n", hold.line, hold.cwd));
        Ok(CommandReply::text(text))
    }
}

/// Git, run by the host.
struct HostGit<'a> {
    context: &'a Context,
}

impl Git for HostGit<'_> {
    fn git(&self, dir: &Path, arguments: &[String]) -> Result<Ran, GitError> {
        let not_run = |message: String| GitError::NotRun { message };
        let Some(cwd) = dir.to_str() else {
            return Err(not_run("the name of the directory is no text that it can be given".to_owned()));
        };
        let run = ProcessRun {
            cwd: Some(cwd.to_owned()),
            env: SAFE_ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            timeout_ms: u64::try_from(GIT_TIME.as_millis()).ok(),
            ..ProcessRun::new("git", arguments)
        };
        let ran = self.context.process_run(&run).map_err(|error| not_run(error.to_string()))?;
        match (ran.timed_out, ran.signal) {
            (true, _) => Err(not_run("it took too long".to_owned())),
            (false, Some(signal)) => Err(not_run(format!("it was ended by signal {signal}"))),
            (false, None) => Ok(Ran {
                success: ran.is_success(),
                stdout: ran.stdout,
                stderr: ran.stderr,
                truncated: ran.truncated,
            }),
        }
    }
}

pintle_sdk::export!(BlastRadius);
