//! What can't be started, and in which words that is said.

use crate::kit::{Asked, both, one, setting, token};
use libtest_mimic::Trial;
use pintle_loader::worker::{Exec, Nursery, Program, SpawnError};
use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::fs::Permissions;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tempfile::TempDir;

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    trials.extend(both("what_can_not_be_executed_is_explained", files));
    trials.extend(both("a_missing_directory_is_told", directory));
    trials.push(one("a_bare_name_is_looked_up_in_the_given_path_alone", path));
    trials.push(one("a_zero_byte_is_refused", zero_byte));
    trials.push(one("arguments_that_are_too_long_are_refused", too_long));
    trials
}

/// Writes a file of the tests.
#[expect(clippy::disallowed_methods, reason = "a file of a test is no state")]
fn put(folder: &TempDir, name: &str, mode: u32, bytes: &[u8]) -> OsString {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
    path.into()
}

async fn refused(nursery: &Nursery, path: impl AsRef<Path>) -> SpawnError {
    let exec = Exec { path: path.as_ref().to_owned(), arguments: vec!["x".into()] };
    nursery.spawn(&Program::Exec(exec), &setting(&token())).await.map(|_| ()).unwrap_err()
}

/// Returns the head of an ELF file for a machine; with an interpreter if one is named.
fn elf(machine: u8, interpreter: &str) -> Vec<u8> {
    let mut file = vec![0_u8; 64 + 56];
    file[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    (file[16], file[18], file[20], file[32], file[52], file[54], file[56]) = (2, machine, 1, 64, 64, 56, 1);
    let length = u8::try_from(interpreter.len() + 1).unwrap();
    (file[64], file[72], file[96], file[104]) = (3, 120, length, length);
    file.extend_from_slice(interpreter.as_bytes());
    file.push(0);
    file
}

async fn files(asked: Asked) {
    let folder = tempfile::tempdir().unwrap();
    let nursery = asked.nursery();
    let this = if cfg!(target_arch = "x86_64") { 62 } else { 183 };
    let other = if cfg!(target_arch = "x86_64") { 183 } else { 62 };
    let other_name = if cfg!(target_arch = "x86_64") { "aarch64" } else { "x86_64" };
    let machine = std::env::consts::ARCH;
    let cases: [(&str, u32, &[u8], String); 11] = [
        ("script", 0o755, b"#!/no/such/sh -e\n", "`@` needs `/no/such/sh` to run, which is not there".into()),
        ("spaced", 0o755, b"#! \t/no/such\n", "`@` needs `/no/such` to run, which is not there".into()),
        (
            "dos",
            0o755,
            b"#!/bin/sh\r\n",
            "the first line of `@` ends in a carriage return, so `/bin/sh` is not found".into(),
        ),
        (
            "text",
            0o755,
            b"hello\n",
            "`@` is neither a program nor a script whose first line begins with `#!`".into(),
        ),
        (
            "empty",
            0o755,
            b"",
            "`@` is neither a program nor a script whose first line begins with `#!`".into(),
        ),
        (
            "plain",
            0o644,
            b"#!/bin/sh\n",
            "`@` may not be executed: it is not marked as executable, or its file system \
            is mounted without programs"
                .into(),
        ),
        (
            "other",
            0o755,
            &elf(other, "/no/ld.so"),
            format!("`@` is built for {other_name} Linux, and this machine is {machine} Linux"),
        ),
        (
            "musl",
            0o755,
            &elf(this, "/no/ld-musl.so.1"),
            "`@` needs `/no/ld-musl.so.1` to run, which is not there".into(),
        ),
        (
            "mac",
            0o755,
            b"\xcf\xfa\xed\xfe\x07\0\0\x01",
            format!("`@` is built for macOS, and this machine is {machine} Linux"),
        ),
        (
            "windows.exe",
            0o755,
            b"MZ\x90\0",
            format!("`@` is built for Windows, and this machine is {machine} Linux"),
        ),
        (
            "runs-text",
            0o755,
            b"#!/etc/passwd\n",
            "`@` may not be executed: what should run it may not be executed".into(),
        ),
    ];
    for (name, mode, bytes, expected) in cases {
        let path = put(&folder, name, mode, bytes);
        let expected = expected.replace('@', &path.to_string_lossy());
        assert_eq!(refused(&nursery, &path).await.to_string(), expected);
    }
    let missing = folder.path().join("missing");
    assert_eq!(
        refused(&nursery, &missing).await.to_string(),
        format!("there is no file `{}`", missing.display())
    );
    let error = refused(&nursery, folder.path()).await;
    assert_eq!(
        error.to_string(),
        format!("`{}` may not be executed: it is a directory", folder.path().display())
    );
    assert!(error.source().is_some());
}

async fn directory(asked: Asked) {
    let mut setting = setting(&token());
    setting.directory = "/no/such/directory".into();
    let exec = Exec { path: "/bin/sh".into(), arguments: vec!["sh".into()] };
    let error = asked.nursery().spawn(&Program::Exec(exec), &setting).await.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "the directory `/no/such/directory` can't be entered");
}

async fn path() {
    let folder = tempfile::tempdir().unwrap();
    put(&folder, "tool", 0o755, b"#!/bin/sh\nexit 9\n");
    put(&folder, "not-a-tool", 0o644, b"#!/bin/sh\nexit 9\n");
    let nursery = Nursery::shared();
    let mut setting = setting(&token());
    setting.directory = folder.path().to_owned();
    let tool = |name: &str| Program::Exec(Exec { path: name.into(), arguments: vec![name.into()] });
    let given = |path: &OsStr| vec![("PATH".into(), path.to_owned())];

    // An empty part and a relative one would mean the working directory, where the tool is.
    setting.environment = given(OsStr::new(":.:/bin"));
    let error = nursery.spawn(&tool("tool"), &setting).await.map(|_| ()).unwrap_err();
    assert_eq!(error.to_string(), "there is no program `tool` in the `PATH` that it is given (`:.:/bin`)");

    setting.environment = given(folder.path().as_os_str());
    let worker = nursery.spawn(&tool("tool"), &setting).await.unwrap();
    assert_eq!(worker.process.wait().await, pintle_loader::worker::Ended::Exited(9));
    assert!(matches!(
        nursery.spawn(&tool("not-a-tool"), &setting).await.map(|_| ()),
        Err(SpawnError::NotOnPath { .. })
    ));
}

async fn zero_byte() {
    let exec = Exec { path: "/bin/sh".into(), arguments: vec![OsStr::from_bytes(b"a\0b").into()] };
    let error =
        Nursery::shared().spawn(&Program::Exec(exec), &setting(&token())).await.map(|_| ()).unwrap_err();
    assert!(error.to_string().starts_with("an argument has a zero byte in it"), "{error}");
}

async fn too_long() {
    // The kernel takes 128 KiB in one argument, and some megabytes in all.
    for arguments in [vec!["x".repeat(200_000).into()], vec!["y".repeat(100_000).into(); 60]] {
        let exec = Exec { path: "/bin/true".into(), arguments };
        let error =
            Nursery::shared().spawn(&Program::Exec(exec), &setting(&token())).await.map(|_| ()).unwrap_err();
        assert!(matches!(error, SpawnError::Execute { .. } | SpawnError::Prepare { .. }), "{error}");
    }
}
