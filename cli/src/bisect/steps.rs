//! A bisection step by step: with all it must fail, with none it must pass, then the search, and then the same again to be
//! sure. Each step is said as it ends.

use super::evidence::{Deed, deed_of};
use super::search::{Members, Needs};
use super::trial::{Ended, Runner, Trial, TrialError};
use crate::command::Signals;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::view::words;
use pintle_manifest::Name;
use serde_json::{Value, json};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How many lines of the end of a log are told.
const TOLD: usize = 4;

/// What was found.
pub(crate) struct Found {
    pub group: Vec<Name>,
    /// Whether the command passes without the first of them.
    pub enough: bool,
    pub deed: Option<Deed>,
    /// The last lines that the command and its host printed in the run that decided.
    pub last: Vec<String>,
    pub trials: Vec<Trial>,
    pub took: Duration,
    pub directory: PathBuf,
    pub disable: String,
}

/// One search, step by step.
pub(crate) struct Bisection<'a> {
    runner: Runner<'a>,
    needs: Needs,
    runtime: &'a tokio::runtime::Runtime,
    signals: Signals,
}

impl<'a> Bisection<'a> {
    pub(crate) fn new(
        runner: Runner<'a>,
        needs: Needs,
        runtime: &'a tokio::runtime::Runtime,
    ) -> Result<Self, Failure> {
        let _entered = runtime.enter();
        let signals = crate::verbs::exec::listen()?;
        Ok(Self { runner, needs, runtime, signals })
    }

    /// Runs the command as often as it takes.
    pub(crate) fn run(mut self) -> Result<Found, Failure> {
        let since = Instant::now();
        let all = self.needs.all();
        if !self.fails(&all)? {
            return Err(self.ended(
                "bisect.passes",
                "the command passes with all extensions, so there is nothing to find",
                "does it fail only at a terminal, or only sometimes? Standard input is empty here",
            ));
        }
        if self.fails(&Members::new())? {
            return Err(self.ended(
                "bisect.not_an_extension",
                "the command fails without any extension too, so none of them is to blame",
                "`pintle exec --no-extensions -- COMMAND` shows what it says by itself",
            ));
        }
        let needs = self.needs.clone();
        let group = needs.search(&mut |members| self.fails(members))?;
        let alone = needs.closed(&group);
        // It failed once in the search; it has to fail again.
        if !self.fails(&alone)? {
            return Err(self.unsteady(&group));
        }
        let decided = self.runner.trials.last().cloned().expect("it was just made");
        let first = group.first().expect("a search finds something").clone();
        let rest = needs.without(&first);
        let enough = !self.fails(&rest)?;
        if !enough && rest.is_empty() {
            return Err(self.unsteady(&group));
        }
        let disable = self.runner.situation.command(&["disable", first.as_str()]);
        Ok(Found {
            deed: deed_of(&decided.trace, &group),
            last: last_lines(&decided.log),
            group,
            enough,
            took: since.elapsed(),
            directory: self.runner.directory.clone(),
            disable,
            trials: self.runner.trials,
        })
    }

    /// Runs the command with these extensions, and says how that ended.
    fn fails(&mut self, members: &Members) -> Result<bool, Failure> {
        let trial = self.runtime.block_on(self.runner.run(members, &mut self.signals))?;
        let word = if trial.fails { "fails" } else { "passes" };
        let how = match trial.ended {
            Ended::Exited(code) => format!("exit code {code}"),
            Ended::Signaled(signal) => format!("signal {signal}"),
            Ended::TimedOut => format!("not done in {}", words::duration(self.runner.patience)),
        };
        let with = match members.len() {
            0 => "no extension".to_owned(),
            1..=3 => words::list(members),
            count => words::count(count, "extension", "extensions"),
        };
        // The folder is told at the end.
        let log = trial.log.file_name().unwrap_or_default().to_string_lossy();
        self.runner.situation.ui.status(word, format_args!("with {with}: {how}; {log}"));
        Ok(trial.fails)
    }

    fn unsteady(&self, group: &[Name]) -> Failure {
        let names = words::list(group);
        let what = format!(
            "the command fails with {names} at one time and passes at another, so this proves nothing"
        );
        self.ended("bisect.unsteady", &what, "run it again, or with a command that fails every time")
    }

    fn ended(&self, code: &'static str, what: &str, next: &str) -> Failure {
        let directory = self.runner.directory.to_string_lossy().into_owned();
        let runs: Vec<Value> = self.runner.trials.iter().map(trial_document).collect();
        Failure::new(code, what)
            .hint(next)
            .hint(format!("output and traces are in {}", words::path(&self.runner.directory)))
            .detail("directory", directory)
            .detail("runs", runs)
    }
}

/// Returns a trial for a document.
pub(crate) fn trial_document(trial: &Trial) -> Value {
    let (exit_code, signal) = match trial.ended {
        Ended::Exited(code) => (Some(code), None),
        Ended::Signaled(signal) => (None, Some(signal)),
        Ended::TimedOut => (None, None),
    };
    json!({
        "extensions": trial.members,
        "fails": trial.fails,
        "exit_code": exit_code,
        "signal": signal,
        "timed_out": trial.ended == Ended::TimedOut,
        "ms": u64::try_from(trial.took.as_millis()).unwrap_or(u64::MAX),
        "log": trial.log.to_string_lossy(),
    })
}

impl From<TrialError> for Failure {
    fn from(error: TrialError) -> Self {
        match error {
            TrialError::Io { .. } => Self::of("exec.system", &error),
            TrialError::Interrupted => Self::of("interrupted", &error).exit(Exit::Interrupted),
        }
    }
}

/// Returns the last lines of a log that say something.
fn last_lines(log: &Path) -> Vec<String> {
    let Ok(mut file) = std::fs::File::open(log) else { return Vec::new() };
    let from = file.metadata().map_or(0, |metadata| metadata.len().saturating_sub(4096));
    let mut bytes = Vec::new();
    let _ = file.seek(SeekFrom::Start(from)).and_then(|_| file.read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = &lines[lines.len().saturating_sub(TOLD)..];
    last.iter().map(|line| line.chars().take(200).collect()).collect()
}
