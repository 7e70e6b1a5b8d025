//! Notes of a plan: what a person may not expect.

use pintle_registry::operations::plan::Note;
use pintle_registry::resolve::{self, Why};
use serde_json::{Value, json};

/// Returns the stable code of a note.
pub(crate) const fn code(note: &Note) -> &'static str {
    match note {
        Note::Choice(resolve::Note::PassedOver { .. }) => "passed_over",
        Note::Choice(resolve::Note::YankedButLocked { .. }) => "yanked",
        Note::AlreadyInstalled { .. } => "already_installed",
        Note::Pinned { .. } => "pinned",
        Note::Local { .. } => "local",
        Note::StillNeeded { .. } => "still_needed",
        Note::HeldBack { .. } => "held_back",
    }
}

/// Returns the words of a note.
pub(crate) fn words(note: &Note) -> String {
    match note {
        Note::Choice(resolve::Note::PassedOver { name, version, why }) => {
            format!("{name} {version} was passed over: {}", reason(why))
        }
        Note::Choice(resolve::Note::YankedButLocked { name, version }) => {
            format!("{name} {version} was yanked; it stays because it is locked (see `pintle info {name}`)")
        }
        Note::AlreadyInstalled { name, version } => {
            format!("{name} {version} is installed already; `pintle update {name}` moves it")
        }
        Note::Pinned { name, version } => format!("{name} stays at {version}: it is pinned in pintle.toml"),
        Note::Local { name } => format!("{name} is linked from a folder, which is left alone"),
        Note::StillNeeded { name, by } => {
            format!("{name} stays, because it is needed by {}", super::words::list(by))
        }
        Note::HeldBack { name, version, newest, requirement } => {
            format!("{name} {version}: {newest} is newer than `{requirement}` allows")
        }
    }
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
        Note::Choice(resolve::Note::PassedOver { name, version, .. })
        | Note::Choice(resolve::Note::YankedButLocked { name, version })
        | Note::AlreadyInstalled { name, version }
        | Note::Pinned { name, version }
        | Note::HeldBack { name, version, .. } => (name, Some(version)),
        Note::Local { name } | Note::StillNeeded { name, .. } => (name, None),
    };
    json!({ "code": code(note), "name": name, "version": version, "message": words(note) })
}
