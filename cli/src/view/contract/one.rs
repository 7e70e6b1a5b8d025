//! One part of a contract for a person: the same answers, whole.

use super::kind;
use crate::host::fences;
use crate::ui::Paint;
use crate::view::page::Page;
use crate::view::schema;
use pintle_manifest::{Call, Contract, Deprecation, Hook, Matching, PermissionKind, Slot};

/// One part of a contract, by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Part<'a> {
    Hook(&'a str, &'a Hook),
    Call(&'a str, &'a Call),
    Slot(&'a str, &'a Slot),
    Permission(&'a str, &'a PermissionKind),
}

/// Returns the page of one part.
pub(crate) fn part(contract: &Contract, part: Part<'_>, paint: Paint) -> String {
    let mut page = Page::new(paint);
    let of = format!("of {} {}", contract.name, contract.version);
    match part {
        Part::Hook(name, one) => {
            page.title(name, &format!(", a hook {of}: {}", one.kind.as_str()));
            deprecated(&mut page, one.deprecated.as_ref());
            hook(&mut page, contract, one);
        }
        Part::Call(name, one) => {
            page.title(name, &format!(", a call {of}"));
            deprecated(&mut page, one.deprecated.as_ref());
            call(&mut page, contract, one);
        }
        Part::Slot(name, one) => {
            page.title(name, &format!(", a slot {of}"));
            deprecated(&mut page, one.deprecated.as_ref());
            slot(&mut page, contract, name, one);
        }
        Part::Permission(name, one) => {
            page.title(name, &format!(", a permission {of}"));
            permission(&mut page, contract, name, one);
        }
    }
    page.finish()
}

fn hook(page: &mut Page, contract: &Contract, hook: &Hook) {
    page.heading("When the host calls");
    page.paragraph(&sentence(&hook.when));
    page.paragraph(kind::order(hook.kind));
    if !hook.filters.is_empty() {
        let filters = hook.filters.join("`, `");
        page.paragraph(&format!("A manifest can filter by `{filters}`."));
    }
    page.heading("What it hands over");
    fields(page, contract, &hook.payload);
    page.heading("What it reads back");
    let outcomes = kind::outcomes(hook.kind).iter();
    page.rows(
        &outcomes
            .map(|outcome| ((*outcome).to_owned(), kind::outcome(hook.kind, outcome).to_owned()))
            .collect::<Vec<_>>(),
    );
    if let Some(reply) = &hook.reply {
        page.paragraph(&format!("`{reply}` is {}:", schema::type_words(contract, reply)));
        page.rows(&schema::fields(contract, reply));
    }
    if !hook.pinned.is_empty() {
        let pinned = hook.pinned.join("`, `");
        page.paragraph(&format!("A replacement can't change `{pinned}`, and may leave them out."));
    }
    page.heading("How an extension may act");
    page.paragraph(&kind::times(hook.own_time, hook.wall_time));
    page.paragraph(
        "While it runs it may ask of the host whatever it was granted; `pintle contract show` lists it.",
    );
    page.heading("What is enforced, and what is only trusted");
    page.paragraph(kind::fault(hook.on_fault));
    if let Some(rule) = hook.queue {
        page.paragraph(kind::queue(rule));
    }
    page.paragraph("The host checks the outcome, its types and the times, and compares the filters itself.");
    page.paragraph(fences::RIGHTS);
}

fn call(page: &mut Page, contract: &Contract, call: &Call) {
    page.heading("What it does");
    page.paragraph(&sentence(&call.does));
    page.heading("What the extension hands over");
    fields(page, contract, &call.arguments);
    page.heading("What it gets back");
    fields(page, contract, &call.returns);
    page.heading("What is enforced, and what is only trusted");
    match (&call.permission, &call.scoped_by) {
        (None, _) => page.paragraph("Every extension may use it."),
        (Some(permission), None) => {
            page.paragraph(&format!("The host refuses it to an extension that was not granted `{permission}`."));
        }
        (Some(permission), Some(argument)) => page.paragraph(&format!(
            "The host refuses it to an extension that was not granted `{permission}`, or was granted a list that `{argument}` is not in."
        )),
    }
    page.paragraph(match call.counts_as_own {
        true => "While the extension waits for it, its own time runs on.",
        false => "While the extension waits for it, its own time stands still.",
    });
    if call.permission.is_some() {
        page.paragraph(fences::RIGHTS);
    }
}

fn slot(page: &mut Page, contract: &Contract, name: &str, slot: &Slot) {
    page.heading("What it holds");
    page.paragraph(&sentence(&slot.holds));
    page.paragraph(&format!("A manifest names its entries as `[slots.{name}.ENTRY]`."));
    page.paragraph(kind::collision(slot.collision));
    if !slot.reserved.is_empty() {
        page.paragraph(&format!("The host keeps `{}` for itself.", slot.reserved.join("`, `")));
    }
    let Some(invoke) = &slot.invoke else { return };
    page.heading("What the host hands over when an entry is invoked");
    fields(page, contract, &invoke.payload);
    page.heading("What it reads back");
    page.paragraph("The outcome `handled`, with this reply:");
    fields(page, contract, &invoke.reply);
    page.paragraph(&kind::times(invoke.own_time, invoke.wall_time));
}

fn permission(page: &mut Page, contract: &Contract, name: &str, permission: &PermissionKind) {
    page.heading("What a person is asked");
    page.paragraph(&format!("Whether an extension may {}.", permission.all));
    if let Some(some) = &permission.some {
        page.paragraph(&format!("As a list: whether it may {}", some.replace("{items}", "…")));
        page.paragraph(match permission.matching {
            Matching::Text => "What is asked for must be an item of the list.",
            Matching::Path => "What is asked for must be an item of the list, or below one.",
        });
    }
    page.paragraph(&format!("Its risk is {}.", permission.risk.as_str()));
    page.heading("What needs it");
    let calls = contract.calls.iter().filter(|(_, call)| call.permission.as_deref() == Some(name));
    page.rows(&calls.map(|(name, call)| (name.clone(), call.does.clone())).collect::<Vec<_>>());
    page.heading("What is enforced, and what is only trusted");
    page.paragraph("The host refuses these calls to an extension that was not granted it.");
    page.paragraph(fences::RIGHTS);
}

fn deprecated(page: &mut Page, deprecated: Option<&Deprecation>) {
    if let Some(Deprecation { since, remove_in, instead, .. }) = deprecated {
        page.paragraph(&format!(
            "Deprecated since {since}. It works on until {remove_in}, with a warning; use `{instead}`."
        ));
    }
}

fn fields(page: &mut Page, contract: &Contract, type_name: &str) {
    let fields = schema::fields(contract, type_name);
    match fields.is_empty() {
        true => page.paragraph(&sentence(&schema::type_words(contract, type_name))),
        false => page.rows(&fields),
    }
}

/// Returns a text of the contract as a sentence of its own.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}
