//! Whether an extension fits a contract: the one rule by which the loader leaves an extension out and `pintle check`
//! warns its author before. Reads no file and decides nothing about what becomes of the extension.

use super::locate::locate_all;
use super::model::{Collision, Contract, Deprecation};
use crate::{HookUse, Manifest, PermissionValue, Problem, SlotUse, nearest};
use std::collections::BTreeMap;

/// One thing in which an extension does not fit a contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Misfit {
    /// Of what sort it is.
    pub kind: MisfitKind,
    /// What does not fit, in lower case and without a full stop.
    pub message: String,
    /// What to do about it, if there is something to say.
    pub help: Option<String>,
    /// The keys that lead to its place in `extension.toml`.
    pub place: Vec<String>,
}

/// The sorts of misfits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MisfitKind {
    /// It does not serve this host at all.
    OtherHost,
    /// It serves the host, in other versions of its contract. Nothing else is judged then.
    ApiVersion,
    /// It names a hook, filter, slot or permission that the contract has not.
    Unknown,
    /// It asks for some of a permission that is all or nothing.
    AllOrNothing,
    /// It uses what is going away.
    Deprecated,
    /// It uses a name and the old name of the same thing.
    Twice,
    /// It gives itself more time than the contract does.
    OwnTime,
    /// It wants a name in a slot that the host keeps for itself.
    Reserved,
}

impl MisfitKind {
    /// Returns the stable code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::OtherHost => "compat.other_host",
            Self::ApiVersion => "compat.api_version",
            Self::Unknown => "compat.unknown",
            Self::AllOrNothing => "compat.all_or_nothing",
            Self::Deprecated => "compat.deprecated",
            Self::Twice => "compat.twice",
            Self::OwnTime => "compat.own_time",
            Self::Reserved => "compat.reserved",
        }
    }

    /// Tells whether a host leaves the extension out because of it.
    pub const fn stops_load(self) -> bool {
        match self {
            Self::OtherHost | Self::ApiVersion | Self::Unknown | Self::AllOrNothing => true,
            Self::Deprecated | Self::Twice | Self::OwnTime | Self::Reserved => false,
        }
    }

    /// Tells whether it is wrong wherever the extension is loaded. Another version of the host may well fit.
    const fn is_mistake(self) -> bool {
        match self {
            Self::Unknown | Self::AllOrNothing => true,
            Self::OtherHost
            | Self::ApiVersion
            | Self::Deprecated
            | Self::Twice
            | Self::OwnTime
            | Self::Reserved => false,
        }
    }
}

/// Returns everything in which an extension does not fit a contract, hooks first, in order of names.
pub fn misfits(contract: &Contract, manifest: &Manifest) -> Vec<Misfit> {
    let mut found = Found { contract, misfits: Vec::new() };
    let Some(range) = manifest.hosts.get(&contract.name) else {
        let hosts: Vec<String> = manifest.hosts.keys().map(ToString::to_string).collect();
        let message = format!("it serves {}, and this host is `{}`", hosts.join(", "), contract.name);
        found.add(MisfitKind::OtherHost, &["hosts"], message, None);
        return found.misfits;
    };
    if !range.matches(&contract.version) {
        let place = ["hosts", contract.name.as_str(), "api_version"];
        let message = format!("it needs `{}` {range}, and this host has {}", contract.name, contract.version);
        found.add(MisfitKind::ApiVersion, &place, message, None);
        return found.misfits;
    }
    for (name, used) in &manifest.hooks {
        found.hook(name, used, &manifest.hooks);
    }
    for (name, entries) in &manifest.slots {
        found.slot(name, entries);
    }
    for (name, asked) in &manifest.permissions {
        found.permission(name, asked);
    }
    found.misfits
}

/// Returns the same for the author, at the places in the text of the manifest. What only concerns one version of the
/// host is a warning.
pub fn misfits_in(text: &str, contract: &Contract, manifest: &Manifest) -> Vec<Problem> {
    let misfits = misfits(contract, manifest);
    let places: Vec<&[String]> = misfits.iter().map(|misfit| misfit.place.as_slice()).collect();
    let spans = locate_all(text, &places);
    let mut problems: Vec<Problem> = misfits
        .iter()
        .zip(spans)
        .map(|(misfit, span)| {
            let make = if misfit.kind.is_mistake() { Problem::error } else { Problem::warning };
            let mut problem = make(misfit.kind.code(), span.unwrap_or(0..0), misfit.message.clone());
            problem.help.clone_from(&misfit.help);
            problem
        })
        .collect();
    problems.sort_by_key(|problem| problem.span.start);
    problems
}

