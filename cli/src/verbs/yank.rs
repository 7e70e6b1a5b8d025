//! `pintle yank`: marks a release as one that should no longer be chosen. Deletes nothing.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::Args;
use pintle_manifest::{Name, Requirement, Version, nearest};
use pintle_registry::index;
use serde_json::{Map, Value, json};

/// Marks a release as one that should no longer be chosen
///
/// Nothing is deleted: whoever has it locked keeps it, and is told why.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  pintle yank blast-radius@0.3.0 --reason \"deletes too much\" --use-instead ^0.3.1"
)]
pub(crate) struct YankArgs {
    /// The release
    #[arg(value_name = "NAME@VERSION")]
    release: String,
    /// Why; users see it
    #[arg(long, value_name = "TEXT", required_unless_present = "undo", conflicts_with = "undo")]
    reason: Option<String>,
    /// What to use instead
    #[arg(long, value_name = "REQUIREMENT", conflicts_with = "undo")]
    use_instead: Option<Requirement>,
    /// Takes the yank back
    #[arg(long)]
    undo: bool,
    /// The registry: its directory, or its name in pintle.toml
    #[arg(long, value_name = "DIR|NAME")]
    registry: Option<String>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    name: Name,
    version: Version,
    undo: bool,
    changed: bool,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "yank"
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("changed".to_owned(), json!(self.changed));
        map.insert("name".to_owned(), json!(self.name));
        map.insert("version".to_owned(), json!(self.version));
        map.insert("yanked".to_owned(), json!(!self.undo));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let what = format!("{} {}", paint.bold(self.name.as_str()), self.version);
        match (self.dry_run, self.undo, self.changed) {
            (true, false, _) => format!("Would yank {what} (dry run)\n"),
            (true, true, _) => format!("Would take back the yank of {what} (dry run)\n"),
            (false, false, true) => format!("Yanked {what}\n"),
            (false, true, true) => format!("{what} can be chosen again\n"),
            (false, false, false) => format!("{what} was yanked already, for this reason\n"),
            (false, true, false) => format!("{what} was not yanked\n"),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &YankArgs) -> Result<Exit, Failure> {
    let (name, version) = parse(&arguments.release)?;
    let registry = super::publish::find_registry(situation, arguments.registry.as_deref())?;
    let changed = match (arguments.dry_run, arguments.undo) {
        (true, _) => {
            find(situation, &registry, &name, &version)?;
            false
        }
        (false, true) => index::unyank(&registry, &name, &version)?,
        (false, false) => {
            let reason = arguments.reason.as_deref().unwrap_or_default();
            index::yank(&registry, (&name, &version), reason, arguments.use_instead.as_ref(), situation.now)?
        }
    };
    let (undo, dry_run) = (arguments.undo, arguments.dry_run);
    situation.ui.outcome(&Outcome { name, version, undo, changed, dry_run });
    Ok(Exit::Done)
}

fn parse(text: &str) -> Result<(Name, Version), Failure> {
    let usage = |message: String| {
        Failure::new("usage", message)
            .exit(Exit::Usage)
            .hint("name one release exactly: `blast-radius@0.3.0`")
    };
    let (name, version) = text.split_once('@').ok_or_else(|| usage("no version was named".to_owned()))?;
    let name = Name::parse(name).map_err(|error| usage(error.to_string()))?;
    let version = Version::parse(version).map_err(|error| usage(error.to_string()))?;
    Ok((name, version))
}

/// A dry run finds what a real one would not find, too.
fn find(
    situation: &Situation<'_>,
    registry: &std::path::Path,
    name: &Name,
    version: &Version,
) -> Result<(), Failure> {
    let label = index::RegistryName::parse("named").expect("it is a name");
    let opened = index::Registry::open(label, registry, None, false)?;
    let _ = situation;
    if opened.package(name)?.is_none() {
        let names = opened.names()?;
        let near = nearest(name.as_str(), names.iter().map(Name::as_str));
        return Err(Failure::new("yank.unknown_package", format!("the registry has no package `{name}`"))
            .hint_nearest(near));
    }
    match opened.release(name, version)? {
        Some(_) => Ok(()),
        None => Err(Failure::new("yank.unknown_version", format!("the registry has no `{name} {version}`"))
            .hint(format!("see what there is with `pintle info {name}`"))),
    }
}
