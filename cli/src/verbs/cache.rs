//! `pintle cache`: shows or empties what was kept of registries. Touches nothing that is installed.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::{Args, Subcommand};
use pintle_registry::store::fs;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Shows or empties what was kept of registries
///
/// The cache only saves time: it can be deleted at any moment, and nothing installed depends on it.
#[derive(Debug, Args)]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Shows how large it is
    Size,
    /// Empties it
    Clean {
        /// Says what would go, and removes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
}

struct Outcome {
    verb: &'static str,
    path: String,
    files: u64,
    bytes: u64,
    done: &'static str,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        self.verb
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("path".to_owned(), json!(self.path));
        map.insert("files".to_owned(), json!(self.files));
        map.insert("bytes".to_owned(), json!(self.bytes));
        map.insert("dry_run".to_owned(), json!(self.done == "Would remove"));
        map
    }
    fn human(&self, _paint: Paint) -> String {
        let files = words::count(usize::try_from(self.files).unwrap_or(usize::MAX), "file", "files");
        format!("{} {} in {files} ({})\n", self.done, words::bytes(self.bytes), self.path)
            .trim_start()
            .to_owned()
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &CacheArgs) -> Result<Exit, Failure> {
    let cache = situation.home.cache();
    let (files, bytes) = measure(&cache);
    let (verb, done) = match arguments.action {
        Action::Size => ("cache size", ""),
        Action::Clean { dry_run: true } => ("cache clean", "Would remove"),
        Action::Clean { dry_run: false } => {
            fs::remove_tree(&cache)?;
            ("cache clean", "Removed")
        }
    };
    situation.ui.document(&Outcome { verb, path: words::path(&cache), files, bytes, done });
    Ok(Exit::Done)
}

/// Counts files and bytes; what vanishes meanwhile is not counted.
fn measure(directory: &Path) -> (u64, u64) {
    let Ok(listing) = std::fs::read_dir(directory) else { return (0, 0) };
    let (mut files, mut bytes) = (0, 0);
    for entry in listing.flatten() {
        let Ok(metadata) = entry.metadata() else { continue };
        let (inner_files, inner_bytes) = match metadata.is_dir() {
            true => measure(&entry.path()),
            false => (1, metadata.len()),
        };
        files += inner_files;
        bytes += inner_bytes;
    }
    (files, bytes)
}
