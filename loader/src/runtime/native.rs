//! The `native` runtime: a library that a worker loads from sealed memory, so that the bytes that were checked are the
//! bytes that run. The host never loads it.

use super::{Instance, Start, StartError, hosted};
use crate::worker::{Program, SpawnError, memfd_sealed};
use std::sync::Arc;

/// Starts a worker with the library.
pub(super) async fn start(start: Start, bytes: &[u8]) -> Result<Arc<dyn Instance>, StartError> {
    let library = memfd_sealed(bytes)
        .map_err(|source| SpawnError::Host { what: "sealed memory for a library", source })?;
    hosted::start(start, Program::Native { library }).await
}
