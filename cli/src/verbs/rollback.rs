//! `pintle rollback`: goes to another generation. Asks no registry and makes no new generation.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Format, Paint};
use crate::view::{note, plan};
use clap::Args;
use pintle_registry::operations::rollback::{self, Destination};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Goes back to an earlier generation, with the wishes and the lock it had
///
/// One step, offline. Without a number, goes to the generation that the current one was made from. Going forward
/// again is the same: `pintle rollback N`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The generation to go to (see `pintle history`)
    #[arg(value_name = "N", value_parser = generation)]
    generation: Option<u64>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

fn generation(text: &str) -> Result<u64, String> {
    text.parse()
        .map_err(|_| "a generation is a number; `pintle history` lists those that are there".to_owned())
}

struct Outcome {
    destination: Destination,
    saved: Vec<PathBuf>,
    dry_run: bool,
}

impl Outcome {
    fn is_current(&self) -> bool {
        self.destination.from == Some(self.destination.set.generation)
    }
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "rollback"
    }
    fn json(&self) -> Map<String, Value> {
        let Destination { from, set, changes, restores, notes } = &self.destination;
        let changed = !self.dry_run && (!self.is_current() || !restores.is_empty());
        let paths =
            |paths: &[PathBuf]| paths.iter().map(|path| json!(path.to_string_lossy())).collect::<Value>();
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("changed".to_owned(), json!(changed));
        map.insert("from".to_owned(), json!(from));
        map.insert("generation".to_owned(), json!(set.generation));
        map.insert("changes".to_owned(), plan::changes_document(changes, &set.extensions));
        map.insert("restored".to_owned(), paths(restores));
        map.insert("saved".to_owned(), paths(&self.saved));
        map.insert("notes".to_owned(), notes.iter().map(note::document).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let Destination { from, set, changes, restores, .. } = &self.destination;
        let from = from.map_or_else(|| "a lost generation".to_owned(), |from| format!("generation {from}"));
        let mut text = plan::change_lines(changes, &set.extensions, &[], paint);
        let to = set.generation;
        text.push_str(&match (self.is_current(), restores.is_empty(), self.dry_run) {
            (true, true, _) => format!("Generation {to} is current already\n"),
            (true, false, true) => format!("Would bring back the files of generation {to} (dry run)\n"),
            (true, false, false) => format!("Brought back the files of generation {to}\n"),
            (false, _, true) => format!("Would go from {from} to generation {to} (dry run)\n"),
            (false, _, false) => format!("Went from {from} to generation {to}\n"),
        });
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &RollbackArgs) -> Result<Exit, Failure> {
    let asked = arguments.generation;
    let (destination, saved) = situation.with_context(|context| match arguments.dry_run {
        true => rollback::destination(context, asked).map(|destination| (destination, Vec::new())),
        false => rollback::rollback(context, asked),
    })?;
    for copy in &saved {
        situation.ui.note(format_args!("what you had changed by hand is kept in `{}`", copy.display()));
    }
    if situation.ui.format == Format::Human && !destination.notes.is_empty() {
        for one in &destination.notes {
            situation.ui.warning(note::words(one));
        }
        let asking = situation.command(&["trust", "grant"]);
        situation.ui.note(format_args!("`{asking}` shows what is asked for, and asks"));
    }
    situation.ui.outcome(&Outcome { destination, saved, dry_run: arguments.dry_run });
    Ok(Exit::Done)
}
