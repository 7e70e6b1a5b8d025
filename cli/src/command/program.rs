//! Finds the program of a command as a shell does, and says why one can't be run. It starts nothing.

use super::Command;
use pintle_manifest::Untrusted;
use rustix::fs::{Access, access};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

/// Where programs are looked for if PATH is not set, as `execvp` does.
const DEFAULT_SEARCH: &str = "/bin:/usr/bin";
/// What runs a text that does not say what runs it.
pub(super) const SHELL: &str = "/bin/sh";

/// Why a command could not be run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CommandError {
    /// There is nothing to run.
    #[error("no command is given")]
    Empty,
    /// No system takes such an argument.
    #[error("the argument {} of the command holds a zero byte", quoted(word))]
    ZeroByte {
        /// The argument.
        word: OsString,
    },
    /// Where it should run is no directory.
    #[error("the working directory {} can't be entered", quoted(directory.as_os_str()))]
    Directory {
        /// The directory.
        directory: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// It is in none of the directories of PATH.
    #[error("no program {} in PATH", quoted(program))]
    NotFound {
        /// The name.
        program: OsString,
    },
    /// There is no file of this name.
    #[error("no file {}", quoted(path.as_os_str()))]
    NoFile {
        /// The path.
        path: PathBuf,
    },
    /// It is a directory.
    #[error("{} is a directory, and no program", quoted(path.as_os_str()))]
    IsDirectory {
        /// The path.
        path: PathBuf,
    },
    /// It may not be executed.
    #[error("{} may not be executed", quoted(path.as_os_str()))]
    NotExecutable {
        /// The path.
        path: PathBuf,
    },
    /// It names a program that runs it, and that is not there.
    #[error("{} wants to be run by {}, which is not there", quoted(path.as_os_str()), quoted(interpreter))]
    NoInterpreter {
        /// The path.
        path: PathBuf,
        /// What its first line names.
        interpreter: OsString,
    },
    /// The system refused.
    #[error("{} can't be run", quoted(path.as_os_str()))]
    Refused {
        /// The path.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// What is needed around the command could not be had.
    #[error("{what} failed")]
    System {
        /// What.
        what: &'static str,
        /// Why.
        #[source]
        source: io::Error,
    },
}

impl CommandError {
    /// Returns what makes an error of something that was needed.
    pub(super) fn system(what: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::System { what, source }
    }
}

fn quoted(text: &OsStr) -> String {
    format!("`{}`", Untrusted(&text.to_string_lossy()))
}

/// A program that was found.
#[derive(Debug)]
pub(super) struct Program {
    /// Its path; a relative one starts at `directory`.
    pub path: PathBuf,
    /// The arguments, with the name as it was typed.
    pub argv: Vec<OsString>,
    pub directory: Option<PathBuf>,
    /// What runs it if the system can't, as it is a text without a first line that says so.
    pub by_shell: Option<Vec<OsString>>,
}

impl Program {
    /// Finds it.
    pub(super) fn find(command: &Command) -> Result<Self, CommandError> {
        let name = command.argv.first().ok_or(CommandError::Empty)?;
        if let Some(word) = command.argv.iter().find(|word| word.as_bytes().contains(&0)) {
            return Err(CommandError::ZeroByte { word: word.clone() });
        }
        if let Some(directory) = &command.directory {
            may_enter(directory)
                .map_err(|source| CommandError::Directory { directory: directory.clone(), source })?;
        }
        let path = match name.as_bytes().contains(&b'/') {
            true => PathBuf::from(name),
            false => look_for(name, command)?,
        };
        let program =
            Self { path, argv: command.argv.clone(), directory: command.directory.clone(), by_shell: None };
        may_run(program.place())?;
        let by_shell = is_text(&program.place()).then(|| {
            let shell = [OsString::from(SHELL), program.path.clone().into_os_string()];
            shell.into_iter().chain(program.argv.iter().skip(1).cloned()).collect()
        });
        Ok(Self { by_shell, ..program })
    }

    /// Returns where it is for us, who have not changed the directory.
    fn place(&self) -> PathBuf {
        place(&self.path, self.directory.as_deref())
    }

    /// Says why the system would not run it.
    pub(super) fn explain(&self, source: io::Error) -> CommandError {
        let path = self.path.clone();
        let missing = source.raw_os_error() == Some(Errno::NOENT.raw_os_error());
        match interpreter(&self.place()) {
            Some(interpreter) if missing => CommandError::NoInterpreter { path, interpreter },
            Some(_) | None => CommandError::Refused { path, source },
        }
    }
}

fn place(path: &Path, directory: Option<&Path>) -> PathBuf {
    directory.map_or_else(|| path.to_owned(), |directory| directory.join(path))
}

/// Looks through PATH. A file that may not be executed is passed over, and named only if there is no other.
fn look_for(name: &OsStr, command: &Command) -> Result<PathBuf, CommandError> {
    let search = command.search.as_deref().unwrap_or(OsStr::new(DEFAULT_SEARCH));
    let directories: Vec<PathBuf> = std::env::split_paths(search)
        .map(|directory| if directory.as_os_str().is_empty() { PathBuf::from(".") } else { directory })
        .collect();
    let mut refused = None;
    for directory in directories.iter().filter(|_| !name.is_empty()) {
        let path = directory.join(name);
        match may_run(place(&path, command.directory.as_deref())) {
            Ok(()) => return Ok(path),
            Err(error @ CommandError::NotExecutable { .. }) => refused = refused.or(Some(error)),
            Err(_) => {}
        }
    }
    Err(refused.unwrap_or_else(|| CommandError::NotFound { program: name.to_owned() }))
}

fn may_enter(directory: &Path) -> io::Result<()> {
    if !std::fs::metadata(directory)?.is_dir() {
        return Err(Errno::NOTDIR.into());
    }
    Ok(access(directory, Access::EXEC_OK)?)
}

fn may_run(path: PathBuf) -> Result<(), CommandError> {
    match std::fs::metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(CommandError::Refused { path, source: error })
        }
        Err(_) => Err(CommandError::NoFile { path }),
        Ok(metadata) if metadata.is_dir() => Err(CommandError::IsDirectory { path }),
        Ok(_) if access(&path, Access::EXEC_OK).is_err() => Err(CommandError::NotExecutable { path }),
        Ok(_) => Ok(()),
    }
}

