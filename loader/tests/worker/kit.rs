//! What the tests share: the two fences, settings with a token of their own, and who lives with that token.

use crate::fixture::AS;
use libtest_mimic::Trial;
use pintle_loader::worker::{Exec, Limits, Nursery, Program, SCOPE_VARIABLE, Setting, Worker};
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader, Lines};
use tokio::net::unix::pipe::Receiver;

/// How long anything may take that is not what is tested.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
/// How long anything may live that has to die.
pub(crate) const SOON: Duration = Duration::from_secs(2);

/// Which fence a test asks for. `Best` is the fallback, too, where the kernel gives no namespace.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    Best,
    Fallback,
}

impl Asked {
    pub(crate) fn nursery(self) -> Nursery {
        match self {
            Asked::Best => Nursery::shared(),
            Asked::Fallback => Nursery::without_namespaces(),
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Asked::Best => "best",
            Asked::Fallback => "fallback",
        }
    }
}

/// Makes two trials of a test, one for each fence.
pub(crate) fn both<F>(name: &str, test: F) -> [Trial; 2]
where
    F: AsyncFn(Asked) + Send + Sync + Copy + 'static,
{
    [Asked::Best, Asked::Fallback].map(|asked| {
        Trial::test(format!("{}::{name}", asked.word()), move || {
            in_runtime(test(asked));
            Ok(())
        })
    })
}

/// Makes one trial.
pub(crate) fn one<F>(name: &str, test: F) -> Trial
where
    F: AsyncFn() + Send + Sync + Copy + 'static,
{
    Trial::test(name, move || {
        in_runtime(test());
        Ok(())
    })
}

pub(crate) fn in_runtime<T>(test: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap();
    runtime.block_on(async { tokio::time::timeout(3 * PATIENCE, test).await.expect("the test hangs") })
}

/// Returns a token that no other test has.
pub(crate) fn token() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("token-{}-{}-end", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

pub(crate) fn setting(scope: &str) -> Setting {
    Setting {
        directory: "/".into(),
        environment: vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())],
        scope: scope.to_owned(),
        limits: Limits::default(),
    }
}

/// Returns this binary as an extension that acts in some way.
pub(crate) fn acting(name: &str, rest: &[&str]) -> Exec {
    let mut arguments: Vec<OsString> = vec!["extension".into(), AS.into(), name.into()];
    arguments.extend(rest.iter().map(OsString::from));
    Exec { path: std::env::current_exe().unwrap(), arguments }
}

pub(crate) fn shell(script: &str) -> Exec {
    Exec { path: "/bin/sh".into(), arguments: vec!["sh".into(), "-c".into(), script.into()] }
}

/// Starts an extension that acts in some way, and waits until so many processes said that they are ready.
pub(crate) async fn start(asked: Asked, scope: &str, name: &str, ready: usize) -> Running {
    let worker =
        asked.nursery().spawn(&Program::Exec(acting(name, &[scope])), &setting(scope)).await.unwrap();
    let mut running = Running::new(worker);
    running.await_ready(ready).await;
    running
}

/// A worker whose output is read.
pub(crate) struct Running {
    pub(crate) process: pintle_loader::worker::Process,
    pub(crate) lines: Lines<BufReader<Receiver>>,
    _pipes: [OwnedFd; 3],
}

impl Running {
    pub(crate) fn new(Worker { process, to, from, stdout, stderr }: Worker) -> Running {
        let lines = BufReader::new(Receiver::from_owned_fd(stdout).unwrap()).lines();
        Running { process, lines, _pipes: [to, from, stderr] }
    }

    pub(crate) async fn line(&mut self) -> Option<String> {
        tokio::time::timeout(PATIENCE, self.lines.next_line()).await.expect("no line came").unwrap()
    }

    pub(crate) async fn await_ready(&mut self, count: usize) {
        for _ in 0..count {
            assert_eq!(self.line().await.as_deref(), Some("ready"));
        }
    }
}

/// Reads a pipe to its end.
pub(crate) async fn all(pipe: OwnedFd) -> String {
    let mut text = Vec::new();
    let mut receiver = Receiver::from_owned_fd(pipe).unwrap();
    tokio::time::timeout(PATIENCE, receiver.read_to_end(&mut text)).await.expect("no end came").unwrap();
    String::from_utf8_lossy(&text).into_owned()
}

/// Returns who lives and has a token in its arguments or its environment.
pub(crate) fn alive(token: &str) -> Vec<String> {
    let mut alive = Vec::new();
    for file in std::fs::read_dir("/proc").unwrap().flatten() {
        let name = file.file_name().into_string().unwrap();
        if name.parse::<u32>().is_err() {
            continue;
        }
        let read = |what: &str| std::fs::read(format!("/proc/{name}/{what}")).unwrap_or_default();
        let marked = format!("{SCOPE_VARIABLE}={token}");
        let is_marked = contains(&read("environ"), marked.as_bytes());
        let command = read("cmdline");
        let stat = String::from_utf8_lossy(&read("stat")).into_owned();
        let is_dead = stat.rsplit(") ").next().is_none_or(|rest| rest.is_empty() || rest.starts_with('Z'));
        if (is_marked || contains(&command, token.as_bytes())) && !is_dead {
            alive.push(format!("{name}: {}", String::from_utf8_lossy(&command).replace('\0', " ")));
        }
    }
    alive
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Waits until nobody lives who has a token; fails if that takes too long.
#[track_caller]
pub(crate) fn gone_soon(token: &str) -> impl Future<Output = ()> {
    let place = std::panic::Location::caller();
    let token = token.to_owned();
    async move {
        let until = Instant::now() + SOON;
        loop {
            let left = alive(&token);
            if left.is_empty() {
                return;
            }
            assert!(Instant::now() < until, "{place}: still there: {left:#?}");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

/// Compiles a text in C, and returns the path of what comes out of it.
#[expect(clippy::disallowed_methods, reason = "a file of a test is no state")]
pub(crate) fn compile(folder: &TempDir, source: &str, flags: &[&str]) -> PathBuf {
    let (text, built) = (folder.path().join("fixture.c"), folder.path().join("fixture"));
    std::fs::write(&text, source).unwrap();
    let compiled = Command::new("cc")
        .args(["-w", "-o"])
        .args([&built, &text])
        .args(flags)
        .output()
        .expect("a C compiler, which Rust links with");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    built
}
