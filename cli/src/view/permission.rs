//! What an extension asks to be allowed, and what its runtime means for that. No partial measure is called a sandbox.

use pintle_manifest::{Permissions, Untrusted};

/// Returns what is asked for, one permission after the other; `None` if nothing is.
pub(crate) fn asks(permissions: &Permissions) -> Option<String> {
    let one = |(name, value): (&String, &pintle_manifest::PermissionValue)| {
        Untrusted(&format!("{name} ({value})")).to_string()
    };
    let asked: Vec<String> = permissions.iter().map(one).collect();
    (!asked.is_empty()).then(|| asked.join(", "))
}

/// Says in plain words how code of this runtime runs.
pub(crate) fn confinement(runtime: &str) -> &'static str {
    match runtime {
        "wasm" => "can't be run yet (wasm)",
        _ => "runs with your full rights",
    }
}
