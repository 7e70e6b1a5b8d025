//! `process.run`: runs a program to its end and returns what it printed. It is an entry of the ledger while it runs, and
//! goes with everything it started when its caller's load ends.

use crate::call::{CallError, Caller};
use crate::ledger::{Kind as Held, Undo};
use crate::stage::is_program;
use crate::worker::{Ended, Exec, Limits, Nursery, Process, Setting, Streams};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::unix::pipe;
use tokio::time::timeout;

/// How much of its standard output is kept, in bytes.
const MOST_OUT: usize = 4 * 1024 * 1024;
/// How much of its standard error is kept, in bytes.
const MOST_ERR: usize = 256 * 1024;
/// How long a program may run if the caller does not say.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How long a program may take to end when it is asked to.
const GRACE: Duration = Duration::from_millis(200);
/// How long its streams are read after it ended, for what it left behind holds them open.
const DRAIN: Duration = Duration::from_millis(100);
/// How variables begin by which the system's loader or C library takes other code into a program.
const LOADING: &[&str] = &["LD_", "DYLD_", "GLIBC_TUNABLES", "GCONV_PATH", "LOCPATH", "NLSPATH"];
/// Variables by which a tool would be turned to another place than its directory.
const REDIRECTING: &[&str] = &[
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_COMMON_DIR",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_CONFIG_PARAMETERS",
    "GIT_CONFIG_COUNT",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CEILING_DIRECTORIES",
];

#[derive(Deserialize)]
pub(super) struct Run {
    program: String,
    #[serde(default)]
    args: Vec<String>,
    #[serde(default)]
    cwd: Option<PathBuf>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    #[serde(default)]
    stdin: Option<String>,
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize)]
pub(super) struct Output {
    exit_code: Option<i32>,
    signal: Option<i32>,
    stdout: String,
    stderr: String,
    /// Whether there was more than is returned.
    truncated: bool,
    /// Whether something was no UTF-8 and is replaced.
    lossy: bool,
    /// Whether it was ended because its time was over.
    timed_out: bool,
}

pub(super) async fn run(caller: Caller, arguments: Run) -> Result<Output, CallError> {
    let wait = arguments.timeout_ms.map_or(TIMEOUT, Duration::from_millis);
    check_variables(&arguments.env)?;
    let (exec, setting) = what_to_run(&caller, &arguments);
    let failed =
        |error: &dyn std::error::Error| CallError::new("process.spawn", crate::supervise::full(error));
    let pipes = Pipes::new().map_err(|error| failed(&error))?;
    let Pipes { streams, stdin, stdout, stderr } = pipes;
    let process = Nursery::shared().run(&exec, &setting, streams).await.map_err(|error| failed(&error))?;
    let worker = Arc::new(process);
    let ended = Arc::clone(&worker);
    let undo = Undo::Dispose(Box::new(move || {
        Box::pin(async move {
            ended.end(GRACE).await;
            true
        })
    }));
    let kind = Held::Child { program: arguments.program.clone(), pid: worker.pid, started: worker.started };
    let held = match caller.keep(kind, undo) {
        Ok(held) => held,
        Err(error) => {
            worker.kill();
            return Err(error);
        }
    };
    let mut said = Said::default();
    let ended = timeout(wait, talk(&worker, stdin, arguments.stdin, stdout, stderr, &mut said)).await;
    caller.core.ledger.forget(held);
    // Whatever it left behind goes with it.
    worker.kill();
    Ok(said.output(ended.ok()))
}

/// Whoever was granted a program was not granted to put other code into it, nor to say where programs are looked for.
fn check_variables(variables: &BTreeMap<String, String>) -> Result<(), CallError> {
    let refuse = |name: &str, why: &str| {
        let message = format!("the variable `{}` {why}", pintle_manifest::Untrusted(name));
        Err(CallError::new("process.env", message))
    };
    for (name, value) in variables {
        if name.is_empty() || name.contains(['=', '\0']) {
            return refuse(name, "has no name that a program could read: one without `=` and zero bytes");
        }
        if value.contains('\0') {
            return refuse(name, "holds a zero byte, which no program can be given");
        }
        if name == "PATH" || LOADING.iter().any(|prefix| name.starts_with(prefix)) {
            return refuse(name, "would change which code runs, and is the host's to set");
        }
    }
    Ok(())
}

