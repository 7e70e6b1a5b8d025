//! Whether a registry is whole, and what may be removed from it.

use crate::index::shelf::{Shelf, name, spoil};
use pintle_registry::index::{
    Artifact, CheckFinding, GarbageError, IndexError, Kind, Mode, check, collect_garbage,
};
use pintle_registry::store::fs;
use std::path::Path;
use std::time::{Duration, SystemTime};

const HOUR: Duration = Duration::from_secs(3_600);

/// A time by which everything that was just written is old.
fn tomorrow() -> SystemTime {
    SystemTime::now() + 24 * HOUR
}

fn filled() -> Shelf {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    shelf.publish("acme-a", "1.1.0");
    shelf.publish("acme-b", "1.0.0");
    shelf
}

fn findings(shelf: &Shelf) -> Vec<String> {
    let kind = |finding: &CheckFinding| match finding {
        CheckFinding::Object(IndexError::Incomplete { kind, .. }) => format!("missing {kind}"),
        CheckFinding::Object(IndexError::Corrupt { kind, .. }) => format!("damaged {kind}"),
        CheckFinding::Object(error) => error.to_string(),
        CheckFinding::Count { .. } => "count".to_owned(),
        CheckFinding::ArchiveSize { .. } => "size".to_owned(),
        CheckFinding::ArchiveContent { reason, .. } => reason.clone(),
        CheckFinding::Stray { path } => format!("stray {}", path.file_name().unwrap().display()),
    };
    check(&shelf.root(), None).unwrap().findings.iter().map(kind).collect()
}

#[test]
fn a_whole_registry_has_no_findings() {
    let report = check(&filled().root(), None).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!((report.packages, report.releases), (2, 3));
    assert_eq!(report.objects, 1 + 1 + 2 + 3 + 2, "table, bin, documents, archives, readmes");
}

#[test]
fn every_damage_is_found() {
    for kind in Kind::ALL {
        let shelf = filled();
        shelf.files(kind.directory()).iter().for_each(|path| spoil(path, b"x"));
        assert!(findings(&shelf).contains(&format!("damaged {kind}")), "{:?}", findings(&shelf));
        shelf.files(kind.directory()).iter().for_each(|path| fs::remove_file(path).unwrap());
        assert!(findings(&shelf).contains(&format!("missing {kind}")), "{:?}", findings(&shelf));
    }
    let shelf = filled();
    let head = String::from_utf8(fs::read(&shelf.root().join("head.json"), 10_000).unwrap()).unwrap();
    spoil(&shelf.root().join("head.json"), head.replace("\"packages\":2", "\"packages\":3").as_bytes());
    fs::draft(&shelf.root().join("notes.txt"), b"x").unwrap();
    fs::draft(&shelf.root().join("p/ABC"), b"x").unwrap();
    assert_eq!(findings(&shelf), ["count", "stray notes.txt", "stray ABC"]);
}

#[test]
fn an_archive_is_looked_into_when_asked() {
    let shelf = filled();
    let tree = shelf.bare().package(&name("acme-b")).unwrap().unwrap().releases[0].artifacts.clone();
    let (_, bad) = tree.first_key_value().unwrap();
    let look = |path: &Path, artifact: &Artifact| match path.is_file() && artifact.tree != bad.tree {
        true => Ok(()),
        false => Err("it has another tree".to_owned()),
    };
    let report = check(&shelf.root(), Some(&look)).unwrap();
    match &report.findings[..] {
        [CheckFinding::ArchiveContent { name: of, reason, .. }] => {
            assert_eq!((of, reason.as_str()), (&name("acme-b"), "it has another tree"));
        }
        other => panic!("{other:?}"),
    }
    let mut wrong = shelf.release("acme-c", "1.0.0", "sized");
    wrong.artifact.size += 1;
    assert!(shelf.try_publish(&wrong).is_err(), "a wrong size is not published in the first place");
}

#[test]
fn only_what_is_unnamed_and_old_is_removed() {
    let shelf = filled();
    let temporary = shelf.root().join("a/.x.tmp-1-1");
    fs::draft(&temporary, b"half").unwrap();
    fs::draft(&shelf.root().join("notes.txt"), b"x").unwrap();
    let unreferenced = check(&shelf.root(), None).unwrap().unreferenced;
    assert_eq!(unreferenced, 3 + 2 + 1 + 1, "tables, bins, a document, the temporary file");
    let collect = |now, mode| collect_garbage(&shelf.root(), HOUR, now, mode).unwrap();
    assert_eq!(collect(SystemTime::now(), Mode::Remove).objects, 0, "it is all young");
    let dry = collect(tomorrow(), Mode::DryRun);
    assert_eq!(dry.objects, unreferenced);
    assert!(temporary.exists());
    assert_eq!(collect(tomorrow(), Mode::Remove), dry);
    assert!(!temporary.exists() && shelf.root().join("notes.txt").exists());
    assert_eq!(findings(&shelf), ["stray notes.txt"]);
    assert_eq!(collect(tomorrow(), Mode::Remove).objects, 0);
    assert_eq!(shelf.versions("acme-a"), ["1.0.0", "1.1.0"]);
}

#[test]
fn nothing_is_removed_from_a_damaged_registry() {
    let shelf = filled();
    let before = shelf.files("");
    spoil(&shelf.files("p")[0], b"x");
    shelf.files("p").iter().for_each(|path| spoil(path, b"x"));
    let result = collect_garbage(&shelf.root(), HOUR, tomorrow(), Mode::Remove);
    assert!(matches!(result, Err(GarbageError::Damaged(_))));
    assert_eq!(shelf.files(""), before);
}

#[test]
fn publishers_and_a_collector_do_not_harm_each_other() {
    let shelf = Shelf::new();
    std::thread::scope(|scope| {
        for name in ["acme-a", "acme-c", "acme-e"] {
            let shelf = &shelf;
            scope.spawn(move || {
                for minor in 0..5 {
                    let release = shelf.release(name, &format!("1.{minor}.0"), &format!("{name} {minor}"));
                    while shelf.try_publish(&release).is_err() {}
                }
            });
        }
        // Without any grace, the collector takes objects and temporary files while they are written: a publisher
        // may fail then, and what it did not fail at is whole.
        for _ in 0..40 {
            let _ = collect_garbage(&shelf.root(), Duration::ZERO, tomorrow(), Mode::Remove);
        }
    });
    let report = check(&shelf.root(), None).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(report.releases, 15);
}

#[test]
fn an_object_that_a_collector_took_is_written_again() {
    let shelf = filled();
    let head = fs::read(&shelf.root().join("head.json"), 10_000).unwrap();
    shelf.publish("acme-c", "1.0.0");
    spoil(&shelf.root().join("head.json"), &head);
    collect_garbage(&shelf.root(), HOUR, tomorrow(), Mode::Remove).unwrap();
    shelf.publish("acme-c", "1.0.0");
    assert!(findings(&shelf).is_empty());
    assert_eq!(shelf.versions("acme-c"), ["1.0.0"]);
}
