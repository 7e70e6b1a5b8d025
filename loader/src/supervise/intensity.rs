//! Restart intensity, as in OTP: so many faults in so much time are too many. Values in, decision out.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How many faults are too many.
pub(super) const MOST: usize = 3;
/// In how much time.
pub(super) const WINDOW: Duration = Duration::from_secs(60);
/// How long a restart waits. The first one does not: whoever asks meanwhile waits with it, and one crash says little.
const BACKOFF: Duration = Duration::from_millis(100);

/// The faults of one extension.
#[derive(Debug, Default)]
pub(super) struct Intensity {
    times: VecDeque<Instant>,
}

/// What is to be done after a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Decision {
    /// Go on; if its instance ended, start another after so long.
    GoOn(Duration),
    /// Put it away.
    Quarantine,
}

impl Intensity {
    /// Counts a fault.
    pub(super) fn fault(&mut self, now: Instant) -> Decision {
        while self.times.front().is_some_and(|time| now.duration_since(*time) > WINDOW) {
            self.times.pop_front();
        }
        self.times.push_back(now);
        match self.times.len() {
            count if count >= MOST => Decision::Quarantine,
            1 => Decision::GoOn(Duration::ZERO),
            _ => Decision::GoOn(BACKOFF),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Decision, Intensity};
    use std::time::{Duration, Instant};

    #[test]
    fn three_faults_in_a_minute_are_too_many() {
        let check = |seconds: &[u64], expected: Decision| {
            let (start, mut intensity) = (Instant::now(), Intensity::default());
            let decisions: Vec<_> =
                seconds.iter().map(|second| intensity.fault(start + Duration::from_secs(*second))).collect();
            assert_eq!(decisions.last(), Some(&expected), "{seconds:?}");
        };
        check(&[0], Decision::GoOn(Duration::ZERO));
        check(&[0, 1], Decision::GoOn(Duration::from_millis(100)));
        check(&[0, 30, 60], Decision::Quarantine);
        check(&[0, 30, 61], Decision::GoOn(Duration::from_millis(100)));
        check(&[0, 61, 122, 183], Decision::GoOn(Duration::ZERO));
    }
}
