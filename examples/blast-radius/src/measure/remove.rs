//! What an `rm` or a `find` would delete.

use super::phrase::{ago, count, name, number, short, size};
use super::survey::{Finding, Scene};
use super::targets::{self, Found};
use super::tracked::{self, Fate};
use super::walk::{Tree, resolved, walk};
use crate::analyse::{Remove, Target};
use std::path::{Path, PathBuf};

/// Measures an `rm`.
pub(super) fn remove(scene: &mut Scene<'_>, remove: &Remove) -> Option<Finding> {
    let found = targets::find(&remove.targets, scene.dir.as_deref(), &mut scene.budget);
    let there = places(&found, remove.recursive);
    let tree = walk(&there, remove.recursive, remove.one_file_system, &mut scene.budget);
    if found.unknown.is_empty() && is_nothing(&tree) {
        return None;
    }
    let title = match (tree.files, found.unknown.is_empty()) {
        (0, false) => format!("cannot tell what {} would delete", scene.shown),
        (_, is_all) => {
            let rest = if is_all { "" } else { ", and more that nobody can tell" };
            format!("{} would delete {}{rest}", scene.shown, amount(&tree, &there, scene.dir.as_deref()))
        }
    };
    let mut details = what_it_is(scene, &there);
    details.extend(unknown(scene, &found));
    details.extend(tracked::tracked(scene, &there, &tree, Fate::Goes));
    details.extend(contents(scene, &there, &tree, remove.one_file_system));
    Some(Finding { title, details })
}

/// Measures where a `find` that deletes begins: it deletes that or less.
pub(super) fn find(scene: &mut Scene<'_>, roots: &[Target]) -> Option<Finding> {
    let found = targets::find(roots, scene.dir.as_deref(), &mut scene.budget);
    let there = places(&found, true);
    let tree = walk(&there, true, false, &mut scene.budget);
    if found.unknown.is_empty() && is_nothing(&tree) {
        return None;
    }
    let mut details = Vec::new();
    if tree.files > 0 {
        details.push(format!("it chooses from {}", amount(&tree, &there, scene.dir.as_deref())));
    }
    details.extend(unknown(scene, &found));
    details.extend(tracked::tracked(scene, &there, &tree, Fate::MayGo));
    details.extend(contents(scene, &there, &tree, false));
    Some(Finding { title: format!("cannot tell what {} would delete", scene.shown), details })
}

/// Returns each place once, and none that goes with another.
fn places(found: &Found, recursive: bool) -> Vec<PathBuf> {
    let mut there: Vec<PathBuf> = found.there.iter().map(|path| resolved(path)).collect();
    there.sort();
    there.dedup_by(|later, earlier| later == earlier || recursive && later.starts_with(&*earlier));
    there
}

fn is_nothing(tree: &Tree) -> bool {
    tree.files == 0 && tree.unreadable.is_empty() && !tree.is_partial
}

/// "1,204 files (38 MB) in /home/ada/site/build".
fn amount(tree: &Tree, there: &[PathBuf], dir: Option<&Path>) -> String {
    if let ([only], 1, 0) = (there, tree.files, tree.directories) {
        return match tree.links {
            0 => format!("{} ({})", name(only), size(tree.bytes)),
            _ => format!("the link {}", name(only)),
        };
    }
    let at_least = if tree.is_partial { "more than " } else { "" };
    let place = match (there, dir) {
        ([only], _) => name(only),
        (_, Some(dir)) if there.iter().all(|path| path.starts_with(dir)) => {
            format!("{} of {}", count(there.len() as u64, "entry"), name(dir))
        }
        (_, _) => count(there.len() as u64, "place"),
    };
    format!("{at_least}{} ({at_least}{}) in {place}", count(tree.files, "file"), size(tree.bytes))
        .replace("(more than ", "(")
}

/// What stands out about the paths themselves.
fn what_it_is(scene: &Scene<'_>, there: &[PathBuf]) -> Vec<String> {
    let mut lines = Vec::new();
    let home = scene.survey.home.map(|home| std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned()));
    let dir = scene.dir.as_ref().map(|dir| std::fs::canonicalize(dir).unwrap_or_else(|_| dir.clone()));
    for path in there {
        let shown = name(path);
        if path.parent().is_none() {
            lines.push("this is everything on this machine".to_owned());
        } else if home.as_ref() == Some(path) {
            lines.push(format!("{shown} is your home directory"));
        } else if home.as_ref().is_some_and(|home| home.starts_with(path)) {
            lines.push(format!("your home directory is in {shown}"));
        }
        if dir.as_ref().is_some_and(|dir| dir.starts_with(path)) && path.parent().is_some() {
            lines.push(format!("the command would run in {shown}, and delete it under its own feet"));
        }
    }
    lines.truncate(3);
    lines
}

fn unknown(scene: &Scene<'_>, found: &Found) -> Vec<String> {
    let mut lines: Vec<String> = found.unknown.iter().map(|text| super::phrase::plain(text)).collect();
    if !lines.is_empty() && scene.dir.is_none() {
        lines.push(scene.no_dir.clone());
    }
    if let (false, Some(dir)) = (lines.is_empty(), &scene.dir) {
        lines.push(format!("it would run in {}", name(dir)));
    }
    if lines.len() > 4 {
        let more = lines.len() - 3;
        lines.truncate(3);
        lines.push(format!("and {} more that nobody can tell", number(more as u64)));
    }
    lines
}

/// What is in it: the largest, the newest, and what was not looked at.
fn contents(scene: &Scene<'_>, there: &[PathBuf], tree: &Tree, one_file_system: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let within = |path: &Path| {
        let base = match there {
            [only] if tree.directories > 0 => only,
            _ => scene.dir.as_deref().unwrap_or(Path::new("/")),
        };
        let path = resolved(path);
        short(path.strip_prefix(base).unwrap_or(&path))
    };
    if tree.files > 1 && !tree.largest.is_empty() {
        let all: Vec<String> =
            tree.largest.iter().map(|(bytes, path)| format!("{} ({})", within(path), size(*bytes))).collect();
        lines.push(format!("largest: {}", all.join(", ")));
    }
    if let Some((time, path)) = &tree.newest {
        let when = ago(*time, scene.survey.now);
        lines.push(if tree.files > 1 {
            format!("newest: {}, {when}", within(path))
        } else {
            format!("last changed {when}")
        });
    }
    if tree.links > 0 && tree.files > 1 {
        lines.push(format!("{} among them; what they lead to stays", count(tree.links, "link")));
    } else if tree.links > 0 {
        lines.push("what it leads to stays".to_owned());
    }
    for mount in tree.mounts.iter().take(2) {
        let fate = if one_file_system { "and stays" } else { "and goes too" };
        lines.push(format!("{} is another file system, {fate}", name(mount)));
    }
    if let Some(first) = tree.unreadable.first() {
        lines.push(format!(
            "{} can't be read and may hold more: {}",
            count(tree.unreadable.len() as u64, "directory"),
            name(first)
        ));
    }
    if tree.is_partial {
        lines.push(format!("counting was given up after {}", count(tree.files + tree.directories, "entry")));
    }
    lines
}
