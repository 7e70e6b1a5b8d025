//! Whatever the bytes are, reading them ends, does not panic, and points into them.

use crate::check::FULL;
use pintle_manifest::{Parsed, Severity, parse};
use proptest::prelude::{any, prop_assert, prop_assert_eq, prop_oneof};
use proptest::strategy::{Just, Strategy};
use proptest::test_runner::TestCaseError;

/// Checks what holds of every reading.
fn holds(bytes: &[u8]) -> Result<(), TestCaseError> {
    let Parsed { manifest, problems } = parse(bytes);
    let has_error = problems.iter().any(|problem| problem.severity == Severity::Error);
    prop_assert_eq!(manifest.is_none(), has_error, "{:?}", problems);
    prop_assert!(problems.is_sorted_by_key(|problem| problem.span.start), "{:?}", problems);
    for problem in &problems {
        let span = problem.span.clone();
        prop_assert!(span.start <= span.end && span.end <= bytes.len(), "{:?}", problem);
        prop_assert!(problem.code.starts_with("manifest.") && !problem.message.is_empty(), "{:?}", problem);
        prop_assert!(!problem.message.chars().any(char::is_control), "{:?}", problem);
        prop_assert!(!problem.help.iter().any(|help| help.chars().any(char::is_control)), "{:?}", problem);
        if let Ok(text) = std::str::from_utf8(bytes) {
            prop_assert!(
                text.is_char_boundary(span.start) && text.is_char_boundary(span.end),
                "{:?}",
                problem
            );
            problem.line_column(text);
        }
    }
    Ok(())
}

/// Pieces that a broken manifest is likely to hold.
fn piece() -> impl Strategy<Value = String> {
    const WORDS: &[&str] = &[
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "\"",
        "\"\"\"",
        "'",
        "'''",
        "=",
        ".",
        ",",
        "#",
        "\n",
        "\r\n",
        "\r",
        "\\",
        "\\u",
        "\u{feff}",
        "\u{e9}",
        "\u{202e}",
        "\u{1f600}",
        "[entry]\n",
        "[hooks.x]\n",
        "name",
        "x = 1\n",
        "true",
        "-1",
        "0x",
        "1979-05-27",
        "[[extension]]\n",
        "a.b.c = 1\n",
        "\0",
        "\u{1b}",
    ];
    prop_oneof![proptest::sample::select(WORDS).prop_map(str::to_owned), any::<char>().prop_map(String::from)]
}

/// A manifest in which some places are cut and something else is put there.
fn mutated() -> impl Strategy<Value = String> {
    let cut = (0..FULL.len(), 0..12_usize, prop_oneof![Just(String::new()), piece()]);
    proptest::collection::vec(cut, 1..6).prop_map(|cuts| {
        let mut text = FULL.to_owned();
        for (start, length, instead) in cuts {
            let start = text.floor_char_boundary(start);
            let end = text.floor_char_boundary(start + length).max(start);
            text.replace_range(start..end, &instead);
        }
        text
    })
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 512, failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        holds(&bytes)?;
    }

    #[test]
    fn any_text_is_read_without_a_panic(pieces in proptest::collection::vec(piece(), 0..60)) {
        holds(pieces.concat().as_bytes())?;
    }

    #[test]
    fn a_mutated_manifest_is_read_without_a_panic(text in mutated()) {
        holds(text.as_bytes())?;
        prop_assert_eq!(parse(text.as_bytes()), parse(text.as_bytes()));
    }

    #[test]
    fn a_truncated_manifest_is_never_taken_for_a_whole_one(end in 0..FULL.find("[hooks").unwrap_or(0) - 60) {
        holds(&FULL.as_bytes()[..end])?;
        prop_assert!(parse(&FULL.as_bytes()[..end]).manifest.is_none());
    }
}

#[test]
fn large_and_deep_texts_end_soon() {
    let large = |piece: &str| piece.repeat(256 * 1024 / piece.len());
    for piece in [
        "[",
        "{",
        "x = [",
        "x = {a=",
        "a.",
        "\"",
        "'''",
        "x\n",
        "[x\n",
        "a = x\n",
        "[[a]]\n",
        "x = [\n",
        "\u{1f600}",
        ",",
    ] {
        holds(large(piece).as_bytes()).unwrap();
    }
    let numbered: String = (0..20_000).map(|number| format!("k{number} = {{\n")).collect();
    holds(numbered.as_bytes()).unwrap();
    let valid: String = (0..20_000).map(|number| format!("k{number}={{}}\n")).collect();
    holds(valid.as_bytes()).unwrap();
    holds(format!("{valid}[hosts]\nx y").as_bytes()).unwrap();
}
