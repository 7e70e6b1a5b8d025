//! The loop that every worker runs: frames in, calls to a [`Backend`], frames out. It knows no extension and no
//! contract.
//!
//! There is no runtime and, on the usual way, no second thread: the thread that reads a call runs it and writes the
//! answer. A handler that waits for the host reads frames itself meanwhile, takes its own reply, hands over those of
//! others, and gives calls that arrive to another thread. So an extension can be called while it waits, and pays for a
//! thread only then. While a handler computes and does not wait, nothing is read.

mod backend;
mod frames;
mod incoming;
mod instance;
mod outgoing;
mod reading;
mod server;
mod state;
mod waiting;

pub use backend::{Backend, Host};
pub use incoming::CallText;
pub use instance::Instance;
pub use server::{Ending, ServeError, serve};
