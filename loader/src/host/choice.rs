//! Which of several of one name is meant. None of their files is read.

use crate::bundle::{Candidate, Rank};
use crate::stage::{Report, Stage, StageFailure};
use pintle_manifest::Name;
use std::collections::BTreeMap;

/// Leaves one of each name: the one that was asked for closest to the work, of equals the last; but what is required for
/// all of a person's work stays. The others get a report that says so, unless they are the very same files, and none of
/// their files is read. What is withheld stays so unless the command line asks for another.
pub(crate) fn one_of_each(set: Vec<Candidate>) -> (Vec<Candidate>, Vec<Report>) {
    let mut chosen: BTreeMap<Name, Candidate> = BTreeMap::new();
    let mut shadowed = Vec::new();
    for candidate in set {
        let name = candidate.name().clone();
        let loser = match chosen.remove(&name) {
            Some(before) if before.weight() > candidate.weight() => {
                chosen.insert(name, before);
                Some(candidate)
            }
            before => {
                chosen.insert(name, candidate);
                before
            }
        };
        shadowed.extend(loser);
    }
    let report = |loser: Candidate| {
        let winner = &chosen[loser.name()];
        if let (Candidate::Bundle(winner), Candidate::Bundle(loser)) = (winner, &loser)
            && winner.is_same(loser)
        {
            return None;
        }
        let failure = StageFailure::new("trust.shadowed", in_its_place(winner));
        Some(Report::failed(loser.name(), loser.version(), false, Stage::Trust, failure))
    };
    let shadowed = shadowed.into_iter().filter_map(report).collect();
    (chosen.into_values().collect(), shadowed)
}

fn in_its_place(winner: &Candidate) -> String {
    let which = match winner {
        Candidate::Bundle(bundle) => match (bundle.rank, bundle.required) {
            (Rank::Project, _) => "the project's",
            (Rank::CommandLine, _) => "the command line's",
            (Rank::System | Rank::User, true) => "a required",
            (Rank::System | Rank::User, false) => "another",
        },
        Candidate::Withheld { .. } => "another",
    };
    format!("{which} `{}` ({}) takes its place", winner.name(), winner.version())
}
