//! The test program as a host of its own: for tests that count what a process has open, or kill it.

use crate::extension::Extension;
use crate::held::{all_held, holder};
use crate::kit::{PATIENCE, descriptors, in_runtime, tasks, until, until_shown};
use crate::yard::{Yard, machine, name};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The argument by which the program knows that it is this.
pub(crate) const AS: &str = "--as-host";

pub(crate) fn act(words: &[&str]) {
    match words {
        ["holds", path] => in_runtime(hold(&Yard::of(Path::new(path)))),
        ["loads", path] => in_runtime(load(&Yard::of(Path::new(path)))),
        ["rounds", path] => in_runtime(rounds(&Yard::of(Path::new(path)))),
        words => panic!("{words:?} is nothing to act as"),
    }
}

/// A host of its own, as a process.
pub(crate) struct Alone {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Alone {
    /// Starts this program as a host, and waits until it says so.
    pub(crate) fn start(what: &str, yard: &Yard) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args([AS, what, yard.path().to_str().unwrap()])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let mut alone = Self { child, lines };
        assert_eq!(alone.line(), "ready");
        alone
    }

    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, and whatever it was about to do.
    pub(crate) fn kill(mut self) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for its end; fails if that was not a good one.
    pub(crate) fn end(mut self) {
        assert!(self.child.wait().unwrap().success());
    }
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).unwrap();
}

async fn hold(yard: &Yard) {
    let running = yard.start(&[holder("ada"), holder("bob")]).await.all_ready();
    all_held(&running, "ada").await;
    all_held(&running, "bob").await;
    say("ready");
    std::future::pending::<()>().await;
}

/// Is killed while one is being started, and two others run or were loaded.
async fn load(yard: &Yard) {
    let note = |who: &str| Extension::new(who).when("ready", json!([{ "note": "ready" }]));
    let bob =
        Extension::new("bob").needs("ada").when("start", json!([{ "note": "start" }, { "hang": true }]));
    let set = [note("ada"), bob, note("cyd")];
    let said = async {
        let already = yard.noted().len();
        until("all are as far as they come", || yard.noted().len() >= already + 3).await;
        until("it is written down", || loaded(yard)).await;
        say("ready");
        tokio::time::sleep(PATIENCE).await;
    };
    tokio::select! {
        _ = yard.start(&set) => panic!("it started"),
        () = said => panic!("nobody killed it"),
    }
}

fn loaded(yard: &Yard) -> bool {
    let (records, _) = pintle_loader::ledger::hosts(&yard.places().hosts()).unwrap();
    let this = records.iter().find(|record| record.pid == std::process::id()).unwrap();
    ["ada", "cyd"]
        .iter()
        .all(|who| this.loads.get(&name(who)) == Some(&pintle_loader::ledger::LoadState::Loaded))
}

/// Takes extensions off and puts them on again, and says if anything grew.
async fn rounds(yard: &Yard) {
    say("ready");
    let ada = holder("ada").at("seen", json!([{ "note": "seen" }]));
    let running = yard.start(&[ada.clone(), holder("bob")]).await.all_ready();
    all_held(&running, "ada").await;
    all_held(&running, "bob").await;
    let seen = || (descriptors(), tasks(), processes(yard));
    let mut before = None;
    for round in 0..50 {
        if round % 2 == 0 {
            running.host().disable(&name("ada")).await.unwrap();
        }
        running.host().reload(yard.bundle(&ada), &machine()).await.unwrap();
        all_held(&running, "ada").await;
        if round == 4 {
            // What is open once and for all is open now.
            before = Some(seen());
        }
    }
    let expected = before.unwrap();
    let look = || match seen() {
        now if now.0 <= expected.0 && now.1 <= expected.1 && now.2 <= expected.2 => Ok(()),
        now => Err(format!("descriptors, tasks, processes: {now:?} and not {expected:?}")),
    };
    until_shown("nothing grew in fifty rounds", look).await;
    // It is called once, however often it came and went.
    running.hooks.seen.tell(&crate::yard::thing(json!({})));
    running.blocked(json!({})).await;
    assert_eq!(yard.noted().iter().filter(|line| *line == "ada seen").count(), 1);
    running.end(yard).await;
    say("done");
}

fn processes(yard: &Yard) -> usize {
    crate::kit::alive(yard.path().to_str().unwrap()).len()
}
