//! What a host keeps between its runs: who is in quarantine and with what evidence, whose starts went wrong, what an
//! extension stored. Every file has a version; one that can't be read is left as it is and never taken for empty.

pub mod files;

pub(crate) mod faults;
mod damage;
mod json_file;
mod edited;
mod mounts;
mod places;
mod quarantine;
mod starts;
mod store;

pub use damage::{Damage, damages, put_harmless_aside};
pub(crate) use edited::edited_since;
pub use places::Places;
pub use quarantine::{Evidence, FaultNote, Quarantine};
pub(crate) use starts::Start;
pub use starts::{Starts, Unhealthy};
pub(crate) use store::{Keeper, StoreError};
