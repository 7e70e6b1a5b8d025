//! Slots: named tables that extensions fill. Who gets which name is decided by the contract's rule and by load order,
//! each time it is asked, so that what is taken away gives its name to the next.

use crate::hook;
use crate::host::Core;
use crate::runtime::{Callback, Fault, FaultKind, Limits};
use crate::supervise::{self, Member};
use pintle_manifest::{Collision, Contract, Name};
use pintle_sdk::protocol::Answer;
use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

/// A slot that a host has taken.
#[derive(Debug, Clone)]
pub struct Slot {
    core: Arc<OnceLock<Arc<Core>>>,
    slot: Arc<str>,
}

/// One entry, under the name that it got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotEntry {
    /// The name that it got, such as `greet` or `greet:2`.
    pub name: String,
    /// The name that its extension gave it.
    pub entry: String,
    /// Whose it is.
    pub owner: Name,
    /// What a person reads about it.
    pub description: String,
}

/// An entry that did not get the name it wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The slot.
    pub slot: String,
    /// The name.
    pub entry: String,
    /// Who wanted it.
    pub owner: Name,
    /// Who has it; `None` if it is reserved, or nobody gets it.
    pub winner: Option<Name>,
    /// The name that it got instead, if it got one.
    pub instead: Option<String>,
}

/// Says why an entry gave no reply.
#[derive(Debug, thiserror::Error)]
pub enum InvokeError {
    /// There is no such entry.
    #[error("the slot `{slot}` has no entry `{name}`")]
    Unknown {
        /// The slot.
        slot: String,
        /// The name.
        name: String,
        /// The name most like it.
        similar: Option<String>,
    },
    /// Its extension failed.
    #[error("`{owner}` failed")]
    Fault {
        /// The extension.
        owner: Name,
        /// What happened.
        #[source]
        fault: Fault,
    },
}

impl Slot {
    pub(crate) fn new(core: Arc<OnceLock<Arc<Core>>>, slot: &str) -> Self {
        Self { core, slot: slot.into() }
    }

    /// Returns its entries, in load order.
    pub fn entries(&self) -> Vec<SlotEntry> {
        let Some(core) = self.core.get() else { return Vec::new() };
        let (resolved, _) = resolve(core, &self.slot);
        resolved.into_iter().map(|(entry, _)| entry).collect()
    }

    /// Returns the entries that did not get the name they wanted.
    pub fn clashes(&self) -> Vec<Clash> {
        let Some(core) = self.core.get() else { return Vec::new() };
        resolve(core, &self.slot).1
    }

    /// Invokes an entry by the name that it got, and returns its reply, which was checked against the contract.
    pub async fn invoke(&self, name: &str, payload: &Value) -> Result<Value, InvokeError> {
        let unknown = |similar: Option<String>| InvokeError::Unknown {
            slot: self.slot.to_string(),
            name: name.to_owned(),
            similar,
        };
        let Some(core) = self.core.get() else { return Err(unknown(None)) };
        let (resolved, _) = resolve(core, &self.slot);
        let found = resolved.iter().find(|(entry, _)| entry.name == name);
        let invoke = core.promise.contract().slots.get(&*self.slot).and_then(|slot| slot.invoke.clone());
        let (Some((entry, declared)), Some(invoke)) = (found, invoke) else {
            let names = resolved.iter().map(|(entry, _)| entry.name.as_str());
            return Err(unknown(pintle_manifest::nearest(name, names).map(str::to_owned)));
        };
        let result = call(core, declared, entry, &invoke, payload).await;
        result.map_err(|fault| InvokeError::Fault { owner: entry.owner.clone(), fault })
    }
}

async fn call(
    core: &Arc<Core>,
    declared: &Declared,
    entry: &SlotEntry,
    invoke: &pintle_manifest::Invoke,
    payload: &Value,
) -> Result<Value, Fault> {
    let hook = format!("slot.{}", declared.wire);
    let bad = |reason: String| {
        let fault = Fault::new(FaultKind::BadOutcome { hook: hook.clone(), reason });
        supervise::fault(core, &declared.member, &fault);
        fault
    };
    let limits = Limits { own: invoke.own_time, wall: invoke.wall_time };
    let live = declared.member.live_within(limits.wall).await?;
    let handed = to_raw_value(&json!({ "entry": entry.entry, "payload": payload }))
        .map_err(|error| bad(error.to_string()))?;
    let callback = Callback {
        hook: hook.as_str().into(),
        payload: Arc::from(handed),
        limits,
        depth: 0,
        in_turn: false,
        next: None,
    };
    core.called_one(&hook);
    match hook::note(core, &declared.member, &hook, live.instance.call(callback).await)? {
        Answer::Handled(raw) => {
            let value: Value = serde_json::from_str(raw.get()).map_err(|error| bad(error.to_string()))?;
            core.promise.check(&invoke.reply, &value).map_err(|invalid| bad(invalid.to_string()))?;
            Ok(value)
        }
        Answer::Continue | Answer::Replace(_) | Answer::Ask(_) | Answer::Block(_) | Answer::Items(_) => {
            Err(bad("an entry of a slot is answered with `handled`".to_owned()))
        }
    }
}

/// An entry as its extension declares it.
struct Declared {
    /// The name by which the extension knows the slot.
    wire: String,
    member: Arc<Member>,
}

