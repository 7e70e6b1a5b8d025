//! `b/<sha256>`, format 1: the names of one bin. The letters `PTLB`, the format, then for each name, sorted: its
//! length in one byte, the name, its revision, the digest of its package document.

use super::cursor::{Cursor, put_varint};
use super::format::FormatError;
use super::head::HIGHEST;
use pintle_manifest::{Digest, Name};
use std::collections::BTreeMap;

const MAGIC: [u8; 4] = *b"PTLB";
const FORMAT: u8 = 1;

/// Where the newest document of a package is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    /// Raised by one with each change of the package.
    pub(super) revision: u64,
    /// The digest of the package document.
    pub(super) document: Digest,
}

/// Holds the packages of one bin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Bin {
    pub(super) entries: BTreeMap<Name, Entry>,
}

impl Bin {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let mut cursor = Cursor::begin(bytes, MAGIC, FORMAT)?;
        let mut entries: Vec<(Name, Entry)> = Vec::new();
        while !cursor.is_empty() {
            let length = usize::from(cursor.byte()?);
            let text = std::str::from_utf8(cursor.take(length)?).map_err(FormatError::malformed)?;
            let name = Name::parse(text).map_err(FormatError::malformed)?;
            let entry = Entry { revision: cursor.varint()?, document: cursor.digest()? };
            if entry.revision > HIGHEST {
                return Err(FormatError::malformed("a revision is higher than any may be"));
            }
            if entries.last().is_some_and(|(last, _)| *last >= name) {
                return Err(FormatError::malformed("its names are not sorted"));
            }
            entries.push((name, entry));
        }
        Ok(Self { entries: entries.into_iter().collect() })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(5 + self.entries.len() * 56);
        bytes.extend_from_slice(&MAGIC);
        bytes.push(FORMAT);
        for (name, entry) in &self.entries {
            bytes.push(u8::try_from(name.as_str().len()).expect("a name has at most 64 bytes"));
            bytes.extend_from_slice(name.as_str().as_bytes());
            put_varint(&mut bytes, entry.revision);
            bytes.extend_from_slice(entry.document.as_bytes());
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::{Bin, Entry};
    use pintle_manifest::{Digest, Name};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const FIXTURE: &[u8] = include_bytes!("../../tests/fixtures/bin-1.bin");

    #[test]
    fn the_first_format_is_still_read() {
        let bin = Bin::parse(FIXTURE).unwrap();
        let names: Vec<_> = bin.entries.keys().map(Name::as_str).collect();
        assert_eq!(names, ["acme-a", "acme-b"]);
        assert_eq!(bin.entries["acme-b"], Entry { revision: 300, document: Digest::of(b"b") });
        assert_eq!(bin.write(), FIXTURE);
    }

    #[test]
    fn what_is_no_bin_is_refused() {
        let whole = Bin::parse(FIXTURE).unwrap();
        for end in 0..FIXTURE.len() {
            assert_ne!(Bin::parse(&FIXTURE[..end]), Ok(whole.clone()), "cut at {end}");
        }
        let twice = [FIXTURE, &FIXTURE[5..]].concat();
        assert_eq!(Bin::parse(&twice).unwrap_err().to_string(), "its names are not sorted");
        assert!(Bin::parse(b"PTLB\x01\x03A-b\0").is_err(), "a name that is none");
    }

    proptest! {
        #[test]
        fn bins_read_back(entries in proptest::collection::btree_map(
            "[a-z]{3,8}-[a-z0-9]{1,9}", (0..=super::HIGHEST, any::<[u8; 32]>()), 0..40,
        )) {
            let entries = entries.into_iter().map(|(name, (revision, seed))| {
                (Name::parse(&name).unwrap(), Entry { revision, document: Digest::from_bytes(seed) })
            });
            let bin = Bin { entries: entries.collect() };
            prop_assert_eq!(Bin::parse(&bin.write()).unwrap(), bin);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Bin::parse(&[b"PTLB\x01", &bytes[..]].concat());
        }
    }
}
