//! In which bytes a manifest may come: UTF-8, with one mark or none, with either end of line.

use crate::check::FULL;
use pintle_manifest::{Parsed, Problem, parse};

fn only(bytes: &[u8]) -> Problem {
    let Parsed { manifest, mut problems } = parse(bytes);
    assert!(manifest.is_none());
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0)
}

fn check(bytes: &[u8], code: &str, message: &str) {
    let problem = only(bytes);
    assert_eq!((problem.code, problem.message.as_str()), (code, message));
    assert!(problem.span.end <= bytes.len());
}

fn utf16(text: &str, order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn case_86_one_byte_order_mark_is_read_past() {
    let marked = format!("\u{feff}{FULL}");
    assert_eq!(parse(marked.as_bytes()), parse(FULL.as_bytes()));
    assert!(parse(marked.as_bytes()).manifest.is_some());
    let both = marked.replace('\n', "\r\n");
    assert_eq!(parse(both.as_bytes()).manifest, parse(FULL.as_bytes()).manifest);
    check(
        format!("\u{feff}{marked}").as_bytes(),
        "manifest.encoding",
        "the file begins with more than one byte order mark",
    );
}

#[test]
fn case_86_places_are_those_of_the_file_with_its_mark() {
    let text = "\u{feff}manifest_version = 0\nx = \"\u{e9}\" y\n";
    let problems = parse(text.as_bytes()).problems;
    assert_eq!(&text[problems[0].span.clone()], "0");
    assert_eq!(problems[0].line_column(text), (1, 20));
    assert_eq!(problems[1].code, "manifest.syntax");
    assert_eq!(problems[1].line_column(text), (2, 9));
    let text = "\u{feff}frob = 1";
    let problems = parse(text.as_bytes()).problems;
    let unknown = problems.iter().find(|problem| problem.code == "manifest.unknown_key").unwrap();
    assert_eq!(&text[unknown.span.clone()], "frob");
}

#[test]
fn case_86_utf_16_is_named_as_such() {
    for order in [u16::to_le_bytes, u16::to_be_bytes] {
        for mark in ["", "\u{feff}"] {
            let bytes = utf16(&format!("{mark}{FULL}"), order);
            check(&bytes, "manifest.encoding", "this is UTF-16; save it as UTF-8");
        }
    }
    let wide: Vec<u8> = "\u{feff}x".chars().flat_map(|c| u32::from(c).to_le_bytes()).collect();
    check(&wide, "manifest.encoding", "this is UTF-32; save it as UTF-8");
}

#[test]
fn case_87_lines_may_end_in_crlf_and_no_value_keeps_the_cr() {
    let windows = FULL.replace('\n', "\r\n");
    let parsed = parse(windows.as_bytes());
    assert_eq!(parsed.problems, []);
    assert_eq!(parsed.manifest, parse(FULL.as_bytes()).manifest);
    let manifest = parsed.manifest.unwrap();
    assert_eq!(manifest.name.as_str(), "blast-radius");
    assert!(!format!("{manifest:?}").contains("\\r"));
}

#[test]
fn case_87_places_are_the_same_with_crlf() {
    let text = "manifest_version = 1\n[extension]\nname = 3\nversion 3\n";
    let places = |text: &str| {
        let problems = parse(text.as_bytes()).problems;
        problems.iter().map(|problem| (problem.code, problem.line_column(text))).collect::<Vec<_>>()
    };
    assert_eq!(places(text), places(&text.replace('\n', "\r\n")));
}

#[test]
fn what_is_no_text_is_refused_with_the_offset() {
    check(b"name = \"\xff\"", "manifest.encoding", "the byte at offset 8 (0xff) is not UTF-8");
    check(b"\xef\xbb\xbfn\xc3", "manifest.encoding", "the byte at offset 4 (0xc3) is not UTF-8");
    check(b"name\0 = 1", "manifest.encoding", "the byte at offset 4 is NUL, so this is not a text");
    check(b"", "manifest.empty_file", "the file is empty");
    check(b"\xef\xbb\xbf \r\n", "manifest.empty_file", "the file is empty");
}

#[test]
fn a_manifest_is_at_most_256_kib() {
    let filled = |length: usize| format!("{FULL}#{}", "x".repeat(length - FULL.len() - 1));
    assert!(parse(filled(262_144).as_bytes()).manifest.is_some());
    check(
        filled(262_145).as_bytes(),
        "manifest.too_large",
        "a manifest has at most 262144 bytes, this has 262145",
    );
}
