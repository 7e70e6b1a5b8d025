//! What can be told about a change of a database without touching it: the migrations that are there, which of them
//! drop something, and the databases that are plain files. Whether one is pending only the database knows.

use super::phrase::{ago, count, name, size, some};
use super::survey::{Finding, Scene};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Files that are looked at, at most, and how much of each.
const MOST_FILES: usize = 2000;
const LONGEST_FILE: u64 = 256 * 1024;

struct Migration {
    shown: String,
    changed: SystemTime,
    drops: bool,
}

/// Measures a migration.
pub(super) fn database(scene: &Scene<'_>, drops: bool, migrations: &[&str]) -> Finding {
    let title = match drops {
        true => format!("{} would throw away data in a database; there is no dry run for it", scene.shown),
        false => format!("{} would change a database; there is no dry run for it", scene.shown),
    };
    let Some(dir) = &scene.dir else { return Finding { title, details: vec![scene.no_dir.clone()] } };
    let mut details = vec![format!("it would run in {}", name(dir))];
    for place in migrations {
        let found = migrations_in(dir, place);
        let Some(newest) = found.iter().max_by_key(|migration| (migration.changed, &migration.shown)) else {
            continue;
        };
        let when = ago(newest.changed, scene.survey.now);
        details.push(format!(
            "{place} holds {}, the newest {} ({when})",
            count(found.len() as u64, "file"),
            newest.shown
        ));
        let dropping: Vec<String> =
            found.iter().rev().filter(|one| one.drops).map(|one| one.shown.clone()).collect();
        if !dropping.is_empty() {
            details.push(format!(
                "{} or delete something: {}",
                if dropping.len() == 1 { "1 has words that drop" } else { "some have words that drop" },
                some(&dropping, 4)
            ));
        }
    }
    for (path, bytes) in database_files(dir) {
        details.push(format!("{} is a database of {}", name(&path), size(bytes)));
    }
    details
        .push("which database it is, and what is in it, is not known here; make a backup first".to_owned());
    Finding { title, details }
}

fn migrations_in(dir: &Path, place: &str) -> Vec<Migration> {
    let dirs: Vec<PathBuf> = match place.strip_prefix("*/") {
        Some(rest) => entries(dir).iter().map(|path| path.join(rest)).collect(),
        None => vec![dir.join(place)],
    };
    let mut found = Vec::new();
    for path in dirs.iter().flat_map(|dir| entries(dir)) {
        // Some tools keep each migration in a directory of its own.
        let files = if path.is_dir() { entries(&path) } else { vec![path] };
        for file in files {
            let known = file.extension().and_then(|extension| extension.to_str());
            let is_code = matches!(
                known,
                Some(
                    "sql"
                        | "rb"
                        | "py"
                        | "js"
                        | "ts"
                        | "mjs"
                        | "php"
                        | "exs"
                        | "rs"
                        | "cs"
                        | "go"
                        | "xml"
                        | "yml"
                        | "yaml"
                )
            );
            let Ok(metadata) = fs::symlink_metadata(&file) else { continue };
            if !is_code || !metadata.is_file() || found.len() >= MOST_FILES || file.ends_with("__init__.py") {
                continue;
            }
            let changed = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let drops =
                metadata.len() <= LONGEST_FILE && fs::read(&file).is_ok_and(|bytes| drops_something(&bytes));
            found.push(Migration { shown: name(file.strip_prefix(dir).unwrap_or(&file)), changed, drops });
        }
    }
    found.sort_by(|a, b| a.shown.cmp(&b.shown));
    found
}

fn entries(dir: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(dir) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.flatten().take(MOST_FILES).map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

fn drops_something(bytes: &[u8]) -> bool {
    const WORDS: [&str; 12] = [
        "drop table",
        "drop column",
        "drop database",
        "drop schema",
        "truncate ",
        "delete from",
        "drop_table",
        "drop_column",
        "remove_column",
        "removefield",
        "deletemodel",
        "dropcolumn",
    ];
    let text = String::from_utf8_lossy(bytes).to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}

fn database_files(dir: &Path) -> Vec<(PathBuf, u64)> {
    let places =
        [dir.to_owned(), dir.join("db"), dir.join("storage"), dir.join("instance"), dir.join("prisma")];
    let mut found = Vec::new();
    for path in places.iter().flat_map(|place| entries(place)) {
        let is_database = path
            .extension()
            .and_then(|extension| extension.to_str())
            .is_some_and(|extension| matches!(extension, "sqlite" | "sqlite3" | "db"));
        if let (true, Ok(metadata)) = (is_database, fs::symlink_metadata(&path)) {
            found.push((path, metadata.len()));
        }
    }
    found.truncate(3);
    found
}
