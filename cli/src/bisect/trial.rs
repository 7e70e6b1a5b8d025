//! One trial: this program is started anew as `pintle exec` with some of the extensions, and its end is waited for, with a
//! deadline. What it prints goes to a file. Nothing that happens in a trial is held against an extension later: what a
//! host keeps of it lies in a directory of the trial's own.

use super::search::Members;
use crate::command::Signals;
use crate::situation::Situation;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use pintle_loader::keep::Places;
use pintle_manifest::Name;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, PipeReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc;
use std::time::{Duration, Instant};
use tokio::process::Child;
use tokio::time::timeout;

/// How long a trial that was told to end may take for that. What its extensions leave when it is killed is ended here.
const GRACE: Duration = Duration::from_secs(3);
/// How long the rest of the output is waited for when the command has ended and something still holds its output.
const REST: Duration = Duration::from_millis(500);
/// How much output is kept, in bytes.
const KEPT: usize = 8 * 1024 * 1024;

/// How one trial ended.
#[derive(Debug, Clone)]
pub(crate) struct Trial {
    /// With which extensions.
    pub members: Members,
    pub ended: Ended,
    /// Whether that counts as failing.
    pub fails: bool,
    pub took: Duration,
    /// What it printed.
    pub log: PathBuf,
    /// What extensions did.
    pub trace: PathBuf,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With this exit code.
    Exited(i32),
    /// By this signal.
    Signaled(i32),
    /// Not in time.
    TimedOut,
}

/// Says why a trial can't be made, which says nothing about extensions.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TrialError {
    /// The disk or the system refused.
    #[error("can't {action} `{}`", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system says.
        #[source]
        source: io::Error,
    },
    /// The person stopped it.
    #[error("stopped")]
    Interrupted,
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> TrialError {
    move |source| TrialError::Io { action, path: path.to_owned(), source }
}

/// Makes trials, one after the other.
pub(crate) struct Runner<'a> {
    pub situation: &'a Situation<'a>,
    /// This program.
    pub program: PathBuf,
    /// What is run, as `pintle exec` takes it.
    pub command: Vec<OsString>,
    /// The folders of extensions that come from the command line.
    pub folders: BTreeMap<Name, PathBuf>,
    /// Where logs go; it is there.
    pub directory: PathBuf,
    pub patience: Duration,
    /// The only exit code that counts as failing; if none is given, every other than 0 does.
    pub bad_exit: Option<u8>,
    /// Every trial so far.
    pub trials: Vec<Trial>,
}

