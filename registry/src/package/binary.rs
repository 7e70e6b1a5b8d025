//! What machine a compiled file is for, read from its headers. Nothing is loaded or run.

use super::content::head;
use crate::store::fs::FsError;
use object::read::elf::{ElfFile, FileHeader, ProgramHeader as _};
use object::read::macho::{FatArch, MachOFatFile32, MachOFatFile64};
use object::read::{ReadCache, ReadRef};
use object::{Architecture, BinaryFormat, FileKind, Object as _, ObjectKind};
use pintle_manifest::{Target, Untrusted};
use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

/// Describes a compiled program or library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// The targets that it can run on: none if Pintle knows no such target, several if it is linked statically or
    /// holds code for several machines.
    pub fits: BTreeSet<Target>,
    /// What it is, in words: format, machine, interpreter, newest glibc symbol.
    pub description: String,
    /// Whether it can be loaded as a library.
    pub is_library: bool,
}

/// A fat Mach-O file begins like a Java class, which has a version here that is higher than any number of machines.
const MOST_MACHINES: u8 = 30;

impl Binary {
    /// Reads the headers of a file; `None` if it is not compiled code that a system could run by itself.
    pub fn read(path: &Path) -> Result<Option<Self>, FsError> {
        let start = head(path, 64)?;
        let file = File::open(path).map_err(FsError::new("open", path))?;
        Ok(Self::parse(&ReadCache::new(file), &start))
    }

    /// Reads the headers of a file that is in memory.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        Self::parse(bytes, bytes)
    }

    fn parse<'data>(data: impl ReadRef<'data>, start: &[u8]) -> Option<Self> {
        match FileKind::parse(data).ok()? {
            FileKind::Elf32 => ElfFile::<object::elf::FileHeader32<object::Endianness>, _>::parse(data)
                .ok()
                .and_then(|elf| read_elf(&elf)),
            FileKind::Elf64 => ElfFile::<object::elf::FileHeader64<object::Endianness>, _>::parse(data)
                .ok()
                .and_then(|elf| read_elf(&elf)),
            FileKind::MachOFat32 | FileKind::MachOFat64
                if start.get(7).is_none_or(|count| *count > MOST_MACHINES) =>
            {
                None
            }
            FileKind::MachOFat32 => {
                MachOFatFile32::parse(data).ok().and_then(|fat| read_fat(fat.arches(), data))
            }
            FileKind::MachOFat64 => {
                MachOFatFile64::parse(data).ok().and_then(|fat| read_fat(fat.arches(), data))
            }
            _ => object::File::parse(data).ok().and_then(|file| read_other(&file)),
        }
    }
}

fn read_elf<'data, Elf: FileHeader, R: ReadRef<'data>>(elf: &ElfFile<'data, Elf, R>) -> Option<Binary> {
    let is_library = elf.kind() == ObjectKind::Dynamic;
    if !is_library && elf.kind() != ObjectKind::Executable {
        return None;
    }
    let machine = elf.architecture();
    let interpreter = interpreter(elf);
    let glibc = newest_glibc(elf);
    let needed = needed(elf);
    let is_freebsd = elf.elf_header().e_ident().os_abi == object::elf::ELFOSABI_FREEBSD;
    let systems: &[&str] = match (is_freebsd, interpreter.as_deref()) {
        (true, _) => &["freebsd"],
        (false, Some(path)) if path.contains("ld-musl") => &["musl"],
        (false, Some(path)) if path.contains("/ld-linux") || path.contains("/ld64.so") => &["gnu"],
        (false, Some(_)) => &[],
        (false, None) if glibc.is_some() || needed.iter().any(|name| name == "libc.so.6") => &["gnu"],
        (false, None) if needed.iter().any(|name| name == "libc.so" || name.starts_with("libc.musl")) => {
            &["musl"]
        }
        (false, None) => &["gnu", "musl"],
    };
    let fits = systems.iter().filter_map(|system| elf_target(machine, system)).collect();
    let mut description = format!("ELF code for {}", machine_name(machine));
    match &interpreter {
        Some(path) => description.push_str(&format!(" with the interpreter `{}`", Untrusted(path))),
        None if needed.is_empty() => description.push_str(", linked statically"),
        None => {}
    }
    if let Some((major, minor)) = glibc {
        description.push_str(&format!(" and glibc {major}.{minor}"));
    }
    Some(Binary { fits, description, is_library: is_library && interpreter.is_none() })
}

fn elf_target(machine: Architecture, system: &str) -> Option<Target> {
    let triple = match (machine, system) {
        (Architecture::X86_64, "freebsd") => "x86_64-unknown-freebsd".to_owned(),
        (Architecture::X86_64, _) => format!("x86_64-unknown-linux-{system}"),
        (Architecture::Aarch64, _) => format!("aarch64-unknown-linux-{system}"),
        (Architecture::Riscv64, _) => format!("riscv64gc-unknown-linux-{system}"),
        (Architecture::Arm, _) => format!("armv7-unknown-linux-{system}eabihf"),
        _ => return None,
    };
    Target::parse(&triple).ok()
}

fn interpreter<'data, Elf: FileHeader, R: ReadRef<'data>>(elf: &ElfFile<'data, Elf, R>) -> Option<String> {
    let found = elf
        .elf_program_headers()
        .iter()
        .find_map(|segment| segment.interpreter(elf.endian(), elf.data()).ok().flatten());
    found.map(|path| String::from_utf8_lossy(path).into_owned())
}

