//! `pintle gc`: lets go of releases that no generation refers to. Never touches what extensions keep.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_registry::operations::garbage::{self, Collect, Garbage};
use serde_json::{Map, Value, json};

/// Lets go of releases that no generation refers to
///
/// Of this scope the newest five generations are kept, and whatever a live host runs; of other projects all. Data and
/// configuration of extensions are never touched.
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Says what would go, and removes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    garbage: Garbage,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "gc"
    }
    fn json(&self) -> Map<String, Value> {
        let missing: Vec<_> =
            self.garbage.missing_projects.iter().map(|path| path.to_string_lossy()).collect();
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("releases".to_owned(), json!(self.garbage.releases));
        map.insert("bytes".to_owned(), json!(self.garbage.bytes));
        map.insert("generations".to_owned(), json!(self.garbage.generations));
        map.insert("missing_projects".to_owned(), json!(missing));
        map
    }
    fn human(&self, _paint: Paint) -> String {
        let releases = words::count(self.garbage.releases.len(), "release", "releases");
        let bytes = words::bytes(self.garbage.bytes);
        match self.dry_run {
            true => format!("Would remove {releases} ({bytes}) (dry run)\n"),
            false => format!("Removed {releases} ({bytes})\n"),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &GcArgs) -> Result<Exit, Failure> {
    let collect = if arguments.dry_run { Collect::DryRun } else { Collect::Really };
    let garbage = situation.with_context(|context| garbage::collect(context, collect))?;
    for project in &garbage.missing_projects {
        situation.ui.note(format_args!(
            "the project `{}` is not there; what is installed for it is kept",
            project.display()
        ));
    }
    situation.ui.outcome(&Outcome { garbage, dry_run: arguments.dry_run });
    Ok(Exit::Done)
}
