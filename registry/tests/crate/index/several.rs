//! Several registries at once: a name belongs to exactly one.

use crate::index::shelf::{Shelf, name, registry_name, versions};
use pintle_registry::index::{FindError, IndexError, NameGlob, Registries, Registry};
use pintle_registry::store::fs;
use std::path::Path;

fn open(text: &str, root: &Path) -> Result<Registry, IndexError> {
    Registry::open(registry_name(text), root, None, false)
}

fn both(corp: &Shelf, public: &Shelf, claims: &[&str]) -> Registries {
    let claims = claims.iter().map(|claim| NameGlob::parse(claim).unwrap()).collect();
    let mut registries = Registries::new();
    registries.add(registry_name("public"), open("public", &public.root()), Vec::new());
    registries.add(registry_name("corp"), open("corp", &corp.root()), claims);
    registries
}

fn collision() -> (Shelf, Shelf) {
    let (corp, public) = (Shelf::new(), Shelf::new());
    corp.publish("acme-int", "1.0.0");
    public.publish("acme-int", "99.0.0");
    public.publish("shell-words", "1.2.0");
    (corp, public)
}

#[test]
fn case_22_a_name_in_two_registries_is_ambiguous_whatever_its_versions() {
    let (corp, public) = collision();
    let registries = both(&corp, &public, &[]);
    let error = registries.find(&name("acme-int"), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`acme-int` is in several registries (`corp`, `public`), and nothing says which one is meant"
    );
    let (found, package) = registries.find(&name("shell-words"), None).unwrap().unwrap();
    assert_eq!((found.as_str(), package.releases.len()), ("public", 1));
    assert!(registries.find(&name("nowhere"), None).unwrap().is_none());
}

#[test]
fn case_22_a_name_that_is_bound_or_claimed_is_looked_up_in_one_place() {
    let (corp, public) = collision();
    let corp_name = registry_name("corp");
    let check = |registries: &Registries, bound, expected: &[&str]| {
        let (found, package) = registries.find(&name("acme-int"), bound).unwrap().unwrap();
        assert_eq!(found, corp_name);
        let seen: Vec<_> = package.releases.iter().map(|release| release.version.to_string()).collect();
        assert_eq!(seen, expected);
    };
    check(&both(&corp, &public, &[]), Some(&corp_name), &["1.0.0"]);
    let claimed = both(&corp, &public, &["acme-*"]);
    check(&claimed, None, &["1.0.0"]);
    assert_eq!(claimed.asked(&name("acme-int"), None), [&corp_name]);
    public.publish("acme-other", "1.0.0");
    let claimed = both(&corp, &public, &["acme-*"]);
    assert!(
        claimed.find(&name("acme-other"), None).unwrap().is_none(),
        "what is claimed is sought nowhere else"
    );
    let wrong = registry_name("crop");
    match claimed.find(&name("acme-int"), Some(&wrong)).unwrap_err() {
        FindError::UnknownRegistry { nearest, .. } => assert_eq!(nearest, Some(corp_name.clone())),
        other => panic!("{other}"),
    }
}

#[test]
fn case_23_a_registry_that_cannot_be_read_never_falls_through() {
    for damage in ["gone", "empty", "garbage", "objects"] {
        let (corp, public) = collision();
        let root = corp.root();
        match damage {
            "gone" => fs::remove_tree(&root).unwrap(),
            "empty" => {
                fs::remove_tree(&root).unwrap();
                fs::create_dirs(&root).unwrap();
            }
            "garbage" => crate::index::shelf::spoil(&root.join("head.json"), b"<html>"),
            _ => corp.files("b").iter().for_each(|path| fs::remove_file(path).unwrap()),
        }
        let registries = both(&corp, &public, &[]);
        for text in ["acme-int", "shell-words"] {
            let error = registries.find(&name(text), None).unwrap_err();
            assert!(matches!(error, FindError::Index(_)), "{damage}: {error}");
        }
        let public_name = registry_name("public");
        let found = registries.find(&name("shell-words"), Some(&public_name)).unwrap();
        assert!(found.is_some(), "{damage}: a bound name does not need the other registry");
        let claimed = both(&corp, &public, &["acme-*"]);
        assert!(matches!(claimed.find(&name("acme-int"), None), Err(FindError::Index(_))), "{damage}");
    }
}

#[test]
fn case_23_an_object_that_vanishes_while_asked_is_an_error_too() {
    let (corp, public) = collision();
    let registries = both(&corp, &public, &[]);
    let registry = registries.get(&registry_name("corp")).unwrap();
    fs::remove_tree(&corp.root()).unwrap();
    assert!(registry.package(&name("acme-int")).is_err());
    assert!(registries.find(&name("acme-int"), None).is_err());
    assert_eq!(versions(registries.get(&registry_name("public")).unwrap(), "acme-int"), ["99.0.0"]);
}
