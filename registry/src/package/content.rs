//! The first bytes of a file: enough to tell a script, a program and a component apart.

use crate::store::fs::FsError;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Reads up to `most` bytes from the start of a file.
pub(super) fn head(path: &Path, most: u64) -> Result<Vec<u8>, FsError> {
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(FsError::new("open", path))?;
    file.take(most).read_to_end(&mut bytes).map_err(FsError::new("read", path))?;
    Ok(bytes)
}

/// Tells whether a file begins like a script and its first line ends in a carriage return.
pub(super) fn has_carriage_return_in_shebang(head: &[u8]) -> bool {
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    head.starts_with(b"#!") && line.len() < head.len() && line.ends_with(b"\r")
}

/// Tells whether a file begins like a script.
pub(super) fn is_script(head: &[u8]) -> bool {
    head.starts_with(b"#!")
}

#[cfg(test)]
mod tests {
    use super::has_carriage_return_in_shebang;

    #[test]
    fn case_87_a_carriage_return_in_a_shebang_line_is_seen() {
        let check = |head: &[u8], expected: bool| {
            assert_eq!(has_carriage_return_in_shebang(head), expected, "{}", head.escape_ascii());
        };
        check(b"#!/bin/sh\r\necho\r\n", true);
        check(b"#!/bin/sh\necho\r\n", false);
        check(b"#!/bin/sh", false);
        check(b"text\r\n", false);
    }
}
