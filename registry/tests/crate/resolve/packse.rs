//! Scenarios from the packse collection (see README.md beside this file), each answered exactly as expected there,
//! but for the kinds named here, in which Pintle has another rule.

use crate::resolve::universe::{Universe, ask, outcome};
use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use pintle_registry::resolve::{Candidate, Question, resolve};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Needs optional features, which Pintle does not have.
const SKIPPED_CATEGORY: &str = "extras";

/// Satisfiable elsewhere, not here: an upper bound on the host counts, and a pre-release is never chosen unasked,
/// not even where there is nothing else.
const REFUSED_HERE: [&str; 4] = [
    "python-less-than-current",
    "package-only-prereleases",
    "package-only-prereleases-boundary",
    "transitive-package-only-prereleases",
];

/// Names of scenarios may be one letter, names of packages here may not.
fn name(text: &str) -> Name {
    Name::parse(&format!("pkg-{text}")).unwrap()
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_else(|| panic!("`{key}` is a text in {value}"))
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn comparators(list: &[Value]) -> Vec<String> {
    list.iter().map(|one| format!("{}{}", text(one, "op"), text(one, "v"))).collect()
}

fn requirement(comparators: &[String]) -> Requirement {
    if comparators.is_empty() {
        Requirement::any()
    } else {
        Requirement::parse(&comparators.join(", ")).unwrap()
    }
}

/// One requirement for each name; a name that is listed twice must satisfy both.
fn dependencies(value: &Value) -> BTreeMap<Name, Requirement> {
    let mut all: BTreeMap<Name, Vec<String>> = BTreeMap::new();
    for dependency in list(value, "deps") {
        all.entry(name(text(dependency, "name"))).or_default().extend(comparators(list(dependency, "req")));
    }
    all.into_iter().map(|(name, comparators)| (name, requirement(&comparators))).collect()
}

fn host() -> HostName {
    HostName::parse("host").unwrap()
}

fn candidate(release: &Value) -> Candidate {
    Candidate {
        version: Version::parse(text(release, "version")).unwrap(),
        yanked: release["yanked"] == Value::Bool(true),
        hosts: Arc::new(BTreeMap::from([(host(), requirement(&comparators(list(release, "host"))))])),
        dependencies: Arc::new(dependencies(release)),
        targets: vec![Target::ANY],
    }
}

fn universe(scenario: &Value) -> Universe {
    let packages = scenario["packages"].as_object().unwrap().iter();
    let packages = packages.map(|(package, releases)| {
        let releases: Vec<Candidate> = releases.as_array().unwrap().iter().map(candidate).collect();
        (name(package), Arc::from(releases))
    });
    Universe { packages: packages.collect(), ..Universe::default() }
}

fn question(scenario: &Value) -> Question {
    Question {
        wishes: dependencies(&scenario["root"]),
        hosts: BTreeMap::from([(host(), Version::parse(text(scenario, "host")).unwrap())]),
        prereleases: scenario["prereleases"] == Value::Bool(true),
        ..ask("")
    }
}

/// Says how an outcome differs from what is expected.
fn difference(scenario: &Value) -> Option<String> {
    let (universe, question) = (universe(scenario), question(scenario));
    let refused = REFUSED_HERE.contains(&text(scenario, "name"));
    let satisfiable = scenario["expected"]["satisfiable"] == Value::Bool(true) && !refused;
    let answer = resolve(&question, &universe).ok();
    let chosen: Option<BTreeMap<String, String>> = answer.map(|answer| {
        let plain = |name: &Name| name.as_str().trim_start_matches("pkg-").to_owned();
        answer.chosen.iter().map(|(name, version)| (plain(name), version.to_string())).collect()
    });
    let expected = scenario["expected"]["packages"].as_object().filter(|packages| !packages.is_empty());
    let expected: Option<BTreeMap<String, String>> = expected
        .filter(|_| satisfiable)
        .map(|all| all.iter().map(|(name, at)| (name.clone(), at.as_str().unwrap().to_owned())).collect());
    let same = chosen.is_some() == satisfiable && (expected.is_none() || chosen == expected);
    (!same).then(|| format!("{}: {}", text(scenario, "name"), outcome(&universe, &question)))
}

#[test]
fn scenarios_from_elsewhere_come_out_as_they_should() {
    let data: Value = serde_json::from_str(include_str!("packse.json")).unwrap();
    let scenarios = data.as_array().unwrap();
    let (skipped, run): (Vec<&Value>, Vec<&Value>) =
        scenarios.iter().partition(|scenario| text(scenario, "category") == SKIPPED_CATEGORY);
    let skipped: Vec<&str> = skipped.iter().map(|scenario| text(scenario, "name")).collect();
    println!(
        "{} run, {} refused by a rule of Pintle's, {} skipped:",
        run.len(),
        REFUSED_HERE.len(),
        skipped.len()
    );
    println!("{}", skipped.join("\n"));
    let differences: Vec<String> = run.iter().filter_map(|scenario| difference(scenario)).collect();
    assert_eq!(differences, Vec::<String>::new());
    assert_eq!((run.len(), skipped.len()), (58, 8));
    let known = |name: &&str| run.iter().any(|scenario| text(scenario, "name") == *name);
    assert!(REFUSED_HERE.iter().all(known), "each exception names a scenario");
}

/// A conflict is told without the notation of the search, and briefly, in every scenario that has one.
#[test]
fn every_conflict_from_elsewhere_is_told_in_a_few_plain_words() {
    let data: Value = serde_json::from_str(include_str!("packse.json")).unwrap();
    for scenario in data.as_array().unwrap() {
        let told = outcome(&universe(scenario), &question(scenario));
        println!("{}\n{told}\n", text(scenario, "name"));
        for foreign in ["∅", "-0", " | ", "Ranks", "package 1", "..", "{"] {
            assert!(!told.contains(foreign), "{foreign} in {told}");
        }
        assert!(told.len() < 600 && told.lines().count() <= 4, "{told}");
    }
}
