//! Reads and writes the small pieces that the binary formats are made of. Every read is bounded by the bytes
//! that are there; nothing is allocated on the word of a length alone.

use super::format::{FormatError, check_format};
use pintle_manifest::Digest;

/// Walks through bytes from front to back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Begins to read a file: its four letters, then one byte of format.
    pub(super) fn begin(bytes: &'a [u8], magic: [u8; 4], known: u8) -> Result<Self, FormatError> {
        let mut cursor = Self::new(bytes);
        if cursor.take(4)? != magic {
            return Err(FormatError::malformed("it does not begin as it should"));
        }
        check_format(u64::from(cursor.byte()?), u64::from(known))?;
        Ok(cursor)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Result<&'a [u8], FormatError> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| FormatError::malformed("it ends too soon"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn byte(&mut self) -> Result<u8, FormatError> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(super) fn digest(&mut self) -> Result<Digest, FormatError> {
        let bytes = self.take(32)?.try_into().expect("32 bytes were taken");
        Ok(Digest::from_bytes(bytes))
    }

    /// Reads a number in base 128, lowest group first. There is one way to write each number.
    pub(super) fn varint(&mut self) -> Result<u64, FormatError> {
        let mut value = 0_u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let group = u64::from(byte & 0x7f);
            if (group << shift) >> shift != group {
                return Err(FormatError::malformed("a number is too large"));
            }
            value |= group << shift;
            if byte & 0x80 == 0 {
                return match byte == 0 && shift > 0 {
                    true => Err(FormatError::malformed("a number is longer than it needs to be")),
                    false => Ok(value),
                };
            }
        }
        Err(FormatError::malformed("a number is too large"))
    }

    /// Reads a number that counts things of at least one byte each, so it can't exceed what is left.
    pub(super) fn count(&mut self) -> Result<usize, FormatError> {
        let count = usize::try_from(self.varint()?).map_err(FormatError::malformed)?;
        match count <= self.rest.len() {
            true => Ok(count),
            false => Err(FormatError::malformed("it counts more than it holds")),
        }
    }

    /// Reads a text with its length before it.
    pub(super) fn text(&mut self) -> Result<&'a str, FormatError> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).map_err(FormatError::malformed)
    }
}

/// Writes a number as [`Cursor::varint`] reads it.
pub(super) fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Writes a text as [`Cursor::text`] reads it.
pub(super) fn put_text(out: &mut Vec<u8>, text: &str) {
    put_varint(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{Cursor, put_varint};
    use proptest::prelude::{any, prop_assert_eq, proptest};

    #[test]
    fn a_number_has_one_spelling() {
        let check = |bytes: &[u8], expected: Option<u64>| {
            assert_eq!(Cursor::new(bytes).varint().ok(), expected, "{bytes:?}");
        };
        check(&[0], Some(0));
        check(&[0x80, 1], Some(128));
        check(&[0x80, 0], None);
        check(&[0x80], None);
        check(&[0xff; 10], None);
        check(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], Some(u64::MAX));
    }

    proptest! {
        #[test]
        fn numbers_read_back(value in any::<u64>()) {
            let mut bytes = Vec::new();
            put_varint(&mut bytes, value);
            prop_assert_eq!(Cursor::new(&bytes).varint().unwrap(), value);
        }
    }
}
