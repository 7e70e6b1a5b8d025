//! Hooks: how a host calls out. One file for each kind; each kind has exactly the outcomes, the order and the meaning
//! of a fault that its first lines say. `consult` is what they share: one extension is called, within its time.
//!
//! A dispatcher is what a host gets by claiming a hook, and the only thing that can fire it.

mod consult;
mod filter;
mod line;
mod table;

mod guard;
mod transform;
mod claim;
mod collect;
mod around;
mod observe;
mod queue;
mod stream;

pub use around::{Around, AroundError};
pub use claim::{Claim, Claimed};
pub use collect::Collect;
pub use guard::{Blocked, Guard, Verdict};
pub use observe::Observe;
pub use stream::Stream;
pub use transform::Transform;

pub(crate) use consult::{note, told};
pub(crate) use line::Line;
pub(crate) use queue::{Queue, drain};
pub(crate) use table::{Subscriber, Tables};

/// Returns a duration in whole microseconds.
pub(crate) fn micros(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}