/// Returns what an extension puts into slots, by the contract's names for them: slot, entry, and the name by which the
/// extension knows the slot. One that it declares under an older name too is there once.
pub(crate) fn entries_of<'a>(
    member: &'a Member,
    contract: &'a Contract,
) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    let slots = &member.bundle.manifest.slots;
    slots.iter().flat_map(move |(wire, entries)| {
        let deprecated = contract.slots.get(wire).and_then(|slot| slot.deprecated.as_ref());
        let instead = deprecated.filter(|old| old.alias).map(|old| old.instead.as_str());
        let is_newer = move |entry: &str| {
            instead.and_then(|newer| slots.get(newer)).is_some_and(|newer| newer.contains_key(entry))
        };
        let slot = instead.unwrap_or(wire);
        entries
            .keys()
            .filter(move |entry| !is_newer(entry))
            .map(move |entry| (slot, entry.as_str(), wire.as_str()))
    })
}

/// Decides who has which name. An extension that is being restarted keeps its names.
fn resolve(core: &Core, slot: &str) -> (Vec<(SlotEntry, Declared)>, Vec<Clash>) {
    let contract = core.promise.contract();
    let Some(rule) = contract.slots.get(slot) else { return (Vec::new(), Vec::new()) };
    let mut declared: Vec<(SlotEntry, Declared)> = Vec::new();
    for member in core.members().into_iter().filter(|member| !member.is_over()) {
        for (_, entry, wire) in entries_of(&member, contract).filter(|(of, ..)| *of == slot) {
            let used = &member.bundle.manifest.slots[wire][entry];
            let shown = SlotEntry {
                name: String::new(),
                entry: entry.to_owned(),
                owner: member.name().clone(),
                description: used.description.clone(),
            };
            declared.push((shown, Declared { wire: wire.to_owned(), member: Arc::clone(&member) }));
        }
    }
    let wanted: Vec<(String, Name)> =
        declared.iter().map(|(entry, _)| (entry.entry.clone(), entry.owner.clone())).collect();
    let (names, mut clashes) = assign(rule.collision, &rule.reserved, &wanted);
    clashes.iter_mut().for_each(|clash| slot.clone_into(&mut clash.slot));
    let named = declared.into_iter().zip(names);
    let entries = named.filter_map(|((entry, one), name)| Some((SlotEntry { name: name?, ..entry }, one)));
    (entries.collect(), clashes)
}

/// Gives a name to each entry, in load order, or none.
pub(crate) fn assign(
    rule: Collision,
    reserved: &[String],
    wanted: &[(String, Name)],
) -> (Vec<Option<String>>, Vec<Clash>) {
    let mut given: Vec<Option<String>> = Vec::new();
    let mut clashes = Vec::new();
    let with_name = |entry: &String| {
        let all = wanted.iter().enumerate().filter(|(_, (other, _))| other == entry);
        all.map(|(place, (_, owner))| (place, owner.clone())).collect::<Vec<_>>()
    };
    for (index, (entry, owner)) in wanted.iter().enumerate() {
        let is_reserved = reserved.contains(entry);
        let same = with_name(entry);
        let before = same.iter().filter(|(other, _)| *other < index).count();
        let first = same.first().map(|(_, owner)| owner.clone());
        let last = same.last().cloned();
        let (name, winner) = match rule {
            Collision::Owned => (Some(format!("{owner}:{entry}")), None),
            Collision::Suffix if is_reserved => (Some(format!("{entry}:{}", before + 2)), None),
            Collision::Suffix if before == 0 => (Some(entry.clone()), None),
            Collision::Suffix => (Some(format!("{entry}:{}", before + 1)), first),
            Collision::FirstWins | Collision::LastWins | Collision::Reject if is_reserved => (None, None),
            Collision::FirstWins if before == 0 => (Some(entry.clone()), None),
            Collision::FirstWins => (None, first),
            Collision::LastWins => match last {
                Some((place, _)) if place == index => (Some(entry.clone()), None),
                last => (None, last.map(|(_, owner)| owner)),
            },
            Collision::Reject if same.len() == 1 => (Some(entry.clone()), None),
            Collision::Reject => (None, None),
        };
        if rule != Collision::Owned && name.as_ref() != Some(entry) {
            let (entry, owner) = (entry.clone(), owner.clone());
            clashes.push(Clash { slot: String::new(), entry, owner, winner, instead: name.clone() });
        }
        given.push(name);
    }
    (given, clashes)
}

#[cfg(test)]
mod tests {
    use super::assign;
    use pintle_manifest::{Collision, Name};

    #[test]
    fn the_rule_decides_who_has_the_name() {
        let check = |rule: Collision, wanted: &[(&str, &str)], expected: &[Option<&str>], clashes: usize| {
            let wanted: Vec<(String, Name)> = wanted
                .iter()
                .map(|(entry, owner)| ((*entry).to_owned(), Name::parse(owner).unwrap()))
                .collect();
            let (names, found) = assign(rule, &["help".to_owned()], &wanted);
            let names: Vec<Option<&str>> = names.iter().map(Option::as_deref).collect();
            assert_eq!(names, expected, "{rule:?}");
            assert_eq!(found.len(), clashes, "{rule:?}");
        };
        let two = [("go", "ada"), ("go", "bob"), ("run", "bob")];
        check(Collision::FirstWins, &two, &[Some("go"), None, Some("run")], 1);
        check(Collision::LastWins, &two, &[None, Some("go"), Some("run")], 1);
        check(Collision::Suffix, &two, &[Some("go"), Some("go:2"), Some("run")], 1);
        check(Collision::Reject, &two, &[None, None, Some("run")], 2);
        check(Collision::Owned, &two, &[Some("ada:go"), Some("bob:go"), Some("bob:run")], 0);
        check(Collision::FirstWins, &[("help", "ada")], &[None], 1);
        check(Collision::Suffix, &[("help", "ada"), ("help", "bob")], &[Some("help:2"), Some("help:3")], 2);
    }
}