struct Found<'a> {
    contract: &'a Contract,
    misfits: Vec<Misfit>,
}

impl Found<'_> {
    fn add(&mut self, kind: MisfitKind, place: &[&str], message: String, help: Option<String>) {
        let place = place.iter().map(|key| (*key).to_owned()).collect();
        self.misfits.push(Misfit { kind, message, help, place });
    }

    fn hook(&mut self, name: &str, used: &HookUse, all: &BTreeMap<String, HookUse>) {
        let contract = self.contract;
        let Some(hook) = contract.hooks.get(name) else {
            return self.unknown("hook", &["hooks", name], contract.hooks.keys());
        };
        for field in used.filter.keys().filter(|field| !hook.filters.contains(field)) {
            let what = format!("filter of `{name}`");
            self.unknown(&what, &["hooks", name, "filter", field], hook.filters.iter());
        }
        if let Some(asked) = used.own_time.filter(|asked| *asked > hook.own_time) {
            let message = format!(
                "`{name}` gives an extension {:?} of its own, and this asks for {asked:?}",
                hook.own_time
            );
            let help = "the contract's time holds; take it out, or ask for less".to_owned();
            self.add(MisfitKind::OwnTime, &["hooks", name, "own_time"], message, Some(help));
        }
        match &hook.deprecated {
            Some(old) if old.alias && all.contains_key(&old.instead) => {
                let message = format!(
                    "`{name}` is the old name of `{}`, and both are used; it is called by the new one alone",
                    old.instead
                );
                self.add(MisfitKind::Twice, &["hooks", name], message, Some(format!("take out `{name}`")));
            }
            other => self.deprecated("hook", &["hooks", name], other.as_ref()),
        }
    }

    fn slot(&mut self, name: &str, entries: &BTreeMap<String, SlotUse>) {
        let contract = self.contract;
        let Some(slot) = contract.slots.get(name) else {
            return self.unknown("slot", &["slots", name], contract.slots.keys());
        };
        self.deprecated("slot", &["slots", name], slot.deprecated.as_ref());
        let is_kept = |entry: &&String| slot.reserved.contains(*entry) && slot.collision != Collision::Owned;
        for entry in entries.keys().filter(is_kept) {
            let instead = match slot.collision {
                Collision::Suffix => format!("it will be called `{entry}:2`"),
                Collision::FirstWins | Collision::LastWins | Collision::Reject | Collision::Owned => {
                    "nobody will reach it".to_owned()
                }
            };
            let message = format!("the slot `{name}` keeps the name `{entry}` for the host; {instead}");
            let help = Some("choose another name".to_owned());
            self.add(MisfitKind::Reserved, &["slots", name, entry], message, help);
        }
    }

    fn permission(&mut self, name: &str, asked: &PermissionValue) {
        let contract = self.contract;
        let Some(permission) = contract.permissions.get(name) else {
            return self.unknown("permission", &["permissions", name], contract.permissions.keys());
        };
        match asked {
            PermissionValue::Only(_) if permission.some.is_none() => {
                let message =
                    format!("the permission `{name}` is all or nothing, and a list would limit nothing");
                let help = Some(format!("write `\"{name}\" = true`"));
                self.add(MisfitKind::AllOrNothing, &["permissions", name], message, help);
            }
            PermissionValue::Only(_) | PermissionValue::All => {}
        }
    }

    fn unknown<'k>(&mut self, what: &str, place: &[&str], known: impl Iterator<Item = &'k String>) {
        let name = place.last().copied().unwrap_or_default();
        let host = &self.contract.name;
        let message = format!("`{host}` {} has no {what} named `{name}`", self.contract.version);
        let help = match nearest(name, known.map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                format!(
                    "see the contract of `{host}`: `pintle contract show`, with its file if it is not built in"
                )
            }
        };
        self.add(MisfitKind::Unknown, place, message, Some(help));
    }

    fn deprecated(&mut self, what: &str, place: &[&str], deprecation: Option<&Deprecation>) {
        let Some(Deprecation { since, remove_in, instead, .. }) = deprecation else { return };
        let name = place.last().copied().unwrap_or_default();
        let message = format!("the {what} `{name}` is deprecated since {since} and gone in {remove_in}");
        self.add(MisfitKind::Deprecated, place, message, Some(format!("use `{instead}` instead")));
    }
}
