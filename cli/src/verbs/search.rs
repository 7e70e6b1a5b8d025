//! `pintle search`: finds extensions by name, description and keywords. Fetches no archive.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::table;
use clap::Args;
use pintle_manifest::{Name, Untrusted, Version};
use pintle_registry::index::{Registry, RegistryName};
use pintle_registry::operations::snapshot::read_wishes;
use pintle_registry::operations::sources;
use serde_json::{Map, Value, json};

/// Finds extensions by name, description and keywords
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// What to look for; everything, if nothing is named
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    /// Shows at most this many
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = limit)]
    limit: usize,
}

fn limit(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "write a number, such as `50`".to_owned())
}

/// Descriptions are looked at only in registries of at most this many packages; names always are.
const DESCRIBED: usize = 5_000;

struct Found {
    name: Name,
    version: Version,
    description: String,
    registry: RegistryName,
    rank: u8,
}

struct List {
    found: Vec<Found>,
    total: usize,
}

impl Document for List {
    fn verb(&self) -> &'static str {
        "search"
    }
    fn json(&self) -> Map<String, Value> {
        let row = |one: &Found| json!({ "name": one.name, "version": one.version, "description": one.description, "registry": one.registry });
        let mut map = Map::new();
        map.insert("total".to_owned(), json!(self.total));
        map.insert("found".to_owned(), self.found.iter().map(row).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        if self.found.is_empty() {
            return paint.dim("nothing was found") + "\n";
        }
        let row = |one: &Found| {
            vec![one.name.to_string(), one.version.to_string(), Untrusted(&one.description).to_string()]
        };
        let mut text = table::columns(&self.found.iter().map(row).collect::<Vec<_>>());
        if self.total > self.found.len() {
            text.push_str(&paint.dim(&format!("and {} more (`--limit`)", self.total - self.found.len())));
            text.push('\n');
        }
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &SearchArgs) -> Result<Exit, Failure> {
    let words: Vec<String> = arguments.words.iter().map(|word| word.to_lowercase()).collect();
    let mut found = situation.with_context(|context| -> Result<Vec<Found>, Failure> {
        let (wishes, _) = read_wishes(&context.scope)?;
        let registries = sources::open(context, &wishes)?;
        let mut found = Vec::new();
        let mut nowhere = Some(no_registry());
        let (read, unread): (Vec<_>, Vec<_>) = registries.iter().partition(|(_, registry)| registry.is_ok());
        for error in unread.into_iter().filter_map(|(_, registry)| registry.err()) {
            match read.is_empty() {
                // Nothing found is an answer only if someone was asked.
                true => nowhere = Some(Failure::from(&**error)),
                false => situation.ui.warning(error),
            }
        }
        for registry in read.into_iter().filter_map(|(_, registry)| registry.ok()) {
            nowhere = None;
            found.extend(look(situation, registry, &words)?);
        }
        if let Some(failure) = nowhere {
            return Err(failure);
        }
        sources::close(context, &registries);
        Ok(found)
    })?;
    found.sort_by(|one, other| (one.rank, &one.name).cmp(&(other.rank, &other.name)));
    let total = found.len();
    found.truncate(arguments.limit);
    situation.ui.document(&List { found, total });
    Ok(Exit::Done)
}

pub(crate) fn no_registry() -> Failure {
    Failure::new("registry.none", "no registry is named in `pintle.toml`")
        .hint("name one: `pintle registry add main DIR`")
        .hint("or make one: `pintle registry init DIR`")
}

fn look(situation: &Situation<'_>, registry: &Registry, words: &[String]) -> Result<Vec<Found>, Failure> {
    let names = registry.names()?;
    let described = names.len() <= DESCRIBED;
    if !described && !words.is_empty() {
        let count = names.len();
        situation.ui.note(format_args!(
            "registry {} has {count} packages, so only their names were looked at",
            registry.name()
        ));
    }
    let mut found = Vec::new();
    for name in names {
        let rank = rank(&name, words);
        if rank.is_none() && !described {
            continue;
        }
        let Some(package) = registry.package(&name)? else { continue };
        let offered = || package.releases.iter().filter(|release| release.yanked.is_none());
        let newest =
            offered().rfind(|release| !release.version.is_prerelease()).or_else(|| offered().next_back());
        let Some(newest) = newest else { continue };
        let text = format!("{} {}", newest.description, newest.keywords.join(" ")).to_lowercase();
        let by_text =
            || words.iter().all(|word| text.contains(word) || name.as_str().contains(word)).then_some(3);
        let Some(rank) = rank.or_else(by_text) else { continue };
        let (version, description) = (newest.version.clone(), newest.description.clone());
        found.push(Found { name, version, description, registry: registry.name().clone(), rank });
    }
    Ok(found)
}

/// The exact name first, then beginnings, then names that hold the words.
fn rank(name: &Name, words: &[String]) -> Option<u8> {
    match words {
        [word] if word == name.as_str() => Some(0),
        [word] if name.as_str().starts_with(word.as_str()) => Some(1),
        words => words.iter().all(|word| name.as_str().contains(word.as_str())).then_some(2),
    }
}
