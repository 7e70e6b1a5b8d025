//! What goes on in the background and has to be waited for at the end: observers that did not answer yet, restarts.

use std::sync::Arc;
use tokio::sync::watch;

/// Counts what goes on.
#[derive(Debug, Clone)]
pub(crate) struct Busy {
    count: Arc<watch::Sender<usize>>,
}

/// One thing that goes on, until this is dropped.
#[derive(Debug)]
pub(crate) struct Going(Busy);

impl Default for Busy {
    fn default() -> Self {
        Self { count: Arc::new(watch::Sender::new(0)) }
    }
}

impl Busy {
    /// Notes that something goes on.
    pub(crate) fn begin(&self) -> Going {
        self.count.send_modify(|count| *count += 1);
        Going(self.clone())
    }

    /// Waits until nothing goes on.
    pub(crate) async fn rest(&self) {
        // The sender is held here, so it can't be gone.
        let _ = self.count.subscribe().wait_for(|count| *count == 0).await;
    }
}

impl Drop for Going {
    fn drop(&mut self) {
        self.0.count.send_modify(|count| *count -= 1);
    }
}
