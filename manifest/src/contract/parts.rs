//! Which keys the parts of a contract have: hooks, calls, slots, permissions. What is read here stands for itself;
//! names that must lead somewhere are noted, and followed in [`links`](super::links).

use super::links;
use super::model::{
    Call, Collision, Deprecation, Hook, HookKind, Invoke, Matching, OnFault, PermissionKind, QueueRule, Risk,
    Slot,
};
use super::reading::{LeadsTo, Scope, Sort, Successor};
use super::table::{Table, Text};
use crate::extension::words;
use crate::{Problem, Version};
use std::time::Duration;
use toml::Spanned;

pub(super) const NAME: Text = Text { word: &words::DOTTED, code: "contract.bad_name" };
pub(super) const FIELD: Text = Text { word: &words::FIELD, code: "contract.bad_name" };
pub(super) const HOST: Text = Text { word: &words::HOST, code: "contract.bad_name" };
pub(super) const SENTENCE: Text = Text { word: &words::DESCRIPTION, code: "contract.bad_text" };
pub(super) const VERSION: Text = Text { word: &words::VERSION, code: "contract.bad_version" };
const ENTRY: Text = Text { word: &words::SLOT_ENTRY, code: "contract.bad_name" };
const TIME: Text = Text { word: &words::TIME, code: "contract.bad_time" };

/// What a fault may mean at an around hook. That it is logged goes without saying.
const OF_AROUND: [(&str, OnFault); 2] = [("skip", OnFault::Skip), ("block", OnFault::Block)];

/// The most items of a list.
const ITEMS: usize = 200;

/// Reads one hook.
pub(super) fn hook(name: &Spanned<String>, mut table: Table<'_, '_>) -> Option<Hook> {
    let text = name.get_ref().as_str();
    if matches!(text, "bus" | "timer" | "slot" | "next") || text.starts_with("slot.") {
        reserved(&table, name, "hook", "the protocol calls an extension by it");
    }
    let kind = table.required_choice("kind", HookKind::WORDS);
    let when = table.text("when", SENTENCE, "\"before a command runs\"");
    let payload = type_name(&mut table, "payload", LeadsTo::ObjectType);
    let reply = optional_type_name(&mut table, "reply");
    let filters = fields(&mut table, "filters", payload.as_deref(), LeadsTo::TextField);
    let pinned = fields(&mut table, "pinned", payload.as_deref(), LeadsTo::Field);
    let times = times(&mut table);
    let on_fault = table.choice("on_fault", &OF_AROUND);
    let queue = table.choice("queue", QueueRule::WORDS);
    let deprecated = deprecation(&mut table, Sort::Hook, text);
    let on_fault = kind.and_then(|kind| by_kind(&mut table, kind, on_fault));
    table.end();
    let (own_time, wall_time) = times?;
    Some(Hook {
        kind: kind?,
        when: when?.into_inner(),
        payload: payload?,
        reply,
        filters,
        pinned,
        own_time,
        wall_time,
        on_fault: on_fault?,
        queue,
        deprecated,
    })
}

/// Checks which keys a kind of hook has, and returns what a fault means there.
fn by_kind(table: &mut Table<'_, '_>, kind: HookKind, on_fault: Option<OnFault>) -> Option<OnFault> {
    let (has_reply, can_replace, fixed) = match kind {
        HookKind::Guard => (false, true, Some(OnFault::Block)),
        HookKind::Transform => (false, true, Some(OnFault::Skip)),
        HookKind::Claim => (true, true, Some(OnFault::Skip)),
        HookKind::Collect => (true, false, Some(OnFault::Skip)),
        HookKind::Around => (true, true, None),
        HookKind::Observe | HookKind::Stream => (false, false, Some(OnFault::Log)),
    };
    match has_reply {
        true => table.require("reply", "\"TypeName\""),
        false => table.refuse("reply", "this kind of hook reads back no value of its own"),
    }
    if !can_replace {
        table.refuse("pinned", "nothing can be replaced at this kind of hook");
    }
    match kind == HookKind::Stream {
        true => table.require("queue", "\"drop_oldest\""),
        false => table.refuse("queue", "only a stream has a queue"),
    }
    match fixed {
        Some(fixed) => {
            table.refuse("on_fault", "the kind of this hook says what a fault means");
            Some(fixed)
        }
        None => {
            table.require("on_fault", "\"skip\"");
            on_fault
        }
    }
}

