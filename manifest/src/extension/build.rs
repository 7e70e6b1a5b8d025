//! Makes the [`Manifest`] of checked values. Nothing is judged here: the names of keys are those of
//! [`grammar`](super::grammar), and a value that the grammar requires is there.

use super::checked::{Checked, Fields, FromChecked};
use super::manifest::{Dependency, Entry, HookUse, Manifest, Selection, SlotUse};

/// Makes the manifest; `None` would mean that the grammar and this file disagree.
pub(super) fn build(mut root: Fields) -> Option<Manifest> {
    let mut extension: Fields = root.take("extension")?;
    Some(Manifest {
        name: extension.take("name")?,
        version: extension.take("version")?,
        description: extension.take("description")?,
        license: extension.take("license"),
        authors: extension.take_or_default("authors"),
        keywords: extension.take_or_default("keywords"),
        repository: extension.take("repository"),
        homepage: extension.take("homepage"),
        readme: extension.take("readme"),
        selection: Selection {
            include: extension.take_or_default("include"),
            exclude: extension.take_or_default("exclude"),
        },
        hosts: root
            .take::<std::collections::BTreeMap<_, Fields>>("hosts")?
            .into_iter()
            .map(|(name, mut host)| Some((name, host.take("api_version")?)))
            .collect::<Option<_>>()?,
        entry: root.take("entry")?,
        hooks: root.take_or_default("hooks"),
        permissions: root.take_or_default("permissions"),
        slots: root.take_or_default("slots"),
        dependencies: root.take_or_default("dependencies"),
    })
}

impl FromChecked for Entry {
    fn from_checked(value: Checked) -> Option<Self> {
        let mut fields = Fields::from_checked(value)?;
        match fields.take::<String>("runtime")?.as_str() {
            "process" => Some(Self::Process {
                command: fields.take("command")?,
                requires: fields.take_or_default("requires"),
            }),
            "native" => Some(Self::Native { library: fields.take("library")? }),
            "wasm" => Some(Self::Wasm { component: fields.take("component")? }),
            _ => None,
        }
    }
}

impl FromChecked for HookUse {
    fn from_checked(value: Checked) -> Option<Self> {
        let mut fields = Fields::from_checked(value)?;
        Some(Self { filter: fields.take_or_default("filter"), own_time: fields.take("own_time") })
    }
}

impl FromChecked for SlotUse {
    fn from_checked(value: Checked) -> Option<Self> {
        let mut fields = Fields::from_checked(value)?;
        Some(Self { description: fields.take("description")? })
    }
}

impl FromChecked for Dependency {
    fn from_checked(value: Checked) -> Option<Self> {
        if let Checked::Requirement(requirement) = value {
            return Some(Self { requirement, path: None });
        }
        let mut fields = Fields::from_checked(value)?;
        Some(Self { requirement: fields.take("version")?, path: fields.take("path") })
    }
}
