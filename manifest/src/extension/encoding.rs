//! Turns the bytes of a manifest into text. Takes UTF-8, with or without one mark at its head; names what else it
//! is, and reads nothing of it.

use crate::Problem;

/// The largest manifest that is read, in bytes.
pub(super) const LARGEST: usize = 256 * 1024;

const MARK: &[u8] = b"\xef\xbb\xbf";

/// The text of a file, without its mark.
pub(super) struct Decoded<'a> {
    pub(super) text: &'a str,
    /// Where the text begins in the file.
    pub(super) start: usize,
}

/// Decodes a file, or says why it can't be.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Problem> {
    if bytes.len() > LARGEST {
        let message = format!("a manifest has at most {LARGEST} bytes, this has {}", bytes.len());
        return Err(Problem::error("manifest.too_large", 0..0, message));
    }
    if let Some(encoding) = foreign(bytes) {
        let message = format!("this is {encoding}; save it as UTF-8");
        return Err(Problem::error("manifest.encoding", 0..0, message));
    }
    let start = if bytes.starts_with(MARK) { MARK.len() } else { 0 };
    let rest = &bytes[start..];
    let text = std::str::from_utf8(rest).map_err(|error| {
        let at = start + error.valid_up_to();
        let message = format!("the byte at offset {at} (0x{:02x}) is not UTF-8", bytes[at]);
        Problem::error("manifest.encoding", at..at, message).help("save the file as UTF-8")
    })?;
    if rest.starts_with(MARK) {
        let message = "the file begins with more than one byte order mark";
        return Err(Problem::error("manifest.encoding", start..start + MARK.len(), message)
            .help("save it as UTF-8 without a mark"));
    }
    if let Some(at) = text.find('\0') {
        let message = format!("the byte at offset {} is NUL, so this is not a text", start + at);
        return Err(Problem::error("manifest.encoding", start + at..start + at + 1, message));
    }
    if text.trim().is_empty() {
        return Err(Problem::error("manifest.empty_file", start..start, "the file is empty")
            .help("`pintle new` writes a manifest to start from"));
    }
    Ok(Decoded { text, start })
}

/// Names an encoding of two or four bytes a character, by its mark or by where its NULs are.
fn foreign(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => Some("UTF-32"),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("UTF-16"),
        [0, 1..=0x7f, ..] | [1..=0x7f, 0, ..] => Some("UTF-16"),
        _ => None,
    }
}
