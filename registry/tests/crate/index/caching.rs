//! What is kept between runs, and that it may be lost, spoiled or unwritable at any time.

use crate::index::shelf::{Shelf, files_below, name, open, spoil, version, versions};
use pintle_registry::index::{CacheWarning, IndexError, Kind};
use pintle_registry::store::fs;
use std::path::{Path, PathBuf};

/// Makes a registry and reads all of it once, so that the cache is full.
fn filled() -> Shelf {
    let shelf = Shelf::new();
    for name in ["acme-a", "acme-b", "acme-c"] {
        shelf.publish(name, "1.0.0");
        shelf.publish(name, "1.1.0");
    }
    let registry = shelf.open();
    read_all(&shelf.open());
    read_all(&registry);
    registry.save_cache();
    shelf
}

fn read_all(registry: &pintle_registry::index::Registry) {
    for text in ["acme-a", "acme-b", "acme-c"] {
        let candidates = registry.candidates(&name(text)).unwrap().unwrap();
        let seen: Vec<_> = candidates.iter().map(|candidate| candidate.version().to_string()).collect();
        assert_eq!(seen, ["1.0.0", "1.1.0"]);
        let release = registry.release(&name(text), &version("1.1.0")).unwrap().unwrap();
        assert_eq!(release.description, format!("What {text} does"));
        assert_eq!(versions(registry, text), ["1.0.0", "1.1.0"]);
    }
}

fn cache_files(shelf: &Shelf) -> Vec<PathBuf> {
    files_below(&shelf.cache())
}

#[test]
fn nothing_but_the_head_is_read_when_nothing_changed() {
    let shelf = filled();
    let registry = shelf.open();
    read_all(&registry);
    assert_eq!(registry.traffic().requests, 1);
    assert!(registry.take_warnings().is_empty());
}

#[test]
fn only_what_changed_is_read_again() {
    let shelf = filled();
    shelf.publish("acme-b", "1.2.0");
    let registry = shelf.open();
    assert_eq!(versions(&registry, "acme-a"), ["1.0.0", "1.1.0"]);
    assert_eq!(versions(&registry, "acme-b"), ["1.0.0", "1.1.0", "1.2.0"]);
    assert_eq!(registry.traffic().requests, 4, "the head, the table, one bin, one document");
    registry.save_cache();
    let registry = shelf.offline().unwrap();
    let newest = registry.release(&name("acme-b"), &version("1.2.0")).unwrap();
    assert!(newest.is_some(), "what was read is there offline");
    assert!(registry.candidates(&name("acme-c")).unwrap().is_some(), "what was not used is kept");
}

#[test]
fn offline_reads_the_cache_alone() {
    let shelf = filled();
    fs::remove_tree(&shelf.root()).unwrap();
    read_all(&shelf.offline().unwrap());
    assert_eq!(shelf.offline().unwrap().traffic().requests, 0);
    let registry = shelf.offline().unwrap();
    assert_eq!(registry.package(&name("acme-x")).unwrap(), None, "the one bin is known, and it is not in it");
    let readme = registry.package(&name("acme-a")).unwrap().unwrap().releases[0].readme.unwrap();
    assert!(matches!(registry.readme(&readme), Err(IndexError::NotCached { kind: Kind::Archive, .. })));
}

#[test]
fn offline_says_what_was_never_seen() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    assert!(matches!(shelf.offline(), Err(IndexError::NeverSeen { .. })));
    shelf.open();
    let error = shelf.offline().unwrap().package(&name("acme-a")).unwrap_err();
    let expected =
        "the table of `acme-a` in the registry `main` is not in the cache, so it can't be used offline";
    assert!(matches!(error, IndexError::NotCached { .. }), "{error}");
    assert_eq!(error.to_string(), expected);
}

#[test]
fn a_registry_that_goes_back_is_refused() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    let old = fs::read(&shelf.root().join("head.json"), 10_000).unwrap();
    shelf.publish("acme-a", "1.1.0");
    shelf.open();
    let new = fs::read(&shelf.root().join("head.json"), 10_000).unwrap();
    spoil(&shelf.root().join("head.json"), &old);
    assert!(matches!(shelf.try_open(), Err(IndexError::Rollback { seen: 3, offered: 2, .. })));
    assert!(matches!(shelf.try_open(), Err(IndexError::Rollback { .. })), "it stays refused");
    let changed = String::from_utf8(new).unwrap().replace("\"packages\":1", "\"packages\":2");
    spoil(&shelf.root().join("head.json"), changed.as_bytes());
    assert!(matches!(shelf.try_open(), Err(IndexError::Diverged { version: 3, .. })));
}

#[test]
fn case_31_readers_side_by_side_share_one_cache() {
    let shelf = filled();
    fs::remove_tree(&shelf.cache()).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let registry = shelf.open();
                read_all(&registry);
                registry.save_cache();
                assert!(registry.take_warnings().is_empty());
            });
        }
    });
    assert!(cache_files(&shelf).iter().all(|path| path.metadata().unwrap().len() > 0));
    assert!(cache_files(&shelf).iter().all(|path| !path.to_string_lossy().contains(".tmp-")));
    fs::remove_tree(&shelf.root()).unwrap();
    read_all(&shelf.offline().unwrap());
}

