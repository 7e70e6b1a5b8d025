//! `pintle contract show`: the whole of a contract, or one part of it.

use super::source;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::host::{agent, fences};
use crate::situation::Situation;
use crate::ui::{Document, Paint};
use crate::view::contract::{self, Part};
use pintle_manifest::{Contract, nearest};
use serde_json::{Map, Value, json};

/// A contract, or the parts of it that have a name.
struct Shown<'a> {
    contract: &'a Contract,
    parts: Option<Vec<Part<'a>>>,
}

pub(super) fn run(situation: &Situation<'_>, what: &[String]) -> Result<Exit, Failure> {
    let (file, name) = match what {
        [] => (None, None),
        [only] if source::is_contract(situation, only) => (Some(only), None),
        [only] => (None, Some(only)),
        [file, name, ..] => (Some(file), Some(name)),
    };
    let read = file.map(|file| super::read(situation, file)).transpose()?;
    let contract = read.as_ref().unwrap_or_else(|| agent());
    let parts = name.map(|name| find(contract, name)).transpose()?;
    situation.ui.document(&Shown { contract, parts });
    Ok(Exit::Done)
}

/// Finds everything of a name: a call and its permission are often called alike.
fn find<'a>(contract: &'a Contract, name: &str) -> Result<Vec<Part<'a>>, Failure> {
    let hook = contract.hooks.get_key_value(name).map(|(name, one)| Part::Hook(name, one));
    let call = contract.calls.get_key_value(name).map(|(name, one)| Part::Call(name, one));
    let slot = contract.slots.get_key_value(name).map(|(name, one)| Part::Slot(name, one));
    let permission = contract.permissions.get_key_value(name).map(|(name, one)| Part::Permission(name, one));
    let found: Vec<_> = [hook, call, slot, permission].into_iter().flatten().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let known = contract.hooks.keys().chain(contract.calls.keys()).chain(contract.slots.keys());
    let known = known.chain(contract.permissions.keys()).map(String::as_str);
    let message =
        format!("{} {} has no hook, call, slot or permission `{name}`", contract.name, contract.version);
    let failure = Failure::new("contract.unknown_name", message).hint_nearest(nearest(name, known));
    Err(failure.hint("`pintle contract show` lists what there is"))
}

impl Document for Shown<'_> {
    fn verb(&self) -> &'static str {
        "contract show"
    }
    fn json(&self) -> Map<String, Value> {
        let Contract { name, version, description, hooks, calls, slots, permissions, .. } = self.contract;
        let every = || {
            let hooks = hooks.iter().map(|(name, one)| Part::Hook(name, one));
            let calls = calls.iter().map(|(name, one)| Part::Call(name, one));
            let slots = slots.iter().map(|(name, one)| Part::Slot(name, one));
            let permissions = permissions.iter().map(|(name, one)| Part::Permission(name, one));
            hooks.chain(calls).chain(slots).chain(permissions).collect::<Vec<_>>()
        };
        let parts = self.parts.clone().unwrap_or_else(every);
        let (mut hooks, mut calls, mut slots, mut permissions) = (vec![], vec![], vec![], vec![]);
        for part in parts {
            match part {
                Part::Hook(name, one) => hooks.push(contract::hook(self.contract, name, one)),
                Part::Call(name, one) => calls.push(contract::call(self.contract, name, one)),
                Part::Slot(name, one) => slots.push(contract::slot(self.contract, name, one)),
                Part::Permission(name, one) => permissions.push(contract::permission(name, one)),
            }
        }
        let runtime = |(name, words): &(&str, &str)| json!({ "runtime": name, "fence": words });
        let mut map = Map::new();
        map.insert(
            "contract".to_owned(),
            json!({ "name": name, "version": version, "description": description }),
        );
        map.insert("hooks".to_owned(), json!(hooks));
        map.insert("calls".to_owned(), json!(calls));
        map.insert("slots".to_owned(), json!(slots));
        map.insert("permissions".to_owned(), json!(permissions));
        map.insert("enforced".to_owned(), json!(fences::BY_HOST));
        map.insert("runtimes".to_owned(), fences::RUNTIMES.iter().map(runtime).collect());
        map.insert("trusted".to_owned(), json!(fences::TRUSTED));
        map
    }
    fn human(&self, paint: Paint) -> String {
        match &self.parts {
            None => contract::whole(self.contract, paint),
            Some(parts) => {
                let pages = parts.iter().map(|part| contract::part(self.contract, *part, paint));
                pages.collect::<Vec<_>>().join("\n")
            }
        }
    }
}
