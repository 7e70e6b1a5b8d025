//! What may be published and yanked, also by many at once.

use crate::index::shelf::{Shelf, name, spoil, time, version, versions};
use pintle_manifest::{PermissionValue, Requirement, Target};
use pintle_registry::index::{
    InitError, NewRelease, PublishError, YankError, check, init, publish, unyank, yank,
};
use pintle_registry::store::fs;

#[test]
fn a_registry_is_made_once_and_only_where_nothing_is() {
    let shelf = Shelf::new();
    assert!(init(&shelf.root()).unwrap().already);
    let other = shelf.dir.path().join("other");
    fs::create_dirs(&other).unwrap();
    fs::draft(&other.join("notes.txt"), b"x").unwrap();
    match init(&other).unwrap_err() {
        InitError::NotEmpty { holds, .. } => assert_eq!(holds.to_str(), Some("notes.txt")),
        error @ InitError::Change(_) => panic!("{error}"),
    }
    assert_eq!(std::fs::read_dir(&other).unwrap().count(), 1, "nothing was left there");
}

#[test]
fn a_registry_that_was_made_by_half_is_finished() {
    let shelf = Shelf::new();
    fs::remove_file(&shelf.root().join("head.json")).unwrap();
    fs::draft(&shelf.root().join(".head.json.tmp-1-1"), b"{").unwrap();
    assert!(!init(&shelf.root()).unwrap().already);
    shelf.publish("acme-a", "1.0.0");
    fs::remove_file(&shelf.root().join("head.json")).unwrap();
    assert!(
        matches!(init(&shelf.root()), Err(InitError::NotEmpty { .. })),
        "a lost head is not an empty registry"
    );
}

#[test]
fn case_30_a_version_never_gets_other_bytes() {
    let shelf = Shelf::new();
    let first = shelf.release("acme-a", "1.0.0", "one");
    assert!(!shelf.try_publish(&first).unwrap().already);
    let head = fs::read(&shelf.root().join("head.json"), 10_000).unwrap();
    assert!(shelf.try_publish(&first).unwrap().already, "the same bytes are there already");
    let mut second = shelf.release("acme-a", "1.0.0", "two");
    second.published = time("2026-03-01T00:00:00Z");
    match shelf.try_publish(&second).unwrap_err() {
        PublishError::VersionExists { existing, offered, .. } => {
            assert_eq!((existing.archive, existing.tree), (first.artifact.archive, first.artifact.tree));
            assert_eq!((existing.published, offered), (first.published, second.artifact.archive));
        }
        other => panic!("{other}"),
    }
    assert_eq!(fs::read(&shelf.root().join("head.json"), 10_000).unwrap(), head);
    assert_eq!(shelf.files("a").len(), 2, "the archive and the readme; the refused archive was not copied");
}

#[test]
fn build_metadata_makes_no_other_version() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0+one");
    let error = shelf.try_publish(&shelf.release("acme-a", "1.0.0+two", "two")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`acme-a` has version 1.0.0+one already, and build metadata does not make 1.0.0+two another version"
    );
    assert!(shelf.try_publish(&shelf.release("acme-a", "1.0.0", "two")).is_err());
}

