//! From a folder to a package: the same bytes everywhere, and nothing shipped that should stay at home.

use crate::kit::Sandbox;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_new_extension_can_be_checked_installed_and_published_as_it_is() {
    for template in ["python", "node"] {
        let sandbox = Sandbox::with_registry();
        sandbox.pintle(["new", "my-ext", "--template", template]).succeeds();
        // All that is missing is what only its author can say.
        sandbox
            .pintle(["check", "my-ext"])
            .succeeds()
            .says("my-ext 0.1.0: 1 warning")
            .says("package.description");
        sandbox.pintle(["install", "./my-ext"]).succeeds();
        sandbox.pintle(["uninstall", "my-ext"]).succeeds();
        sandbox.pintle(["publish", "my-ext", "--registry", "main"]).succeeds();
        sandbox.pintle(["install", "my-ext"]).succeeds();
        sandbox.pintle(["verify"]).succeeds();
    }
    let sandbox = Sandbox::new();
    insta::assert_snapshot!(sandbox.pintle(["new", "my-ext"]), @"
    Started an extension in [root]/work dir/my-ext
    ---- standard error
    note: next: `pintle check ./my-ext`, then `pintle exec --with ./my-ext -- COMMAND`
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["new", "my-ext"]), @"
    ---- standard error
    error[new.not_empty]: `[root]/work dir/my-ext` is there and not empty
    help: choose another name, or another folder with `--path DIR`
    ---- exit code 1
    ");
    sandbox.pintle(["new", "my-ext", "--path", "elsewhere"]).succeeds();
    assert!(sandbox.work("elsewhere/extension.toml").exists());
}

#[test]
fn the_same_folder_gives_the_same_bytes_on_any_day_in_any_place_under_any_umask() {
    let sandbox = Sandbox::new();
    let make = |place: &str, umask: &str, day: &str, order: [&str; 3]| {
        let mut package = sandbox.package("acme-a").folder(sandbox.work(place));
        for name in order {
            package = package.file(name, 0o644, name);
        }
        let folder = package.write();
        for name in order {
            let mode = if umask == "umask 0077" { 0o600 } else { 0o666 };
            std::fs::set_permissions(folder.join(name), std::fs::Permissions::from_mode(mode)).unwrap();
        }
        let out = sandbox.work(&format!("{place}-out"));
        let run = sandbox.command(["package", "--format=json"]).arg(&folder).arg("--out-dir").arg(&out);
        let document = run.on(day).env("TZ", "Asia/Tokyo").after(umask).run().succeeds().json();
        std::fs::read(document["path"].as_str().unwrap()).unwrap()
    };
    let first = make("one", "umask 0022", "2030-01-10T12:00:00Z", ["a", "b/c", "d"]);
    let second = make("another place/deep", "umask 0077", "2041-07-01T00:00:00Z", ["d", "b/c", "a"]);
    let third = make("third", "umask 0000", "1999-01-01T00:00:00Z", ["b/c", "a", "d"]);
    assert!(first == second && second == third);
    assert_ne!(first, make("fourth", "umask 0022", "2030-01-10T12:00:00Z", ["a", "b/c", "e"]));
}

