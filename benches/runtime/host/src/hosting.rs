//! A host with its set, started as `pintle exec` would: one thread, state and ledger on disk.

use pintle_loader::bundle::Candidate;
use pintle_loader::hook::{Guard, Stream, Verdict};
use pintle_loader::keep::Places;
use pintle_loader::stage::Report;
use pintle_loader::{Host, HostBuilder, Promise};
use pintle_manifest::Contract;
use serde::{Deserialize, Serialize};
use std::error::Error;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A command that is about to run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// What the filters look at.
    pub tool: String,
    program: String,
    argv: Vec<String>,
    cwd: String,
    line: String,
    interactive: bool,
}

/// Returns a call of a program with some arguments, 183 bytes of JSON.
pub fn call(tool: &str, program: &str) -> ToolCall {
    ToolCall {
        tool: tool.to_owned(),
        program: program.to_owned(),
        argv: ["git", "status", "--short", "--branch"].map(str::to_owned).to_vec(),
        cwd: "/srv/analytical-engine".to_owned(),
        line: "git status --short --branch".to_owned(),
        interactive: true,
    }
}

/// A piece of output.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Delta {
    /// What was written.
    pub text: String,
}

/// A host that runs.
#[derive(Debug)]
pub struct Hosted {
    /// The host.
    pub host: Host,
    /// Its guard.
    pub guard: Guard<ToolCall>,
    /// Its stream.
    pub stream: Stream<Delta>,
    /// What the stages said.
    pub reports: Vec<Report>,
    /// How long the start took.
    pub start: Duration,
    /// Where it keeps its state.
    _state: TempDir,
}

impl Hosted {
    /// Starts one with a set. All of the set must get ready.
    pub async fn start(set: Vec<Candidate>) -> Result<Self, Box<dyn Error>> {
        let state = tempfile::tempdir()?;
        let contract = Contract::parse(include_str!("../contract.toml")).map_err(|problems| {
            problems.first().map(|problem| problem.message.clone()).unwrap_or_default()
        })?;
        let mut builder = HostBuilder::new(Promise::compile(contract)?);
        let guard = builder.guard("tool.call")?;
        let stream = builder.stream("output.delta")?;
        builder.slot("item")?;
        builder.places(Places::below(state.path())).command("bench");
        builder.environment(std::env::vars_os().filter(|(name, _)| name == "PATH").collect());
        let begun = Instant::now();
        let started = builder.start(set).await?;
        let start = begun.elapsed();
        for report in &started.reports {
            if let Some((stage, failure)) = report.failure() {
                return Err(format!("{} failed at {}: {failure}", report.name, stage.as_str()).into());
            }
        }
        Ok(Self { host: started.host, guard, stream, reports: started.reports, start, _state: state })
    }

    /// Asks the guards, which must let it pass.
    pub async fn ask(&self, call: ToolCall) -> Result<ToolCall, Box<dyn Error>> {
        match self.guard.ask(call).await {
            Verdict::Continue(call) => Ok(call),
            Verdict::Block(blocked) => Err(format!("{:?} blocked it: {}", blocked.by, blocked.reason).into()),
        }
    }
}

/// Makes the runtime of a host that is a command: one thread.
pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a machine that runs benches has descriptors")
}
