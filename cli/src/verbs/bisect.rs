//! `pintle bisect`: finds the extension that breaks a command, by running the command with half of them, and half of that.

use super::exec::{WhichArgs, runtime};
use crate::bisect::{Bisection, Found, Runner, candidates, trial_document};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::question::{Answer, ask};
use crate::situation::Situation;
use crate::ui::{Document, Paint, escaped};
use crate::view::words;
use clap::Args;
use pintle_loader::keep::Places;
use pintle_manifest::Untrusted;
use serde_json::{Map, Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How many directories of logs are kept.
const KEPT: usize = 5;

/// Finds the extension that breaks a command
///
/// Runs the command with all extensions, which must fail; without any, which must pass; then with half of them, and half of
/// that, until one is left, or several that fail together only. Nothing is disabled by it, and nothing that happens in it
/// is held against an extension.
///
/// The command is run several times, with nothing to read on standard input and its output in files, so it should be safe
/// to repeat. It fails if it ends with another exit code than 0, if an extension blocks it, or if it does not end in time.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  pintle bisect -- make test\n  pintle bisect --timeout 5m --shell 'make && make check'\n  pintle bisect --bad-exit 139 -y -- ./server --check"
)]
pub(crate) struct BisectArgs {
    /// The command and its arguments
    #[arg(trailing_var_arg = true, value_name = "COMMAND")]
    command: Vec<OsString>,
    /// Lets a shell run this line
    #[arg(long, value_name = "LINE", conflicts_with = "command")]
    shell: Option<OsString>,
    #[command(flatten)]
    which: WhichArgs,
    /// Counts this exit code alone as failing, and a run that does not end in time; a blocked command ends with 126
    #[arg(long, value_name = "CODE")]
    bad_exit: Option<u8>,
    /// How long one run may take
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = crate::arguments::parse_duration)]
    timeout: Duration,
    /// Does not ask whether the command may be run several times
    #[arg(short, long)]
    yes: bool,
}

impl Document for Found {
    fn verb(&self) -> &'static str {
        "bisect"
    }
    fn json(&self) -> Map<String, Value> {
        let deed = self
            .deed
            .as_ref()
            .map(|deed| json!({ "extension": deed.by, "code": deed.code, "message": deed.message }));
        let mut map = Map::new();
        map.insert("found".to_owned(), json!(self.group));
        map.insert("enough".to_owned(), json!(self.enough));
        map.insert("did".to_owned(), json!(deed));
        map.insert("disable".to_owned(), json!(self.disable));
        map.insert("directory".to_owned(), json!(self.directory.to_string_lossy()));
        map.insert("runs".to_owned(), self.trials.iter().map(trial_document).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let names: Vec<String> = self.group.iter().map(|name| paint.bold(name.as_str())).collect();
        let mut text = match names.as_slice() {
            [one] => format!("{one} breaks it: with it alone the command fails\n"),
            several => {
                let (last, rest) = several.split_last().expect("a group has members");
                let (rest, all) = (rest.join(", "), if several.len() == 2 { "both" } else { "all of these" });
                format!(
                    "{rest} and {last} break it together: with {all} the command fails, and with fewer it passes\n"
                )
            }
        };
        match &self.deed {
            Some(deed) => text.push_str(&format!(
                "  what {} did: {} [{}]\n",
                deed.by,
                escaped(&deed.message, "    "),
                escaped(&deed.code, "")
            )),
            None => text.push_str("  it neither failed nor blocked anything that Pintle saw\n"),
        }
        for line in &self.last {
            text.push_str(&format!("  {} {}\n", paint.dim("|"), Untrusted(line)));
        }
        let how = format!("turn it off with `{}`", self.disable);
        text.push_str(&match self.enough {
            true => format!("  {}: {how}; without it the command passes\n", paint.hint("next")),
            false => format!(
                "  {}: {how}; another one breaks the command too, so run this again after that\n",
                paint.hint("next")
            ),
        });
        let runs = words::count(self.trials.len(), "run", "runs");
        text.push_str(&format!(
            "{runs} in {}; output and traces are in {}\n",
            words::duration(self.took),
            words::path(&self.directory)
        ));
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &BisectArgs) -> Result<Exit, Failure> {
    let command = command(arguments)?;
    let (needs, folders) = candidates(situation, &arguments.which)?;
    consent(situation, arguments, needs.all().len())?;
    let directory = directory(situation)?;
    let program = situation.environment.program.clone().ok_or_else(|| {
        Failure::new("exec.system", "it is not known where this program is, so it can't be started again")
    })?;
    let runner = Runner {
        situation,
        program,
        command,
        folders,
        directory,
        patience: arguments.timeout,
        bad_exit: arguments.bad_exit,
        trials: Vec::new(),
    };
    let runtime = runtime()?;
    let found = Bisection::new(runner, needs, &runtime)?.run()?;
    situation.ui.document(&found);
    Ok(Exit::Done)
}

fn command(arguments: &BisectArgs) -> Result<Vec<OsString>, Failure> {
    if let Some(line) = &arguments.shell {
        return Ok(vec!["--shell".into(), line.clone()]);
    }
    if arguments.command.is_empty() {
        return Err(Failure::new("usage", "no command is given")
            .exit(Exit::Usage)
            .hint("write it after two dashes: `pintle bisect -- make test`"));
    }
    Ok(std::iter::once("--".into()).chain(arguments.command.iter().cloned()).collect())
}

/// Asks whether the command may be run several times.
fn consent(situation: &Situation<'_>, arguments: &BisectArgs, count: usize) -> Result<(), Failure> {
    if arguments.yes {
        return Ok(());
    }
    // Two to begin with, the halving, and three to make sure.
    let about = 5 + usize::BITS - count.saturating_sub(1).leading_zeros();
    let question = format!(
        "The command will be run about {about} times, with some of {} or none. Is it safe to repeat?",
        words::count(count, "extension", "extensions")
    );
    match ask(situation, &question) {
        Answer::Yes => Ok(()),
        Answer::No => Err(Failure::new("declined", "nothing was run")),
        Answer::NoOne => Err(Failure::new(
            "needs_input",
            "the command would be run several times, and nobody is here to say that it is safe to repeat",
        )
        .hint("if it is, add `--yes`")),
    }
}

/// Makes a directory for the logs, and lets go of those of long ago.
fn directory(situation: &Situation<'_>) -> Result<PathBuf, Failure> {
    let all = Places::below(&situation.scope().base).log.join("bisect");
    let name = format!("{:013}-{}", situation.now.as_millisecond().max(0), std::process::id());
    let directory = all.join(name);
    pintle_registry::store::fs::create_dirs(&directory)?;
    let listing = std::fs::read_dir(&all).into_iter().flatten().flatten();
    let mut old: Vec<PathBuf> = listing.map(|entry| entry.path()).filter(|path| *path != directory).collect();
    old.sort();
    for path in old.iter().take(old.len().saturating_sub(KEPT - 1)) {
        // What can't be removed now is removed another time.
        let _ = pintle_registry::store::fs::remove_tree(path);
    }
    Ok(directory)
}
