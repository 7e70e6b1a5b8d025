//! `pintle history`: shows the generations there are. Changes nothing, and lists those it can't read as such.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::Untrusted;
use pintle_registry::store::{Set, StateError};
use serde_json::{Map, Value, json};

/// Shows the generations that `pintle rollback` can go to
///
/// Every change makes a numbered generation. The newest five are kept, and with them whatever a host runs.
#[derive(Debug, Args)]
pub(crate) struct HistoryArgs {}

struct History {
    current: Option<u64>,
    generations: Vec<(u64, Result<Set, StateError>)>,
}

impl Document for History {
    fn verb(&self) -> &'static str {
        "history"
    }
    fn json(&self) -> Map<String, Value> {
        let row = |(number, set): &(u64, Result<Set, StateError>)| match set {
            Ok(set) => json!({
                "generation": number,
                "current": Some(*number) == self.current,
                "parent": set.parent,
                "time": set.time,
                "command": set.command,
                "extensions": set.extensions.iter().map(|(name, one)| json!({ "name": name, "version": one.version }))
                    .collect::<Vec<_>>(),
            }),
            Err(error) => json!({
                "generation": number,
                "current": Some(*number) == self.current,
                "unreadable": error.to_string(),
            }),
        };
        let mut map = Map::new();
        map.insert("current".to_owned(), json!(self.current));
        map.insert("generations".to_owned(), self.generations.iter().map(row).collect());
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for (number, set) in &self.generations {
            let mark = if Some(*number) == self.current { paint.good("*") } else { " ".to_owned() };
            match set {
                Ok(set) => {
                    let time = set.time.strftime("%Y-%m-%d %H:%M");
                    let size = words::count(set.extensions.len(), "extension", "extensions");
                    let command = Untrusted(&set.command);
                    text.push_str(&format!("{mark} {number:>4}  {time}  {size:<14}  {command}\n"));
                }
                Err(error) => text.push_str(&format!("{mark} {number:>4}  {error}\n")),
            }
        }
        match text.is_empty() {
            true => paint.dim("nothing was ever installed here") + "\n",
            false => text,
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, _arguments: &HistoryArgs) -> Result<Exit, Failure> {
    let generations = situation.scope().generations();
    let current = generations.current()?;
    let numbers = generations.numbers()?;
    let read = numbers.into_iter().rev().map(|number| (number, generations.read(number)));
    situation.ui.document(&History { current, generations: read.collect() });
    Ok(Exit::Done)
}
