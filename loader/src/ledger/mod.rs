//! The ledger: who holds what since when, and how each thing is taken back. Everything that an extension has through
//! the host is one entry; there is no other way to hold something. It is also kept on disk, so that what a killed
//! host left can be found and ended.
//!
//! `entry` is what one line says, `book` the live ledger of one host, `record` the same on disk, `dead` what
//! is done about the record of a host that is gone.

mod entry;
mod book;
mod record;
mod dead;

pub(crate) use book::{HoldError, Ledger, Undo};
pub use dead::{Orphan, Recovered, recover};
pub use entry::{EntryId, Holding, Kind};
pub(crate) use record::Record;
pub use record::{HostRecord, LoadState, hosts};
