//! The processes in which extensions run: starting them fast, keeping hold of all that they start, and ending them
//! without a rest. Knows nothing of the protocol that is spoken with them, of stages or of hooks.
//!
//! Three processes stand behind each worker:
//!
//! ```text
//! host        any program with any number of threads
//!  └ nursery  the host's own binary, started anew with one thread, so that it may fork; one for each host
//!     └ keeper   forked for each worker; the first process of a PID namespace where the kernel gives one
//!        └ program   the extension, and below it whatever it starts
//! ```
//!
//! The host asks the nursery over a socket (`request`) and hands over the descriptors that the program gets. From then
//! on it speaks with the keeper alone, over a socket that belongs to this worker (`report`). When the host's end of
//! it is closed, the keeper ends everything below it: so a worker that is dropped, and a host that is killed, leave
//! nothing. What that holds and what it does not is in `docs/decisions/0013-how-descendants-are-held.md`.
//!
//! A host calls [`enter`] first in its `main`; without it no nursery can be started.

mod spec;
mod nursery;
mod spawn;
mod process;
mod fence;
mod error;
mod explain;
mod leftovers;
mod sealed;
mod request;
mod report;
mod socket;
mod watch;
mod tether;
mod processes;
mod hunt;
mod inside;

pub use error::SpawnError;
pub use fence::{Descendants, Fence};
pub use inside::{ServeLibrary, enter, enter_with};
pub use leftovers::{Record, leftovers};
pub use nursery::Nursery;
pub use process::{Ended, Ending, Process, Worker};
pub(crate) use processes::{is_stopped, start_time};
pub use sealed::memfd_sealed;
pub use spec::{Exec, Limits, Program, SCOPE_VARIABLE, Setting, Streams};
