//! The permission of a call: it was asked for and granted, and if a list was, the argument is on it. Values in, values out.

use super::CallError;
use crate::bundle::Bundle;
use pintle_manifest::{Call, Contract, Matching, PermissionValue};
use serde_json::Value;
use std::path::{Component, Path};

/// Checks it. What was granted counts as far as it is asked for: a grant may be for more, such as the directory above.
/// Paths that are relative begin in `directory`.
pub(crate) fn permit(
    contract: &Contract,
    (name, call): (&str, &Call),
    arguments: &Value,
    bundle: &Bundle,
    directory: &Path,
) -> Result<(), CallError> {
    let Some(permission) = &call.permission else { return Ok(()) };
    let denied = |reason: String| {
        Err(CallError::new(
            "permission.denied",
            format!("`{name}` needs the permission `{permission}`, {reason}"),
        ))
    };
    let (Some(granted), Some(asked)) =
        (bundle.grants.get(permission), bundle.manifest.permissions.get(permission))
    else {
        return denied(
            "which was not granted; ask for it under `[permissions]` of extension.toml, so that a person can grant it"
                .to_owned(),
        );
    };
    let is_path = contract.permissions.get(permission).is_some_and(|kind| kind.matching == Matching::Path);
    for (value, how) in [(granted, "granted"), (asked, "asked")] {
        let PermissionValue::Only(items) = value else { continue };
        let Some(field) = &call.scoped_by else { continue };
        let Some(wanted) = arguments.get(field).and_then(Value::as_str) else {
            return denied(format!(
                "which was {how} only for some, and `{field}` does not say which is meant"
            ));
        };
        let covered = match is_path {
            true => items.iter().any(|item| is_below(&directory.join(wanted), &directory.join(item))),
            false => items.iter().any(|item| item == wanted),
        };
        if !covered {
            return denied(format!("which was {how} for {}, and not for `{wanted}`", items.join(", ")));
        }
    }
    Ok(())
}

/// Tells whether a path is another one or below it, by its parts. A `..` is never below anything.
fn is_below(wanted: &Path, granted: &Path) -> bool {
    if wanted.components().any(|part| matches!(part, Component::ParentDir)) {
        return false;
    }
    wanted.starts_with(granted)
}

#[cfg(test)]
mod tests {
    use super::is_below;
    use std::path::Path;

    #[test]
    fn a_path_is_below_by_its_parts() {
        let check = |wanted: &str, granted: &str, expected: bool| {
            let is_below = is_below(&Path::new("/here").join(wanted), &Path::new("/here").join(granted));
            assert_eq!(is_below, expected, "{wanted} below {granted}");
        };
        check("/etc/hosts", "/etc", true);
        check("/etc", "/etc", true);
        check("/etcetera", "/etc", false);
        check("/etc/../root", "/etc", false);
        check("src/main.rs", "src", true);
        check("/src/main.rs", "src", false);
        check("src/main.rs", "/here/src", true);
        check("/here/src/main.rs", "src", true);
        check("other/main.rs", "/here/src", false);
        check("src/../other", "/here", false);
    }
}
