//! Finds out, once for each nursery, whether the kernel gives PID namespaces, and how. It is tried in a process of its own, since a
//! failed attempt can't be taken back.

use super::system::{self, Forked};
use crate::worker::fence::Descendants;
use rustix::process::{Pid, WaitOptions, getgid, getuid, waitpid};
use rustix::thread::{CapabilitySet, UnshareFlags, capabilities, unshare_unsafe};
use std::io;

/// Decides what will hold workers, and prepares this process for it.
pub(super) fn prepare(is_without_namespaces: bool) -> Descendants {
    if is_without_namespaces {
        return Descendants::Subreaper { errno: 0 };
    }
    let held = capabilities(None).map_or(CapabilitySet::empty(), |sets| sets.effective);
    let attempt = if held.contains(CapabilitySet::SYS_ADMIN) {
        attempt(start_in_namespace).map(|()| false)
    } else if held.is_empty() {
        attempt(|| enter_user_namespace().and_then(|()| start_in_namespace()))
            .and_then(|()| enter_user_namespace())
            .map(|()| true)
    } else {
        // Rights over the files of others, as root has them in a container, would be lost in a user namespace.
        Err(rustix::io::Errno::PERM.into())
    };
    match attempt {
        Ok(with_user_namespace) => Descendants::PidNamespace { with_user_namespace },
        Err(error) => Descendants::Subreaper { errno: error.raw_os_error().unwrap_or(libc::EPERM) },
    }
}

/// Does something in a child, and returns how it went.
fn attempt(what: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    match system::fork()? {
        Forked::Child => system::exit(match what() {
            Ok(()) => 0,
            Err(error) => error.raw_os_error().unwrap_or(libc::EPERM),
        }),
        Forked::Parent(pid) => await_exit(pid),
    }
}

fn start_in_namespace() -> io::Result<()> {
    match system::fork_into_namespace()? {
        Forked::Child => system::exit(0),
        Forked::Parent(pid) => await_exit(pid),
    }
}

fn await_exit(pid: i32) -> io::Result<()> {
    let status = rustix::io::retry_on_intr(|| waitpid(Pid::from_raw(pid), WaitOptions::empty()))?;
    match status.and_then(|(_, status)| status.exit_status()) {
        Some(0) => Ok(()),
        Some(errno) => Err(io::Error::from_raw_os_error(errno)),
        None => Err(rustix::io::Errno::PERM.into()),
    }
}

/// Enters a user namespace in which the same user has the same number.
fn enter_user_namespace() -> io::Result<()> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // SAFETY: no descriptors are unshared.
    #[expect(unsafe_code, reason = "the wrapper is unsafe for other flags")]
    unsafe { unshare_unsafe(UnshareFlags::NEWUSER) }?;
    put("/proc/self/setgroups", "deny")?;
    put("/proc/self/uid_map", &format!("{user} {user} 1"))?;
    put("/proc/self/gid_map", &format!("{group} {group} 1"))
}

#[expect(clippy::disallowed_methods, reason = "this is a switch of the kernel and no state")]
fn put(path: &str, text: &str) -> io::Result<()> {
    std::fs::write(path, text)
}
