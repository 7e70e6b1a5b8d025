//! The own time of one callback: it runs while the extension computes, and stands still while it waits for the host.

use std::sync::Mutex;
use std::time::{Duration, Instant};
use tokio::sync::Notify;

/// Measures one callback.
#[derive(Debug)]
pub(super) struct Clock {
    state: Mutex<State>,
    began: Instant,
    /// Told when the clock stopped or went on.
    changed: Notify,
}

#[derive(Debug)]
struct State {
    own: Duration,
    /// Since when it runs, if it does.
    since: Option<Instant>,
    /// For how many answers of the host the extension waits.
    waits: u32,
}

impl Clock {
    /// Starts it.
    pub(super) fn start() -> Self {
        let now = Instant::now();
        let state = State { own: Duration::ZERO, since: Some(now), waits: 0 };
        Self { state: Mutex::new(state), began: now, changed: Notify::new() }
    }

    /// Notes that the extension began to wait for the host.
    pub(super) fn pause(&self) {
        let mut state = self.state.lock().expect("no holder panics");
        state.waits += 1;
        if let Some(since) = state.since.take() {
            state.own += since.elapsed();
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Notes that the host answered.
    pub(super) fn resume(&self) {
        let mut state = self.state.lock().expect("no holder panics");
        state.waits = state.waits.saturating_sub(1);
        if state.waits == 0 && state.since.is_none() {
            state.since = Some(Instant::now());
            drop(state);
            self.changed.notify_one();
        }
    }

    /// Returns how long the extension computed.
    pub(super) fn own(&self) -> Duration {
        let state = self.state.lock().expect("no holder panics");
        state.own + state.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Returns how long it has taken in all.
    pub(super) fn wall(&self) -> Duration {
        self.began.elapsed()
    }

    /// Returns when the own time will be used up if nothing changes; `None` while it stands still.
    pub(super) fn own_deadline(&self, limit: Duration) -> Option<Instant> {
        let state = self.state.lock().expect("no holder panics");
        state.since.map(|since| since + limit.saturating_sub(state.own))
    }

    /// Returns when the callback began.
    pub(super) const fn began(&self) -> Instant {
        self.began
    }

    /// Waits until it stopped or went on.
    pub(super) async fn changed(&self) {
        self.changed.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use super::Clock;
    use std::time::Duration;

    #[test]
    fn it_stands_still_until_the_last_answer_came() {
        let clock = Clock::start();
        let limit = Duration::from_secs(5);
        assert!(clock.own_deadline(limit).is_some());
        clock.pause();
        clock.pause();
        let before = clock.own();
        assert_eq!(clock.own_deadline(limit), None);
        clock.resume();
        assert_eq!(clock.own_deadline(limit), None, "one answer is still to come");
        assert_eq!(clock.own(), before);
        clock.resume();
        assert!(clock.own_deadline(limit).is_some());
    }
}
