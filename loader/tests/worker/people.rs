//! The same for people who are not root. As root, all tests are run again as someone else, who gets another fence.

use crate::fixture::AS;
use crate::kit::{all, in_runtime, setting, shell, token};
use libtest_mimic::{Failed, Trial};
use pintle_loader::worker::{Ended, Nursery, Program};
use rustix::process::{Gid, Uid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use tempfile::TempDir;

/// The user and group that are nobody.
const NOBODY: u32 = 65534;
/// A group that nobody else is in.
const GROUP: u32 = 4242;

pub(crate) fn trials() -> Vec<Trial> {
    if !rustix::process::geteuid().is_root() {
        return Vec::new();
    }
    vec![
        Trial::test("all_of_it_holds_for_another_user", another_user),
        Trial::test("files_are_read_by_right_of_a_further_group", further_group),
    ]
}

/// Returns a copy of this program that everyone may execute.
fn for_everyone() -> (TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    let program = folder.path().join("worker");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    std::fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    (folder, program)
}

fn another_user() -> Result<(), Failed> {
    let (folder, program) = for_everyone();
    let own = folder.path().join("own");
    std::fs::create_dir(&own)?;
    chown(&own, Some(NOBODY), Some(NOBODY))?;
    let output = Command::new(program)
        .uid(NOBODY)
        .gid(NOBODY)
        .current_dir("/")
        .env("TMPDIR", &own)
        .env_remove("NEXTEST")
        .output()?;
    let said = String::from_utf8_lossy(&output.stdout);
    if output.status.success() && said.contains("test result: ok") {
        return Ok(());
    }
    Err(format!("{}\n{said}\n{}", output.status, String::from_utf8_lossy(&output.stderr)).into())
}

#[expect(clippy::disallowed_methods, reason = "a file of a test is no state")]
fn further_group() -> Result<(), Failed> {
    let (folder, program) = for_everyone();
    let file = folder.path().join("of-the-group");
    std::fs::write(&file, "read by right of a group")?;
    std::fs::set_permissions(&file, Permissions::from_mode(0o640))?;
    chown(&file, Some(0), Some(GROUP))?;
    let output = Command::new(program).args([AS, "groups"]).arg(&file).current_dir("/").output()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if said.contains("read by right of a group") {
        return Ok(());
    }
    Err(format!("{said}\n{}", String::from_utf8_lossy(&output.stderr)).into())
}

/// Becomes nobody with a further group, and reads a file in a worker. This process has one thread yet.
pub(crate) fn read_by_group(file: &str) {
    set_thread_groups(&[Gid::from_raw(GROUP)]).unwrap();
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    set_thread_res_gid(group, group, group).unwrap();
    set_thread_res_uid(user, user, user).unwrap();
    // After a change of users a process is closed to others of the same user until it executes something, and its
    // nursery could not map the user.
    let this = std::env::current_exe().unwrap();
    let error = Command::new(this).args([AS, "reads", file]).exec();
    panic!("{error}");
}

/// Reads a file in a worker, and says what is in it.
#[expect(clippy::print_stdout, reason = "the test reads it")]
pub(crate) fn read(file: &str) {
    let said = in_runtime(async {
        let program = Program::Exec(shell(&format!("cat '{file}'")));
        let worker = Nursery::shared().spawn(&program, &setting(&token())).await.unwrap();
        let said = all(worker.stdout).await + &all(worker.stderr).await;
        assert_eq!(worker.process.wait().await, Ended::Exited(0), "{said}");
        said
    });
    println!("{said}");
}
