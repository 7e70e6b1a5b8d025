//! A process that tries to stay: started through one in between that ends at once, in a session of its own, in another
//! directory, without the environment by which it could be found. Its number is in `daemon.pid` of the data directory,
//! and in the log. It ends by itself after ten minutes.

use crate::answering;
use crate::life::Life;
use crate::{breaking, complain};
use rustix::io::{FdFlags, fcntl_setfd};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The argument by which the program knows that it is the process in between.
pub(crate) const FIRST: &str = "--daemon-first";
/// The argument by which the program knows that it is the one that stays.
pub(crate) const SECOND: &str = "--daemon-second";

const LONGEST: Duration = Duration::from_secs(600);

pub(crate) fn start(life: &mut Life, id: u64) {
    let ends = [life.wire.input.as_ref(), life.wire.output.as_ref()];
    for end in ends.into_iter().flatten() {
        if fcntl_setfd(end, FdFlags::CLOEXEC).is_err() {
            complain("a descriptor can't be closed for the daemon");
        }
    }
    start_holding(life, id);
}

pub(crate) fn start_holding(life: &mut Life, id: u64) {
    let mut command = again(FIRST);
    if let Some(data) = &life.data {
        command.arg(data.join("daemon.pid"));
    }
    // The log stays its own; only the one that stays gives it up.
    command.stderr(Stdio::inherit());
    match command.status() {
        Ok(status) if status.success() => {}
        Ok(_) | Err(_) => complain("the daemon does not start"),
    }
    answering::go_on(life, id);
}

/// Leaves the session, starts the one that stays, and ends.
pub(crate) fn first(arguments: &[&str]) {
    if rustix::process::setsid().is_err() {
        complain("there is no new session");
    }
    let child = again(SECOND).spawn();
    match child {
        Ok(child) => {
            complain(&format!("daemon {}", child.id()));
            if let [path] = arguments
                && write(path, child.id()).is_err()
            {
                complain("the number of the daemon can't be written");
            }
        }
        Err(_) => breaking::leave(1),
    }
}

/// Stays.
pub(crate) fn second(_arguments: &[&str]) {
    if rustix::process::setsid().is_err() {
        breaking::leave(1);
    }
    let started = Instant::now();
    while let Some(left) = LONGEST.checked_sub(started.elapsed()) {
        std::thread::park_timeout(left);
    }
}

fn again(role: &str) -> Command {
    let program = std::env::current_exe().unwrap_or_else(|_| "/proc/self/exe".into());
    let mut command = Command::new(program);
    command.arg(role).env_clear().current_dir("/");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[expect(clippy::disallowed_methods, reason = "a note for a test, and no state of Pintle")]
fn write(path: &str, number: u32) -> std::io::Result<()> {
    std::fs::write(path, format!("{number}\n"))
}
