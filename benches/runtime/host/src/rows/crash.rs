//! From a crash to the next good guard. The time has the wait of the supervisor in it: it does not start anew at once.

use crate::{Hosted, Runtime, Samples, Set, call};
use pintle_loader::hook::Verdict;
use std::error::Error;
use std::time::Instant;

/// How many crash, once each.
const COUNT: usize = 10;

/// Crashes one after the other, and asks each until it lets a call pass.
pub async fn crash(set: &Set, runtime: Runtime) -> Result<(), Box<dyn Error>> {
    let hosted = Hosted::start(set.guards(runtime, COUNT, true)?).await?;
    let mut told = Samples::of(format!("crash {} until it is told", runtime.as_str()));
    let mut good = Samples::of(format!("crash {} until the next good guard", runtime.as_str()));
    for number in 0..COUNT {
        let tool = format!("guard-{number:03}");
        let begun = Instant::now();
        match hosted.guard.ask(call(&tool, "crash")).await {
            Verdict::Block(blocked) if blocked.code == "fault.crashed" => told.since(begun),
            other => return Err(format!("it did not crash: {other:?}").into()),
        }
        while hosted.ask(call(&tool, "git")).await.is_err() {
            tokio::task::yield_now().await;
        }
        good.since(begun);
    }
    told.tell();
    good.tell();
    hosted.host.shutdown().await;
    Ok(())
}