fn what_to_run(caller: &Caller, arguments: &Run) -> (Exec, Setting) {
    let mut environment = caller.core.environment.clone();
    environment.retain(|(key, _)| !REDIRECTING.iter().any(|name| key == name));
    for (key, value) in &arguments.env {
        environment.retain(|(known, _)| *known != OsString::from(key));
        environment.push((key.into(), value.into()));
    }
    let words = std::iter::once(&arguments.program).chain(&arguments.args);
    let path = located(&caller.core.environment, &arguments.program);
    let exec = Exec { path, arguments: words.map(OsString::from).collect() };
    let setting = Setting {
        directory: arguments
            .cwd
            .as_ref()
            .map_or_else(|| caller.core.directory.clone(), |cwd| caller.core.directory.join(cwd)),
        environment,
        scope: caller.core.scope_of(caller.name(), caller.epoch),
        limits: Limits::default(),
    };
    (exec, setting)
}

/// Looks a program up where the host looks: whoever was granted a name can't say what it means.
fn located(environment: &[(OsString, OsString)], program: &str) -> PathBuf {
    let searched = environment.iter().rfind(|(key, _)| key == "PATH").map(|(_, path)| path.clone());
    let directories: Vec<PathBuf> = searched.iter().flat_map(std::env::split_paths).collect();
    let found = directories.into_iter().filter(|directory| directory.is_absolute());
    let found = found.map(|directory| directory.join(program)).find(|path| is_program(path));
    match found {
        Some(path) if !program.contains('/') => path,
        // A path means itself; a name that is not found is told by whoever starts it.
        Some(_) | None => PathBuf::from(program),
    }
}

/// The three streams of a program, with our ends of them.
struct Pipes {
    streams: Streams,
    stdin: OwnedFd,
    stdout: OwnedFd,
    stderr: OwnedFd,
}

impl Pipes {
    fn new() -> std::io::Result<Self> {
        let pipe = || rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC);
        let ((their_stdin, stdin), (stdout, their_stdout), (stderr, their_stderr)) =
            (pipe()?, pipe()?, pipe()?);
        let streams = Streams { stdin: their_stdin, stdout: their_stdout, stderr: their_stderr };
        Ok(Self { streams, stdin, stdout, stderr })
    }
}

/// What a program printed.
#[derive(Default)]
struct Said {
    out: Vec<u8>,
    err: Vec<u8>,
    /// There was more.
    more: bool,
}

impl Said {
    fn output(self, ended: Option<Ended>) -> Output {
        let (exit_code, signal) = match ended {
            Some(Ended::Exited(code)) => (Some(code), None),
            Some(Ended::Signaled(number)) => (None, Some(number)),
            Some(Ended::KeeperLost) | None => (None, None),
        };
        let lossy = std::str::from_utf8(&self.out).is_err() || std::str::from_utf8(&self.err).is_err();
        Output {
            exit_code,
            signal,
            stdout: String::from_utf8_lossy(&self.out).into_owned(),
            stderr: String::from_utf8_lossy(&self.err).into_owned(),
            truncated: self.more,
            lossy,
            timed_out: ended.is_none(),
        }
    }
}

async fn talk(
    process: &Process,
    stdin: OwnedFd,
    input: Option<String>,
    stdout: OwnedFd,
    stderr: OwnedFd,
    said: &mut Said,
) -> Ended {
    let (mut more_out, mut more_err) = (false, false);
    let ended = {
        let reading = async {
            tokio::join!(
                write_all(stdin, input),
                read_all(stdout, &mut said.out, MOST_OUT, &mut more_out),
                read_all(stderr, &mut said.err, MOST_ERR, &mut more_err)
            )
        };
        tokio::pin!(reading);
        tokio::select! {
            _ = &mut reading => process.wait().await,
            ended = process.wait() => {
                let _ = timeout(DRAIN, reading).await;
                ended
            }
        }
    };
    said.more = more_out || more_err;
    ended
}

async fn write_all(pipe: OwnedFd, input: Option<String>) {
    let Some(input) = input else { return };
    let Ok(pipe) = pipe::Sender::from_owned_fd(pipe) else { return };
    let mut left = input.as_bytes();
    while !left.is_empty() && pipe.writable().await.is_ok() {
        match pipe.try_write(left) {
            Ok(written) => left = &left[written..],
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

async fn read_all(pipe: OwnedFd, into: &mut Vec<u8>, most: usize, more: &mut bool) {
    let Ok(pipe) = pipe::Receiver::from_owned_fd(pipe) else { return };
    let mut piece = vec![0; 64 * 1024];
    while pipe.readable().await.is_ok() {
        match pipe.try_read(&mut piece) {
            Ok(0) => return,
            Ok(read) => {
                let kept = read.min(most - into.len());
                into.extend_from_slice(&piece[..kept]);
                *more |= kept < read;
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}
