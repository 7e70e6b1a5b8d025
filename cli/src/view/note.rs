//! Notes of a plan: what a person may not expect.

use pintle_manifest::{Untrusted, Version};
use pintle_registry::index::Yank;
use pintle_registry::operations::plan::Note;
use pintle_registry::resolve::Why;
use pintle_registry::store::Source;
use serde_json::{Value, json};

/// Returns the stable code of a note.
pub(crate) const fn code(note: &Note) -> &'static str {
    match note {
        Note::PassedOver { .. } => "passed_over",
        Note::Yanked { .. } => "yanked",
        Note::Gone { .. } => "gone",
        Note::Incompatible { .. } | Note::ForOtherHosts { .. } => "incompatible",
        Note::ForeignRegistry { .. } => "foreign_registry",
        Note::Disabled { .. } => "disabled",
        Note::AlreadyInstalled { .. } => "already_installed",
        Note::HeldBack { .. } => "held_back",
        Note::Pinned { .. } => "pinned",
        Note::Local { .. } => "local",
        Note::Waits { .. } => "waits",
        Note::NotGranted { .. } => "not_granted",
    }
}

/// Returns the words of a note.
pub(crate) fn words(note: &Note) -> String {
    match note {
        Note::PassedOver { name, version, why } => {
            format!("{name} {version} was passed over: {}", reason(why))
        }
        Note::Yanked { name, version, yank } => match yank {
            Some(yank) => format!("{name} {version} was yanked: {}", yanked(yank)),
            None => format!("{name} {version} was yanked"),
        },
        Note::Gone { name } => {
            format!(
                "{name} stays as it was: what it came from is gone (`pintle uninstall {name}` lets go of it)"
            )
        }
        Note::Incompatible { name, version, host, needs, have } => {
            format!(
                "{name} {version} needs {host} {needs}, and this is {host} {have}: it would not be loaded"
            )
        }
        Note::ForOtherHosts { name, version } => {
            format!("{name} {version} serves none of the hosts at hand: it would not be loaded")
        }
        Note::ForeignRegistry { registry } => format!(
            "the registry {registry} is named only in your own pintle.toml; for others, `pintle registry add {registry} DIR` here"
        ),
        Note::Disabled { name } => format!("{name} is disabled, and stays so until `pintle enable {name}`"),
        Note::AlreadyInstalled { name, version, source, pinned, update } => {
            let how = match (source, pinned, update) {
                (Source::Folder(_), _, _) => "; it is linked from a folder".to_owned(),
                (Source::Archive(_), _, _) => "; install another archive to move it".to_owned(),
                (Source::Registry(_), true, _) => {
                    format!(" and pinned; `pintle install {name}@VERSION` moves it")
                }
                (Source::Registry(_), false, Some(update)) => {
                    format!("; `pintle update {name}` moves it to {update}")
                }
                (Source::Registry(_), false, None) => String::new(),
            };
            format!("{name} {version} is installed already{how}")
        }
        Note::HeldBack { name, newest, wish, .. } => format!(
            "{name} {newest} is newer than `{wish}` in pintle.toml allows; `pintle install {name}@{}` takes it",
            range(newest)
        ),
        Note::Pinned { name, version } => format!("{name} stays at {version}: it is pinned in pintle.toml"),
        Note::Local { name } => format!("{name} is linked from a folder, which is left alone"),
        Note::Waits { name, version, to, asking } => {
            let brought: Vec<_> = asking.iter().filter(|one| *one != name).collect();
            let what = match brought.is_empty() {
                true => "asks".to_owned(),
                false => format!("brings {}, which asks", super::words::list(brought)),
            };
            format!("{name} stays at {version}: {to} {what} for what nobody has allowed")
        }
        Note::NotGranted { name, version } => {
            format!("{name} {version} was not granted all that it asks for, so it is not loaded")
        }
    }
}

/// Returns the requirement that a person would write to have this version and what is like it.
fn range(version: &Version) -> String {
    let text = version.to_string();
    match text.rsplit_once('.') {
        Some((front, _)) if front != "0.0" => format!("^{front}"),
        Some(_) | None => format!("^{text}"),
    }
}

/// Says why a release was yanked, and what to use instead.
pub(crate) fn yanked(yank: &Yank) -> String {
    let instead = yank.use_instead.as_ref().map(|instead| format!("; use {instead} instead"));
    format!("{}{}", Untrusted(&yank.reason), instead.unwrap_or_default())
}

/// Says why a release was not taken.
pub(crate) fn reason(why: &Why) -> String {
    match why {
        Why::NeedsHost { host, needs, have } => format!("it needs {host} {needs}, and this is {host} {have}"),
        Why::NotForHost => "it serves none of the hosts at hand".to_owned(),
        Why::NoArtifact { target, offered } => {
            format!("it has no artifact for {target}, only for {}", super::words::list(offered))
        }
        Why::Prerelease => "it is a pre-release".to_owned(),
        Why::Yanked => "it was yanked".to_owned(),
        Why::BelowFloor { floor } => format!("it is older than {floor}, which is installed"),
        Why::HeldBack { by, version, needs } => format!("{by} {version} needs {needs}"),
        Why::Clashes { on, needs, have } => format!("it needs {on} {needs}, and {have} was chosen"),
    }
}

/// Returns a note for a document.
pub(crate) fn document(note: &Note) -> Value {
    let (name, version) = match note {
        Note::PassedOver { name, version, .. }
        | Note::Yanked { name, version, .. }
        | Note::Incompatible { name, version, .. }
        | Note::ForOtherHosts { name, version }
        | Note::AlreadyInstalled { name, version, .. }
        | Note::HeldBack { name, version, .. }
        | Note::Waits { name, version, .. }
        | Note::NotGranted { name, version }
        | Note::Pinned { name, version } => (Some(name), Some(version)),
        Note::Local { name } | Note::Gone { name } | Note::Disabled { name } => (Some(name), None),
        Note::ForeignRegistry { .. } => (None, None),
    };
    json!({ "code": code(note), "name": name, "version": version, "message": words(note) })
}