#[test]
fn case_32_a_missing_part_of_the_cache_is_read_again() {
    let count = cache_files(&filled()).len();
    for place in 0..count {
        let shelf = filled();
        fs::remove_file(&cache_files(&shelf)[place]).unwrap();
        read_all(&shelf.open());
    }
    for directory in ["index-v1/t", "index-v1/b", "index-v1/p", "index-v1/registries", "index-v1", ""] {
        let shelf = filled();
        fs::remove_tree(&shelf.cache().join(directory)).unwrap();
        let registry = shelf.open();
        read_all(&registry);
        registry.save_cache();
        assert!(registry.take_warnings().is_empty(), "{directory}");
        read_all(&shelf.offline().unwrap());
    }
}

#[test]
fn case_32_a_part_that_vanishes_offline_is_named_by_its_package() {
    let shelf = filled();
    for path in cache_files(&shelf) {
        let is_document = path.parent().is_some_and(|parent| parent.ends_with("p"));
        if is_document || path.ends_with("pack-v1") {
            fs::remove_file(&path).unwrap();
        }
    }
    let error = shelf.offline().unwrap().package(&name("acme-b")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the package document of `acme-b` in the registry `main` is not in the cache, so it can't be used offline"
    );
}

#[test]
fn case_34_a_cache_entry_that_cannot_be_replaced_is_not_believed() {
    let shelf = filled();
    let objects = shelf.cache().join("index-v1/p");
    let entries = files_below(&objects);
    for entry in &entries {
        // A directory in its place can't be replaced by a file, whoever asks.
        fs::remove_file(entry).unwrap();
        fs::create_dirs(&entry.join("full")).unwrap();
    }
    for _ in 0..2 {
        let registry = shelf.open();
        fs::remove_file(&pack_of(&shelf)).unwrap();
        read_all(&registry);
        let warnings = registry.take_warnings();
        assert!(
            warnings.iter().any(|warning| matches!(warning, CacheWarning::Unwritable(error)
            if error.path.starts_with(&objects))),
            "{warnings:?}"
        );
        let unwritable = |warning: &&CacheWarning| matches!(warning, CacheWarning::Unwritable(_));
        assert_eq!(warnings.iter().filter(unwritable).count(), 1, "it is said once");
    }
}

fn pack_of(shelf: &Shelf) -> PathBuf {
    cache_files(shelf)
        .into_iter()
        .find(|path| path.ends_with("pack-v1"))
        .unwrap_or_else(|| shelf.cache().join("none"))
}

#[test]
fn case_34_a_cache_that_is_no_directory_is_done_without() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    fs::draft(&shelf.cache(), b"").unwrap();
    let registry = shelf.open();
    assert_eq!(versions(&registry, "acme-a"), ["1.0.0"]);
    registry.save_cache();
    assert!(matches!(registry.take_warnings()[..], [CacheWarning::Unwritable(_), ..]));
}

#[test]
fn case_35_a_cache_entry_of_another_make_is_a_miss() {
    let original = filled();
    let files = cache_files(&original);
    let relative: Vec<_> =
        files.iter().map(|path| path.strip_prefix(original.cache()).unwrap().to_owned()).collect();
    let newer = |bytes: &[u8]| match bytes.first() {
        Some(b'{') => String::from_utf8_lossy(bytes).replace("\"format\":1", "\"format\":2").into_bytes(),
        _ => [&bytes[..4], &[9], &bytes[5..]].concat(),
    };
    type Spoil<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;
    let ways: [Spoil<'_>; 6] = [
        &|_| Vec::new(),
        &|_| b"\xff\xfe random \0 bytes".to_vec(),
        &|bytes| bytes[..bytes.len() - 1].to_vec(),
        &|bytes| [bytes, b"x"].concat(),
        &|bytes| String::from_utf8_lossy(bytes).replace("\"packages\":3,", "").into_bytes(),
        &newer,
    ];
    for (place, file) in files.iter().enumerate() {
        let whole = fs::read(file, 1 << 20).unwrap();
        for way in ways {
            spoil(file, &way(&whole));
            let registry = original.open();
            read_all(&registry);
            registry.save_cache();
            read_all(
                &original.offline().unwrap_or_else(|error| panic!("{}: {error}", relative[place].display())),
            );
        }
    }
}

#[test]
fn a_foreign_layout_beside_it_is_left_alone() {
    let shelf = filled();
    let foreign = shelf.cache().join("index-v2/p/x");
    fs::create_dirs(fs_parent(&foreign)).unwrap();
    fs::draft(&foreign, b"newer").unwrap();
    read_all(&shelf.open());
    assert_eq!(fs::read(&foreign, 10).unwrap(), b"newer");
}

fn fs_parent(path: &Path) -> &Path {
    fs::parent(path)
}

#[test]
fn two_registries_do_not_share_a_head() {
    let (one, two) = (filled(), Shelf::new());
    two.publish("acme-z", "1.0.0");
    let registry = open(&two.root(), Some(&one.cache()), false).unwrap();
    assert_eq!(versions(&registry, "acme-z"), ["1.0.0"]);
    assert_eq!(versions(&registry, "acme-a"), [""; 0]);
}

#[test]
fn a_yank_is_seen_through_the_pack() {
    let shelf = filled();
    let (package, release) = (name("acme-a"), version("1.1.0"));
    let now = crate::index::shelf::time("2026-02-01T00:00:00Z");
    pintle_registry::index::yank(&shelf.root(), (&package, &release), "broken", None, now).unwrap();
    for _ in 0..2 {
        let registry = shelf.open();
        assert!(registry.candidates(&package).unwrap().unwrap().get(&release).unwrap().yanked());
        let full = registry.release(&package, &release).unwrap().unwrap();
        assert_eq!(full.yanked.unwrap().reason, "broken");
        registry.save_cache();
    }
}
