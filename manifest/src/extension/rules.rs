//! The rules that tie two places of a manifest together, or that only warn. What can be said of one value alone
//! is in [`words`](super::words).

use super::report::{Report, shown};
use crate::{Problem, Requirement};
use toml::de::{DeTable, DeValue};

/// Checks what the grammar can't say.
pub(super) fn check(root: &DeTable<'_>, report: &mut Report) {
    let name = table(root, "extension").and_then(|extension| extension.get("name")?.get_ref().as_str());
    for (key, value) in table(root, "dependencies").into_iter().flatten() {
        if name == Some(key.get_ref().as_ref()) {
            let message = format!("`{}` depends on itself", shown(key.get_ref()));
            report.add(Problem::error("manifest.own_dependency", key.span(), message));
        }
        let requirement = match value.get_ref() {
            DeValue::Table(table) => table.get("version"),
            _ => Some(value),
        };
        let Some(requirement) = requirement else { continue };
        let text = requirement.get_ref().as_str();
        if text.and_then(|text| Requirement::parse(text).ok()).is_some_and(|requirement| requirement.is_any())
        {
            let message = "`*` accepts versions that no one has tried yet";
            report.add(
                Problem::warning("manifest.any_version", requirement.span(), message)
                    .help("name the versions that will do, such as `^1.2`"),
            );
        }
    }
}

fn table<'a, 'i>(root: &'a DeTable<'i>, key: &str) -> Option<&'a DeTable<'i>> {
    root.get(key)?.get_ref().as_table()
}
