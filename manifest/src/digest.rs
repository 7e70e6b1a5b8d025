//! Digests: what a file, an object or a tree is known by. SHA-256 only, written `sha256:` and 64 hex digits.

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// Holds a SHA-256 digest (source: FIPS 180-4).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest([u8; 32]);

/// Says why a text is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DigestError {
    /// Not 64 hex digits.
    #[error("a digest is `sha256:` and 64 hex digits, this has {actual} characters after the prefix")]
    Length {
        /// The number of characters after `sha256:`.
        actual: usize,
    },
    /// A character that is no hex digit.
    #[error("a digest is made of hex digits; `{}` is not", character.escape_default())]
    Character {
        /// The first such character.
        character: char,
    },
}

/// Computes a digest piece by piece.
#[derive(Clone, Default)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Ends, and returns the digest of all bytes added.
    pub fn finish(self) -> Digest {
        Digest(self.0.finalize().into())
    }
}

impl Digest {
    /// Computes the digest of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// Parses a digest, with or without `sha256:`, in either case.
    pub fn parse(text: &str) -> Result<Self, DigestError> {
        let hex = text.strip_prefix("sha256:").unwrap_or(text);
        if let Some(character) = hex.chars().find(|c| !c.is_ascii_hexdigit()) {
            return Err(DigestError::Character { character });
        }
        if hex.len() != 64 {
            return Err(DigestError::Length { actual: hex.len() });
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(hex.as_bytes().chunks_exact(2)) {
            *byte = nibble(pair[0]) << 4 | nibble(pair[1]);
        }
        Ok(Self(bytes))
    }

    /// Wraps 32 raw bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the 32 raw bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Returns the 64 lower-case hex digits, which is how a digest is written in a file name.
    pub fn to_hex(&self) -> String {
        let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
        self.0.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }

    /// Returns the first 12 hex digits, for a person's eyes only.
    pub fn short(&self) -> String {
        self.to_hex()[..12].to_owned()
    }
}

/// Maps a character that was checked to be a hex digit.
const fn nibble(character: u8) -> u8 {
    match character {
        b'0'..=b'9' => character - b'0',
        b'a'..=b'f' => character - b'a' + 10,
        _ => character.to_ascii_lowercase() - b'a' + 10,
    }
}

impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "sha256:{}", self.to_hex())
    }
}
impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self}")
    }
}

crate::as_text::as_text!(Digest, DigestError);

#[cfg(test)]
mod tests {
    use super::Digest;

    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn digests_read_back() {
        let digest = Digest::of(b"");
        assert_eq!(digest.to_hex(), EMPTY);
        assert_eq!(digest.to_string(), format!("sha256:{EMPTY}"));
        for text in [EMPTY.to_owned(), format!("sha256:{EMPTY}"), EMPTY.to_uppercase()] {
            assert_eq!(Digest::parse(&text).unwrap(), digest);
        }
    }

    #[test]
    fn what_is_not_a_digest_is_refused() {
        let refused = |text: &str| Digest::parse(text).unwrap_err().to_string();
        assert_eq!(
            refused(""),
            "a digest is `sha256:` and 64 hex digits, this has 0 characters after the prefix"
        );
        assert!(refused(&EMPTY[1..]).contains("63 characters"));
        assert_eq!(refused("sha256:zz"), "a digest is made of hex digits; `z` is not");
        assert!(Digest::parse(&format!("md5:{EMPTY}")).is_err());
    }
}
