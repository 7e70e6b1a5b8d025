//! A host: [`builder`] claims and answers everything that its contract promises, [`start`] takes a set through the stages,
//! [`running`] is the host with its extensions. [`core`] is what all of them and the rest of the loader share; [`desk`]
//! answers what extensions ask.

mod busy;
mod core;
mod desk;
mod notice;

mod builder;
mod choice;
mod order;
mod start;
mod running;

pub use builder::{BuildError, HostBuilder};
pub(crate) use choice::one_of_each;
pub(crate) use core::{Asked, Core};
pub(crate) use desk::Desk;
pub use notice::Notice;
pub(crate) use order::{Place, load_order};
pub use running::{ChangeError, Host};
pub use start::Started;
pub(crate) use start::{clear_dead, quarantined};