#[test]
fn every_target_of_a_release_says_the_same() {
    let shelf = Shelf::new();
    let linux = Target::parse("x86_64-unknown-linux-gnu").unwrap();
    shelf.publish("acme-a", "1.0.0");
    let second = || NewRelease { target: linux, ..shelf.release("acme-a", "1.0.0", "for linux") };
    type Change<'a> = &'a dyn Fn(&mut NewRelease);
    let changes: [(&str, Change<'_>); 10] = [
        ("hosts", &|new| new.hosts.clear()),
        ("dependencies", &|new| drop(new.dependencies.insert(name("acme-b"), Requirement::any()))),
        ("permissions", &|new| drop(new.permissions.insert("ui".to_owned(), PermissionValue::All))),
        ("runtime", &|new| new.runtime = pintle_registry::index::Runtime::Native),
        ("description", &|new| new.description.push('.')),
        ("license", &|new| new.license = None),
        ("keywords", &|new| new.keywords.clear()),
        ("repository", &|new| new.repository = Some("https://example.org".to_owned())),
        ("homepage", &|new| new.homepage = Some("https://example.org".to_owned())),
        ("readme", &|new| new.readme = None),
    ];
    for (expected, change) in changes {
        let mut new = second();
        change(&mut new);
        match shelf.try_publish(&new).unwrap_err() {
            PublishError::MetadataDiffers { field, .. } => assert_eq!(field, expected),
            other => panic!("{other}"),
        }
    }
    let published = shelf.try_publish(&second()).unwrap();
    assert_eq!(
        published.targets,
        [Target::ANY, linux]
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
    );
    let package = shelf.bare().package(&name("acme-a")).unwrap().unwrap();
    let release = &package.releases[0];
    assert_eq!(release.artifact_for(linux).unwrap().0, linux, "a machine takes its own first");
    let mac = Target::parse("aarch64-apple-darwin").unwrap();
    assert_eq!(release.artifact_for(mac).unwrap().0, Target::ANY);
}

#[test]
fn names_that_a_reader_would_confuse_are_refused() {
    let shelf = Shelf::new();
    shelf.publish("blast-radius", "1.0.0");
    shelf.publish("modern-tabs", "1.0.0");
    let check = |text: &str, dashes: bool| match shelf
        .try_publish(&shelf.release(text, "1.0.0", text))
        .unwrap_err()
    {
        PublishError::NameTooClose { .. } => assert!(dashes, "{text}"),
        PublishError::NameConfusable { .. } => assert!(!dashes, "{text}"),
        other => panic!("{other}"),
    };
    check("blastradius", true);
    check("blast-rad-ius", true);
    check("b1ast-radius", false);
    check("modem-tabs", false);
    shelf.publish("blast-radius", "1.1.0");
    shelf.publish("blast-radii", "1.0.0");
}

#[test]
fn case_54_a_name_is_never_free_again() {
    let shelf = Shelf::new();
    shelf.publish("acme-x", "1.0.0");
    let now = time("2026-02-01T00:00:00Z");
    yank(&shelf.root(), (&name("acme-x"), &version("1.0.0")), "withdrawn", None, now).unwrap();
    let other = shelf.release("acme-x", "1.0.0", "of someone else");
    assert!(matches!(shelf.try_publish(&other), Err(PublishError::VersionExists { .. })));
    assert_eq!(shelf.versions("acme-x"), ["1.0.0"]);
}

#[test]
fn what_is_published_is_what_was_packed() {
    let shelf = Shelf::new();
    let release = shelf.release("acme-a", "1.0.0", "packed");
    spoil(&release.archive, b"Packed");
    assert!(matches!(shelf.try_publish(&release), Err(PublishError::ArchiveDiffers { .. })));
    fs::remove_file(&release.archive).unwrap();
    assert!(matches!(shelf.try_publish(&release), Err(PublishError::Archive(_))));
    let mut itself = shelf.release("acme-a", "1.0.0", "packed");
    itself.dependencies.insert(name("acme-a"), Requirement::any());
    assert!(matches!(shelf.try_publish(&itself), Err(PublishError::DependsOnItself { .. })));
    let mut large = shelf.release("acme-a", "1.0.0", "packed");
    large.readme = Some(vec![b'x'; (1 << 20) + 1]);
    assert!(matches!(shelf.try_publish(&large), Err(PublishError::TooLarge { what: "readme", .. })));
    assert_eq!(
        shelf.files("a"),
        [""; 0].map(std::path::PathBuf::from),
        "nothing is left of what was refused"
    );
    let large = shelf.release("acme-a", "1.0.0", "packed");
    publish(&shelf.root(), &NewRelease { description: "x".repeat(3_000), ..large }).unwrap_err();
}

#[test]
fn publishers_at_the_same_moment_all_land() {
    let shelf = Shelf::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let shelf = &shelf;
            scope.spawn(move || {
                for minor in 0..3 {
                    shelf.publish("acme-shared", &format!("{number}.{minor}.0"));
                    shelf.publish(
                        &format!("acme-{}", ["a", "c", "e", "f", "h", "j", "k", "m"][number]),
                        &format!("1.{minor}.0"),
                    );
                }
            });
        }
    });
    assert_eq!(shelf.versions("acme-shared").len(), 24);
    assert_eq!(shelf.bare().names().unwrap().len(), 9);
    let head = shelf.bare().head();
    assert_eq!((head.version, head.packages), (49, 9), "one version for each change");
    let report = check(&shelf.root(), None).unwrap();
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    assert_eq!(report.releases, 48);
}

