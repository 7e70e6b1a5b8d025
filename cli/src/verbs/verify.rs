//! `pintle verify`: compares what is on the disk with what was installed. Changes nothing without `--fix`.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_manifest::Name;
use pintle_registry::operations::verify::{self, Verified, VerifyError};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Compares what is on the disk with what was installed, file by file
///
/// Needs no registry. `--fix` fetches what is broken anew. Ends with exit code 4 if something is broken.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Fetches what is broken anew
    #[arg(long)]
    fix: bool,
    /// With `--fix`: says what would be fetched, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

struct Outcome {
    found: Verified,
    fixed: Vec<Name>,
}

impl Outcome {
    /// Tells whether nothing is broken, or everything that was is mended.
    fn is_mended(&self) -> bool {
        let mut broken = self.found.broken.keys().chain(self.found.links.keys());
        broken.all(|name| self.fixed.contains(name))
    }
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        "verify"
    }
    fn ok(&self) -> bool {
        self.is_mended()
    }
    fn json(&self) -> Map<String, Value> {
        let broken = self.found.broken.iter().map(|(name, differences)| {
            let differences: Vec<String> = differences.iter().map(ToString::to_string).collect();
            json!({ "name": name, "differences": differences, "fixed": self.fixed.contains(name) })
        });
        let links = self.found.links.iter().map(
            |(name, problem)| json!({ "name": name, "problem": problem, "fixed": self.fixed.contains(name) }),
        );
        let unsynced: Vec<_> = self.found.unsynced.iter().map(|path| path.to_string_lossy()).collect();
        let mut map = Map::new();
        map.insert("compared".to_owned(), json!(self.found.compared));
        map.insert("whole".to_owned(), json!(self.found.is_whole()));
        map.insert("broken".to_owned(), broken.collect());
        map.insert("links".to_owned(), links.collect());
        map.insert("unsynced".to_owned(), json!(unsynced));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for (name, differences) in &self.found.broken {
            let fixed = if self.fixed.contains(name) { paint.good(" (fixed)") } else { String::new() };
            text.push_str(&format!("{}{fixed}\n", paint.bold(name.as_str())));
            for difference in differences.iter().take(20) {
                text.push_str(&format!("    {difference}\n"));
            }
            if differences.len() > 20 {
                text.push_str(&format!("    and {} more\n", differences.len() - 20));
            }
        }
        for (name, problem) in &self.found.links {
            let fixed = if self.fixed.contains(name) { paint.good(" (fixed)") } else { String::new() };
            text.push_str(&format!("{}: {problem}{fixed}\n", paint.bold(name.as_str())));
        }
        let compared = words::count(self.found.compared, "extension", "extensions");
        let broken: BTreeSet<&Name> = self.found.broken.keys().chain(self.found.links.keys()).collect();
        text.push_str(&match (broken.len(), self.fixed.len()) {
            (0, _) => format!("Compared {compared}: all as installed\n"),
            (broken, fixed) if fixed == broken => format!("Compared {compared}: {fixed} fixed\n"),
            (broken, 0) => format!("Compared {compared}: {broken} broken\n"),
            (broken, fixed) => format!("Compared {compared}: {broken} broken, {fixed} of them fixed\n"),
        });
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &VerifyArgs) -> Result<Exit, Failure> {
    let outcome = situation.with_context(|context| -> Result<Outcome, VerifyError> {
        let found = verify::verify(context)?;
        let fixed = match arguments.fix && !arguments.dry_run && !found.is_whole() {
            true => verify::fix(context, &found)?,
            false => Vec::new(),
        };
        Ok(Outcome { found, fixed })
    })?;
    for path in &outcome.found.unsynced {
        situation.ui.note(format_args!(
            "`{}` is not as it was when this set was made; `pintle sync -n` says whether that changes anything",
            path.display()
        ));
    }
    situation.ui.document(&outcome);
    if outcome.is_mended() {
        return Ok(Exit::Done);
    }
    if !arguments.fix {
        situation.ui.note("`pintle verify --fix` fetches what is broken anew");
    }
    Ok(Exit::Integrity)
}
