//! `contract.toml`, what a host promises to extensions, as plain values.

mod model;

pub use model::{
    Call, Collision, Contract, Deprecation, Hook, HookKind, Invoke, OnFault, PermissionKind, QueueRule, Risk,
    Slot,
};

use crate::Problem;

impl Contract {
    /// Reads the text of a `contract.toml`, or reports every problem in it.
    pub fn parse(_text: &str) -> Result<Self, Vec<Problem>> {
        Err(Vec::new())
    }
}