#[test]
fn of_two_publishers_of_one_version_one_is_refused() {
    let shelf = Shelf::new();
    let releases = ["one", "two"].map(|bytes| shelf.release("acme-a", "1.0.0", bytes));
    let landed = std::thread::scope(|scope| {
        releases
            .each_ref()
            .map(|release| scope.spawn(|| shelf.try_publish(release)))
            .map(|one| one.join().unwrap())
    });
    assert_eq!(landed.iter().filter(|result| result.is_ok()).count(), 1, "{landed:?}");
    assert!(landed.iter().any(|result| matches!(result, Err(PublishError::VersionExists { .. }))));
}

#[test]
fn a_publisher_killed_before_the_head_leaves_the_old_registry() {
    let shelf = Shelf::new();
    shelf.publish("acme-a", "1.0.0");
    let head = fs::read(&shelf.root().join("head.json"), 10_000).unwrap();
    shelf.publish("acme-a", "1.1.0");
    spoil(&shelf.root().join("head.json"), &head);
    assert_eq!(shelf.versions("acme-a"), ["1.0.0"]);
    let report = check(&shelf.root(), None).unwrap();
    assert!(report.findings.is_empty());
    assert_eq!(
        report.unreferenced, 5,
        "two tables, bins and documents are of old states, one archive of the new: {report:?}"
    );
    shelf.publish("acme-a", "1.1.0");
    assert_eq!(shelf.versions("acme-a"), ["1.0.0", "1.1.0"]);
}

#[test]
fn a_yank_says_why_and_can_be_taken_back() {
    let shelf = Shelf::new();
    for version in ["1.0.0", "1.1.0", "1.2.0", "2.0.0"] {
        shelf.publish("acme-a", version);
    }
    let (package, now) = (name("acme-a"), time("2026-02-01T00:00:00Z"));
    let instead = Requirement::parse("^1.2").unwrap();
    let yank_at = |text: &str, reason: &str, now| {
        yank(&shelf.root(), (&package, &version(text)), reason, Some(&instead), now)
    };
    assert!(yank_at("1.1.0", "loses data", now).unwrap());
    assert!(!yank_at("1.1.0", "loses data", time("2026-03-01T00:00:00Z")).unwrap(), "it was yanked already");
    let found = shelf.bare().release(&package, &version("1.1.0")).unwrap().unwrap().yanked.unwrap();
    assert_eq!(
        (found.reason.as_str(), found.use_instead.as_ref(), found.at),
        ("loses data", Some(&instead), now)
    );
    assert!(yank_at("1.1.0", "loses all data", now).unwrap());
    match yank_at("1.1.1", "x", now).unwrap_err() {
        YankError::UnknownVersion { near, .. } => {
            assert_eq!(near, ["1.0.0", "1.1.0", "1.2.0", "2.0.0"].map(version));
        }
        other => panic!("{other}"),
    }
    match yank(&shelf.root(), (&name("acme-aa"), &version("1.0.0")), "x", None, now).unwrap_err() {
        YankError::UnknownPackage { nearest, .. } => assert_eq!(nearest, Some(package.clone())),
        other => panic!("{other}"),
    }
    assert!(matches!(yank_at("1.1.0", " ", now), Err(YankError::NoReason)));
    let itself = Requirement::exact(&version("1.0.0"));
    let error = yank(&shelf.root(), (&package, &version("1.0.0")), "x", Some(&itself), now).unwrap_err();
    assert!(matches!(error, YankError::InsteadOfItself { .. }));
    assert!(unyank(&shelf.root(), &package, &version("1.1.0")).unwrap());
    assert!(!unyank(&shelf.root(), &package, &version("1.1.0")).unwrap());
    assert_eq!(versions(&shelf.bare(), "acme-a"), ["1.0.0", "1.1.0", "1.2.0", "2.0.0"]);
}
