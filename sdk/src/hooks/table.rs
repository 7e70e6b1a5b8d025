//! Handlers by the name of their hook, with their types taken off: JSON in, JSON out.

use super::Invocation;
use crate::context::Context;
use crate::error::Error;
use std::collections::{BTreeMap, HashMap};

/// A handler without its types: it reads a payload and appends an answer.
pub(crate) type Handler<E> = Box<dyn Fn(&E, &Context, &str, &mut Vec<u8>) -> Result<(), Error> + Send + Sync>;

/// All handlers of an extension.
pub(crate) struct Table<E> {
    hooks: HashMap<String, Handler<E>>,
    /// By `slot.SLOT`, then by entry.
    slots: BTreeMap<String, BTreeMap<String, Handler<E>>>,
    /// Names that were registered more than once.
    twice: Vec<String>,
}

impl<E> Table<E> {
    pub(crate) fn new() -> Self {
        Self { hooks: HashMap::new(), slots: BTreeMap::new(), twice: Vec::new() }
    }

    pub(crate) fn hook(&mut self, name: &str, handler: Handler<E>) {
        if self.hooks.insert(name.to_owned(), handler).is_some() {
            self.twice.push(name.to_owned());
        }
    }

    pub(crate) fn slot(&mut self, slot: &str, entry: &str, handler: Handler<E>) {
        let entries = self.slots.entry(format!("slot.{slot}")).or_default();
        if entries.insert(entry.to_owned(), handler).is_some() {
            self.twice.push(format!("slot.{slot}` entry `{entry}"));
        }
    }

    /// Returns what keeps these handlers from being used.
    pub(crate) fn problem(&self) -> Option<String> {
        let name = self.twice.first()?;
        Some(format!("`{name}` is registered twice; an extension has one handler for each"))
    }

    /// Returns the hooks of the contract that are answered, sorted. Slots, the bus and timers are not among them: they
    /// are not hooks of a contract.
    pub(crate) fn hooks(&self) -> Vec<String> {
        let own = ["bus", "timer"];
        let mut names: Vec<String> =
            self.hooks.keys().filter(|name| !own.contains(&name.as_str())).cloned().collect();
        names.sort();
        names
    }

    /// Calls the handler of a hook.
    pub(crate) fn answer(
        &self,
        extension: &E,
        context: &Context,
        hook: &str,
        payload: &str,
        answer: &mut Vec<u8>,
    ) -> Result<(), Error> {
        if let Some(handler) = self.hooks.get(hook) {
            return handler(extension, context, payload, answer);
        }
        let entries = self
            .slots
            .get(hook)
            .ok_or_else(|| Error::new(format!("this extension does not answer the hook `{hook}`")))?;
        let invocation: Invocation<'_> = serde_json::from_str(payload)
            .map_err(|error| Error::new(format!("the payload of a slot names no entry: {error}")))?;
        let handler = entries.get(invocation.entry.as_ref()).ok_or_else(|| {
            Error::new(format!("this extension has no entry `{}` in `{hook}`", invocation.entry))
        })?;
        handler(extension, context, invocation.payload.get(), answer)
    }
}
