//! Compares the parts of two contracts key by key. Each line says how large a step a difference needs, and why.

use super::bump::Bump;
use super::difference::Comparing;
use super::removal;
use super::schema::{Toward, Use, types};
use crate::contract::fields::{field, is_required};
use crate::contract::model::{Call, Hook, HookKind, Invoke, PermissionKind, Slot};
use std::collections::BTreeMap;
use std::time::Duration;

const WORDS: &str = "only words are different";
const ADDED: &str = "extensions may use it, and need not";

/// Compares what the two contracts are.
pub(super) fn head(comparing: &mut Comparing<'_>) {
    let (old, new) = (comparing.old, comparing.new);
    comparing.begin("contract", new.name.as_str());
    if old.name != new.name {
        let what = format!("the name goes from `{}` to `{}`", old.name, new.name);
        let because = "these are contracts of two hosts, and none is a version of the other".to_owned();
        comparing.refuse(super::Side::New, &["contract", "name"], what, because);
    }
    if old.description != new.description {
        comparing.add(&["contract", "description"], Bump::Patch, "it is described in other words", WORDS);
    }
}

/// Compares all hooks.
pub(super) fn every_hook(comparing: &mut Comparing<'_>) {
    let (old, new) = (comparing.old, comparing.new);
    for (name, change) in changes(&old.hooks, &new.hooks) {
        comparing.begin("hook", name);
        let place = ["hooks", name];
        match change {
            Change::Gone(hook) => removal::gone(comparing, &place, hook.deprecated.as_ref()),
            Change::Added => comparing.add(&place, Bump::Minor, "it is new", ADDED),
            Change::Both(old, new) => {
                hooks(comparing, name, old, new);
                let (old, new) = (old.deprecated.as_ref(), new.deprecated.as_ref());
                removal::deprecation(comparing, &["hooks", name, "deprecated"], old, new);
            }
        }
    }
}

/// Compares two hooks, but not whether they are deprecated.
pub(in crate::contract) fn hooks(comparing: &mut Comparing<'_>, name: &str, old: &Hook, new: &Hook) {
    let at = |key: &'static str| ["hooks", name, key];
    if old.kind != new.kind {
        let what = format!("the kind goes from `{}` to `{}`", old.kind.as_str(), new.kind.as_str());
        comparing.add(&at("kind"), Bump::Major, what, "other outcomes are expected");
    }
    if old.when != new.when {
        comparing.add(&at("when"), Bump::Patch, "the moment is described in other words", WORDS);
    }
    types(comparing, &at("payload"), Toward::Extension, Use::whole(&old.payload), Use::whole(&new.payload));
    if can_replace(old.kind) && can_replace(new.kind) {
        let without: Vec<String> = old.pinned.iter().chain(&new.pinned).cloned().collect();
        let old = Use { type_name: &old.payload, without: &without };
        let new = Use { type_name: &new.payload, without: &without };
        types(comparing, &at("payload"), Toward::Host, old, new);
    }
    if let (Some(old_reply), Some(new_reply)) = (&old.reply, &new.reply) {
        let (old_reply, new_reply) = (Use::whole(old_reply), Use::whole(new_reply));
        types(comparing, &at("reply"), Toward::Host, old_reply, new_reply);
        // What an around hook wraps is handed to it as the answer to `next`.
        if old.kind == HookKind::Around {
            types(comparing, &at("reply"), Toward::Extension, old_reply, new_reply);
        }
    }
    for filter in old.filters.iter().filter(|filter| !new.filters.contains(filter)) {
        let what = format!("the filter `{filter}` is gone");
        comparing.add_gone(
            &at("filters"),
            Bump::Major,
            what,
            "an extension that filters by it can't be loaded",
        );
    }
    for filter in new.filters.iter().filter(|filter| !old.filters.contains(filter)) {
        comparing.add(&at("filters"), Bump::Minor, format!("one can filter by `{filter}`"), ADDED);
    }
    pinned(comparing, &at("pinned"), old, new);
    times(comparing, &["hooks", name], (old.own_time, old.wall_time), (new.own_time, new.wall_time));
    if old.on_fault != new.on_fault && old.kind == new.kind {
        let (old, new) = (old.on_fault.as_str(), new.on_fault.as_str());
        let what = format!("a fault means `{new}` instead of `{old}`");
        comparing.add(&at("on_fault"), Bump::Major, what, "it changes what a failure does to a person");
    }
    if let (Some(old), Some(new)) = (old.queue, new.queue)
        && old != new
    {
        let what = format!("a full queue means `{}` instead of `{}`", new.as_str(), old.as_str());
        comparing.add(&at("queue"), Bump::Major, what, "other items reach an extension that is slow");
    }
}

