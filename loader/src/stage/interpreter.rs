//! Programs that must be on the machine: found by the search path, never run here.

use super::{Machine, StageFailure};
use std::path::{Path, PathBuf};

/// Finds a program by its name on the search path.
pub(super) fn find(machine: &Machine, name: &str) -> Result<PathBuf, StageFailure> {
    if machine.search_path.is_empty() {
        let message = format!("`{name}` can't be looked for: the host gives extensions no PATH");
        return Err(StageFailure::new("entry.no_interpreter", message)
            .hint("a host names the environment of extensions by `HostBuilder::environment`"));
    }
    let candidates = machine.search_path.iter().map(|directory| directory.join(name));
    candidates.into_iter().find(|path| is_program(path)).ok_or_else(|| {
        StageFailure::new("entry.no_interpreter", format!("`{name}` is not on this machine"))
            .hint(format!("install `{name}`, or see that it is on PATH"))
    })
}

/// Tells whether a path is a file that may be run.
pub(crate) fn is_program(path: &Path) -> bool {
    let Ok(metadata) = path.metadata() else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        metadata.is_file() && metadata.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    {
        metadata.is_file()
    }
}

/// Returns the program that a script's first line names, if it has one; of one that `env` looks up, its name.
pub(super) fn of_script(bytes: &[u8]) -> Option<PathBuf> {
    let line = bytes.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_ascii_whitespace();
    let program = PathBuf::from(words.next()?);
    match program.file_name().is_some_and(|name| name == "env") && program.exists() {
        true => words.find(|word| !word.starts_with('-') && !word.contains('=')).map(PathBuf::from),
        false => Some(program),
    }
}

/// Tells whether an interpreter is on the machine: by its path, or by its name where `env` looks it up.
pub(super) fn is_there(machine: &Machine, interpreter: &Path) -> bool {
    let is_name = interpreter.components().count() == 1 && !interpreter.is_absolute();
    match (is_name, interpreter.to_str()) {
        (true, Some(name)) => find(machine, name).is_ok(),
        (true, None) | (false, _) => is_program(interpreter),
    }
}
