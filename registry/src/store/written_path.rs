//! Paths in files of state. One that is no Unicode, which a file of text can't hold, is written in hexadecimal digits
//! after `hex:`; every path here is absolute, so none begins like that by itself.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const HEX: &str = "hex:";

/// A path as a file of state holds it.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct WrittenPath(#[serde(with = "self")] pub PathBuf);

/// Writes a path.
pub(super) fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => serializer.serialize_str(text),
        None => {
            let digits = path.as_os_str().as_encoded_bytes().iter().map(|byte| format!("{byte:02x}"));
            serializer.serialize_str(&digits.fold(HEX.to_owned(), |text, byte| text + &byte))
        }
    }
}

/// Reads a path.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    let text = String::deserialize(deserializer)?;
    match text.strip_prefix(HEX) {
        None => Ok(PathBuf::from(text)),
        Some(digits) => from_digits(digits).ok_or_else(|| de::Error::custom("a path has wrong digits")),
    }
}

fn from_digits(digits: &str) -> Option<PathBuf> {
    let byte = |at| u8::from_str_radix(digits.get(at..at + 2)?, 16).ok();
    let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect::<Option<_>>()?;
    os_string(bytes).map(PathBuf::from)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not every sequence of bytes is a name")]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt as _;
    Some(OsString::from_vec(bytes))
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::PathBuf;

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Written(#[serde(with = "super")] PathBuf);

    #[test]
    fn every_path_comes_back_as_it_was() {
        let check = |bytes: &[u8], expected: &str| {
            let path = Written(PathBuf::from(std::ffi::OsString::from_vec(bytes.to_vec())));
            let text = serde_json::to_string(&path).unwrap();
            assert_eq!(text, expected);
            assert_eq!(serde_json::from_str::<Written>(&text).unwrap(), path);
        };
        check(b"/a b", "\"/a b\"");
        check(b"/a\xff", "\"hex:2f61ff\"");
    }

    #[test]
    fn wrong_digits_are_refused() {
        for text in ["\"hex:2\"", "\"hex:zz\"", "\"hex:\u{e9}\""] {
            serde_json::from_str::<Written>(text).unwrap_err();
        }
    }
}