fn start_of(path: &Path) -> Vec<u8> {
    let mut start = Vec::new();
    // A program that may be run and not read is none of our business.
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(256).read_to_end(&mut start);
    }
    start
}

/// Tells whether a shell would read the file: no system knows its form, and its first line is no binary.
fn is_text(path: &Path) -> bool {
    let start = start_of(path);
    let line = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    !start.starts_with(b"#!") && !start.starts_with(b"\x7fELF") && !line.contains(&0)
}

/// Returns what the first line of a script names.
fn interpreter(path: &Path) -> Option<OsString> {
    let start = start_of(path);
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = line.trim_ascii().split(|byte| *byte == b' ' || *byte == b'\t').next()?;
    Some(OsString::from_vec(word.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::{Command, Program};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    fn write(path: &Path, mode: u32, text: &str) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        #[expect(clippy::disallowed_methods, reason = "a fixture of a test, and no state")]
        std::fs::write(path, text).unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_program_is_found_as_a_shell_finds_it_or_the_place_is_named() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        write(&root.join("one/plain"), 0o644, "#!/bin/sh\n");
        write(&root.join("one/both"), 0o644, "#!/bin/sh\n");
        write(&root.join("two/both"), 0o755, "#!/bin/sh\n");
        write(&root.join("two/text"), 0o755, "echo hello\n");
        write(&root.join("here"), 0o755, "#!/bin/sh\n");
        std::fs::create_dir_all(root.join("one/folder")).unwrap();

        let check = |argv: &[&str], search: &str, expected: &str| {
            let search = search.replace('R', root.to_str().unwrap());
            let command = Command {
                argv: argv
                    .iter()
                    .map(|word| word.replace("R/", &format!("{}/", root.display())).into())
                    .collect(),
                directory: Some(root.to_owned()),
                search: Some(search.clone().into()),
            };
            let found = match Program::find(&command) {
                Ok(program) => {
                    let by = if program.by_shell.is_some() { " by shell" } else { "" };
                    format!("{}{by}", program.path.display())
                }
                Err(error) => error.to_string(),
            };
            assert_eq!(found.replace(root.to_str().unwrap(), "R"), expected, "{argv:?} in {search}");
        };
        check(&[], "R/one", "no command is given");
        check(&[""], "R/one", "no program `` in PATH");
        check(&["a\0b"], "R/one", "the argument `a\\u{0}b` of the command holds a zero byte");
        check(&["none\x1b[2J"], "R/one:R/two", "no program `none\\u{1b}[2J` in PATH");
        check(&["folder"], "R/one:R/two", "no program `folder` in PATH");
        check(&["plain"], "R/one:R/two", "`R/one/plain` may not be executed");
        check(&["both"], "R/one:R/two", "R/two/both");
        check(&["both"], "one:two", "two/both");
        check(&["here"], "R/one:", "./here");
        check(&["text"], "R/two", "R/two/text by shell");
        check(&["./none"], "R/one", "no file `R/./none`");
        check(&["./one/plain"], "R/one", "`R/./one/plain` may not be executed");
        check(&["./one/folder"], "R/one", "`R/./one/folder` is a directory, and no program");
        check(&["./one/plain/x"], "R/one", "no file `R/./one/plain/x`");
        check(&["R/here", "x"], "", "R/here");
    }

    #[test]
    fn a_directory_that_is_none_is_named_first() {
        let command = Command {
            argv: vec!["true".into()],
            directory: Some("/dev/null".into()),
            search: Some("/bin".into()),
        };
        let error = Program::find(&command).unwrap_err();
        assert_eq!(error.to_string(), "the working directory `/dev/null` can't be entered");
    }
}
