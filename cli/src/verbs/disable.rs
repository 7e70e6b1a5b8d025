//! `pintle disable`: turns extensions off. Neither removes anything nor asks a registry.

use crate::exit::Exit;
use crate::failure::Failure;
use crate::lower;
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::words;
use clap::Args;
use pintle_loader::keep::Places;
use pintle_loader::ledger::hosts;
use pintle_manifest::{Name, Untrusted};
use pintle_registry::operations::switch_off::{self, Switch, Switched};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// Turns extensions off, without removing them
///
/// Works at once, offline, and whatever is damaged. It stays off through updates, reinstallations and rollbacks until
/// `pintle enable`. What needs it is left out with it.
///
/// If the list of what is disabled is damaged itself, it is put aside. Then nothing is loaded until you say of each
/// extension whether it is on, with `pintle enable` or `pintle disable`.
#[derive(Debug, Args)]
pub(crate) struct DisableArgs {
    /// What to turn off
    #[arg(required = true, value_name = "NAME")]
    names: Vec<Name>,
    /// Why, for whoever looks later
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// Says what would change, and changes nothing
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(super) struct Outcome {
    pub verb: &'static str,
    pub done: &'static str,
    pub switched: Switched,
    pub dry_run: bool,
}

impl Document for Outcome {
    fn verb(&self) -> &'static str {
        self.verb
    }
    fn json(&self) -> Map<String, Value> {
        let mut map = Map::new();
        map.insert("dry_run".to_owned(), json!(self.dry_run));
        map.insert("changed".to_owned(), json!(self.switched.changed));
        map.insert("unchanged".to_owned(), json!(self.switched.unchanged));
        map.insert("left_out".to_owned(), json!(self.switched.left_out));
        let aside = self.switched.aside.as_ref().map(|path| path.to_string_lossy());
        map.insert("aside".to_owned(), json!(aside));
        map.insert("undecided".to_owned(), json!(self.switched.undecided));
        map
    }
    fn human(&self, paint: Paint) -> String {
        let mut text = String::new();
        for name in &self.switched.changed {
            let would = if self.dry_run { "would be " } else { "is now " };
            text.push_str(&format!("{} {would}{}\n", paint.bold(name.as_str()), self.done));
        }
        for name in &self.switched.unchanged {
            text.push_str(&format!("{} was {} already\n", paint.bold(name.as_str()), self.done));
        }
        text
    }
}

pub(crate) fn run(situation: &Situation<'_>, arguments: &DisableArgs) -> Result<Exit, Failure> {
    let outcome = switch(
        situation,
        ("disable", "disabled"),
        &arguments.names,
        &Switch::Off(arguments.reason.clone()),
        arguments.dry_run,
    )?;
    if !outcome.switched.left_out.is_empty() {
        let others = words::list(&outcome.switched.left_out);
        situation.ui.warning(format_args!("left out with it, because they need it: {others}"));
    }
    situation.ui.outcome(&outcome);
    let required = lower::required(&situation.scope()).unwrap_or_default();
    for name in outcome.switched.changed.iter().filter(|name| required.contains(*name)) {
        situation.ui.warning(format_args!(
            "`{name}` is required in pintle.toml: no command is run until it is enabled, or not required any more"
        ));
    }
    tell_lost(situation, &outcome);
    tell_stopped(situation, &outcome.switched.changed);
    Ok(Exit::Done)
}

/// Says in which hosts an extension runs on, because they can't end anything now. The others end it by themselves.
fn tell_stopped(situation: &Situation<'_>, off: &[Name]) {
    let records = lower::scopes(situation).into_iter().filter_map(|(scope, _)| {
        // What can't be read is said by `pintle ledger` and `doctor`. This verb works whatever is damaged.
        hosts(&Places::below(&scope.base).hosts()).ok()
    });
    for host in records.flat_map(|(records, _)| records).filter(|host| host.stopped) {
        let held: BTreeSet<&Name> = host.holdings.iter().map(|one| &one.owner).collect();
        for name in off.iter().filter(|name| held.contains(name)) {
            situation.ui.warning(format_args!(
                "`{name}` runs on in a host that is stopped (pid {}, `{}`): it ends there when that goes on",
                host.pid,
                Untrusted(&host.command)
            ));
        }
    }
}

/// Says what became of a list that was damaged, and what is not known since.
pub(super) fn tell_lost(situation: &Situation<'_>, outcome: &Outcome) {
    let Switched { damaged, aside, undecided, .. } = &outcome.switched;
    if let Some(error) = damaged {
        let what = crate::failure::one_line(error);
        match aside {
            Some(aside) => situation.ui.warning(format_args!("{what}; it is now `{}`", aside.display())),
            None => situation.ui.warning(format_args!("{what}; it would be put aside")),
        }
    }
    if let Some(first) = undecided.first() {
        let names = words::list(undecided);
        situation.ui.warning(format_args!(
            "nobody knows whether these are disabled: {names}. Nothing is loaded until you say it of each: \
             `pintle enable {first}`, or `pintle disable {first}`"
        ));
    }
}

/// Turns off or on, or says what would change.
pub(super) fn switch(
    situation: &Situation<'_>,
    (verb, done): (&'static str, &'static str),
    names: &[Name],
    switch: &Switch,
    dry_run: bool,
) -> Result<Outcome, Failure> {
    let switched = situation.with_context(|context| match dry_run {
        true => switch_off::prepare(context, names, switch),
        false => switch_off::apply(context, names, switch),
    })?;
    Ok(Outcome { verb, done, switched, dry_run })
}
