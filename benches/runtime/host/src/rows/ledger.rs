//! The disposal of an extension that holds a thousand things.

use crate::{Hosted, Samples, Set};
use pintle_manifest::Name;
use std::error::Error;
use std::time::Instant;

/// How much it holds.
const HELD: usize = 1000;

/// Measures it, from the word that it is disabled to the report of what was released.
pub async fn ledger(set: &Set) -> Result<(), Box<dyn Error>> {
    let hosted = Hosted::start(set.holder()?).await?;
    let holdings = hosted.host.holdings().len();
    if holdings != HELD {
        return Err(format!("it holds {holdings} things instead of {HELD}").into());
    }
    let begun = Instant::now();
    let disposed = hosted.host.disable(&Name::parse("holder-000")?).await?.remove(0);
    let mut samples = Samples::of("ledger 1000");
    samples.since(begun);
    if disposed.released != HELD || !disposed.forced.is_empty() || !hosted.host.holdings().is_empty() {
        return Err(format!("not all was released: {disposed:?}").into());
    }
    samples.tell();
    hosted.host.shutdown().await;
    Ok(())
}
