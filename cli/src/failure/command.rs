//! Failures of running a command. The exit codes are those of a shell.

use super::Failure;
use crate::command::CommandError;
use crate::exit::Exit;
use crate::situation::quoted;

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        if let Some(line) = shell_line(&error) {
            return Self::of("command.not_found", &error)
                .exit(Exit::NoProgram)
                .hint(format!("it looks like a line for a shell: `pintle exec --shell {}`", quoted(&line)));
        }
        let (code, exit, hint) = match &error {
            CommandError::Empty => ("command.empty", Exit::Usage, "name a program after `--`"),
            CommandError::ZeroByte { .. } => {
                ("command.zero_byte", Exit::CannotRun, "no program can be given such an argument")
            }
            CommandError::Directory { .. } => {
                ("command.bad_directory", Exit::CannotRun, "name a directory that may be entered")
            }
            CommandError::NotFound { .. } => (
                "command.not_found",
                Exit::NoProgram,
                "install the program, or name its path; a shell's aliases, functions and own commands need a shell line",
            ),
            CommandError::NoFile { .. } => {
                ("command.not_found", Exit::NoProgram, "a name with a slash is a path; look at its spelling")
            }
            CommandError::IsDirectory { .. } => {
                ("command.is_directory", Exit::CannotRun, "name a program in it")
            }
            CommandError::NotExecutable { .. } => (
                "command.not_executable",
                Exit::CannotRun,
                "make it executable (`chmod +x`), or name the program that reads it",
            ),
            CommandError::NoInterpreter { .. } => (
                "command.no_interpreter",
                Exit::CannotRun,
                "install that program, or mend the first line of the file",
            ),
            CommandError::Refused { .. } => (
                "command.refused",
                Exit::CannotRun,
                "look whether it is made for this machine, and whether it may be run from there",
            ),
            CommandError::System { .. } => {
                ("command.system", Exit::CannotRun, "the command may run where its output is no terminal")
            }
        };
        Self::of(code, &error).exit(exit).hint(hint)
    }
}

/// Returns the name of a program that is not there, if it can only be meant as a line for a shell.
fn shell_line(error: &CommandError) -> Option<String> {
    let name = match error {
        CommandError::NotFound { program } => program,
        CommandError::NoFile { path } => path.as_os_str(),
        CommandError::Empty
        | CommandError::ZeroByte { .. }
        | CommandError::Directory { .. }
        | CommandError::IsDirectory { .. }
        | CommandError::NotExecutable { .. }
        | CommandError::NoInterpreter { .. }
        | CommandError::Refused { .. }
        | CommandError::System { .. } => return None,
    };
    let line = name.to_str()?.to_owned();
    // A path may have a blank in it, but not before its first slash: `make -C a/b` is none.
    let begins_with_a_program = line.split_once(' ').is_some_and(|(first, _)| !first.contains('/'));
    (begins_with_a_program || line.contains(['|', '&', ';', '<', '>', '$', '`'])).then_some(line)
}
