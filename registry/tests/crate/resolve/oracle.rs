//! Thousands of small random universes against an oracle that tries every choice there is, and knows the rules from
//! their description rather than from the code.

use crate::resolve::universe::{And, Universe, ask, name, outcome, version};
use pintle_manifest::{HostName, Name, Requirement, Target, Version};
use pintle_registry::resolve::{Candidate, Question, ResolveError, resolve};
use proptest::collection::{btree_map, vec};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest,
};
use proptest::sample::{select, subsequence};
use std::collections::BTreeMap;
use std::sync::Arc;

const NAMES: [&str; 6] = ["ant", "bee", "cat", "dog", "elk", "gone"];
const VERSIONS: [&str; 5] = ["1.0.0", "1.1.0", "2.0.0-rc.1", "2.0.0", "2.1.0"];
const REQUIREMENTS: [&str; 10] =
    ["*", "^1", "^2", "=1.0.0", "=2.0.0", "<2", ">=1.1", "!=1.1.0", ">1.0.0, !=2.0.0", ">=2.0.0-rc.1"];

type Choice = BTreeMap<Name, Version>;

fn requirement() -> impl Strategy<Value = Requirement> {
    select(&REQUIREMENTS[..]).prop_map(|text| Requirement::parse(text).unwrap())
}

/// Requirements on up to `most` of the names; few of them on the one that does not exist.
fn requirements(most: usize) -> impl Strategy<Value = BTreeMap<Name, Requirement>> {
    let names = prop_oneof![20 => select(&NAMES[..5]), 1 => Just(NAMES[5])];
    btree_map(names.prop_map(name), requirement(), 0..=most)
}

fn candidate(at: &'static str) -> impl Strategy<Value = Candidate> {
    let hosts = prop_oneof![8 => Just(Some("^1")), 1 => Just(Some("^2")), 1 => Just(None)];
    let targets = prop_oneof![
        8 => Just(Target::ANY),
        1 => Just(Target::parse("x86_64-apple-darwin").unwrap()),
    ];
    (requirements(2), hosts, targets, select(&[true, false, false, false, false, false][..])).prop_map(
        move |(dependencies, host, target, yanked)| Candidate {
            version: version(at),
            yanked,
            hosts: Arc::new(
                host.map(|needs| (host_name(), Requirement::parse(needs).unwrap())).into_iter().collect(),
            ),
            dependencies: Arc::new(dependencies),
            targets: vec![target],
        },
    )
}

fn host_name() -> HostName {
    HostName::parse("agent").unwrap()
}

fn packages() -> impl Strategy<Value = BTreeMap<Name, Vec<Candidate>>> {
    let releases = || {
        subsequence(&VERSIONS[..], 1..=4)
            .prop_flat_map(|versions| versions.into_iter().map(candidate).collect::<Vec<_>>())
    };
    let all = [releases(), releases(), releases(), releases(), releases()];
    all.prop_map(|all| NAMES.into_iter().map(name).zip(all).collect())
}

fn some_versions() -> impl Strategy<Value = Choice> {
    btree_map(select(&NAMES[..5]).prop_map(name), select(&VERSIONS[..]).prop_map(version), 0..=3)
}

fn question() -> impl Strategy<Value = Question> {
    let wishes = btree_map(select(&NAMES[..5]).prop_map(name), requirement(), 1..=3);
    let floors = prop_oneof![2 => Just(Choice::new()), 1 => some_versions()];
    (wishes, some_versions(), floors, any::<bool>()).prop_map(|(wishes, locked, floors, at_hand)| Question {
        wishes,
        locked,
        floors,
        ..ask("").hosts(if at_hand { "agent 1.2.0" } else { "" }).target("x86_64-unknown-linux-gnu")
    })
}

fn universe(packages: &BTreeMap<Name, Vec<Candidate>>) -> Universe {
    let packages = packages.iter().map(|(name, all)| (name.clone(), Arc::from(all.clone()))).collect();
    Universe { packages, ..Universe::default() }
}

/// Knows everything there is to choose from.
struct Oracle<'a> {
    packages: &'a BTreeMap<Name, Vec<Candidate>>,
    question: &'a Question,
}

