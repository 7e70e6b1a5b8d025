//! What `contract.toml` says, as plain values. Nothing here reads: a [`Contract`] that exists is one in which every
//! value was checked and every name leads somewhere.

use crate::{HostName, Version};
use std::collections::BTreeMap;
use std::time::Duration;

/// Everything that a host promises to extensions, in one version.
#[derive(Debug, Clone, PartialEq)]
pub struct Contract {
    /// The host's name, as in `[hosts.NAME]` of a manifest.
    pub name: HostName,
    /// The version of the promise, by Semantic Versioning.
    pub version: Version,
    /// What the host is, in one line.
    pub description: String,
    /// The moments at which the host calls, by name.
    pub hooks: BTreeMap<String, Hook>,
    /// What an extension may ask of the host, by name.
    pub calls: BTreeMap<String, Call>,
    /// The tables that extensions fill, by name.
    pub slots: BTreeMap<String, Slot>,
    /// What a person can be asked to allow, by name.
    pub permissions: BTreeMap<String, PermissionKind>,
    /// The JSON Schemas (draft 2020-12) of payloads, outcomes and arguments, by name. They refer to each other as
    /// `{"$ref": "#/$defs/NAME"}`.
    pub types: BTreeMap<String, serde_json::Value>,
}

/// One moment at which a host calls out.
#[derive(Debug, Clone, PartialEq)]
pub struct Hook {
    /// Which outcomes exist.
    pub kind: HookKind,
    /// When the host calls, as a sentence.
    pub when: String,
    /// The type of what is handed over.
    pub payload: String,
    /// The type of what is read back besides a payload: a claim's reply, a collect's item, an around's result.
    pub reply: Option<String>,
    /// The fields of the payload that a filter may name. Each is a text.
    pub filters: Vec<String>,
    /// The fields of the payload that a replacement can't change. One that it leaves out is put back before it is
    /// validated; one that differs is a bad outcome.
    pub pinned: Vec<String>,
    /// How long a callback may compute, not counting what it waits for the host.
    pub own_time: Duration,
    /// How long a callback may take in all.
    pub wall_time: Duration,
    /// What a fault means; of an around hook the contract's choice, of every other fixed by its kind.
    pub on_fault: OnFault,
    /// How the queue of a slow subscriber is kept; of stream hooks only.
    pub queue: Option<QueueRule>,
    /// Whether and until when it goes on working.
    pub deprecated: Option<Deprecation>,
}

/// What a hook asks; see the table of kinds in `docs/contract.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum HookKind {
    /// May this happen?
    Guard,
    /// Shall this change?
    Transform,
    /// Will someone take this?
    Claim,
    /// What do you add?
    Collect,
    /// Wrap this.
    Around,
    /// For your information.
    Observe,
    /// One of very many.
    Stream,
}

/// What the host does when an extension fails at a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFault {
    /// The action is blocked, and the extension named.
    Block,
    /// The extension is passed over.
    Skip,
    /// It is logged, and nothing else happens.
    Log,
}

/// What becomes of a queue that is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QueueRule {
    /// The oldest item goes.
    DropOldest,
    /// The newest item takes the place of the last.
    Coalesce,
    /// The subscription ends.
    Close,
}

/// One thing that an extension may ask of the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// What it does, as a sentence.
    pub does: String,
    /// The type of its arguments.
    pub arguments: String,
    /// The type of what it returns.
    pub returns: String,
    /// The permission it needs.
    pub permission: Option<String>,
    /// The argument that a granted list is compared with, such as `program`; there exactly if the permission can be
    /// granted as a list.
    pub scoped_by: Option<String>,
    /// Whether waiting for it is the extension's own time, as for `clock.sleep`.
    pub counts_as_own: bool,
    /// Whether and until when it goes on working.
    pub deprecated: Option<Deprecation>,
}

/// A table that extensions fill.
#[derive(Debug, Clone, PartialEq)]
pub struct Slot {
    /// What it holds, as a sentence.
    pub holds: String,
    /// What happens when two want one name.
    pub collision: Collision,
    /// Names that are the host's own.
    pub reserved: Vec<String>,
    /// How an entry is invoked; `None` if entries are only shown.
    pub invoke: Option<Invoke>,
    /// Whether and until when it goes on working.
    pub deprecated: Option<Deprecation>,
}

/// What happens when two extensions want one name in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collision {
    /// The first in load order keeps it.
    FirstWins,
    /// The last in load order takes it.
    LastWins,
    /// The first keeps the bare name, the next gets `name:2`.
    Suffix,
    /// Neither gets it.
    Reject,
    /// Each extension has names of its own, so nothing collides.
    Owned,
}

/// How an entry of a slot is invoked.
#[derive(Debug, Clone, PartialEq)]
pub struct Invoke {
    /// The type of what is handed over.
    pub payload: String,
    /// The type of what is read back.
    pub reply: String,
    /// How long it may compute.
    pub own_time: Duration,
    /// How long it may take in all.
    pub wall_time: Duration,
}

/// A permission that exists, and how it is put to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionKind {
    /// What all of it allows, as a sentence: "run any program".
    pub all: String,
    /// What a list of it allows, with `{items}` where the list goes: "run these programs: {items}". Without it, it is
    /// all or nothing.
    pub some: Option<String>,
    /// How an item of the list is compared with the argument of a call.
    pub matching: Matching,
    /// How much harm it can do.
    pub risk: Risk,
}

/// How an item of a granted list is compared with what a call names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// They are the same text.
    Text,
    /// The argument is the path that the item names, or is below it.
    Path,
}

/// How much harm a permission can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Risk {
    /// A nuisance.
    Low,
    /// It can read or show what is private.
    Medium,
    /// It can change or destroy what is yours.
    High,
}

/// How a thing of the contract goes away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deprecation {
    /// The version that deprecated it.
    pub since: Version,
    /// The version that may remove it.
    pub remove_in: Version,
    /// What to use instead, of the same sort.
    pub instead: String,
    /// Whether the host serves the old name through the new one until then; else the old one is still served itself.
    pub alias: bool,
}
