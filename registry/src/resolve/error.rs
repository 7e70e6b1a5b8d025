//! How a resolution fails.

use super::Conflict;
use pintle_manifest::{Name, Version};

/// Says why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError<E: std::error::Error + Send + Sync + 'static> {
    /// A package that is wanted or needed does not exist.
    #[error("there is no package `{name}`{}", asked_by(chain))]
    UnknownPackage {
        /// The name that nothing has.
        name: Name,
        /// Who needs it, from the wish down; empty if it is itself a wish.
        chain: Vec<Step>,
        /// The known name most like it.
        similar: Option<Name>,
    },
    /// What is wanted can't be had together, or not here.
    #[error("{0}")]
    Conflict(Box<Conflict>),
    /// The chosen releases need each other in a circle.
    #[error("these packages need each other in a circle: {}", circle(path))]
    Cycle {
        /// The circle; the first name is repeated at its end.
        path: Vec<Name>,
    },
    /// The search was given up, so that a hostile catalog can't keep it going for ever.
    #[error("the search was given up after {rounds} rounds that led nowhere")]
    TooHard {
        /// The number of rounds allowed.
        rounds: u32,
    },
    /// The catalog could not say what it has.
    #[error("cannot look up `{name}`")]
    Catalog {
        /// The name that was looked up.
        name: Name,
        /// What went wrong.
        #[source]
        source: E,
    },
}

/// Names one release on the way from a wish to a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// The package.
    pub name: Name,
    /// Its version.
    pub version: Version,
}

/// More links than this are counted, not told.
const MOST_LINKS: usize = 12;

fn asked_by(chain: &[Step]) -> String {
    let steps: Vec<String> = chain.iter().map(|step| format!("`{} {}`", step.name, step.version)).collect();
    match steps.split_last() {
        None => String::new(),
        Some((last, [])) => format!(", which {last} needs"),
        Some((last, above)) => format!(", which {last} needs (wanted through {})", linked(above)),
    }
}

fn circle(path: &[Name]) -> String {
    linked(&path.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>())
}

fn linked(links: &[String]) -> String {
    match links {
        [first @ .., last] if first.len() >= MOST_LINKS => {
            let told = first[..MOST_LINKS].join(" > ");
            format!("{told} > … {} more … > {last}", first.len() - MOST_LINKS)
        }
        few => few.join(" > "),
    }
}
