//! The `process` runtime: any program, talked to over two pipes.

use super::{Instance, Start, StartError, hosted};
use crate::stage::Program as Command;
use crate::worker::{Exec, Program};
use std::sync::Arc;

/// Starts the program.
pub(super) async fn start(start: Start, command: &Command) -> Result<Arc<dyn Instance>, StartError> {
    let arguments = command.arguments.iter().map(Into::into).collect();
    let program = Program::Exec(Exec { path: command.path.clone(), arguments });
    hosted::start(start, program).await
}
