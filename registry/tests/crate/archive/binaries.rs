//! The smallest files that have the headers of compiled code.

/// What an ELF file is to claim.
pub(crate) struct Elf {
    /// `e_machine`: 62 is x86_64, 183 aarch64, 40 arm, 243 riscv.
    pub(crate) machine: u16,
    /// `e_type`: 1 relocatable, 2 executable, 3 shared.
    pub(crate) kind: u16,
    /// The path in `PT_INTERP`.
    pub(crate) interpreter: Option<&'static str>,
}

pub(crate) const GLIBC: Elf = Elf { machine: 62, kind: 3, interpreter: Some("/lib64/ld-linux-x86-64.so.2") };
pub(crate) const MUSL: Elf = Elf { interpreter: Some("/lib/ld-musl-x86_64.so.1"), ..GLIBC };
pub(crate) const STATIC: Elf = Elf { kind: 2, interpreter: None, ..GLIBC };
pub(crate) const LIBRARY: Elf = Elf { interpreter: None, ..GLIBC };
pub(crate) const ARM_LIBRARY: Elf = Elf { machine: 183, ..LIBRARY };
pub(crate) const ARM: Elf = Elf { machine: 183, interpreter: Some("/lib/ld-linux-aarch64.so.1"), ..GLIBC };

impl Elf {
    /// Lays out a header, one program header if there is an interpreter, and its path.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let path = self.interpreter.map(|path| format!("{path}\0")).unwrap_or_default();
        let segments: u16 = self.interpreter.is_some().into();
        let mut bytes = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        bytes.extend(self.kind.to_le_bytes());
        bytes.extend(self.machine.to_le_bytes());
        bytes.extend(1_u32.to_le_bytes());
        for word in [0_u64, 64, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(0_u32.to_le_bytes());
        for half in [64_u16, 56, segments, 64, 0, 0] {
            bytes.extend(half.to_le_bytes());
        }
        if segments == 1 {
            bytes.extend([3_u32, 4].iter().flat_map(|word| word.to_le_bytes()));
            let length = path.len() as u64;
            bytes.extend([120, 0, 0, length, length, 1_u64].iter().flat_map(|word| word.to_le_bytes()));
        }
        bytes.extend(path.as_bytes());
        bytes
    }
}

/// A 64-bit Mach-O program or library for this CPU: `0x0100_0007` is x86_64, `0x0100_000c` arm64.
pub(crate) fn mach_o(cpu: u32, is_library: bool) -> Vec<u8> {
    let kind = if is_library { 6 } else { 2 };
    [0xfeed_facf_u32, cpu, 0, kind, 0, 0, 0, 0].iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Two Mach-O programs in one file.
pub(crate) fn fat_mach_o() -> Vec<u8> {
    let (one, other) = (mach_o(0x0100_0007, false), mach_o(0x0100_000c, false));
    let header = [0xcafe_babe_u32, 2, 0x0100_0007, 0, 64, 32, 0, 0x0100_000c, 0, 96, 32, 0];
    let mut bytes: Vec<u8> = header.iter().flat_map(|word| word.to_be_bytes()).collect();
    bytes.resize(64, 0);
    [bytes, one, other].concat()
}

/// A 64-bit Windows program for x86_64.
pub(crate) fn windows() -> Vec<u8> {
    let mut bytes = vec![0; 64];
    bytes[..2].copy_from_slice(b"MZ");
    bytes[60] = 64;
    bytes.extend(b"PE\0\0");
    bytes.extend(0x8664_u16.to_le_bytes());
    bytes.extend([0; 14]);
    bytes.extend(112_u16.to_le_bytes());
    bytes.extend(0x22_u16.to_le_bytes());
    bytes.extend(0x20b_u16.to_le_bytes());
    bytes.extend([0; 110]);
    bytes
}