#[test]
fn what_is_ignored_or_excluded_is_left_out() {
    let sandbox = Sandbox::new();
    let package =
        sandbox.package("acme-a").folder(sandbox.work("acme-a")).extension("exclude = ['tests/**']");
    let package = package.file(".gitignore", 0o644, "/dist\n*.log\n").file("dist/old", 0o644, "x");
    let package =
        package.file("debug.log", 0o644, "x").file("tests/one", 0o644, "x").file("kept.txt", 0o644, "x");
    package.file(".git/config", 0o644, "x").write();
    insta::assert_snapshot!(sandbox.pintle(["package", "acme-a", "--list"]), @"
    .gitignore      12 B
    bin/run         32 B   executable
    extension.toml  237 B
    kept.txt        1 B
    ---- exit code 0
    ");
    insta::assert_snapshot!(sandbox.pintle(["package", "acme-a"]), @"
    [root]/work dir/acme-a/dist/acme-a-1.0.0.tar.gz
    4 files, 282 B unpacked, 363 B, for any
    tree sha256:[digest]
    ---- exit code 0
    ");
}

#[test]
fn what_looks_like_a_secret_is_not_shipped_unless_it_is_named() {
    let sandbox = Sandbox::with_registry();
    let token = format!("//npm.example/:_authToken=npm_{}\n", "a1B2".repeat(9));
    let key = format!("-----BEGIN {} KEY-----\nabc\n-----END {} KEY-----\n", "PRIVATE", "PRIVATE");
    let package =
        sandbox.package("acme-a").folder(sandbox.work("acme-a")).file(".env", 0o644, "PASSWORD=x\n");
    package.file("id_rsa", 0o600, key).file(".npmrc", 0o644, token).write();
    let before = sandbox.listing();
    insta::assert_snapshot!(sandbox.pintle(["package", "acme-a"]), @"
    ---- standard error
    error[package.secret]: `.env` looks like a file of environment secrets
      --> .env
    help: leave it out with `[extension] exclude`, or allow this very file when you package

    error[package.secret]: `.npmrc` looks like a file with a password or token
      --> .npmrc
    help: leave it out with `[extension] exclude`, or allow this very file when you package

    error[package.secret]: `id_rsa` looks like a private key
      --> id_rsa
    help: leave it out with `[extension] exclude`, or allow this very file when you package

    error[package.secret]: 3 files look like secrets, and no archive was made
    help: leave it out with `[extension] exclude`, or ship it all the same with `--allow-secret PATH`
    ---- exit code 1
    ");
    sandbox.pintle(["publish", "acme-a", "--registry", "main"]).fails(1, "package.secret");
    sandbox.pintle(["check", "acme-a"]).exits(1).says("package.secret");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a refused package");
    let allow = ["--allow-secret", ".env", "--allow-secret", "id_rsa", "--allow-secret", ".npmrc"];
    sandbox.command(["package", "acme-a"]).args(&allow[..4]).run().fails(1, "package.secret").says(".npmrc");
    sandbox.command(["package", "acme-a"]).args(allow).run().succeeds();
    insta::assert_snapshot!(sandbox.pintle(["package", "acme-a", "--allow-secret", "nothing"]), @"
    ---- standard error
    error[package.nothing_allowed]: `nothing` was allowed as a secret, but no such file looks like one
    help: take the option away, or mend its path
    ---- exit code 2
    ");
}

#[test]
fn links_and_special_files_are_not_shipped() {
    let sandbox = Sandbox::new();
    let folder = sandbox.package("acme-a").folder(sandbox.work("acme-a")).write();
    std::os::unix::fs::symlink("/etc/passwd", folder.join("passwd")).unwrap();
    insta::assert_snapshot!(sandbox.pintle(["package", "acme-a"]), @"
    ---- standard error
    error[package.link]: 1 file can't be part of a package
      caused by: `passwd` is a symbolic link
    help: rename them, or leave them out with `[extension] exclude`
    ---- exit code 1
    ");
}

#[test]
fn a_folder_that_is_depended_on_by_path_only_is_not_published() {
    let sandbox = Sandbox::with_registry();
    sandbox.package("acme-d").folder(sandbox.work("acme-d")).write();
    let folder = sandbox.package("acme-a").folder(sandbox.work("acme-a")).write();
    let manifest = folder.join("extension.toml");
    let text = sandbox.read(&manifest) + "[dependencies]\nacme-d = { path = \"../acme-d\" }\n";
    sandbox.write(&manifest, &text);
    sandbox.pintle(["publish", "acme-a", "--registry", "main"]).fails(1, "manifest.invalid").says("version");
    sandbox.write(&manifest, text.replace("{ path", "{ version = \"^1\", path"));
    sandbox.pintle(["publish", "acme-a", "--registry", "main"]).succeeds();
}

#[test]
fn no_file_is_left_after_publishing() {
    let sandbox = Sandbox::with_registry();
    sandbox.publish("acme-a", &["1.0.0"]);
    sandbox.package("acme-b").file("bin/run", 0o644, "not executable").try_publish_to("main").exits(1);
    sandbox.assert_no_leftovers();
    let left: Vec<String> =
        sandbox.listing().paths().filter(|path| path.starts_with("home dir/run/")).cloned().collect();
    assert!(left.iter().all(|path| !path.contains("publish")), "{left:?}");
}
