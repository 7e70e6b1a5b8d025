//! Why a file could not be executed: the system only gives a number, which says the same of a missing file and of a
//! missing interpreter. Reads the beginning of the file, and runs nothing.

use super::SpawnError;
use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader as _};
use rustix::fs::{Access, access};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

/// How much of a file is read.
const HEAD: u64 = 64 * 1024;

/// Turns the error of an execution into what was wrong.
pub(super) fn explain(path: PathBuf, source: io::Error) -> SpawnError {
    match source.raw_os_error() {
        Some(libc::ENOENT | libc::ENOTDIR) if !path.exists() => SpawnError::NoFile { path },
        Some(libc::ENOENT | libc::EACCES | libc::ENOEXEC | libc::ELIBBAD) => {
            let head = head(&path);
            interpreter_missing(&path, &head)
                .or_else(|| other_machine(&path, &head))
                .unwrap_or_else(|| not_executable(path, source))
        }
        _ => SpawnError::Execute { path, source },
    }
}

fn head(path: &Path) -> Vec<u8> {
    let mut head = Vec::new();
    // What can't be read is told as the system told it.
    let _ = File::open(path).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    head
}

fn interpreter_missing(path: &Path, head: &[u8]) -> Option<SpawnError> {
    let path = path.to_owned();
    if let Some(line) = head.strip_prefix(b"#!") {
        let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let line = String::from_utf8_lossy(line);
        let named = line.trim_start_matches([' ', '\t']).split([' ', '\t']).next().unwrap_or_default();
        let interpreter = named.trim_end_matches('\r').to_owned();
        return match (named.ends_with('\r'), Path::new(&interpreter).exists()) {
            (true, _) => Some(SpawnError::CarriageReturn { path, interpreter }),
            (false, false) => Some(SpawnError::NoInterpreter { path, interpreter }),
            (false, true) => None,
        };
    }
    let interpreter = elf_interpreter(head)?;
    (machine(head) == Some(this_machine()) && !Path::new(&interpreter).exists())
        .then_some(SpawnError::NoInterpreter { path, interpreter })
}

fn elf_interpreter(head: &[u8]) -> Option<String> {
    interpreter_of::<FileHeader64<Endianness>>(head)
        .or_else(|| interpreter_of::<FileHeader32<Endianness>>(head))
}

fn interpreter_of<H: FileHeader<Endian = Endianness>>(head: &[u8]) -> Option<String> {
    let header = H::parse(head).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, head).ok()?;
    let found = segments.iter().find_map(|segment| segment.interpreter(endian, head).ok().flatten())?;
    Some(String::from_utf8_lossy(found).into_owned())
}

fn other_machine(path: &Path, head: &[u8]) -> Option<SpawnError> {
    let path = path.to_owned();
    let this = this_machine();
    let built_for = machine(head).or_else(|| foreign_format(head))?;
    (built_for != this).then_some(SpawnError::OtherMachine { path, built_for, this })
}

fn this_machine() -> String {
    format!("{} Linux", std::env::consts::ARCH)
}

fn machine(head: &[u8]) -> Option<String> {
    let number = machine_of::<FileHeader64<Endianness>>(head)
        .or_else(|| machine_of::<FileHeader32<Endianness>>(head))?;
    Some(match number {
        elf::EM_X86_64 => "x86_64 Linux".to_owned(),
        elf::EM_386 => "x86 Linux".to_owned(),
        elf::EM_AARCH64 => "aarch64 Linux".to_owned(),
        elf::EM_ARM => "arm Linux".to_owned(),
        elf::EM_RISCV => "riscv64 Linux".to_owned(),
        elf::EM_PPC64 => "powerpc64 Linux".to_owned(),
        elf::EM_S390 => "s390x Linux".to_owned(),
        elf::EM_LOONGARCH => "loongarch64 Linux".to_owned(),
        elf::EM_MIPS => "mips Linux".to_owned(),
        other => format!("machine {other:?} of the ELF format"),
    })
}

fn machine_of<H: FileHeader<Endian = Endianness>>(head: &[u8]) -> Option<elf::Machine> {
    let header = H::parse(head).ok()?;
    Some(header.e_machine(header.endian().ok()?))
}

fn foreign_format(head: &[u8]) -> Option<String> {
    match head {
        [0xcf | 0xce, 0xfa, 0xed, 0xfe, ..] => Some("macOS".to_owned()),
        [0xca, 0xfe, 0xba, 0xbe, ..] => Some("macOS".to_owned()),
        [b'M', b'Z', ..] => Some("Windows".to_owned()),
        _ => None,
    }
}

fn not_executable(path: PathBuf, source: io::Error) -> SpawnError {
    match source.raw_os_error() {
        Some(libc::EACCES) => {
            let reason = match (path.metadata(), access(&path, Access::EXEC_OK)) {
                (Ok(meta), _) if meta.is_dir() => "it is a directory",
                (Ok(_), Err(_)) => {
                    "it is not marked as executable, or its file system is mounted without programs"
                }
                (Ok(_), Ok(())) => "what should run it may not be executed",
                (Err(_), _) => "a directory above it may not be searched",
            };
            SpawnError::NotExecutable { path, reason, source }
        }
        Some(libc::ENOEXEC) => SpawnError::NoProgram { path },
        _ => SpawnError::Execute { path, source },
    }
}