/// Returns the libraries that must be there.
fn needed<'data, Elf: FileHeader, R: ReadRef<'data>>(elf: &ElfFile<'data, Elf, R>) -> Vec<String> {
    let Ok(table) = elf.elf_dynamic_table() else { return Vec::new() };
    table
        .iter()
        .filter(|entry| entry.tag == object::elf::DT_NEEDED)
        .filter_map(|entry| table.string(entry).ok())
        .map(|name| String::from_utf8_lossy(name).into_owned())
        .collect()
}

/// Returns the newest version of glibc whose symbols are used.
fn newest_glibc<'data, Elf: FileHeader, R: ReadRef<'data>>(
    elf: &ElfFile<'data, Elf, R>,
) -> Option<(u32, u32)> {
    let (endian, data, sections) = (elf.endian(), elf.data(), elf.elf_section_table());
    let (libraries, link) = sections.gnu_verneed(endian, data).ok()??;
    let strings = sections.strings(endian, data, link).ok()?;
    let mut newest = None;
    for library in libraries {
        let Ok((_, versions)) = library else { break };
        for version in versions {
            let Ok(version) = version else { break };
            let Ok(name) = version.name(endian, strings) else { continue };
            newest = newest.max(glibc_version(name));
        }
    }
    newest
}

fn glibc_version(name: &[u8]) -> Option<(u32, u32)> {
    let name = std::str::from_utf8(name).ok()?.strip_prefix("GLIBC_")?;
    let mut numbers = name.split('.').map(|number| number.parse().ok());
    Some((numbers.next()??, numbers.next()??))
}

/// Several programs for different machines in one file.
fn read_fat<'data>(arches: &[impl FatArch], data: impl ReadRef<'data>) -> Option<Binary> {
    let (mut fits, mut machines, mut is_library) = (BTreeSet::new(), Vec::new(), false);
    for arch in arches {
        fits.extend(apple_target(arch.architecture()));
        machines.push(machine_name(arch.architecture()));
        let inner = arch.data(data).ok().and_then(|inner| object::File::parse(inner).ok());
        is_library |= inner.is_some_and(|inner| inner.kind() == ObjectKind::Dynamic);
    }
    let description = format!("Mach-O code for {}", machines.join(" and "));
    (!machines.is_empty()).then_some(Binary { fits, description, is_library })
}

fn read_other<'data>(file: &object::File<'data, impl ReadRef<'data>>) -> Option<Binary> {
    let is_library = match file.kind() {
        ObjectKind::Executable => false,
        ObjectKind::Dynamic => true,
        _ => return None,
    };
    let machine = file.architecture();
    let (format, fits) = match file.format() {
        BinaryFormat::MachO => ("Mach-O", apple_target(machine)),
        // Programs for .NET are built as 32-bit Windows programs and run on any machine.
        BinaryFormat::Pe if machine == Architecture::I386 && is_managed(file) => return None,
        BinaryFormat::Pe => ("Windows", windows_target(machine)),
        _ => return None,
    };
    let description = format!("{format} code for {}", machine_name(machine));
    Some(Binary { fits: fits.into_iter().collect(), description, is_library })
}

fn is_managed<'data>(file: &object::File<'data, impl ReadRef<'data>>) -> bool {
    match file {
        object::File::Pe32(pe) => pe
            .data_directories()
            .get(object::pe::IMAGE_DIRECTORY_ENTRY_COM_DESCRIPTOR)
            .is_some_and(|directory| directory.virtual_address.get(object::LittleEndian) != 0),
        _ => false,
    }
}

fn apple_target(machine: Architecture) -> Option<Target> {
    Target::parse(&format!("{}-apple-darwin", machine_name(machine))).ok()
}

fn windows_target(machine: Architecture) -> Option<Target> {
    Target::parse(&format!("{}-pc-windows-msvc", machine_name(machine))).ok()
}

/// Writes a machine as targets write it.
fn machine_name(machine: Architecture) -> String {
    match machine {
        Architecture::X86_64 => "x86_64".to_owned(),
        Architecture::Aarch64 => "aarch64".to_owned(),
        Architecture::Arm => "armv7".to_owned(),
        Architecture::Riscv64 => "riscv64gc".to_owned(),
        other => format!("{other:?}").to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Binary, glibc_version};
    use crate::store::fs::write_atomic;

    #[test]
    fn this_program_fits_this_machine() {
        let program = std::env::current_exe().unwrap();
        let binary = Binary::read(&program).unwrap().expect("a test is compiled code");
        assert!(binary.fits.contains(&pintle_manifest::Target::current().unwrap()), "{binary:?}");
        assert!(!binary.is_library, "{binary:?}");
    }

    #[test]
    fn what_is_not_compiled_is_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let check = |name: &str, bytes: &[u8]| {
            let path = dir.path().join(name);
            write_atomic(&path, bytes).unwrap();
            assert_eq!(Binary::read(&path).unwrap(), None, "{name}");
        };
        check("empty", b"");
        check("script", b"#!/bin/sh\necho a script that is long enough\n");
        check("class", b"\xca\xfe\xba\xbe\x00\x00\x00\x34\x00\x1d\x0a\x00\x06\x00\x0f\x09\x00\x10\x00\x11");
        check("cut", b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00");
        check("dos", b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff\x00\x00\xb8\x00\x00\x00");
    }

    #[test]
    fn glibc_versions_are_compared_as_numbers() {
        assert!(glibc_version(b"GLIBC_2.34") > glibc_version(b"GLIBC_2.4"));
        assert_eq!(glibc_version(b"GLIBC_2.2.5"), Some((2, 2)));
        assert_eq!(glibc_version(b"GLIBC_PRIVATE"), None);
        assert_eq!(glibc_version(b"OPENSSL_3.0.0"), None);
    }
}
