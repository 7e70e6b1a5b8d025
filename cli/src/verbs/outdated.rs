//! `pintle outdated`: shows what has newer releases and what holds each back. Changes nothing.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::table;
use clap::Args;
use pintle_manifest::{Name, Untrusted};
use pintle_registry::operations::outdated::{self, HeldBy, Outdated};
use pintle_registry::operations::snapshot::Snapshot;
use serde_json::{Map, Value, json};

/// Shows what has newer releases, and what holds each back
///
/// With `--host agent@2.0.0`, shows what would no longer work under that host, and which release would.
#[derive(Debug, Args)]
pub(crate) struct OutdatedArgs {
    /// Ends with exit code 1 if anything is outdated
    #[arg(long)]
    exit_code: bool,
}

struct List {
    found: Vec<Outdated>,
    missing: Vec<Name>,
}

impl Document for List {
    fn verb(&self) -> &'static str {
        "outdated"
    }
    fn json(&self) -> Map<String, Value> {
        let row = |one: &Outdated| {
            json!({
                "name": one.name,
                "installed": one.installed,
                "in_range": one.in_range,
                "newest": one.newest,
                "held_by": one.held_by.as_ref().map(held_document),
                "yanked": one.yanked,
                "incompatible": one.incompatible.as_ref().map(|(host, needs, have)| {
                    json!({ "host": host, "needs": needs, "have": have })
                }),
            })
        };
        let mut map = Map::new();
        map.insert("outdated".to_owned(), self.found.iter().map(row).collect());
        map.insert("missing".to_owned(), json!(self.missing));
        map
    }
    fn human(&self, paint: Paint) -> String {
        if self.found.is_empty() {
            return paint.dim("everything is at its newest release") + "\n";
        }
        let mut rows = vec![["NAME", "INSTALLED", "UPDATE", "NEWEST", ""].map(str::to_owned).to_vec()];
        for one in &self.found {
            let mut remarks = Vec::new();
            remarks.extend(one.held_by.as_ref().map(held_words));
            remarks.extend(one.yanked.as_ref().map(|reason| format!("yanked: {}", Untrusted(reason))));
            remarks.extend(
                one.incompatible
                    .as_ref()
                    .map(|(host, needs, have)| format!("needs {host} {needs}, have {have}")),
            );
            let versions = [&one.installed, &one.in_range, &one.newest].map(ToString::to_string);
            rows.push([&[one.name.to_string()][..], &versions, &[remarks.join("; ")]].concat());
        }
        table::columns(&rows)
    }
}

fn held_words(held: &HeldBy) -> String {
    match held {
        HeldBy::Wish(requirement) => format!("held by your `{requirement}`"),
        HeldBy::Dependent(name, requirement) => format!("held by {name} (`{requirement}`)"),
        HeldBy::Host(host, needs, have) => format!("needs {host} {needs}, have {have}"),
        HeldBy::Target(target) => format!("not for {target}"),
    }
}

fn held_document(held: &HeldBy) -> Value {
    match held {
        HeldBy::Wish(requirement) => json!({ "kind": "wish", "requirement": requirement }),
        HeldBy::Dependent(name, requirement) => {
            json!({ "kind": "dependent", "name": name, "requirement": requirement })
        }
        HeldBy::Host(host, needs, have) => {
            json!({ "kind": "host", "host": host, "needs": needs, "have": have })
        }
        HeldBy::Target(target) => json!({ "kind": "target", "target": target }),
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &OutdatedArgs) -> Result<Exit, Failure> {
    let (found, missing) = situation.with_context(|context| -> Result<_, Failure> {
        let snapshot = Snapshot::read(context)?;
        Ok(outdated::outdated(context, &snapshot)?)
    })?;
    let any = !found.is_empty();
    if !missing.is_empty() {
        let names = crate::view::words::list(&missing);
        situation.ui.warning(format_args!("no registry has these any more; they stay as they are: {names}"));
    }
    situation.ui.document(&List { found, missing });
    Ok(if any && arguments.exit_code { Exit::Failed } else { Exit::Done })
}
