//! The entry stage: what will be run is there, can be run on this machine, and has the right shape. It is read as a
//! file; nothing of it is run.

use super::install::{compare_read, entry_path};
use super::{Machine, StageFailure, elf, interpreter};
use crate::bundle::Bundle;
use pintle_manifest::Entry;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;

/// The largest library that is read, in bytes.
const MAX_LIBRARY: u64 = 512 * 1024 * 1024;
/// How much of a program is read to learn its shape, in bytes.
const HEAD: u64 = 64 * 1024;

/// What will be run.
#[derive(Debug)]
pub(crate) enum Artifact {
    /// A program with its arguments.
    Process(Program),
    /// The bytes of a library, as they were checked.
    Native(Vec<u8>),
}

/// A program with its arguments.
#[derive(Debug)]
pub(crate) struct Program {
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The same, open since it was checked, if that is what can be executed; none of a script, and of a program that is
    /// looked up on the machine.
    pub(crate) open: Option<File>,
    /// Name and arguments.
    pub(crate) arguments: Vec<String>,
}

/// Checks it.
pub(super) fn check(
    bundle: &Bundle,
    opened: Option<File>,
    machine: &Machine,
) -> Result<Artifact, StageFailure> {
    match &bundle.manifest.entry {
        Entry::Process { command, requires } => {
            for name in requires.keys() {
                interpreter::find(machine, name)?;
            }
            program(bundle, command, opened, machine).map(Artifact::Process)
        }
        Entry::Native { library } => {
            let Some(path) = library.get(&machine.target) else {
                let offered: Vec<String> = library.keys().map(ToString::to_string).collect();
                return Err(StageFailure::new(
                    "entry.no_artifact",
                    format!(
                        "it has no library for {}; it has one for {}",
                        machine.target,
                        offered.join(", ")
                    ),
                ));
            };
            let Some(mut file) = opened else { return Err(missing(path.as_str())) };
            let bytes = read_whole(&mut file, path.as_str())?;
            compare_read(bundle, path, &bytes)?;
            elf::check_library(path.as_str(), &bytes)?;
            Ok(Artifact::Native(bytes))
        }
        Entry::Wasm { .. } => Err(StageFailure::new(
            "entry.runtime_unavailable",
            "it is a WebAssembly component, which this Pintle can't run yet",
        )),
    }
}

fn program(
    bundle: &Bundle,
    command: &[String],
    opened: Option<File>,
    machine: &Machine,
) -> Result<Program, StageFailure> {
    let name = command.first().map(String::as_str).unwrap_or_default();
    let arguments = command.to_vec();
    let Some(path) = entry_path(bundle) else {
        return Ok(Program { path: interpreter::find(machine, name)?, open: None, arguments });
    };
    let Some(mut file) = opened else { return Err(missing(name)) };
    let path = bundle.root.join(path.as_str());
    if !interpreter::is_program(&path) {
        return Err(StageFailure::new("entry.not_executable", format!("`{name}` may not be run"))
            .hint(format!("its author forgot to make it executable: `chmod +x {name}`")));
    }
    let mut head = Vec::new();
    file.seek(SeekFrom::Start(0))
        .and_then(|_| file.by_ref().take(HEAD).read_to_end(&mut head))
        .map_err(|error| StageFailure::new("entry.unreadable", format!("`{name}` can't be read: {error}")))?;
    if let Some(script) = interpreter::of_script(&head) {
        return match interpreter::is_there(machine, &script) {
            true => Ok(Program { path, open: None, arguments }),
            false => Err(no_interpreter(name, &script.to_string_lossy())),
        };
    }
    elf::check_machine(name, &head)?;
    if let Some(loader) = elf::loader_of(&head).filter(|loader| !PathBuf::from(loader).exists()) {
        return Err(no_interpreter(name, &loader));
    }
    Ok(Program { path, open: Some(file), arguments })
}

fn read_whole(file: &mut File, name: &str) -> Result<Vec<u8>, StageFailure> {
    // Room for all of it at once: growing would copy what was read again and again.
    let size = file.metadata().map_or(0, |data| data.len().min(MAX_LIBRARY));
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    let read =
        file.seek(SeekFrom::Start(0)).and_then(|_| file.by_ref().take(MAX_LIBRARY).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(bytes),
        Err(error) => Err(StageFailure::new("entry.unreadable", format!("`{name}` can't be read: {error}"))),
    }
}

fn missing(name: &str) -> StageFailure {
    StageFailure::new("entry.no_program", format!("`{name}` is not among its files"))
        .hint("a folder under development has to be built first")
}

fn no_interpreter(name: &str, interpreter: &str) -> StageFailure {
    StageFailure::new(
        "entry.no_interpreter",
        format!("`{name}` needs `{interpreter}`, which is not on this machine"),
    )
    .hint("it was built for another system; install the release for this one")
}