impl Oracle<'_> {
    fn may_be_chosen(&self, name: &Name, candidate: &Candidate) -> bool {
        let Question { wishes, hosts, target, locked, floors, .. } = self.question;
        let at = &candidate.version;
        let locked = locked.get(name) == Some(at);
        let pinned = wishes.get(name).is_some_and(|wish| wish.to_string() == format!("={at}"));
        let asked = wishes.get(name).is_some_and(|wish| wish.to_string().contains('-'));
        let served = candidate.hosts.iter().filter(|(host, _)| hosts.contains_key(*host)).count();
        let fits = candidate
            .hosts
            .iter()
            .all(|(host, needs)| hosts.get(host).is_none_or(|have| needs.matches(have)));
        (!candidate.yanked || locked || pinned)
            && (at.prerelease().is_empty() || locked || asked)
            && (hosts.is_empty() || (served > 0 && fits))
            && candidate.targets.iter().any(|one| one == target || one.as_str() == "any")
            && floors.get(name).is_none_or(|floor| at >= floor)
    }

    fn candidate(&self, name: &Name, at: &Version) -> Option<&Candidate> {
        self.packages.get(name)?.iter().find(|candidate| candidate.version == *at)
    }

    /// Tells whether a choice is whole, right, and holds nothing that is not needed.
    fn accepts(&self, choice: &Choice) -> bool {
        let mut needed: Vec<(&Name, &Requirement)> = self.question.wishes.iter().collect();
        let mut reached = Choice::new();
        while let Some((name, requirement)) = needed.pop() {
            let Some(at) = choice.get(name).filter(|at| requirement.matches(at)) else { return false };
            if reached.insert(name.clone(), at.clone()).is_some() {
                continue;
            }
            let candidate = self.candidate(name, at).filter(|one| self.may_be_chosen(name, one));
            let Some(candidate) = candidate else { return false };
            needed.extend(candidate.dependencies.iter());
        }
        reached == *choice
    }

    /// Returns a right choice, trying older versions first, if there is one.
    fn any_choice(&self, wishes: &BTreeMap<Name, Requirement>) -> Option<Choice> {
        self.complete(wishes.iter().collect(), Choice::new())
    }

    fn complete(&self, mut needed: Vec<(&Name, &Requirement)>, mut choice: Choice) -> Option<Choice> {
        while let Some((name, requirement)) = needed.pop() {
            if let Some(at) = choice.get(name) {
                if requirement.matches(at) {
                    continue;
                }
                return None;
            }
            let all = self.packages.get(name)?.iter();
            let fitting =
                all.filter(|one| requirement.matches(&one.version) && self.may_be_chosen(name, one));
            return fitting.into_iter().find_map(|one| {
                let mut next = needed.clone();
                next.extend(one.dependencies.iter());
                choice.insert(name.clone(), one.version.clone());
                self.complete(next, choice.clone())
            });
        }
        Some(choice)
    }

    /// Names a package that could be newer with all else as it is.
    fn improvable(&self, choice: &Choice) -> Option<String> {
        choice.iter().find_map(|(name, at)| {
            let newer = self.packages[name].iter().filter(|one| one.version > *at);
            let mut better = newer.map(|one| {
                let mut other = choice.clone();
                other.insert(name.clone(), one.version.clone());
                other
            });
            better.find(|other| self.accepts(other)).map(|other| format!("{name} {}", other[name]))
        })
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn there_is_an_answer_exactly_if_the_oracle_finds_one(packages in packages(), question in question()) {
        let oracle = Oracle { packages: &packages, question: &question };
        let possible = oracle.any_choice(&question.wishes);
        match resolve(&question, &universe(&packages)) {
            Ok(answer) => {
                prop_assert!(oracle.accepts(&answer.chosen), "a right answer: {:?}", answer.chosen);
                let mut sorted = answer.order.clone();
                sorted.sort();
                prop_assert_eq!(sorted, answer.chosen.keys().cloned().collect::<Vec<_>>());
            }
            Err(ResolveError::Cycle { path }) => {
                prop_assert!(possible.is_some());
                prop_assert!(path.len() > 1 && path.first() == path.last());
            }
            Err(error @ (ResolveError::Conflict(_) | ResolveError::UnknownPackage { .. })) => {
                prop_assert!(possible.is_none(), "{error}, but {possible:?} is an answer");
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn nothing_chosen_afresh_could_be_newer_with_all_else_as_it_is(packages in packages(), question in question()) {
        let question = question.locked("");
        let oracle = Oracle { packages: &packages, question: &question };
        if let Ok(answer) = resolve(&question, &universe(&packages)) {
            prop_assert_eq!(oracle.improvable(&answer.chosen), None, "{:?}", answer.chosen);
        }
    }

    #[test]
    fn what_is_locked_and_right_stays_as_it_is(packages in packages(), question in question()) {
        let question = question.locked("");
        let possible = Oracle { packages: &packages, question: &question }.any_choice(&question.wishes);
        if let Some(locked) = possible {
            let question = Question { locked: locked.clone(), ..question };
            match resolve(&question, &universe(&packages)) {
                Ok(answer) => prop_assert_eq!(answer.chosen, locked),
                Err(error) => prop_assert!(matches!(error, ResolveError::Cycle { .. }), "{error}"),
            }
        }
    }

    #[test]
    fn the_order_in_which_candidates_are_offered_does_not_matter(
        packages in packages(), question in question(), turns in vec(0usize..4, 5),
    ) {
        let mut shuffled = packages.clone();
        for (releases, turn) in shuffled.values_mut().zip(turns) {
            releases.reverse();
            let length = releases.len();
            releases.rotate_left(turn % length);
        }
        let (first, second) = (universe(&packages), universe(&shuffled));
        prop_assert_eq!(outcome(&first, &question), outcome(&second, &question));
        prop_assert_eq!(outcome(&first, &question), outcome(&first, &question));
    }

    #[test]
    fn a_conflict_names_no_wish_too_many_and_none_too_few(packages in packages(), question in question()) {
        let oracle = Oracle { packages: &packages, question: &question };
        if let Err(ResolveError::Conflict(conflict)) = resolve(&question, &universe(&packages)) {
            prop_assert!(oracle.any_choice(&conflict.wishes).is_none());
            for left_out in conflict.wishes.keys() {
                let mut fewer = conflict.wishes.clone();
                fewer.remove(left_out);
                prop_assert!(oracle.any_choice(&fewer).is_some(), "{left_out} is not part of it");
            }
            for (name, older) in &conflict.downgrades {
                prop_assert!(question.floors.get(name).is_some_and(|floor| older < floor));
            }
            let told = conflict.to_string();
            prop_assert!(!told.is_empty() && told.lines().count() <= 8 && told.len() < 1500, "{told}");
        }
    }
}
