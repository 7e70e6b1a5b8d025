//! What helps if a file that Pintle keeps is damaged, or something else is in its place. That depends on what the file is
//! for. None is ever taken for empty, and none is written over.

use super::Failure;
use pintle_manifest::kept::Obstacle;
use std::path::{Path, PathBuf};

/// Says what to do about a file that can't be read.
pub(super) fn ways_out(failure: Failure, path: &Path) -> Failure {
    if let Some(generation) = earlier_generation(path) {
        return failure.hint(without_generation(generation));
    }
    let hints: &[&str] = match named(path) {
        "pending.json" => {
            &["it only says what an interrupted command was doing: remove it, and run the command again"]
        }
        "disabled.json" => &[
            "it says what is disabled: restore it, or say it anew with `pintle disable NAME` and `pintle enable NAME`",
            "those put it aside, and then nothing is loaded until it is known of each extension",
        ],
        "grants.json" => &[
            "it says what you allowed: restore it, or move it away; then nothing is allowed until you allow it again",
        ],
        "quarantine.json" => {
            &["it says what failed too often: restore it, or move it away; then all of that may run again"]
        }
        "starts.json" | "faults.json" => {
            &["it counts what failed lately: move it away, and counting begins anew"]
        }
        "store.json" => &[
            "it is what the extension keeps: restore it, or move it away; then the extension begins with nothing",
        ],
        "ledger.jsonl" => {
            &["it says what a host holds: if that host has ended, move the directory of the file away"]
        }
        "current" => &["`pintle rollback` makes the newest generation current again"],
        "set.json" => &[
            "restore it, or go back to a whole set with `pintle rollback`",
            "if there is none, remove the link `current` beside `generations` and run `pintle sync`",
        ],
        _ => &["it is left as it is; restore it, or move it away"],
    };
    hints.iter().fold(failure, |failure, hint| failure.hint(*hint))
}

/// Says what to do about something that is in the place of a file or directory.
pub(super) fn ways_round(failure: Failure, path: &Path, obstacle: Obstacle) -> Failure {
    let is_lock = named(path).ends_with("lock") && named(path) != "pintle.lock";
    match (named(path), obstacle) {
        (_, Obstacle::NoDirectory) => {
            failure.hint("restore the directory that belongs there, or move what is there away")
        }
        (name, _) if is_lock || name == "lease" => {
            failure.hint("only a lock belongs there, which holds nothing: move what is there away")
        }
        ("pintle.toml" | "pintle.lock", _) => {
            let failure = failure.hint("move it away, and put back the file that belongs there");
            match copy(path) {
                Some(copy) => {
                    failure.hint(format!("what is installed was made from the copy `{}`", copy.display()))
                }
                None => failure
                    .hint("`pintle rollback N` brings it back as generation N has it (see `pintle history`)"),
            }
        }
        ("current", _) => {
            failure.hint("move it away; then `pintle rollback` makes the newest generation current again")
        }
        ("ledger.jsonl", _) => {
            failure.hint("look what it is (`ls -ld`); if no host runs that made it, move its directory away")
        }
        (
            "disabled.json" | "grants.json" | "quarantine.json" | "starts.json" | "faults.json"
            | "store.json" | "pending.json" | "set.json",
            _,
        ) => ways_out(
            failure.hint("look what it is (`ls -ld`), and put back the file that belongs there"),
            path,
        ),
        _ => failure.hint("look what it is (`ls -ld`), and move it away"),
    }
}

/// Says what is done about an earlier generation that can't be read.
pub(crate) fn without_generation(directory: &Path) -> String {
    let number = named(directory);
    format!(
        "generation {number} is not the current one: restore the file, or remove `{}`; then nobody can go back to it",
        directory.display()
    )
}

/// Returns the directory of the generation that a set is of, if the current one is surely another.
fn earlier_generation(path: &Path) -> Option<&Path> {
    let generation = path.parent().filter(|_| named(path) == "set.json")?;
    let generations = generation.parent().filter(|directory| named(directory) == "generations")?;
    let current = std::fs::read_link(generations.parent()?.join("current")).ok()?;
    (current.file_name() != generation.file_name()).then_some(generation)
}

/// Returns the copy of a person's own wishes or lock that what is installed was made from, if it is there.
pub(super) fn copy(path: &Path) -> Option<PathBuf> {
    let copy = path.with_file_name("current").join(path.file_name()?);
    copy.is_file().then_some(copy)
}

fn named(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).unwrap_or_default()
}
