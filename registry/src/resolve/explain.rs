//! Puts a conflict into words: what stands against what first, then why there is no way round it. Requirements are
//! shown as they were written. Adds no fact of its own.

use super::{Asker, Conflict, Fact, Unusable, Why};
use pintle_manifest::{Name, Requirement, Version};
use std::collections::BTreeMap;

/// More clauses than this are counted, not told.
const MOST_CLAUSES: usize = 6;
/// More links of a chain than this are told by its ends.
const MOST_LINKS: usize = 4;

pub(super) fn sentences(conflict: &Conflict) -> Vec<String> {
    let mut clauses = clauses(conflict);
    let mut sentences = Vec::new();
    if !clauses.is_empty() {
        let conclusion = conclusion(conflict, &clauses);
        let more = clauses.len().saturating_sub(MOST_CLAUSES);
        clauses.truncate(MOST_CLAUSES);
        if more > 0 {
            clauses.push(format!("{more} more such needs stand in the way"));
        }
        sentences.push(format!("{}, {conclusion}", listed(&clauses, ", and ")));
    }
    sentences.extend(conflict.facts.iter().filter_map(dead_end));
    if !conflict.downgrades.is_empty() {
        let older: Vec<String> =
            conflict.downgrades.iter().map(|(name, version)| format!("`{name}@={version}`")).collect();
        let verb = if older.len() == 1 { "fits; ask for it" } else { "fit; ask for them" };
        let what = if older.len() == 1 { "an older version" } else { "older versions" };
        sentences.push(format!("only {what} {verb} as {} to move down", listed(&older, " and ")));
    }
    sentences
}

/// Names what can't be had.
fn conclusion(conflict: &Conflict, clauses: &[String]) -> String {
    let wishes: Vec<String> = conflict.wishes.iter().map(|(name, wish)| wanted(name, wish)).collect();
    let told = |name: &Name| clauses.iter().any(|clause| clause.starts_with(&format!("`{name} ")));
    match wishes.as_slice() {
        [] => "so nothing can be installed".to_owned(),
        [one] => format!("so {one} cannot be installed"),
        [_, _] if clauses.len() == 2 && conflict.wishes.keys().all(told) => {
            "so both cannot be installed together".to_owned()
        }
        _ => format!("so {} cannot be installed together", listed(&wishes, " and ")),
    }
}

/// Knows for each package how many facts lead to it, and which lead on from it.
struct Ways<'a> {
    conflict: &'a Conflict,
    into: BTreeMap<&'a Name, usize>,
    out_of: BTreeMap<&'a Name, Vec<&'a Fact>>,
}

impl<'a> Ways<'a> {
    fn of(conflict: &'a Conflict) -> Self {
        let mut ways = Self { conflict, into: BTreeMap::new(), out_of: BTreeMap::new() };
        for fact in &conflict.facts {
            if let Fact::Needs { name, .. } = fact {
                *ways.into.entry(name).or_default() += 1;
            }
            if let Some(name) = asked_by(fact) {
                ways.out_of.entry(name).or_default().push(fact);
            }
        }
        ways
    }

    /// Returns the one fact that leads on from a package to which one fact leads, and which nobody asked for.
    fn passes_on(&self, name: &Name) -> Option<&'a Fact> {
        match self.out_of.get(name).map(Vec::as_slice) {
            Some([only]) if self.into.get(name) == Some(&1) && !self.conflict.wishes.contains_key(name) => {
                Some(only)
            }
            Some(_) | None => None,
        }
    }

    /// Tells whether a wish shows nowhere but in its own requirement.
    fn is_silent(&self, wish: &Name) -> bool {
        !self.out_of.contains_key(wish) && self.into.get(wish).is_some_and(|facts| *facts > 1)
    }
}

/// Tells who needs what, chains in one breath. What a person asks for is told where nothing else shows it.
fn clauses(conflict: &Conflict) -> Vec<String> {
    let ways = Ways::of(conflict);
    let mut clauses = Vec::new();
    for fact in &conflict.facts {
        match fact {
            Fact::Needs { asker: Asker::Wish, name, requirement } => {
                if !requirement.is_any() && ways.is_silent(name) {
                    clauses.push(format!("you ask for {}", wanted(name, requirement)));
                }
            }
            Fact::Needs { asker, .. } | Fact::Unknown { asker, .. } => {
                if asked_by(fact).is_none_or(|name| ways.passes_on(name).is_none()) {
                    clauses.push(chain(asker, &links(&ways, fact)));
                }
            }
            Fact::NoVersion { .. } | Fact::NoneUsable { .. } | Fact::WouldDo { .. } => {}
        }
    }
    clauses
}

/// Follows a need for as long as each package on the way leads to one other.
fn links(ways: &Ways<'_>, first: &Fact) -> Vec<String> {
    let mut links = Vec::new();
    let mut next = Some(first);
    while let Some(fact) = next {
        next = None;
        match fact {
            Fact::Needs { name, requirement, .. } => {
                links.push(wanted(name, requirement));
                next = ways.passes_on(name);
            }
            Fact::Unknown { name, .. } => links.push(format!("`{name}`, which does not exist")),
            Fact::NoVersion { .. } | Fact::NoneUsable { .. } | Fact::WouldDo { .. } => {}
        }
    }
    links
}

