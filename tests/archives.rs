//! Archives that no honest tool makes: each is refused with a code of its own, the entry named, and nothing outside
//! of the staging directory touched.

use crate::kit::{RawEntry, Sandbox, archive_of, gzip, tar_of};

const RUN: &[u8] = b"#!/bin/sh\n";

fn manifest(sandbox: &Sandbox) -> Vec<u8> {
    sandbox.package("acme-a").manifest().into_bytes()
}

/// Installs and publishes an archive of these entries beside a good manifest; both must refuse it alike.
#[track_caller]
fn refuses(sandbox: &Sandbox, entries: &[RawEntry<'_>], code: &str, named: &str) {
    let manifest = manifest(sandbox);
    let mut all = vec![RawEntry { mode: 0o755, ..RawEntry::file(b"bin/run", RUN) }];
    all.push(RawEntry::file(b"extension.toml", &manifest));
    all.extend_from_slice(entries);
    all.sort_by_key(|entry| entry.name);
    refuses_bytes(sandbox, &archive_of(&all), code, named);
}

#[track_caller]
fn refuses_bytes(sandbox: &Sandbox, bytes: &[u8], code: &str, named: &str) {
    let archive = sandbox.work("acme-a-1.0.0.tar.gz");
    sandbox.write(&archive, bytes);
    let before = sandbox.listing();
    let outputs = [
        sandbox.command(["install", "--format", "json"]).arg(&archive).run(),
        sandbox.command(["publish", "--format", "json", "--registry", "main"]).arg(&archive).run(),
    ];
    for output in outputs {
        let output = output.fails(4, code).says(named);
        assert!(!output.raw_stdout.contains(['\0', '\u{1b}']), "{output}");
    }
    let after = sandbox.listing();
    before.without_traces().assert_same(&after.without_traces(), named);
}

#[test]
fn case_07_an_entry_that_leads_out_of_the_package_is_refused() {
    let sandbox = Sandbox::with_registry();
    let file = |name| [RawEntry::file(name, b"pwned")];
    refuses(&sandbox, &file(b"../../evil"), "archive.path", "../../evil");
    refuses(&sandbox, &file(b"/tmp/evil"), "archive.path", "/tmp/evil");
    refuses(&sandbox, &file(b"C:\\evil"), "archive.path", "C:");
    refuses(&sandbox, &file(b"..\\evil"), "archive.path", "evil");
    refuses(&sandbox, &file(b"a\x1b[2Jb"), "archive.path", "[2Jb");
    refuses(&sandbox, &[RawEntry::special(b"a", b'2', b"../../..")], "archive.link", "`a`");
    refuses(&sandbox, &[RawEntry::special(b"a", b'2', b"/etc/passwd")], "archive.link", "`a`");
    // A link that stays inside is refused as well: a package holds files only.
    refuses(&sandbox, &[RawEntry::special(b"b", b'2', b"./c")], "archive.link", "`b`");
    refuses(&sandbox, &[RawEntry::special(b"a", b'1', b"../x")], "archive.link", "`a`");
    refuses(&sandbox, &[RawEntry::special(b"a", b'6', b"")], "archive.fifo", "`a`");
    refuses(&sandbox, &[RawEntry::special(b"a", b'5', b"")], "archive.directory", "`a`");
    refuses(&sandbox, &[RawEntry { mode: 0o4755, ..RawEntry::file(b"a", RUN) }], "archive.mode", "`a`");
}

#[test]
fn case_08_paths_that_collide_on_some_file_system_are_refused() {
    let sandbox = Sandbox::with_registry();
    let two = |one, other| [RawEntry::file(one, b"1"), RawEntry::file(other, b"2")];
    refuses(&sandbox, &two(b"bin/Run", b"bin/z"), "archive.collision", "bin/Run");
    refuses(&sandbox, &two(b"Dir/a", b"dir/b"), "archive.collision", "dir");
    refuses(&sandbox, &two(b"con.txt", b"z"), "archive.path", "con.txt");
    refuses(&sandbox, &two(b"aux", b"z"), "archive.path", "aux");
    // Only ASCII is allowed, so that two spellings of one letter can't meet.
    refuses(&sandbox, &two("e\u{301}.txt".as_bytes(), "\u{e9}.txt".as_bytes()), "archive.path", ".txt");
}

#[test]
fn case_08_a_folder_with_such_paths_is_not_packaged() {
    let sandbox = Sandbox::with_registry();
    let check = |files: [&str; 2], code: &str| {
        let package = sandbox.package("acme-a").folder(sandbox.work(code));
        let folder = package.file(files[0], 0o644, "1").file(files[1], 0o644, "2").write();
        sandbox.command(["package"]).arg(&folder).run().fails(1, code).says(files[0]);
        sandbox.command(["check"]).arg(&folder).run().exits(1).says(files[0]);
    };
    check(["README.md", "ReadMe.md"], "package.collision");
    check(["con.txt", "fine"], "package.path");
}

#[test]
fn an_archive_says_what_is_wrong_with_it() {
    let sandbox = Sandbox::with_registry();
    let archive = sandbox.work("acme-a-1.0.0.tar.gz");
    let manifest = manifest(&sandbox);
    sandbox.write(
        &archive,
        archive_of(&[
            RawEntry::special(b"a", b'2', b"/etc/passwd"),
            RawEntry::file(b"extension.toml", &manifest),
        ]),
    );
    insta::assert_snapshot!(sandbox.command(["install"]).arg(&archive).run(), @"
    ---- standard error
    error[archive.link]: can't use the archive `[root]/work dir/acme-a-1.0.0.tar.gz`
      caused by: the entry `a` is refused: it is a symbolic link
    help: a package archive has one encoding; make it with `pintle package`
    ---- exit code 4
    ");
    sandbox.write(&archive, "<!DOCTYPE html><title>Log in</title>");
    insta::assert_snapshot!(sandbox.command(["install"]).arg(&archive).run(), @"
    ---- standard error
    error[archive.not_gzip]: can't use the archive `[root]/work dir/acme-a-1.0.0.tar.gz`
      caused by: this is not a gzip file
    help: it begins like a web page (`<!DOCTYPE html><title>Log in</title>`): a proxy or a login page may be in the way
    ---- exit code 4
    ");
}

#[test]
fn case_49_a_file_that_is_no_archive_is_refused() {
    let sandbox = Sandbox::with_registry();
    let entries = [RawEntry { mode: 0o755, ..RawEntry::file(b"bin/run", RUN) }];
    refuses_bytes(&sandbox, b"", "archive.empty", "empty");
    refuses_bytes(&sandbox, b"PK\x03\x04", "archive.not_gzip", "gzip");
    refuses_bytes(&sandbox, &gzip(b""), "archive.no_end", "");
    refuses_bytes(&sandbox, &archive_of(&[]), "archive.no_files", "");
    sandbox.write(&sandbox.work("acme-a-1.0.0.tar.gz"), archive_of(&entries));
    for verb in [&["install"][..], &["publish", "--registry", "main"]] {
        let output = sandbox.command(verb).arg("./acme-a-1.0.0.tar.gz").run();
        output.fails(1, "local.no_manifest").says("has no `extension.toml`");
    }
    let good = std::fs::read(sandbox.package("acme-a").archive()).unwrap();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        bytes
    };
    let cut = with(&|bytes| bytes.truncate(bytes.len() - 1));
    refuses_bytes(&sandbox, &cut, "archive.truncated", "");
    let longer = with(&|bytes| bytes.push(0));
    refuses_bytes(&sandbox, &longer, "archive.after_gzip", "");
    let two_members = with(&|bytes| bytes.extend_from_slice(&gzip(&tar_of(&[]))));
    refuses_bytes(&sandbox, &two_members, "archive.second_member", "");
    let crc = with(&|bytes| {
        let at = bytes.len() - 8;
        bytes[at] ^= 1;
    });
    refuses_bytes(&sandbox, &crc, "archive.damaged", "");
}

#[test]
fn case_49_a_directory_is_never_taken_for_an_archive() {
    let sandbox = Sandbox::with_registry();
    std::fs::create_dir(sandbox.work("acme-a-1.0.0.tar.gz")).unwrap();
    let output = sandbox.pintle(["install", "./acme-a-1.0.0.tar.gz"]);
    insta::assert_snapshot!(output, @"
    ---- standard error
    error[archive.not_a_file]: can't use the archive `[root]/work dir/acme-a-1.0.0.tar.gz`
      caused by: `[root]/work dir/acme-a-1.0.0.tar.gz` is not a regular file
    help: a package archive is made by `pintle package`
    ---- exit code 4
    ");
}

#[test]
fn case_49_a_locked_archive_that_changed_is_refused_with_both_digests() {
    let sandbox = Sandbox::with_registry();
    let archive = sandbox.package("acme-a").archive();
    sandbox.command(["install"]).arg(&archive).run().succeeds();
    sandbox.write(
        &archive,
        std::fs::read(sandbox.package("acme-a").file("more", 0o644, "x").archive()).unwrap(),
    );
    let before = sandbox.listing();
    let output = sandbox.pintle(["sync"]);
    insta::assert_snapshot!(output.fails(4, "integrity.changed_archive"), @"
    ---- standard error
    error[integrity.changed_archive]: `[root]/archives/acme-a-1.0.0.tar.gz` is not the archive that was locked: expected sha256:[digest], found sha256:[digest]
    help: a release never changes; raise its version, or uninstall it first
    help: `acme-a` is to come from there; `pintle uninstall acme-a` lets go of it
    ---- exit code 4
    ");
    before.without_traces().assert_same(&sandbox.listing().without_traces(), "a changed archive");
}
