//! Load and disposal of so many extensions. Once for each process: what starts workers is started by the first load, and
//! belongs to it.

use crate::{Hosted, Runtime, Samples, Set};
use pintle_loader::stage::Stage;
use std::error::Error;
use std::time::{Duration, Instant};

/// Starts a host with so many extensions, and ends it.
pub async fn load(set: &Set, runtime: Runtime, count: usize) -> Result<(), Box<dyn Error>> {
    let name = format!("{} {count}", runtime.as_str());
    let hosted = Hosted::start(set.guards(runtime, count, true)?).await?;
    let mut load = Samples::of(format!("load {name}"));
    load.add(hosted.start);
    load.tell();
    for stage in [Stage::Install, Stage::Entry, Stage::Load] {
        let mut longest = Samples::of(format!("longest {} {name}", stage.as_str()));
        let times = hosted.reports.iter().flat_map(|report| &report.stages).filter(|one| one.stage == stage);
        longest.add(times.map(|one| one.took).max().unwrap_or(Duration::ZERO));
        longest.tell();
    }
    let begun = Instant::now();
    let disposed = hosted.host.shutdown().await;
    let mut dispose = Samples::of(format!("dispose {name}"));
    dispose.since(begun);
    match disposed.iter().all(|one| one.answered && one.forced.is_empty() && one.leaked.is_empty()) {
        true => dispose.tell(),
        false => return Err(format!("not all ended by themselves: {disposed:?}").into()),
    }
    Ok(())
}