impl Runner<'_> {
    /// Runs the command with these extensions; without any, no host is started.
    pub(crate) async fn run(
        &mut self,
        members: &Members,
        signals: &mut Signals,
    ) -> Result<Trial, TrialError> {
        let number = self.trials.len() + 1;
        let log = self.directory.join(format!("run-{number}.log"));
        let trace = self.directory.join(format!("run-{number}.trace.jsonl"));
        let own = self.directory.join(format!("run-{number}"));
        self.lay_out(&own)?;
        let (reader, writer) = io::pipe().map_err(failed("open a pipe for", &log))?;
        let second = writer.try_clone().map_err(failed("open a pipe for", &log))?;
        let copied = copy(reader, File::create(&log).map_err(failed("create", &log))?);
        let mut command = tokio::process::Command::new(&self.program);
        command.args(self.arguments(members, &own, &trace)).current_dir(&self.situation.directory);
        // A group of its own, so that what does not end can be ended with all that it started.
        command.stdin(Stdio::null()).stdout(writer).stderr(second).process_group(0).kill_on_drop(true);
        let since = Instant::now();
        let mut child = command.spawn().map_err(failed("start", &self.program))?;
        // It holds our ends of the pipe.
        drop(command);
        let ended = tokio::select! {
            ended = wait(&mut child, self.patience) => ended.map_err(failed("wait for", &self.program))?,
            _ = signals.next() => {
                end(&mut child).await;
                tidy(&own);
                return Err(TrialError::Interrupted);
            }
        };
        let took = since.elapsed();
        // Something that the command left may hold its output open.
        let _ = copied.recv_timeout(REST);
        tidy(&own);
        let fails = self.is_bad(ended);
        let trial = Trial { members: members.clone(), ended, fails, took, log, trace };
        self.trials.push(trial.clone());
        Ok(trial)
    }

    const fn is_bad(&self, ended: Ended) -> bool {
        match (ended, self.bad_exit) {
            (Ended::TimedOut, _) => true,
            (Ended::Exited(code), Some(bad)) => code == bad as i32,
            (Ended::Exited(code), None) => code != 0,
            (Ended::Signaled(_), bad) => bad.is_none(),
        }
    }

    fn arguments(&self, members: &Members, own: &Path, trace: &Path) -> Vec<OsString> {
        let globals = self.situation.globals;
        let mut words: Vec<OsString> =
            vec!["exec".into(), "--home".into(), self.situation.home.root().into()];
        words.extend(globals.user.then(|| "--user".into()));
        words.extend(globals.project.then(|| "--project".into()));
        if members.is_empty() {
            words.push("--no-extensions".into());
        } else {
            let names: Vec<&str> = members.iter().map(Name::as_str).collect();
            words.extend(["--only".into(), names.join(",").into(), "--trial".into(), own.into()]);
            words.extend(["--trace".into(), trace.into()]);
            let folders = self.folders.iter().filter(|(name, _)| members.contains(*name));
            words.extend(folders.flat_map(|(_, folder)| ["--with".into(), folder.into()]));
        }
        words.extend(self.command.iter().cloned());
        words
    }

    /// What is in quarantine stays there in a trial.
    fn lay_out(&self, own: &Path) -> Result<(), TrialError> {
        let state = own.join("state");
        std::fs::create_dir_all(&state).map_err(failed("make", &state))?;
        let quarantine = Places::below(&self.situation.scope().base).state.join("quarantine.json");
        match std::fs::copy(&quarantine, state.join("quarantine.json")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed("copy", &quarantine)(error)),
            Ok(_) | Err(_) => Ok(()),
        }
    }
}

/// Ends what a trial left that was killed, and removes what its host kept.
fn tidy(own: &Path) {
    let _ = pintle_loader::doctor::clear(&Places::below(own));
    let _ = pintle_registry::store::fs::remove_tree(own);
}

async fn wait(child: &mut Child, patience: Duration) -> io::Result<Ended> {
    use std::os::unix::process::ExitStatusExt as _;
    match timeout(patience, child.wait()).await {
        Ok(status) => {
            let status = status?;
            Ok(match (status.code(), status.signal()) {
                (Some(code), _) => Ended::Exited(code),
                (None, signal) => Ended::Signaled(signal.unwrap_or_default()),
            })
        }
        Err(_) => {
            end(child).await;
            Ok(Ended::TimedOut)
        }
    }
}

/// Asks a trial to end, which passes it on to the command; then ends it with everything in its group.
async fn end(child: &mut Child) {
    let Some(pid) = child.id().and_then(|pid| i32::try_from(pid).ok()) else { return };
    let pid = Pid::from_raw(pid);
    let _ = kill(pid, Signal::SIGTERM);
    let _ = timeout(GRACE, child.wait()).await;
    let _ = killpg(pid, Signal::SIGKILL);
    let _ = timeout(GRACE, child.wait()).await;
}

/// Copies output to a file until there is no more, and keeps only so much of it. Says when it is done.
fn copy(mut from: PipeReader, mut to: File) -> mpsc::Receiver<()> {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        let (mut piece, mut kept) = (vec![0; 64 * 1024], 0);
        // A disk that is full keeps less of the output; the command goes on.
        while let Ok(read @ 1..) = from.read(&mut piece) {
            let rest = KEPT - kept;
            let _ = to.write_all(&piece[..read.min(rest)]);
            kept += read.min(rest);
            if read > rest && rest > 0 {
                let _ = to.write_all(b"\n[there was more output, which is not kept]\n");
            }
        }
        let _ = done.send(());
    });
    finished
}
