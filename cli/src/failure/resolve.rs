//! Failures to choose: a conflict is told in the resolver's sentences, and what would end it is added.

use super::Failure;
use crate::exit::Exit;
use pintle_manifest::Name;
use pintle_registry::index::FindError;
use pintle_registry::resolve::{Conflict, Fact, ResolveError, Unusable, Why};
use serde_json::json;

impl From<ResolveError<FindError>> for Failure {
    fn from(error: ResolveError<FindError>) -> Self {
        match error {
            ResolveError::UnknownPackage { ref name, ref similar, ref chain } => {
                let failure = Self::of("resolve.unknown_package", &error)
                    .exit(Exit::Conflict)
                    .detail("name", name.as_str())
                    .hint_nearest(similar.as_ref().map(Name::as_str));
                match chain.is_empty() && similar.is_none() {
                    true => failure.hint("see which registries are asked with `pintle registry list`"),
                    false => failure,
                }
            }
            ResolveError::Conflict(conflict) => of_conflict(&conflict),
            ResolveError::Cycle { ref path } => Self::of("resolve.cycle", &error)
                .exit(Exit::Conflict)
                .hint("one of them has to do without the other; tell its maintainer")
                .detail("path", path.iter().map(ToString::to_string).collect::<Vec<_>>()),
            ResolveError::TooHard { .. } => Self::of("resolve.too_hard", &error)
                .exit(Exit::Conflict)
                .hint("narrow the requirements in `pintle.toml`"),
            ResolveError::Catalog { source, .. } => Self::from(&source),
        }
    }
}

fn of_conflict(conflict: &Conflict) -> Failure {
    let sentences = conflict.sentences();
    let code = match conflict.only_reason().map(|unusable| &unusable.why) {
        Some(Why::Prerelease) => "resolve.only_prerelease",
        Some(Why::NeedsHost { .. } | Why::NotForHost) => "resolve.host",
        Some(Why::NoArtifact { .. }) => "resolve.target",
        Some(Why::Yanked) => "resolve.yanked",
        Some(Why::BelowFloor { .. } | Why::HeldBack { .. } | Why::Clashes { .. }) | None => {
            "resolve.conflict"
        }
    };
    let mut failure = match (missing(conflict), sentences.as_slice()) {
        // That one wish can't be fulfilled is all there is to say.
        (Some(name), [only]) if conflict.wishes.len() == 1 => {
            Failure::new(code, only.clone()).hint(format!("`pintle info {name}` lists its versions"))
        }
        _ => sentences
            .iter()
            .fold(Failure::new(code, "no set of releases fulfils the wishes"), |failure, sentence| {
                failure.cause(sentence.clone())
            }),
    };
    failure = failure.exit(Exit::Conflict);
    if let Some(hint) = way_out(conflict) {
        failure = failure.hint(hint);
    }
    for (name, version) in &conflict.downgrades {
        failure = failure.hint(format!("an older one would do: `pintle update {name} --precise {version}`"));
    }
    let wishes: Vec<String> = conflict.wishes.keys().map(ToString::to_string).collect();
    if wishes.len() > 1 {
        failure = failure
            .hint(format!("leaving out or loosening one of these wishes ends it: {}", wishes.join(", ")));
    }
    let downgrades: Vec<_> = conflict
        .downgrades
        .iter()
        .map(|(name, version)| json!({ "name": name, "version": version }))
        .collect();
    failure.detail("wishes", wishes).detail("downgrade_candidates", downgrades)
}

fn way_out(conflict: &Conflict) -> Option<String> {
    let name = conflict.facts.iter().find_map(|fact| match fact {
        Fact::NoneUsable { name, .. } => Some(name),
        Fact::Needs { .. } | Fact::Unknown { .. } | Fact::NoVersion { .. } | Fact::WouldDo { .. } => None,
    });
    if let (Some(name), Some(Unusable { version, why })) = (name, conflict.only_reason()) {
        return match why {
            Why::Prerelease => Some(format!("ask for it: `pintle install {name}@{version}`, or use `--pre`")),
            Why::Yanked => Some(format!("to take it all the same, name it exactly: `{name}@{version}`")),
            Why::NeedsHost { host, needs, .. } => Some(format!(
                "use a host with `{host} {needs}`, or look for another release with `pintle info {name}`"
            )),
            Why::NotForHost => Some(format!("see which hosts it serves with `pintle info {name}`")),
            Why::NoArtifact { .. } => Some(format!("see what is offered with `pintle info {name}`")),
            Why::BelowFloor { .. } | Why::HeldBack { .. } | Why::Clashes { .. } => None,
        };
    }
    None
}

/// Returns the name of which no version matches, if there is one. That the nearest are is said with it.
fn missing(conflict: &Conflict) -> Option<&Name> {
    conflict.facts.iter().find_map(|fact| match fact {
        Fact::NoVersion { name, .. } => Some(name),
        Fact::Needs { .. } | Fact::Unknown { .. } | Fact::NoneUsable { .. } | Fact::WouldDo { .. } => None,
    })
}
