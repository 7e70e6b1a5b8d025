//! What a reader sees: each way in which there is no registry, no object, or a wrong one is told apart.

use crate::index::shelf::{Shelf, name, open, spoil, version, versions};
use pintle_registry::index::{IndexError, Kind};
use pintle_registry::store::fs;
use std::io::Read as _;
use std::path::Path;

#[test]
fn what_was_published_is_read() {
    let shelf = Shelf::new();
    for version in ["1.10.0", "1.2.0", "2.0.0-rc.1"] {
        shelf.publish("acme-a", version);
    }
    shelf.publish("acme-b", "0.1.0");
    let registry = shelf.open();
    assert_eq!(registry.names().unwrap(), [name("acme-a"), name("acme-b")]);
    assert_eq!(versions(&registry, "acme-a"), ["1.2.0", "1.10.0", "2.0.0-rc.1"]);
    assert_eq!(versions(&registry, "acme-c"), [""; 0]);
    let release = registry.release(&name("acme-b"), &version("0.1.0")).unwrap().unwrap();
    assert_eq!(registry.readme(&release.readme.unwrap()).unwrap(), b"# acme-b");
    let mut archive = String::new();
    let (_, artifact) = release.artifacts.first_key_value().unwrap();
    registry.open_archive(&artifact.archive).unwrap().read_to_string(&mut archive).unwrap();
    assert_eq!(archive, "acme-b 0.1.0");
    assert_eq!(registry.release(&name("acme-b"), &version("9.0.0")).unwrap(), None);
}

#[test]
fn each_way_of_being_no_registry_is_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dirs(&at("empty")).unwrap();
    fs::create_dirs(&at("other")).unwrap();
    fs::draft(&at("other/notes.txt"), b"x").unwrap();
    fs::draft(&at("file"), b"x").unwrap();
    let check = |path: &Path, expected: &str| {
        let error = open(path, None, false).unwrap_err();
        assert!(error.to_string().contains(&path.display().to_string()), "{error}");
        let kind = match error {
            IndexError::Unreachable { .. } => "unreachable",
            IndexError::Empty { .. } => "empty",
            IndexError::NotRegistry { .. } => "not a registry",
            IndexError::BadHead { .. } => "bad head",
            IndexError::NewerFormat { .. } => "newer",
            other => panic!("{other}"),
        };
        assert_eq!(kind, expected, "{}", path.display());
    };
    check(&at("gone"), "unreachable");
    check(&at("empty"), "empty");
    check(&at("other"), "not a registry");
    check(&at("file"), "not a registry");
    for (number, (head, expected)) in [
        ("", "bad head"),
        ("<!doctype html><title>Sign in</title>", "bad head"),
        ("{\"format\":1", "bad head"),
        ("{\"format\":2,\"other\":1}", "newer"),
        ("\0\0\0\0", "bad head"),
    ]
    .into_iter()
    .enumerate()
    {
        let path = at(&format!("head {number}"));
        fs::create_dirs(&path).unwrap();
        fs::draft(&path.join("head.json"), head.as_bytes()).unwrap();
        check(&path, expected);
    }
    let large = at("large");
    fs::create_dirs(&large).unwrap();
    fs::draft(&large.join("head.json"), &vec![b'{'; 100_000]).unwrap();
    check(&large, "bad head");
}

#[test]
fn an_object_that_is_missing_or_damaged_is_never_read_as_empty() {
    for kind in [Kind::Table, Kind::Bin, Kind::Package] {
        let shelf = Shelf::new();
        shelf.publish("acme-a", "1.0.0");
        for path in shelf.files(kind.directory()) {
            spoil(&path, b"garbage");
        }
        let error = shelf.bare().package(&name("acme-a")).unwrap_err();
        assert!(matches!(error, IndexError::Corrupt { kind: of, .. } if of == kind), "{error}");
        for path in shelf.files(kind.directory()) {
            fs::remove_file(&path).unwrap();
        }
        let error = shelf.bare().package(&name("acme-a")).unwrap_err();
        assert!(matches!(error, IndexError::Incomplete { kind: of, .. } if of == kind), "{error}");
    }
}

#[test]
fn a_registry_that_goes_away_is_not_one_that_lacks_a_package() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    let registry = shelf.bare();
    fs::rename(&shelf.root(), &shelf.dir.path().join("elsewhere")).unwrap();
    let error = registry.package(&name("acme-a")).unwrap_err();
    assert!(matches!(error, IndexError::Unreachable { .. }), "{error}");
}

#[test]
fn a_reader_that_was_overtaken_reads_the_new_head_once() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    let registry = shelf.bare();
    let old =
        shelf.files("t").into_iter().chain(shelf.files("b")).chain(shelf.files("p")).collect::<Vec<_>>();
    shelf.publish("acme-a", "1.1.0");
    old.iter().for_each(|path| fs::remove_file(path).unwrap());
    assert_eq!(versions(&registry, "acme-a"), ["1.0.0", "1.1.0"]);
    assert_eq!(registry.head().version, 3);
}

#[test]
fn an_answer_does_not_change_while_a_registry_is_open() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    let registry = shelf.bare();
    assert_eq!(versions(&registry, "acme-a"), ["1.0.0"]);
    shelf.publish("acme-a", "1.1.0");
    assert_eq!(versions(&registry, "acme-a"), ["1.0.0"]);
    assert_eq!(versions(&shelf.bare(), "acme-a"), ["1.0.0", "1.1.0"]);
}
