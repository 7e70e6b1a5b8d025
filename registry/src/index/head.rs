//! `head.json`, format 1: the only file of a registry that changes, from which all else hangs by digest.

use super::format::{FormatError, check_format};
use super::table::MOST_BITS;
use jiff::Timestamp;
use pintle_manifest::Digest;
use pintle_manifest::kept::read_json;
use serde::{Deserialize, Serialize};

pub(super) const FILE: &str = "head.json";
const FORMAT: u64 = 1;
/// More than any head has, and enough of a web page to see that it is none.
pub(super) const MOST: u64 = 64 << 10;

/// One state of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Raised by one with each change, never lowered.
    pub version: u64,
    /// After when this must not be believed; `None` is never. Nothing here asks a clock: the trust layer does.
    pub expires: Option<Timestamp>,
    /// There are two to the power of this many bins.
    pub bin_bits: u8,
    /// How many packages there are.
    pub packages: u64,
    /// The digest of the table of bins.
    pub table: Digest,
}

/// The highest version and count, so that counting on never runs over.
pub(super) const HIGHEST: u64 = 1 << 53;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeadFile {
    format: u64,
    version: u64,
    expires: Option<String>,
    bin_bits: u8,
    packages: u64,
    table: Digest,
}

#[derive(Deserialize)]
struct FormatOnly {
    format: u64,
}

impl Head {
    /// Reads the bytes of `head.json`.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let only: FormatOnly = read_json(bytes).map_err(FormatError::Malformed)?;
        check_format(only.format, FORMAT)?;
        let file: HeadFile = read_json(bytes).map_err(FormatError::Malformed)?;
        if file.bin_bits > MOST_BITS {
            return Err(FormatError::Malformed(format!("it has more than {MOST_BITS} bin bits")));
        }
        if file.version > HIGHEST || file.packages > HIGHEST {
            return Err(FormatError::Malformed("a number in it is higher than any may be".to_owned()));
        }
        let expires = file.expires.map(|text| text.parse().map_err(FormatError::malformed)).transpose()?;
        Ok(Self {
            version: file.version,
            expires,
            bin_bits: file.bin_bits,
            packages: file.packages,
            table: file.table,
        })
    }

    /// Writes the bytes of `head.json`.
    pub(super) fn write(&self) -> Vec<u8> {
        let file = HeadFile {
            format: FORMAT,
            version: self.version,
            expires: self.expires.map(|time| time.to_string()),
            bin_bits: self.bin_bits,
            packages: self.packages,
            table: self.table,
        };
        let mut bytes = serde_json::to_vec(&file).expect("a head is plain values");
        bytes.push(b'\n');
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::Head;
    use crate::index::format::FormatError;
    use jiff::Timestamp;
    use pintle_manifest::Digest;
    use proptest::prelude::{any, prop_assert_eq, proptest};

    #[test]
    fn the_first_format_is_still_read() {
        let head = Head::parse(include_bytes!("../../tests/fixtures/head-1.json")).unwrap();
        assert_eq!((head.version, head.bin_bits, head.packages), (7, 1, 3));
        assert_eq!(head.expires, Some("2027-01-01T00:00:00Z".parse().unwrap()));
        assert_eq!(head.write(), include_bytes!("../../tests/fixtures/head-1.json"));
    }

    #[test]
    fn what_is_no_head_is_refused() {
        let check = |text: &str, expected: &str| {
            let error = Head::parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("", "it is empty");
        check("<!doctype html>", "no JSON from here on");
        check(r#"{"format":2,"anything":true}"#, "it has format 2; this Pintle knows 1");
        check(r#"{"format":0}"#, "no format 0");
        check(r#"{"format":1,"version":1}"#, "is missing");
        let text = String::from_utf8(include_bytes!("../../tests/fixtures/head-1.json").to_vec()).unwrap();
        check(&text.replace("\"bin_bits\":1", "\"bin_bits\":30"), "bin bits");
        check(&text.replace("\"version\"", "\"extra\":1,\"version\""), "`extra` is no key");
        check(&text.replace("2027-01-01", "2027-13-01"), "");
        assert!(matches!(Head::parse(br#"{"format":9}"#), Err(FormatError::Newer { format: 9, known: 1 })));
    }

    proptest! {
        #[test]
        fn heads_read_back(
            version in 0..=super::HIGHEST, bin_bits in 0_u8..=20, packages in 0..=super::HIGHEST,
            second in proptest::option::of(0_i64..4_000_000_000), seed in any::<[u8; 32]>(),
        ) {
            let expires = second.map(|second| Timestamp::from_second(second).unwrap());
            let head = Head { version, expires, bin_bits, packages, table: Digest::from_bytes(seed) };
            prop_assert_eq!(Head::parse(&head.write()).unwrap(), head);
        }
    }
}
