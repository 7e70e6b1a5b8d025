//! A guard through so many extensions, of which all are called, one is, or none.

use crate::{Hosted, Runtime, Samples, Set, call};
use std::error::Error;
use std::time::{Duration, Instant};

/// How many extensions.
const COUNTS: [usize; 3] = [1, 10, 100];
/// How long is asked before it counts.
const WARM: Duration = Duration::from_millis(100);

/// Measures it: first one right after the other for about `time`, then each after a rest, as a person's commands come.
pub async fn guard(set: &Set, runtime: Runtime, time: Duration) -> Result<(), Box<dyn Error>> {
    for count in COUNTS {
        let hosted = Hosted::start(set.guards(runtime, count, false)?).await?;
        row(&hosted, &format!("guard {} {count} all", runtime.as_str()), "any", time).await?;
        hosted.host.shutdown().await;
        if count == 1 {
            continue;
        }
        let hosted = Hosted::start(set.guards(runtime, count, true)?).await?;
        let last = format!("guard-{:03}", count - 1);
        row(&hosted, &format!("guard {} {count} one", runtime.as_str()), &last, time).await?;
        row(&hosted, &format!("guard {} {count} none", runtime.as_str()), "none", time).await?;
        hosted.host.shutdown().await;
    }
    Ok(())
}

async fn row(hosted: &Hosted, what: &str, tool: &str, time: Duration) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    while begun.elapsed() < WARM {
        hosted.ask(call(tool, "git")).await?;
    }
    let mut busy = Samples::of(what);
    let begun = Instant::now();
    while begun.elapsed() < time {
        let asked = call(tool, "git");
        let one = Instant::now();
        hosted.ask(asked).await?;
        busy.since(one);
    }
    busy.tell();
    let mut rested = Samples::of(format!("{what}, rested"));
    let begun = Instant::now();
    while begun.elapsed() < time {
        tokio::time::sleep(Duration::from_millis(5)).await;
        let asked = call(tool, "git");
        let one = Instant::now();
        hosted.ask(asked).await?;
        rested.since(one);
    }
    rested.tell();
    Ok(())
}