fn chain(asker: &Asker, links: &[String]) -> String {
    let subject = subject(asker);
    match links {
        [first, middle @ .., last] if links.len() > MOST_LINKS => {
            format!("{subject} {first}, which by way of {} others needs {last}", middle.len())
        }
        _ => format!("{subject} {}", links.join(", which needs ")),
    }
}

fn asked_by(fact: &Fact) -> Option<&Name> {
    match fact {
        Fact::Needs { asker: Asker::Package { name, .. }, .. }
        | Fact::Unknown { asker: Asker::Package { name, .. }, .. } => Some(name),
        Fact::Needs { asker: Asker::Wish, .. }
        | Fact::Unknown { asker: Asker::Wish, .. }
        | Fact::NoVersion { .. }
        | Fact::NoneUsable { .. }
        | Fact::WouldDo { .. } => None,
    }
}

/// Names who needs something, with the verb.
fn subject(asker: &Asker) -> String {
    let (name, spans) = match asker {
        Asker::Wish => return "you need".to_owned(),
        Asker::Package { name, every: true, spans } if spans.iter().any(|(first, last)| first != last) => {
            return format!("every version of `{name}` needs");
        }
        Asker::Package { name, spans, .. } => (name, spans),
    };
    let run = |(first, last): &(Version, Version)| match first == last {
        true => first.to_string(),
        false => format!("{first} to {last}"),
    };
    match spans.as_slice() {
        [(first, last)] if first == last => format!("`{name} {first}` needs"),
        [before @ .., last] if before.len() > 3 => {
            format!("`{name}` {} to {} in part need", before[0].0, last.1)
        }
        several => {
            let runs: Vec<String> = several.iter().map(run).collect();
            format!("`{name}` {} need", listed(&runs, " and "))
        }
    }
}

fn wanted(name: &Name, requirement: &Requirement) -> String {
    if requirement.is_any() { format!("`{name}`") } else { format!("`{name} {requirement}`") }
}

/// Tells why nothing of a package will do.
fn dead_end(fact: &Fact) -> Option<String> {
    match fact {
        Fact::Needs { .. } | Fact::Unknown { .. } => None,
        Fact::NoVersion { name, requirement, nearest } => Some(match nearest.as_slice() {
            [] => format!("`{name}` has no releases"),
            near => {
                let near: Vec<String> = near.iter().map(ToString::to_string).collect();
                let verb = if near.len() == 1 { "is" } else { "are" };
                format!(
                    "no version of `{name}` matches `{requirement}`; the nearest {verb} {}",
                    listed(&near, " and ")
                )
            }
        }),
        Fact::NoneUsable { name, requirement, unusable, older } => {
            let older = older.as_ref().map_or_else(String::new, |older| {
                let has = |unusable: &Unusable| matches!(unusable.why, Why::NoArtifact { .. });
                let verb = if unusable.iter().any(has) { "has one" } else { "can be used" };
                format!("; the older {older} {verb}")
            });
            let reasons: Vec<String> =
                unusable.iter().map(|one| reason(&format!("`{name} {}`", one.version), name, one)).collect();
            let lead = match (requirement.pinned(), reasons.len(), requirement.is_any()) {
                (Some(_), 1, _) => String::new(),
                (_, _, true) => format!("no version of `{name}` can be used: "),
                (_, _, false) => format!("no version of `{name}` that matches `{requirement}` can be used: "),
            };
            Some(format!("{lead}{}{older}", reasons.join("; ")))
        }
        Fact::WouldDo { name, unusable } => {
            Some(format!("`{name} {}` would do, but {}", unusable.version, reason("it", name, unusable)))
        }
    }
}

/// Tells why one version may not be chosen.
fn reason(this: &str, name: &Name, unusable: &Unusable) -> String {
    match &unusable.why {
        Why::NeedsHost { host, needs, have } => {
            format!("{this} needs the host `{host} {needs}`, which is {have} here")
        }
        Why::NotForHost => format!("{this} does not serve this host"),
        Why::NoArtifact { target, offered } => {
            let offered: Vec<String> = offered.iter().map(|target| format!("`{target}`")).collect();
            let offered = if offered.is_empty() { "nothing".to_owned() } else { listed(&offered, " and ") };
            format!("{this} has no artifact for `{target}`, only for {offered}")
        }
        Why::Prerelease => format!(
            "{this} is a pre-release, which is chosen only when asked for (as `{name}@={}`)",
            unusable.version
        ),
        Why::Yanked => format!("{this} was withdrawn"),
        Why::BelowFloor { floor } => format!("{this} is older than {floor}, and nothing moves down unasked"),
        Why::HeldBack { by, version, needs } => format!("`{by} {version}` needs `{name} {needs}`"),
        Why::Clashes { on, needs, have } => format!("{this} needs `{on} {needs}`, and {have} is chosen"),
    }
}

/// Lists words, the last after a conjunction.
fn listed(words: &[String], conjunction: &str) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [before @ .., last] => format!("{}{conjunction}{last}", before.join(", ")),
    }
}
