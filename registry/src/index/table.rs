//! `t/<sha256>`, format 1: which bin is where. The letters `PTLT`, the format, the number of bits, then the
//! digest of each bin; 32 zero bytes stand for an empty bin.

use super::cursor::Cursor;
use super::format::FormatError;
use pintle_manifest::Digest;

const MAGIC: [u8; 4] = *b"PTLT";
const FORMAT: u8 = 1;
/// The most bits: a million bins.
pub(super) const MOST_BITS: u8 = 20;
/// A registry gets more bins when there are more packages than this for each.
pub(super) const PER_BIN: u64 = 128;

const EMPTY: Digest = Digest::from_bytes([0; 32]);

/// Holds the digest of each bin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Table {
    bits: u8,
    bins: Vec<Digest>,
}

impl Table {
    /// Makes a table of empty bins.
    pub(super) fn empty(bits: u8) -> Self {
        Self { bits, bins: vec![EMPTY; 1 << bits] }
    }

    pub(super) fn parse(bytes: &[u8], bits: u8) -> Result<Self, FormatError> {
        let mut cursor = Cursor::begin(bytes, MAGIC, FORMAT)?;
        let written = cursor.byte()?;
        if written != bits || bits > MOST_BITS {
            return Err(FormatError::Malformed(format!("it has {written} bin bits, the head has {bits}")));
        }
        if cursor.left() != 32 << bits {
            return Err(FormatError::malformed("it has not one digest for each bin"));
        }
        let mut bins = Vec::with_capacity(1 << bits);
        while !cursor.is_empty() {
            bins.push(cursor.digest()?);
        }
        Ok(Self { bits, bins })
    }

    pub(super) fn write(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(6 + self.bins.len() * 32);
        bytes.extend_from_slice(&MAGIC);
        bytes.extend_from_slice(&[FORMAT, self.bits]);
        for digest in &self.bins {
            bytes.extend_from_slice(digest.as_bytes());
        }
        bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bins.len()
    }

    /// Returns the digest of a bin; `None` if the bin is empty.
    pub(super) fn bin(&self, number: usize) -> Option<Digest> {
        self.bins.get(number).copied().filter(|digest| *digest != EMPTY)
    }

    pub(super) fn set(&mut self, number: usize, digest: Option<Digest>) {
        if let Some(bin) = self.bins.get_mut(number) {
            *bin = digest.unwrap_or(EMPTY);
        }
    }

    /// Returns the number of the bin that a name is in.
    pub(super) fn number_of(&self, name: &str) -> usize {
        number_of(name, self.bits)
    }
}

/// Returns the first `bits` bits of the sha256 of a name.
pub(super) fn number_of(name: &str, bits: u8) -> usize {
    let digest = Digest::of(name.as_bytes());
    let bytes = digest.as_bytes();
    let first = u64::from(u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
    usize::try_from(first >> (32 - u32::from(bits.min(32)))).expect("32 bits fit")
}

/// Returns how many bits a registry of so many packages has, if it has `bits` now. Bins never get fewer.
pub(super) fn bits_for(packages: u64, bits: u8) -> u8 {
    (bits..MOST_BITS).find(|bits| packages <= PER_BIN << bits).unwrap_or(MOST_BITS)
}

#[cfg(test)]
mod tests {
    use super::{MOST_BITS, Table, bits_for, number_of};
    use pintle_manifest::Digest;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    const FIXTURE: &[u8] = include_bytes!("../../tests/fixtures/table-1.bin");

    #[test]
    fn the_first_format_is_still_read() {
        let table = Table::parse(FIXTURE, 1).unwrap();
        assert_eq!((table.bin(0), table.bin(1)), (None, Some(Digest::of(b"bin"))));
        assert_eq!(table.write(), FIXTURE);
    }

    #[test]
    fn what_is_no_table_is_refused() {
        assert!(Table::parse(FIXTURE, 2).is_err(), "another number of bits than the head has");
        for end in 0..FIXTURE.len() {
            assert!(Table::parse(&FIXTURE[..end], 1).is_err(), "cut at {end}");
        }
        let mut newer = FIXTURE.to_vec();
        newer[4] = 2;
        assert_eq!(Table::parse(&newer, 1).unwrap_err().to_string(), "it has format 2; this Pintle knows 1");
    }

    #[test]
    fn bins_grow_with_the_packages() {
        let check = |packages: u64, expected: u8| assert_eq!(bits_for(packages, 0), expected, "{packages}");
        check(0, 0);
        check(128, 0);
        check(129, 1);
        check(1_000_000, 13);
        check(u64::MAX, MOST_BITS);
        assert_eq!(bits_for(1, 5), 5, "bins never get fewer");
        assert_eq!(number_of("anything", 0), 0);
        assert!(number_of("anything", 20) < 1 << 20);
        assert_eq!(number_of("anything", 13), number_of("anything", 20) >> 7);
    }

    proptest! {
        #[test]
        fn tables_read_back(bits in 0_u8..4, seeds in proptest::collection::vec(any::<[u8; 32]>(), 8)) {
            let mut table = Table::empty(bits);
            for (number, seed) in seeds.iter().enumerate().take(1 << bits) {
                table.set(number, Some(Digest::from_bytes(*seed)));
            }
            prop_assert_eq!(Table::parse(&table.write(), bits).unwrap(), table);
        }

        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200), bits in any::<u8>()) {
            let _ = Table::parse(&bytes, bits);
            let _ = Table::parse(&[b"PTLT\x01", &[bits][..], &bytes].concat(), bits);
        }
    }
}
