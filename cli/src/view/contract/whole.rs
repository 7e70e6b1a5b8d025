//! A whole contract for a person: four answers, and what of it is enforced.

use super::kind::outcomes;
use crate::host::fences;
use crate::ui::Paint;
use crate::view::page::Page;
use crate::view::schema;
use pintle_manifest::Contract;

/// Returns the page of a whole contract.
pub(crate) fn whole(contract: &Contract, paint: Paint) -> String {
    let mut page = Page::new(paint);
    page.title(contract.name.as_str(), &format!(" {}", contract.version));
    page.paragraph(&contract.description);
    page.heading("When the host calls");
    let hooks = contract.hooks.iter();
    page.rows(&hooks.map(|(name, hook)| (name.clone(), hook.when.clone())).collect::<Vec<_>>());
    page.heading("What it hands over");
    let hooks = contract.hooks.iter();
    page.rows(
        &hooks.map(|(name, hook)| (name.clone(), schema::names(contract, &hook.payload))).collect::<Vec<_>>(),
    );
    page.heading("What it reads back");
    let hooks = contract.hooks.iter().map(|(name, hook)| {
        (name.clone(), format!("{}: {}", hook.kind.as_str(), outcomes(hook.kind).join(", ")))
    });
    page.rows(&hooks.collect::<Vec<_>>());
    page.heading("How an extension may act: what it may ask of the host");
    let calls = contract.calls.iter().map(|(name, call)| {
        let needs = call.permission.as_ref().map(|needs| format!(" [needs {needs}]")).unwrap_or_default();
        (name.clone(), format!("{}{needs}", call.does))
    });
    page.rows(&calls.collect::<Vec<_>>());
    let slots: Vec<_> =
        contract.slots.iter().map(|(name, slot)| (name.clone(), slot.holds.clone())).collect();
    if !slots.is_empty() {
        page.heading("How an extension may act: what it may fill");
        page.rows(&slots);
    }
    page.heading("How an extension may act: what a person is asked to allow");
    let permissions = contract.permissions.iter().map(|(name, permission)| {
        (name.clone(), format!("{} risk: {}", permission.risk.as_str(), permission.all))
    });
    page.rows(&permissions.collect::<Vec<_>>());
    enforced(&mut page);
    page.heading("More");
    page.paragraph("`pintle contract show NAME` shows one hook, call, slot or permission whole.");
    page.finish()
}

/// Adds what is enforced, and what is only trusted.
fn enforced(page: &mut Page) {
    page.heading("What is enforced by the host");
    fences::BY_HOST.iter().for_each(|sentence| page.point(sentence));
    page.heading("What is enforced by the system, and how each runtime runs");
    let rows = fences::RUNTIMES.iter().map(|(runtime, words)| ((*runtime).to_owned(), (*words).to_owned()));
    page.rows(&rows.collect::<Vec<_>>());
    page.heading("What is only trusted");
    fences::TRUSTED.iter().for_each(|sentence| page.point(sentence));
}
