//! A stream of 100,000 pieces to ten subscribers: what one that is stuck costs whoever produces. The producer gives way
//! now and then, as one that reads its pieces from somewhere does, so the subscribers are served meanwhile.

use crate::hosting::Delta;
use crate::{Hosted, Samples, Set};
use rustix::time::{ClockId, clock_gettime};
use std::error::Error;
use std::time::{Duration, Instant};

const PIECES: usize = 100_000;
/// After how many pieces the producer gives way.
const AT_ONCE: usize = 64;

/// Measures ten that read, nine that read with one that is stuck, nine alone, and no one, in turns.
pub async fn stream(set: &Set, rounds: usize) -> Result<(), Box<dyn Error>> {
    let variants = [("10 reading", 10, 0), ("9 reading, 1 stuck", 9, 1), ("9 reading", 9, 0), ("none", 0, 0)];
    let mut hosts = Vec::new();
    for (what, reading, stuck) in variants {
        let hosted = Hosted::start(set.readers(reading, stuck)?).await?;
        let [wall, processor] = ["", ", processor"].map(|how| Samples::of(format!("stream {what}{how}")));
        hosts.push((hosted, wall, processor));
    }
    for _ in 0..rounds {
        for (hosted, wall, processor) in &mut hosts {
            let (begun, used) = (Instant::now(), processor_time());
            produce(hosted).await;
            wall.since(begun);
            processor.add(processor_time().saturating_sub(used));
            // Those that read catch up, so that nothing of this round is left for the next.
            hosted.stream.flush(Duration::from_millis(300)).await;
        }
    }
    for (hosted, wall, processor) in hosts {
        wall.tell();
        processor.tell();
        hosted.host.shutdown().await;
    }
    Ok(())
}

/// Returns the processor time of this thread, on which the host does everything. Other programs do not count in it.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

async fn produce(hosted: &Hosted) {
    let delta = Delta { text: "warning: unused variable: `engine`, in src/analytical.rs:42".to_owned() };
    for number in 1..=PIECES {
        hosted.stream.push(&delta);
        if number % AT_ONCE == 0 {
            tokio::task::yield_now().await;
        }
    }
}