/// Reads one call.
pub(super) fn call(name: &Spanned<String>, mut table: Table<'_, '_>) -> Option<Call> {
    if name.get_ref() == "next" {
        reserved(&table, name, "call", "an around hook goes on by it");
    }
    let does = table.text("does", SENTENCE, "\"Runs a program and waits for it\"");
    let arguments = type_name(&mut table, "arguments", LeadsTo::ObjectType);
    let returns = type_name(&mut table, "returns", LeadsTo::ObjectType);
    let permission: Option<Spanned<String>> = table.optional_text("permission", NAME);
    let scoped_by: Option<Spanned<String>> = table.optional_text("scoped_by", FIELD);
    match (&permission, &scoped_by) {
        (Some(permission), _) => {
            let scope = Scope { call: name.get_ref().clone(), at: scoped_by.as_ref().map(Spanned::span) };
            table.reading.link(permission.span(), permission.get_ref(), LeadsTo::Permission(scope));
        }
        (None, Some(field)) => links::no_list(table.reading, name.get_ref(), &field.span()),
        (None, None) => {}
    }
    if let (Some(field), Some(arguments)) = (&scoped_by, &arguments) {
        let leads_to = LeadsTo::RequiredTextField(arguments.clone());
        table.reading.link(field.span(), field.get_ref(), leads_to);
    }
    let counts_as_own = table.flag("counts_as_own");
    let deprecated = deprecation(&mut table, Sort::Call, name.get_ref());
    table.end();
    Some(Call {
        does: does?.into_inner(),
        arguments: arguments?,
        returns: returns?,
        permission: permission.map(Spanned::into_inner),
        scoped_by: scoped_by.map(Spanned::into_inner),
        counts_as_own,
        deprecated,
    })
}

/// Reads one slot.
pub(super) fn slot(name: &Spanned<String>, mut table: Table<'_, '_>) -> Option<Slot> {
    let holds = table.text("holds", SENTENCE, "\"Commands that a person can run\"");
    let collision = table.required_choice("collision", Collision::WORDS);
    let reserved = table.texts("reserved", ENTRY, ITEMS);
    let invoke = table.optional_table("invoke").map(invoke);
    let deprecated = deprecation(&mut table, Sort::Slot, name.get_ref());
    table.end();
    Some(Slot {
        holds: holds?.into_inner(),
        collision: collision?,
        reserved: reserved.into_iter().map(Spanned::into_inner).collect(),
        invoke: match invoke {
            Some(invoke) => Some(invoke?),
            None => None,
        },
        deprecated,
    })
}

fn invoke(mut table: Table<'_, '_>) -> Option<Invoke> {
    let payload = type_name(&mut table, "payload", LeadsTo::ObjectType);
    let reply = type_name(&mut table, "reply", LeadsTo::Type);
    let times = times(&mut table);
    table.end();
    let (own_time, wall_time) = times?;
    Some(Invoke { payload: payload?, reply: reply?, own_time, wall_time })
}

