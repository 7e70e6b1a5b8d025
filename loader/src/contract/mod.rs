//! A contract made ready to be enforced: every type compiled once, every value checked against it. Reads no
//! file: the contract comes as a value.

mod promise;

pub use promise::{ContractError, Promise};
