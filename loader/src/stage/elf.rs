//! Programs and libraries, read as files before they are given to the system. Nothing of them is run.

use super::StageFailure;
use object::read::elf::FileHeader as _;
use object::{Object as _, ObjectKind, elf};

/// The function that a native extension exports.
pub(super) const ENTRY_SYMBOL: &[u8] = pintle_sdk::native::abi::ENTRY_SYMBOL.as_bytes();

/// Checks that a library can be loaded on this machine and is an extension.
pub(super) fn check_library(name: &str, bytes: &[u8]) -> Result<(), StageFailure> {
    check_machine(name, bytes)?;
    let file = object::File::parse(bytes).map_err(|error| {
        StageFailure::new("entry.not_a_library", format!("`{name}` can't be read as a library: {error}"))
    })?;
    if file.kind() != ObjectKind::Dynamic {
        return Err(StageFailure::new("entry.not_a_library", format!("`{name}` is no dynamic library"))
            .hint("build it with `crate-type = [\"cdylib\"]`"));
    }
    let exports = file.exports().map_err(|error| {
        StageFailure::new("entry.not_a_library", format!("the exports of `{name}` can't be read: {error}"))
    })?;
    let mut exports = exports.filter_map(Result::ok);
    match exports
        .any(|export| matches!(export.name(), object::NameOrOrdinal::Name(name) if name == ENTRY_SYMBOL))
    {
        true => Ok(()),
        false => Err(StageFailure::new(
            "entry.no_symbol",
            format!("`{name}` does not export `{}`", String::from_utf8_lossy(ENTRY_SYMBOL)),
        )
        .hint("a Rust extension does so with `pintle_sdk::export!(Type)` in a `cdylib`")),
    }
}

/// Checks that code in ELF form is for this machine. Other forms are left to the system.
pub(super) fn check_machine(name: &str, bytes: &[u8]) -> Result<(), StageFailure> {
    if !bytes.starts_with(&elf::ELFMAG) {
        return Ok(());
    }
    let (theirs, is_64) = match machine_of(bytes) {
        Some(found) => found,
        None => {
            return Err(StageFailure::new("entry.damaged", format!("`{name}` is a damaged ELF file")));
        }
    };
    let ours = native_machine();
    match ours.is_none_or(|(machine, bits_64)| machine == theirs && bits_64 == is_64) {
        true => Ok(()),
        false => Err(StageFailure::new(
            "entry.other_machine",
            format!(
                "`{name}` is for {}, and this machine is {}",
                machine_name(theirs),
                std::env::consts::ARCH
            ),
        )
        .hint("install the release for this machine; `pintle info` names the targets that are offered")),
    }
}

/// Returns the program that loads this one, if it names one that must be there.
pub(super) fn loader_of(bytes: &[u8]) -> Option<String> {
    let header = elf::FileHeader64::<object::Endianness>::parse(bytes).ok()?;
    let endian = header.endian().ok()?;
    let segments = header.program_headers(endian, bytes).ok()?;
    segments.iter().find_map(|segment| {
        use object::read::elf::ProgramHeader as _;
        let text = segment.interpreter(endian, bytes).ok()??;
        Some(String::from_utf8_lossy(text).into_owned())
    })
}

fn machine_of(bytes: &[u8]) -> Option<(elf::Machine, bool)> {
    match bytes.get(4)? {
        1 => {
            let header = elf::FileHeader32::<object::Endianness>::parse(bytes).ok()?;
            Some((header.e_machine(header.endian().ok()?), false))
        }
        _ => {
            let header = elf::FileHeader64::<object::Endianness>::parse(bytes).ok()?;
            Some((header.e_machine(header.endian().ok()?), true))
        }
    }
}

fn native_machine() -> Option<(elf::Machine, bool)> {
    match std::env::consts::ARCH {
        "x86_64" => Some((elf::EM_X86_64, true)),
        "aarch64" => Some((elf::EM_AARCH64, true)),
        "x86" => Some((elf::EM_386, false)),
        "arm" => Some((elf::EM_ARM, false)),
        "riscv64" => Some((elf::EM_RISCV, true)),
        _ => None,
    }
}

fn machine_name(machine: elf::Machine) -> String {
    match machine {
        elf::EM_X86_64 => "x86_64".to_owned(),
        elf::EM_AARCH64 => "aarch64".to_owned(),
        elf::EM_386 => "x86".to_owned(),
        elf::EM_ARM => "arm".to_owned(),
        elf::EM_RISCV => "riscv".to_owned(),
        other => format!("the machine number {}", other.0),
    }
}