/// Reads one permission.
pub(super) fn permission(mut table: Table<'_, '_>) -> Option<PermissionKind> {
    let all = table.text("all", SENTENCE, "\"run any program\"");
    let some: Option<Spanned<String>> = table.optional_text("some", SENTENCE);
    if let Some(some) = some.as_ref().filter(|some| !some.get_ref().contains("{items}")) {
        let message = format!("`{}` does not say where the list goes", table.here("some"));
        let problem = Problem::error("contract.bad_text", some.span(), message);
        table.tell(problem.help("write `{items}` where it goes: `run these programs: {items}`"));
    }
    let matching = table.choice("matching", Matching::WORDS);
    if some.is_none() {
        table.refuse("matching", "without `some` there is no list to match");
    }
    let risk = table.required_choice("risk", Risk::WORDS);
    table.end();
    Some(PermissionKind {
        all: all?.into_inner(),
        some: some.map(Spanned::into_inner),
        matching: matching.unwrap_or(Matching::Text),
        risk: risk?,
    })
}

fn type_name(table: &mut Table<'_, '_>, key: &'static str, leads_to: LeadsTo) -> Option<String> {
    let name: Spanned<String> = table.text(key, FIELD, "\"TypeName\"")?;
    table.reading.link(name.span(), name.get_ref(), leads_to);
    Some(name.into_inner())
}

fn optional_type_name(table: &mut Table<'_, '_>, key: &'static str) -> Option<String> {
    let name: Spanned<String> = table.optional_text(key, FIELD)?;
    table.reading.link(name.span(), name.get_ref(), LeadsTo::Type);
    Some(name.into_inner())
}

fn fields(
    table: &mut Table<'_, '_>,
    key: &'static str,
    of: Option<&str>,
    leads_to: fn(String) -> LeadsTo,
) -> Vec<String> {
    let fields = table.texts(key, FIELD, ITEMS);
    for field in of.is_some().then_some(&fields).into_iter().flatten() {
        table.reading.link(field.span(), field.get_ref(), leads_to(of.unwrap_or_default().to_owned()));
    }
    fields.into_iter().map(Spanned::into_inner).collect()
}

fn times(table: &mut Table<'_, '_>) -> Option<(Duration, Duration)> {
    let own: Option<Spanned<Duration>> = table.text("own_time", TIME, "\"5s\"");
    let wall: Option<Spanned<Duration>> = table.text("wall_time", TIME, "\"1m\"");
    let (own, wall) = (own?, wall?);
    if own.get_ref() > wall.get_ref() {
        let message = format!("`{}` is longer than `{}`", table.here("own_time"), table.here("wall_time"));
        let problem = Problem::error("contract.bad_time", own.span(), message);
        table.tell(problem.help("own time is a part of the wall time; give it less"));
    }
    Some((own.into_inner(), wall.into_inner()))
}

fn deprecation(table: &mut Table<'_, '_>, sort: Sort, old: &str) -> Option<Deprecation> {
    let mut table = table.optional_table("deprecated")?;
    let since: Option<Spanned<Version>> = table.text("since", VERSION, "\"1.1.0\"");
    let remove_in: Option<Spanned<Version>> = table.text("remove_in", VERSION, "\"2.0.0\"");
    let instead: Option<Spanned<String>> = table.text("instead", NAME, "\"the.new.name\"");
    let alias = table.flag("alias");
    let reading = table.reading;
    table.end();
    let (since, remove_in, instead) = (since?, remove_in?, instead?);
    let successor = Successor {
        sort,
        old: old.to_owned(),
        since: (since.get_ref().clone(), since.span()),
        remove_in: (remove_in.get_ref().clone(), remove_in.span()),
        alias,
    };
    reading.link(instead.span(), instead.get_ref(), LeadsTo::Successor(Box::new(successor)));
    Some(Deprecation {
        since: since.into_inner(),
        remove_in: remove_in.into_inner(),
        instead: instead.into_inner(),
        alias,
    })
}

fn reserved(table: &Table<'_, '_>, name: &Spanned<String>, noun: &str, why: &str) {
    let message = format!("`{}` can't be the name of a {noun}: {why}", name.get_ref());
    table.tell(Problem::error("contract.reserved_name", name.span(), message).help("choose another name"));
}
