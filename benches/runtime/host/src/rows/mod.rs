//! What is measured, a file each.

mod crash;
mod guard;
mod ledger;
mod load;
mod stream;

pub use crash::crash;
pub use guard::guard;
pub use ledger::ledger;
pub use load::load;
pub use stream::stream;