/// A field that is new was in no replacement yet, so that pinning it takes nothing away. One that is pinned could be
/// left out of a replacement, so that freeing it asks for it.
fn pinned(comparing: &mut Comparing<'_>, place: &[&str], old: &Hook, new: &Hook) {
    let (old_types, new_types) = (&comparing.old.types, &comparing.new.types);
    for name in new.pinned.iter().filter(|name| !old.pinned.contains(name)) {
        if field(old_types, &old.payload, name).is_some() {
            let what = format!("`{name}` can no longer be replaced");
            comparing.add(place, Bump::Major, what, "a replacement that changes it is refused");
        }
    }
    for name in old.pinned.iter().filter(|name| !new.pinned.contains(name)) {
        let what = format!("`{name}` can be replaced");
        match (field(new_types, &new.payload, name).is_some(), is_required(new_types, &new.payload, name)) {
            (false, _) => {}
            (true, false) => comparing.add_gone(place, Bump::Minor, what, ADDED),
            (true, true) => {
                let why = "a replacement that leaves it out is refused";
                comparing.add_gone(place, Bump::Major, what, why);
            }
        }
    }
}

const fn can_replace(kind: HookKind) -> bool {
    match kind {
        HookKind::Guard | HookKind::Transform | HookKind::Claim | HookKind::Around => true,
        HookKind::Collect | HookKind::Observe | HookKind::Stream => false,
    }
}

/// Compares all calls.
pub(super) fn every_call(comparing: &mut Comparing<'_>) {
    let (old, new) = (comparing.old, comparing.new);
    for (name, change) in changes(&old.calls, &new.calls) {
        comparing.begin("call", name);
        let place = ["calls", name];
        match change {
            Change::Gone(call) => removal::gone(comparing, &place, call.deprecated.as_ref()),
            Change::Added => comparing.add(&place, Bump::Minor, "it is new", ADDED),
            Change::Both(old, new) => {
                calls(comparing, name, old, new);
                let (old, new) = (old.deprecated.as_ref(), new.deprecated.as_ref());
                removal::deprecation(comparing, &["calls", name, "deprecated"], old, new);
            }
        }
    }
}

