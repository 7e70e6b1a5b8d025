//! `pintle ledger`: who holds what since when, in hosts that run and in hosts that were killed. Looks, and ends nothing.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::lower;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::{table, words};
use clap::Args;
use jiff::Timestamp;
use pintle_loader::keep::Places;
use pintle_loader::ledger::{Holding, HostRecord, Kind, hosts};
use pintle_manifest::{Name, Untrusted};
use serde_json::{Map, Value, json};

/// How much of what is held is shown, in characters.
const MOST_SHOWN: usize = 44;

/// Shows what extensions hold: who holds what, in which host, since when
///
/// A host that was killed shows up until the next host starts, which ends what it left.
#[derive(Debug, Args)]
pub(crate) struct LedgerArgs {
    /// Shows only what this extension holds
    #[arg(value_name = "NAME")]
    name: Option<Name>,
}

struct Shown {
    hosts: Vec<HostRecord>,
    name: Option<Name>,
    now: Timestamp,
}

impl Shown {
    fn held<'a>(&'a self, host: &'a HostRecord) -> impl Iterator<Item = &'a Holding> {
        host.holdings.iter().filter(|one| self.name.as_ref().is_none_or(|name| one.owner == *name))
    }

    fn age(&self, since_ms: u64) -> String {
        let now = u64::try_from(self.now.as_millisecond()).unwrap_or(0);
        words::duration(std::time::Duration::from_millis(now.saturating_sub(since_ms)))
    }
}

impl Document for Shown {
    fn verb(&self) -> &'static str {
        "ledger"
    }
    fn json(&self) -> Map<String, Value> {
        let hosts = self.hosts.iter().map(|host| {
            let held = self.held(host).map(|one| {
                json!({
                    "id": one.id,
                    "owner": one.owner,
                    "load": one.epoch,
                    "kind": in_words(&one.kind).0,
                    "what": in_words(&one.kind).1,
                    "since": words::timestamp(one.since_ms),
                })
            });
            json!({
                "pid": host.pid,
                "alive": host.alive,
                "stopped": host.stopped,
                "command": host.command,
                "since": words::timestamp(host.since_ms),
                "held": held.collect::<Vec<_>>(),
            })
        });
        Map::from_iter([("hosts".to_owned(), hosts.collect())])
    }
    fn human(&self, paint: Paint) -> String {
        if self.hosts.is_empty() {
            return paint.dim("no host runs, and none was killed: nothing is held") + "\n";
        }
        let mut text = String::new();
        for host in &self.hosts {
            let state = match (host.alive, host.stopped) {
                (true, true) => paint.warn("stopped"),
                (true, false) => paint.good("running"),
                (false, _) => paint.bad("killed; the next host ends what it left"),
            };
            let command = Untrusted(&host.command);
            let age = self.age(host.since_ms);
            text.push_str(&format!(
                "{} (pid {}, {state}, for {age})\n",
                paint.bold(&command.to_string()),
                host.pid
            ));
            let rows: Vec<Vec<String>> = self
                .held(host)
                .map(|one| {
                    let (kind, what) = in_words(&one.kind);
                    vec![format!("  {}", one.owner), kind, self.age(one.since_ms), short(&what)]
                })
                .collect();
            text.push_str(&match rows.is_empty() {
                true => format!("  {}\n", paint.dim("nothing is held")),
                false => table::columns(&rows),
            });
        }
        text
    }
}

/// Returns a text of which the end tells most, in at most so many characters that a line stays one.
fn short(what: &str) -> String {
    let what = Untrusted(what).to_string();
    let count = what.chars().count();
    match count > MOST_SHOWN {
        true => format!("…{}", what.chars().skip(count - MOST_SHOWN + 1).collect::<String>()),
        false => what,
    }
}

/// Returns what is held, and which. What the host added for an extension has a word of the host's.
fn in_words(kind: &Kind) -> (String, String) {
    match kind {
        Kind::Host { what, key } => (what.clone(), key.clone()),
        kind @ (Kind::Hook { .. }
        | Kind::Slot { .. }
        | Kind::Subscription { .. }
        | Kind::Timer { .. }
        | Kind::Worker { .. }
        | Kind::Child { .. }
        | Kind::TempDir { .. }) => (kind.word().to_owned(), kind.key()),
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &LedgerArgs) -> Result<Exit, Failure> {
    let mut all = Vec::new();
    for (scope, _) in lower::scopes(situation) {
        let (records, unreadable) = hosts(&Places::below(&scope.base).hosts())?;
        unreadable.into_iter().for_each(|error| situation.ui.warning_of(&error.into()));
        all.extend(records);
    }
    let now = situation.now;
    situation.ui.document(&Shown { hosts: all, name: arguments.name.clone(), now });
    Ok(Exit::Done)
}
