//! The `process` runtime: any program, talked to over two pipes.

use super::{Instance, Start, StartError, hosted};
use crate::stage::Program as Command;
use crate::worker::{Exec, Program, SpawnError};
use std::sync::Arc;

/// Starts the program.
pub(super) async fn start(start: Start, command: &Command) -> Result<Arc<dyn Instance>, StartError> {
    let arguments = command.arguments.iter().map(Into::into).collect();
    let exec = Exec { path: command.path.clone(), arguments };
    let program = match &command.open {
        Some(file) => {
            let file = file.try_clone();
            let failed = |source| SpawnError::Host { what: "a copy of a descriptor", source };
            Program::Open { file: file.map_err(failed)?.into(), exec }
        }
        None => Program::Exec(exec),
    };
    hosted::start(start, program).await
}
