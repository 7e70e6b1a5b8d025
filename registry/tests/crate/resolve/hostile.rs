//! Universes made to wear the resolver out: it answers, refuses or gives up, and never falls over.

use crate::resolve::universe::{Universe, ask, outcome, universe};
use std::fmt::Write;

/// A package for each number, the first needing the second and so on; the last needs `last`.
fn chain(length: u32, last: &str) -> Universe {
    let mut releases = String::new();
    for number in 0..length {
        write!(releases, "link-{number} 1.0.0 -> link-{};", number + 1).unwrap();
    }
    write!(releases, "link-{length} 1.0.0 -> {last}; lib 1.0.0; lib 2.0.0").unwrap();
    universe(&releases)
}

#[test]
fn a_chain_of_ten_thousand_is_followed_to_its_end() {
    assert!(outcome(&chain(10_000, "lib ^2"), &ask("link-0")).starts_with("lib 2.0.0, link-0 1.0.0,"));
    assert_eq!(
        outcome(&chain(10_000, "lib ^1"), &ask("link-0; lib ^2")),
        "you ask for `lib ^2`, and `link-0 1.0.0` needs `link-1`, which by way of 9999 others needs `lib ^1`, so \
         `lib ^2` and `link-0` cannot be installed together",
    );
    let unknown = outcome(&chain(10_000, "gone"), &ask("link-0"));
    let circle = outcome(&chain(10_000, "link-0"), &ask("link-0"));
    let check = |told: &str, start: &str| assert!(told.starts_with(start) && told.len() < 500, "{told:.500}");
    check(
        &unknown,
        "there is no package `gone`, which `link-10000 1.0.0` needs (wanted through `link-0 1.0.0` > ",
    );
    check(&circle, "these packages need each other in a circle: `link-0` > `link-1` > ");
}

/// Pigeons and holes: two in the same hole clash, and there is one hole too few. Proofs of this grow beyond measure.
fn knot(pigeons: u32) -> String {
    let holes = pigeons - 1;
    let mut releases = String::new();
    for pigeon in 1..=pigeons {
        for hole in 1..=holes {
            write!(releases, "pigeon-{pigeon} {hole}.0.0 -> hole-{hole} ={pigeon}.0.0;").unwrap();
            write!(releases, "hole-{hole} {pigeon}.0.0;").unwrap();
        }
    }
    let wishes: Vec<String> = (1..=pigeons).map(|pigeon| format!("pigeon-{pigeon}")).collect();
    outcome(&universe(&releases), &ask(&wishes.join(";")))
}

#[test]
fn a_small_knot_is_refused_and_a_large_one_given_up() {
    let small = knot(5);
    assert!(small.contains("more such needs stand in the way") && small.len() < 1_000, "{small}");
    assert_eq!(knot(10), "the search was given up after 3000 rounds that led nowhere");
}
