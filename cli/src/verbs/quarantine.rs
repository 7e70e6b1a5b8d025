//! `pintle quarantine`: what the system turned off, with the evidence, and how it is let go.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{table, words};
use clap::{Args, Subcommand};
use pintle_loader::keep::files::FileError;
use pintle_loader::keep::{Evidence, Places, Quarantine};
use pintle_manifest::{Name, Untrusted};
use pintle_registry::store::Source;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Shows what was turned off because it failed too often, and lets it go
///
/// An extension goes into quarantine after three faults within a minute, or after three starts in a row that went wrong.
/// Other files of it, as after an update, are not in quarantine, and neither is a linked folder in which something was
/// changed since.
#[derive(Debug, Args)]
pub(crate) struct QuarantineArgs {
    #[command(subcommand)]
    verb: QuarantineVerb,
}

#[derive(Debug, Subcommand)]
enum QuarantineVerb {
    /// Lists what is in quarantine
    #[command(visible_alias = "ls")]
    List,
    /// Shows the evidence against one: every fault, and the last that it printed
    Show {
        /// The extension
        name: Name,
    },
    /// Lets one run again
    Release {
        /// The extension
        name: Name,
        /// Says what would change, and changes nothing
        #[arg(short = 'n', long)]
        dry_run: bool,
    },
}

struct List(BTreeMap<Name, Evidence>);

impl Document for List {
    fn verb(&self) -> &'static str {
        "quarantine list"
    }
    fn json(&self) -> Map<String, Value> {
        let all = self.0.iter().map(|(name, evidence)| evidence_document(name, evidence));
        Map::from_iter([("quarantine".to_owned(), all.collect())])
    }
    fn human(&self, paint: Paint) -> String {
        let rows: Vec<Vec<String>> = self
            .0
            .iter()
            .map(|(name, one)| {
                let reason = Untrusted(&one.reason).to_string();
                vec![name.to_string(), one.version.to_string(), time(one.since_ms), reason]
            })
            .collect();
        match rows.is_empty() {
            true => paint.dim("nothing is in quarantine") + "\n",
            false => table::columns(&rows),
        }
    }
}

/// The evidence against one, and whether that is linked from a folder.
struct Shown<'a>(&'a Name, &'a Evidence, bool);

impl Document for Shown<'_> {
    fn verb(&self) -> &'static str {
        "quarantine show"
    }
    fn json(&self) -> Map<String, Value> {
        Map::from_iter([("extension".to_owned(), evidence_document(self.0, self.1))])
    }
    fn human(&self, paint: Paint) -> String {
        let Self(name, evidence, is_linked) = self;
        let mut text = format!(
            "{} {}  in quarantine since {}\n  {}\n",
            paint.bold(name.as_str()),
            evidence.version,
            time(evidence.since_ms),
            Untrusted(&evidence.reason)
        );
        for fault in &evidence.faults {
            let what = Untrusted(&fault.message);
            text.push_str(&format!("\n{}  {what} [{}]\n", time(fault.time_ms), fault.code));
            for line in &fault.log {
                text.push_str(&format!("    {}\n", paint.dim(&Untrusted(line).to_string())));
            }
        }
        let mended = match is_linked {
            true => "mend its folder: it is tried again when a file in it has changed".to_owned(),
            false => format!("`pintle update {name}` looks for a release that is mended"),
        };
        text.push_str(&format!(
            "\n{}: {mended}; `pintle quarantine release {name}` lets this one run again\n",
            paint.hint("help")
        ));
        text
    }
}

struct Released {
    name: Name,
    was_there: bool,
    dry_run: bool,
}

impl Document for Released {
    fn verb(&self) -> &'static str {
        "quarantine release"
    }
    fn json(&self) -> Map<String, Value> {
        Map::from_iter([
            ("name".to_owned(), json!(self.name)),
            ("changed".to_owned(), json!(self.was_there && !self.dry_run)),
            ("dry_run".to_owned(), json!(self.dry_run)),
        ])
    }
    fn human(&self, _paint: Paint) -> String {
        let name = &self.name;
        match (self.was_there, self.dry_run) {
            (false, _) => format!("{name} is not in quarantine\n"),
            (true, true) => format!("{name} would run again (dry run, nothing was changed)\n"),
            (true, false) => format!("{name} runs again from the next start of a host\n"),
        }
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &QuarantineArgs) -> Result<Exit, Failure> {
    let state = Places::below(&situation.scope().base).state;
    let quarantine = Quarantine::read(&state)?;
    match &arguments.verb {
        QuarantineVerb::List => situation.ui.document(&List(quarantine.extensions)),
        QuarantineVerb::Show { name } => match quarantine.extensions.get(name) {
            Some(evidence) => situation.ui.document(&Shown(name, evidence, is_linked(situation, name))),
            None => {
                let near =
                    pintle_manifest::nearest(name.as_str(), quarantine.extensions.keys().map(Name::as_str));
                return Err(Failure::new("quarantine.unknown", format!("`{name}` is not in quarantine"))
                    .hint_nearest(near)
                    .hint("see what is with `pintle quarantine list`"));
            }
        },
        QuarantineVerb::Release { name, dry_run } => {
            let was_there = release(&state, name, *dry_run)?;
            situation.ui.outcome(&Released { name: name.clone(), was_there, dry_run: *dry_run });
        }
    }
    Ok(Exit::Done)
}

/// Tells whether one is linked from a folder. A set that can't be read says nothing of that.
fn is_linked(situation: &Situation<'_>, name: &Name) -> bool {
    let set = situation.scope().generations().read_current().ok().flatten();
    let installed = set.as_ref().and_then(|set| set.extensions.get(name));
    installed.is_some_and(|one| matches!(one.source, Source::Folder(_)))
}

/// Lets one go, or only looks. Tells whether it was there.
pub(super) fn release(state: &Path, name: &Name, dry_run: bool) -> Result<bool, FileError> {
    match dry_run {
        true => Ok(Quarantine::read(state)?.extensions.contains_key(name)),
        false => Quarantine::release(state, name),
    }
}

fn time(ms: u64) -> String {
    words::timestamp(ms)
        .map_or_else(|| "?".to_owned(), |time| time.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

fn evidence_document(name: &Name, evidence: &Evidence) -> Value {
    let faults = evidence.faults.iter().map(|fault| {
        json!({
            "time": words::timestamp(fault.time_ms),
            "code": fault.code,
            "message": fault.message,
            "log": fault.log,
        })
    });
    json!({
        "name": name,
        "version": evidence.version,
        "tree": evidence.tree,
        "since": words::timestamp(evidence.since_ms),
        "reason": evidence.reason,
        "faults": faults.collect::<Vec<_>>(),
    })
}
