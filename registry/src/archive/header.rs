//! One ustar header, in the one way it may be written. Knows nothing of streams or of the entries before it.

use super::caps::BLOCK;
use super::error::Refusal;
use super::tree::Mode;
use pintle_manifest::{PackagePath, PathError};
use tar::Header;

/// Holds what a header says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) path: PackagePath,
    pub(super) mode: Mode,
    pub(super) size: u64,
}

/// The fields of a header and where each begins (source: POSIX.1-1988, ustar).
const FIELDS: [(&str, usize); 17] = [
    ("name", 0),
    ("mode", 100),
    ("uid", 108),
    ("gid", 116),
    ("size", 124),
    ("mtime", 136),
    ("checksum", 148),
    ("type", 156),
    ("link name", 157),
    ("magic", 257),
    ("version", 263),
    ("user name", 265),
    ("group name", 297),
    ("device major", 329),
    ("device minor", 337),
    ("prefix", 345),
    ("padding", 500),
];

/// Writes the header of a file.
pub(super) fn encode(path: &PackagePath, mode: Mode, size: u64) -> Header {
    let mut header = Header::new_ustar();
    header.set_path(path.as_str()).expect("a package path fits a ustar header");
    header.set_entry_type(tar::EntryType::Regular);
    header.set_mode(mode.packed());
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_size(size);
    header.set_cksum();
    header
}

/// Reads a header, and refuses one that [`encode`] would not have written. Says the most telling thing first.
pub(super) fn decode(block: &[u8; BLOCK]) -> Result<Entry, Refusal> {
    let header = Header::from_byte_slice(block);
    if header.cksum().ok() != Some(checksum(block)) {
        return Err(Refusal::Checksum);
    }
    check_type(block[156])?;
    let Some(ustar) = header.as_ustar() else { return Err(Refusal::Magic) };
    let path = decode_path(&name(block))?;
    let size = octal(&block[124..136]).ok_or(Refusal::Size)?;
    let mode = match header.mode() {
        Ok(0o644) => Mode::Plain,
        Ok(0o755) => Mode::Executable,
        Ok(_) | Err(_) => return Err(Refusal::Mode),
    };
    if !matches!((header.uid(), header.gid()), (Ok(0), Ok(0))) {
        return Err(Refusal::Owner);
    }
    if !matches!(header.mtime(), Ok(0)) {
        return Err(Refusal::Time);
    }
    if ustar.uname[0] != 0 || ustar.gname[0] != 0 {
        return Err(Refusal::OwnerName);
    }
    match first_difference(block, encode(&path, mode, size).as_bytes()) {
        Some(field) => Err(Refusal::Field { field }),
        None => Ok(Entry { path, mode, size }),
    }
}

/// Names the first field that differs. The checksum comes last, since it differs whenever another field does.
fn first_difference(actual: &[u8; BLOCK], expected: &[u8; BLOCK]) -> Option<&'static str> {
    let mut different = (0..BLOCK).filter(|at| actual[*at] != expected[*at]).peekable();
    different.peek()?;
    Some(different.map(field_at).find(|field| *field != "checksum").unwrap_or("checksum"))
}

/// Returns the path that a header states, whatever it is.
pub(super) fn name(block: &[u8; BLOCK]) -> Vec<u8> {
    let until_nul = |bytes: &[u8]| bytes.split(|byte| *byte == 0).next().unwrap_or_default().to_vec();
    let (name, prefix) = (until_nul(&block[..100]), until_nul(&block[345..500]));
    match prefix.is_empty() {
        true => name,
        false => [prefix.as_slice(), name.as_slice()].join(&b'/'),
    }
}

fn check_type(kind: u8) -> Result<(), Refusal> {
    match kind {
        b'0' => Ok(()),
        b'1' => Err(Refusal::HardLink),
        b'2' => Err(Refusal::Symlink),
        b'3' | b'4' => Err(Refusal::Device),
        b'5' => Err(Refusal::Directory),
        b'6' => Err(Refusal::Fifo),
        b'x' | b'g' | b'X' => Err(Refusal::Pax),
        b'L' | b'K' => Err(Refusal::GnuLongName),
        b'S' => Err(Refusal::Sparse),
        kind => Err(Refusal::UnknownType { kind }),
    }
}

fn decode_path(bytes: &[u8]) -> Result<PackagePath, Refusal> {
    let text = std::str::from_utf8(bytes)
        .map_err(|_| Refusal::Path(PathError::Character { character: char::REPLACEMENT_CHARACTER }))?;
    PackagePath::parse(text).map_err(Refusal::Path)
}

/// Reads eleven octal digits and a NUL.
fn octal(field: &[u8]) -> Option<u64> {
    let (digits, end) = field.split_at(11);
    let all_octal = digits.iter().all(|digit| matches!(digit, b'0'..=b'7'));
    (all_octal && end == [0])
        .then(|| digits.iter().fold(0, |value, digit| value << 3 | u64::from(digit - b'0')))
}

/// Sums all bytes of a header, with the checksum itself taken as spaces.
fn checksum(block: &[u8; BLOCK]) -> u32 {
    let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
    sum(&block[..148]) + 8 * u32::from(b' ') + sum(&block[156..])
}

fn field_at(at: usize) -> &'static str {
    FIELDS.iter().rev().find(|(_, start)| *start <= at).map_or("name", |(field, _)| field)
}

#[cfg(test)]
mod tests {
    use super::{Entry, checksum, decode, encode, octal};
    use crate::archive::{Mode, Refusal};
    use pintle_manifest::PackagePath;

    #[test]
    fn headers_read_back() {
        let long = format!("{}/{}", "d".repeat(60), "f".repeat(99));
        for (path, mode, size) in [
            ("a", Mode::Plain, 0),
            (long.as_str(), Mode::Executable, 1),
            ("a/b/c.txt", Mode::Plain, 512 << 20),
        ] {
            let path = PackagePath::parse(path).unwrap();
            let header = encode(&path, mode, size);
            assert_eq!(decode(header.as_bytes()), Ok(Entry { path, mode, size }));
        }
    }

    #[test]
    fn every_path_that_a_package_may_have_fits_a_header() {
        for (prefix, name) in [(155, 84), (139, 100), (1, 100), (100, 139), (120, 100)] {
            let text = format!("{}/{}", "p".repeat(prefix), "n".repeat(name));
            let Ok(path) = PackagePath::parse(&text) else { continue };
            assert_eq!(decode(encode(&path, Mode::Plain, 0).as_bytes()).unwrap().path, path);
        }
    }

    #[test]
    fn every_changed_byte_of_a_header_is_refused() {
        let header = encode(&PackagePath::parse("dir/file").unwrap(), Mode::Plain, 42);
        for at in (0..512).filter(|at| !(148..156).contains(at)) {
            let mut block = *header.as_bytes();
            block[at] ^= 0x80;
            let sum = format!("{:07o}\0", checksum(&block));
            block[148..156].copy_from_slice(sum.as_bytes());
            let read = decode(&block);
            assert!(read.is_err(), "a change at {at} gives {read:?}");
        }
        let mut block = *header.as_bytes();
        block[500] = 1;
        block[154] += 1;
        assert_eq!(decode(&block), Err(Refusal::Field { field: "padding" }));
    }

    #[test]
    fn sizes_are_eleven_octal_digits() {
        assert_eq!(octal(b"00000000010\0"), Some(8));
        for field in
            [b"000000000010", b"0000000010 \0", b"         10\0", b"00000000018\0", b"\x8000000000010"]
        {
            assert_eq!(octal(field), None, "{}", field.escape_ascii());
        }
    }
}
