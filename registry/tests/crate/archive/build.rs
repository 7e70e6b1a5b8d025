//! Making a package of a folder: the same bytes everywhere, no secrets, and never its own output.

use crate::archive::binaries::GLIBC;
use crate::archive::folder::{Folder, manifest, set_mode};
use pintle_manifest::{PackagePath, Target};
use pintle_registry::archive::Archive;
use pintle_registry::package::{DetectError, Options, PackageError, Packaged, SecretKind, package};
use std::path::Path;

fn options(out_dir: impl AsRef<Path>) -> Options {
    Options { target: None, allow_secrets: Vec::new(), out_dir: out_dir.as_ref().to_owned() }
}

/// A small package in the folder `package` of a new folder.
fn example() -> Folder {
    let folder = Folder::new();
    folder.write("package/extension.toml", "manifest_version = 1\n");
    folder.write("package/README.md", "read me\n");
    folder.write_program("package/bin/run", "#!/bin/sh\n");
    folder
}

fn make(folder: &Folder, options: &Options) -> Result<Packaged, PackageError> {
    package(&folder.path().join("package"), &manifest(&["bin/run"]), options)
}

#[test]
fn the_same_folder_gives_the_same_bytes_elsewhere_later_and_under_another_umask() {
    let (one, other) = (example(), example());
    let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    other.write("package/README.md", "read me\n");
    set_mode(&other.path().join("package/README.md"), 0o600);
    set_mode(&other.path().join("package/bin/run"), 0o700);
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    let file = std::fs::File::open(other.path().join("package/README.md")).unwrap();
    file.set_modified(past).unwrap();
    let made = make(&other, &options(other.path().join("out")));
    rustix::process::umask(before);
    let (made, first) = (made.unwrap(), make(&one, &options(one.path().join("out"))).unwrap());
    assert_eq!((made.archive, &made.tree), (first.archive, &first.tree));
    assert_eq!(std::fs::read(&made.path).unwrap(), std::fs::read(&first.path).unwrap());
    assert_eq!(first.path, one.path().join("out/blast-radius-0.3.1.tar.gz"));
    assert_eq!(first.target, Target::ANY);
    let paths: Vec<_> = first.tree.files().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["README.md", "bin/run", "extension.toml"]);
    let scan = Archive::open(&first.path).unwrap().measure().unwrap().scan().unwrap();
    assert_eq!(scan.tree, first.tree);
    assert_eq!(scan.manifest.unwrap(), b"manifest_version = 1\n");
}

#[test]
fn a_package_never_holds_an_earlier_one() {
    for out in ["package", "package/dist"] {
        let folder = example();
        let options = options(folder.path().join(out));
        let first = make(&folder, &options).unwrap();
        folder.write(&format!("{out}/blast-radius-0.3.0-x86_64-unknown-linux-gnu.tar.gz"), "an older one");
        folder.write(&format!("{out}/.blast-radius-0.3.1.tar.gz.tmp-1-0"), "what a killed run left");
        let second = make(&folder, &options).unwrap();
        assert_eq!(first, second, "{out}");
        assert_eq!(first.tree.len(), 3);
    }
}

#[test]
fn a_package_for_one_target_says_so_in_its_name() {
    let folder = example();
    folder.write_program("package/bin/run", GLIBC.bytes());
    let out = folder.path().join("out");
    let made = make(&folder, &options(&out)).unwrap();
    assert_eq!(made.path, out.join("blast-radius-0.3.1-x86_64-unknown-linux-gnu.tar.gz"));
    let musl = Target::parse("x86_64-unknown-linux-musl").unwrap();
    let error = make(&folder, &Options { target: Some(musl), ..options(&out) }).unwrap_err();
    assert!(matches!(error, PackageError::Target(DetectError::Mismatch { .. })), "{error}");
}

#[test]
fn secrets_are_refused_unless_each_is_named() {
    let folder = example();
    folder.write("package/.env", "TOKEN=1\n");
    folder.write("package/.npmrc", "//registry/:_authToken=abc\n");
    folder.write("package/.env.example", "TOKEN=\n");
    let out = folder.path().join("out");
    let allow = |paths: &[&str]| Options {
        allow_secrets: paths.iter().map(|path| PackagePath::parse(path).unwrap()).collect(),
        ..options(&out)
    };
    let refused = |options: &Options| match make(&folder, options).unwrap_err() {
        PackageError::Secrets { secrets } => {
            secrets.into_iter().map(|secret| (secret.path.to_string(), secret.kind)).collect::<Vec<_>>()
        }
        error => panic!("{error}"),
    };
    let env = (".env".to_owned(), SecretKind::Environment);
    let npmrc = (".npmrc".to_owned(), SecretKind::Credentials);
    assert_eq!(refused(&allow(&[])), [env.clone(), npmrc]);
    assert_eq!(refused(&allow(&[".npmrc"])), [env]);
    for nothing in ["none", "README.md"] {
        let error = make(&folder, &allow(&[".env", ".npmrc", nothing])).unwrap_err();
        assert!(matches!(error, PackageError::NothingAllowed { path } if path.as_str() == nothing));
    }
    assert!(!out.exists(), "nothing was written");
    assert_eq!(make(&folder, &allow(&[".env", ".npmrc"])).unwrap().tree.len(), 6);
}

#[test]
fn problems_leave_the_old_package_as_it_was() {
    let folder = example();
    let out = folder.path().join("out");
    let made = make(&folder, &options(&out)).unwrap();
    let before = std::fs::read(&made.path).unwrap();
    set_mode(&folder.path().join("package/bin/run"), 0o644);
    let error = make(&folder, &options(&out)).unwrap_err();
    assert!(
        matches!(&error, PackageError::Problems { findings } if findings[0].code == "package.entry_not_executable")
    );
    assert_eq!(
        error.to_string(),
        "the package has problems: `bin/run` is the program to run, but not executable"
    );
    set_mode(&folder.path().join("package/bin/run"), 0o755);
    std::fs::File::create(folder.path().join("package/large")).unwrap().set_len(600 << 20).unwrap();
    let error = make(&folder, &options(&out)).unwrap_err();
    assert!(matches!(error, PackageError::Problems { .. }), "{error}");
    assert_eq!(std::fs::read(&made.path).unwrap(), before);
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 1);
}
