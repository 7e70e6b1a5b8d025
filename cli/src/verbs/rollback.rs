use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use clap::Args;
use pintle_registry::operations::rollback;
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// Goes back to an earlier generation, with the wishes and the lock it had
///
/// One step, offline. Without a number, goes to the generation that the current one was made from. Going forward
/// again is the same: `pintle rollback N`.
#[derive(Debug, Args)]
pub(crate) struct RollbackArgs {
    /// The generation to go to (see `pintle history`)
    #[arg(value_name = "N")]
    generation: Option<u64>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    from: Option<u64>,
    to: u64,
    saved: Vec<PathBuf>,
    dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "rollback"
    }
    fn json(&self) -> Map<String, Value> {
        let saved: Vec<_> = self.saved.iter().map(|path| path.to_string_lossy()).collect();
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("changed".to_owned(), json!(!self.dry_run && self.from != Some(self.to)));
        map.insert("from".to_owned(), json!(self.from));
        map.insert("generation".to_owned(), json!(self.to));
        map.insert("saved".to_owned(), json!(saved));
        map
    }
    fn human(&self, _paint: Paint) -> String {
        let from = self.from.map_or_else(|| "nothing".to_owned(), |from| format!("generation {from}"));
        match (self.from == Some(self.to), self.dry_run) {
            (true, _) => format!("Generation {} is current already\n", self.to),
            (false, true) => format!("Would go from {from} to generation {} (dry run)\n", self.to),
            (false, false) => format!("Went from {from} to generation {}\n", self.to),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &RollbackArgs) -> Result<Exit, Failure> {
    let asked = arguments.generation;
    let outcome = situation.with_context(|context| -> Result<Outcome, rollback::RollbackError> {
        if arguments.dry_run {
            let (from, set) = rollback::destination(context, asked)?;
            return Ok(Outcome { from, to: set.generation, saved: Vec::new(), dry_run: true });
        }
        let done = rollback::rollback(context, asked)?;
        Ok(Outcome { from: done.from, to: done.set.generation, saved: done.saved, dry_run: false })
    })?;
    for copy in &outcome.saved {
        situation.ui.note(format_args!("what you had changed by hand is kept in `{}`", copy.display()));
    }
    situation.ui.outcome(&outcome);
    Ok(Exit::Done)
}