/// Compares two calls, but not whether they are deprecated.
pub(in crate::contract) fn calls(comparing: &mut Comparing<'_>, name: &str, old: &Call, new: &Call) {
    let at = |key: &'static str| ["calls", name, key];
    if old.does != new.does {
        comparing.add(&at("does"), Bump::Patch, "what it does is said in other words", WORDS);
    }
    let (old_arguments, new_arguments) = (Use::whole(&old.arguments), Use::whole(&new.arguments));
    types(comparing, &at("arguments"), Toward::Host, old_arguments, new_arguments);
    types(comparing, &at("returns"), Toward::Extension, Use::whole(&old.returns), Use::whole(&new.returns));
    match (&old.permission, &new.permission) {
        (Some(_), None) => {
            comparing.add_gone(
                &at("permission"),
                Bump::Minor,
                "it needs no permission",
                "it is granted to all",
            );
        }
        (old, Some(permission)) if old.as_ref() != Some(permission) => {
            let what = format!("it needs the permission `{permission}`");
            comparing.add(&at("permission"), Bump::Major, what, "an extension was not granted that");
        }
        (None | Some(_), None | Some(_)) => {}
    }
    match (&old.scoped_by, &new.scoped_by) {
        (None, Some(new)) => {
            let what = format!("a granted list is compared with `{new}`");
            comparing.add(&at("scoped_by"), Bump::Minor, what, "who was granted all of it has all of it");
        }
        (Some(_), None) => {
            let what = "a granted list is compared with nothing";
            comparing.add_gone(
                &at("scoped_by"),
                Bump::Major,
                what,
                "a list that was granted is worth nothing",
            );
        }
        (Some(old), Some(new)) if old != new => {
            let what = format!("a granted list is compared with `{new}` instead of `{old}`");
            comparing.add(&at("scoped_by"), Bump::Major, what, "what was granted means something else");
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
    match (old.counts_as_own, new.counts_as_own) {
        (false, true) => {
            let what = "waiting for it counts as own time";
            comparing.add(&at("counts_as_own"), Bump::Major, what, "a callback may run out of time");
        }
        (true, false) => {
            let what = "waiting for it no longer counts as own time";
            comparing.add_gone(&at("counts_as_own"), Bump::Minor, what, "a callback has more time");
        }
        (true, true) | (false, false) => {}
    }
}

/// Compares all slots.
pub(super) fn every_slot(comparing: &mut Comparing<'_>) {
    let (old, new) = (comparing.old, comparing.new);
    for (name, change) in changes(&old.slots, &new.slots) {
        comparing.begin("slot", name);
        let place = ["slots", name];
        match change {
            Change::Gone(slot) => removal::gone(comparing, &place, slot.deprecated.as_ref()),
            Change::Added => comparing.add(&place, Bump::Minor, "it is new", ADDED),
            Change::Both(old, new) => {
                slots(comparing, name, old, new);
                let (old, new) = (old.deprecated.as_ref(), new.deprecated.as_ref());
                removal::deprecation(comparing, &["slots", name, "deprecated"], old, new);
            }
        }
    }
}

/// Compares two slots, but not whether they are deprecated.
pub(in crate::contract) fn slots(comparing: &mut Comparing<'_>, name: &str, old: &Slot, new: &Slot) {
    let at = |key: &'static str| ["slots", name, key];
    if old.holds != new.holds {
        comparing.add(&at("holds"), Bump::Patch, "what it holds is said in other words", WORDS);
    }
    if old.collision != new.collision {
        let (old, new) = (old.collision.as_str(), new.collision.as_str());
        let what = format!("a collision means `{new}` instead of `{old}`");
        comparing.add(&at("collision"), Bump::Major, what, "an entry may get another name, or none");
    }
    for entry in new.reserved.iter().filter(|entry| !old.reserved.contains(entry)) {
        let what = format!("the name `{entry}` is the host's");
        comparing.add(&at("reserved"), Bump::Major, what, "an extension may have an entry of that name");
    }
    for entry in old.reserved.iter().filter(|entry| !new.reserved.contains(entry)) {
        let what = format!("the name `{entry}` is free");
        comparing.add_gone(&at("reserved"), Bump::Minor, what, ADDED);
    }
    match (&old.invoke, &new.invoke) {
        (None, None) => {}
        (None, Some(_)) => {
            let why = "an extension does not answer for the entries that it has";
            comparing.add(&at("invoke"), Bump::Major, "entries are invoked", why);
        }
        (Some(_), None) => {
            let why = "what an extension does for its entries is never called";
            comparing.add_gone(&at("invoke"), Bump::Major, "entries are no longer invoked", why);
        }
        (Some(old), Some(new)) => invokes(comparing, name, old, new),
    }
}

fn invokes(comparing: &mut Comparing<'_>, name: &str, old: &Invoke, new: &Invoke) {
    let at = |key: &'static str| ["slots", name, "invoke", key];
    types(comparing, &at("payload"), Toward::Extension, Use::whole(&old.payload), Use::whole(&new.payload));
    types(comparing, &at("reply"), Toward::Host, Use::whole(&old.reply), Use::whole(&new.reply));
    let (old, new) = ((old.own_time, old.wall_time), (new.own_time, new.wall_time));
    times(comparing, &["slots", name, "invoke"], old, new);
}

/// Compares all permissions.
pub(super) fn every_permission(comparing: &mut Comparing<'_>) {
    let (old, new) = (comparing.old, comparing.new);
    for (name, change) in changes(&old.permissions, &new.permissions) {
        comparing.begin("permission", name);
        match change {
            Change::Gone(_) => removal::permission_gone(comparing, name),
            Change::Added => comparing.add(&["permissions", name], Bump::Minor, "it is new", ADDED),
            Change::Both(old, new) => permissions(comparing, name, old, new),
        }
    }
}

fn permissions(comparing: &mut Comparing<'_>, name: &str, old: &PermissionKind, new: &PermissionKind) {
    let at = |key: &'static str| ["permissions", name, key];
    if old.all != new.all {
        comparing.add(&at("all"), Bump::Patch, "a person is asked in other words", WORDS);
    }
    match (&old.some, &new.some) {
        (Some(_), None) => {
            let why = "an extension that asks for a list can't be loaded";
            comparing.add_gone(&at("some"), Bump::Major, "it can no longer be granted as a list", why);
        }
        (None, Some(_)) => comparing.add(&at("some"), Bump::Minor, "it can be granted as a list", ADDED),
        (Some(old), Some(new)) if old != new => {
            comparing.add(&at("some"), Bump::Patch, "a person is asked in other words", WORDS);
        }
        (Some(_), Some(_)) | (None, None) => {}
    }
    if old.matching != new.matching && old.some.is_some() && new.some.is_some() {
        let what = format!("a list is compared as `{}`", new.matching.as_str());
        comparing.add(&at("matching"), Bump::Major, what, "what was granted means something else");
    }
    if old.risk != new.risk {
        let what = format!("the risk goes from `{}` to `{}`", old.risk.as_str(), new.risk.as_str());
        comparing.add(
            &at("risk"),
            Bump::Minor,
            what,
            "a person sees it in another place; it works as it did",
        );
    }
}

fn times(
    comparing: &mut Comparing<'_>,
    place: &[&str],
    old: (Duration, Duration),
    new: (Duration, Duration),
) {
    for (key, old, new) in [("own_time", old.0, new.0), ("wall_time", old.1, new.1)] {
        let what = format!("`{key}` goes from {} to {}", milliseconds(old), milliseconds(new));
        let place: Vec<&str> = place.iter().copied().chain([key]).collect();
        match new.cmp(&old) {
            std::cmp::Ordering::Less => {
                comparing.add(&place, Bump::Major, what, "a callback may run out of time");
            }
            std::cmp::Ordering::Greater => {
                comparing.add(&place, Bump::Minor, what, "a callback has more time");
            }
            std::cmp::Ordering::Equal => {}
        }
    }
}

fn milliseconds(time: Duration) -> String {
    format!("{} ms", time.as_millis())
}

/// What became of one name.
enum Change<'a, T> {
    Gone(&'a T),
    Added,
    Both(&'a T, &'a T),
}

fn changes<'a, T>(
    old: &'a BTreeMap<String, T>,
    new: &'a BTreeMap<String, T>,
) -> impl Iterator<Item = (&'a str, Change<'a, T>)> {
    let kept = old.iter().map(|(name, old)| match new.get(name) {
        Some(new) => (name.as_str(), Change::Both(old, new)),
        None => (name.as_str(), Change::Gone(old)),
    });
    let added = new.keys().filter(|name| !old.contains_key(*name));
    kept.chain(added.map(|name| (name.as_str(), Change::Added)))
}
