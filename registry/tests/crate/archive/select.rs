//! Which files of a folder are part of the package.

use crate::archive::folder::{Folder, manifest};
use pintle_registry::package::{Reason, SelectError, files};

fn selected(folder: &Folder, include: &[&str], exclude: &[&str]) -> Vec<String> {
    let mut manifest = manifest(&["node", "main.mjs"]);
    manifest.selection.include = include.iter().map(ToString::to_string).collect();
    manifest.selection.exclude = exclude.iter().map(ToString::to_string).collect();
    let selected = files(folder.path(), &manifest).unwrap();
    selected.files.iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn gitignore_is_honoured_as_it_stands_in_the_folder_and_nothing_else_is() {
    let outer = Folder::new();
    outer.write(".gitignore", "main.mjs\n");
    outer.write(".git/info/exclude", "main.mjs\n");
    let folder = outer.path().join("package");
    outer.write("package/.gitignore", "target/\r\n*.log\r\n!keep.log\r\n");
    outer.write("package/.ignore", "main.mjs\n");
    outer.write("package/.git/info/exclude", "main.mjs\n");
    for name in [
        "extension.toml",
        "main.mjs",
        "a.log",
        "keep.log",
        "target/x",
        "sub/b.log",
        "sub/own",
        "sub/c",
        ".hidden",
    ] {
        outer.write(&format!("package/{name}"), "x");
    }
    outer.write("package/sub/.gitignore", "/own\n");
    outer.write("package/sub/.svn/entries", "x");
    outer.write("package/vendored/.git", "gitdir: elsewhere\n");
    outer.write("package/vendored/file", "x");
    let found = files(&folder, &manifest(&["node", "main.mjs"])).unwrap();
    let found: Vec<_> = found.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        found,
        [
            ".gitignore",
            ".hidden",
            ".ignore",
            "extension.toml",
            "keep.log",
            "main.mjs",
            "sub/.gitignore",
            "sub/c",
            "vendored/file"
        ]
    );
}

#[test]
fn include_and_exclude_choose_and_the_manifest_is_always_there() {
    let folder = Folder::new();
    folder.write(".gitignore", "bin/\nextension.toml\n");
    for name in ["extension.toml", "bin/run", "bin/run.debug", "src/main.rs", "README.md", "docs/README.md"] {
        folder.write(name, "x");
    }
    let check = |include: &[&str], exclude: &[&str], expected: &[&str]| {
        assert_eq!(selected(&folder, include, exclude), expected, "{include:?} {exclude:?}");
    };
    let all = [".gitignore", "README.md", "docs/README.md", "extension.toml", "src/main.rs"];
    check(&[], &[], &all);
    check(&["bin/"], &[], &["bin/run", "bin/run.debug", "extension.toml"]);
    check(&["bin", "/README.md"], &["*.debug"], &["README.md", "bin/run", "extension.toml"]);
    check(&["**/*.rs"], &[], &["extension.toml", "src/main.rs"]);
    check(&["*", "!docs/**"], &["bin", ".gitignore"], &["README.md", "extension.toml", "src/main.rs"]);
    check(&[], &["extension.toml", "/src", "docs/**", ".gitignore"], &["README.md", "extension.toml"]);
    let mut manifest = manifest(&["node"]);
    manifest.selection.exclude = vec!["a{b".to_owned()];
    let error = files(folder.path(), &manifest).unwrap_err();
    assert_eq!(error.to_string(), "`a{b` is not a pattern");
}

#[test]
fn case_08_everything_that_can_not_ship_is_refused_together() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    folder.write("extension.toml", "x");
    let outside = folder.path().join("extension.toml");
    std::os::unix::fs::symlink(&outside, folder.path().join("link")).unwrap();
    std::os::unix::fs::symlink(folder.path(), folder.path().join("loop")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, folder.path().join("pipe"), rustix::fs::Mode::RWXU).unwrap();
    for name in
        ["bin/Run", "bin/run", "Dir/a", "dir/b", "con.txt", "a b", "e\u{301}.txt", "\u{e9}.txt", "x\ny"]
    {
        folder.write(name, "x");
    }
    let name = std::ffi::OsStr::from_bytes(b"\xff.bin");
    std::fs::File::create(folder.path().join(name)).unwrap();
    let SelectError::Refused { files } = files(folder.path(), &manifest(&["node"])).unwrap_err() else {
        panic!("files are refused")
    };
    let refused: Vec<_> = files.iter().map(|file| (file.path.as_str(), file.reason.code())).collect();
    assert_eq!(
        refused,
        [
            ("a b", "package.path"),
            ("bin/run", "package.collision"),
            ("con.txt", "package.path"),
            ("dir/b", "package.collision"),
            ("e\u{301}.txt", "package.path"),
            ("link", "package.link"),
            ("loop", "package.link"),
            ("pipe", "package.special_file"),
            ("x\ny", "package.path"),
            ("\u{e9}.txt", "package.path"),
            ("\u{fffd}.bin", "package.path"),
        ]
    );
    assert!(files[0].to_string().starts_with("`a b` has a name that not every platform takes"));
    assert!(!files[8].to_string().contains('\n'));
    assert!(matches!(files[10].reason, Reason::NotUtf8));
}

#[test]
fn what_is_left_out_is_not_refused() {
    let folder = Folder::new();
    folder.write("extension.toml", "x");
    folder.write("a b", "x");
    std::os::unix::fs::symlink("elsewhere", folder.path().join("link")).unwrap();
    assert_eq!(selected(&folder, &[], &["link", "a b"]), ["extension.toml"]);
}

#[test]
fn a_folder_needs_a_manifest_that_is_a_file() {
    let folder = Folder::new();
    let error = files(folder.path(), &manifest(&["node"])).unwrap_err();
    assert!(matches!(error, SelectError::Disk(error) if error.is_not_found()));
    folder.write("other.toml", "x");
    std::os::unix::fs::symlink("other.toml", folder.path().join("extension.toml")).unwrap();
    assert!(matches!(files(folder.path(), &manifest(&["node"])), Err(SelectError::Refused { .. })));
}

#[test]
fn the_owners_executable_bit_counts_and_a_folder_behind_a_link_is_the_folder() {
    let folder = Folder::new();
    folder.write("package/extension.toml", "x");
    folder.write_program("package/run", "x");
    crate::archive::folder::set_mode(&folder.write("package/for-others", "x"), 0o655);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("package"), &link).unwrap();
    let found = files(&link, &manifest(&["./run"])).unwrap();
    let found: Vec<_> = found.files.iter().map(|file| (file.path.as_str(), file.executable)).collect();
    assert_eq!(found, [("extension.toml", false), ("for-others", false), ("run", true)]);
}
