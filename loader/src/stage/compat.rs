//! The compat stage: the extension fits the host's contract. What it declares must exist there, so that a hook that
//! can never fire is an error and not silence.

use super::{StageFailure, Warning};
use crate::bundle::Bundle;
use crate::contract::Promise;
use pintle_manifest::{Deprecation, nearest};

/// Checks it, and returns what is deprecated.
pub(super) fn check(bundle: &Bundle, promise: &Promise) -> Result<Vec<Warning>, StageFailure> {
    let contract = promise.contract();
    let manifest = &bundle.manifest;
    let Some(range) = manifest.hosts.get(&contract.name) else {
        let hosts: Vec<String> = manifest.hosts.keys().map(ToString::to_string).collect();
        return Err(StageFailure::new(
            "compat.other_host",
            format!("it serves {}, and this host is `{}`", hosts.join(", "), contract.name),
        ));
    };
    if !range.matches(&contract.version) {
        return Err(StageFailure::new(
            "compat.api_version",
            format!("it needs `{}` {range}, and this host has {}", contract.name, contract.version),
        )
        .hint(format!("`pintle outdated` tells whether a newer `{}` fits", manifest.name)));
    }
    let mut warnings = Vec::new();
    let mut deprecated = |sort: &str, name: &str, deprecation: Option<&Deprecation>| {
        let Some(Deprecation { since, remove_in, instead, .. }) = deprecation else { return };
        warnings.push(Warning {
            code: "compat.deprecated",
            message: format!(
                "it uses the {sort} `{name}`, deprecated since {since} and gone in {remove_in}; use `{instead}` instead"
            ),
        });
    };
    for (name, used) in &manifest.hooks {
        let Some(hook) = contract.hooks.get(name) else {
            return Err(unknown("hook", name, contract.hooks.keys()));
        };
        if let Some(field) = used.filter.keys().find(|field| !hook.filters.contains(field)) {
            return Err(unknown(&format!("filter of `{name}`"), field, hook.filters.iter()));
        }
        deprecated("hook", name, hook.deprecated.as_ref());
    }
    for name in manifest.slots.keys() {
        let Some(slot) = contract.slots.get(name) else {
            return Err(unknown("slot", name, contract.slots.keys()));
        };
        deprecated("slot", name, slot.deprecated.as_ref());
    }
    if let Some(name) = manifest.permissions.keys().find(|name| !contract.permissions.contains_key(*name)) {
        return Err(unknown("permission", name, contract.permissions.keys()));
    }
    Ok(warnings)
}

fn unknown<'a>(sort: &str, name: &str, known: impl Iterator<Item = &'a String>) -> StageFailure {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let failure = StageFailure::new("compat.unknown", format!("the host has no {sort} named `{name}`"));
    match nearest(name, known.iter().copied()) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`pintle contract show` lists what there is"),
    }
}
