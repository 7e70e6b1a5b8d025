//! The words the tests are written in: one contract that has everything, and edits of its text.

use pintle_manifest::{Bump, Contract, Difference, Problem, compare};

/// A contract with one of everything.
pub(crate) const BASE: &str = include_str!("../fixtures/contract-v1.toml");

/// An edit: the text that is replaced, and the text that takes its place.
pub(crate) type Edit<'a> = (&'a str, &'a str);

/// Returns a text with edits. Each must change exactly one place.
#[track_caller]
pub(crate) fn edited(text: &str, edits: &[Edit<'_>]) -> String {
    let mut text = text.to_owned();
    for (from, to) in edits {
        assert_eq!(text.matches(from).count(), 1, "{from:?} is there once");
        text = text.replacen(from, to, 1);
    }
    text
}

/// Checks the problems of an edited contract, each as `code at line: what is marked`.
#[track_caller]
pub(crate) fn problems(edits: &[Edit<'_>], expected: &[&str]) {
    let text = edited(BASE, edits);
    assert_eq!(told(&text), expected, "{edits:?}");
}

/// Returns the problems of a text, each as `code: message [what is marked] (help)`.
pub(crate) fn told(text: &str) -> Vec<String> {
    let one = |problem: &Problem| {
        let help = problem.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}: {} [{}]{help}", problem.code, problem.message, &text[problem.span.clone()])
    };
    Contract::read(text).problems.iter().map(one).collect()
}

/// Reads an edited contract that must be right.
#[track_caller]
pub(crate) fn contract(edits: &[Edit<'_>]) -> Contract {
    let text = edited(BASE, edits);
    Contract::parse(&text).unwrap_or_else(|problems| panic!("{problems:#?}\n{edits:?}"))
}

/// Compares the contract before and after edits, and checks the differences, each as `step place: what`.
#[track_caller]
pub(crate) fn differences(old: &[Edit<'_>], new: &[Edit<'_>], expected: &[&str]) {
    let (old, new) = (contract(old), contract(new));
    let found: Vec<String> = compare(&old, &new).iter().map(line).collect();
    assert_eq!(found, expected);
}

/// Checks that edits make the given difference, and that taking them back makes the other.
#[track_caller]
pub(crate) fn both_ways(edits: &[Edit<'_>], forth: &[&str], back: &[&str]) {
    differences(&[], edits, forth);
    differences(edits, &[], back);
}

fn line(difference: &Difference) -> String {
    let step = match (&difference.refused, difference.needs) {
        (Some(because), _) => format!("REFUSED ({because})"),
        (None, Bump::Patch) => "patch".to_owned(),
        (None, Bump::Minor) => "minor".to_owned(),
        (None, Bump::Major) => "MAJOR".to_owned(),
    };
    format!("{step} {}: {}", difference.place.join("/"), difference.what)
}
