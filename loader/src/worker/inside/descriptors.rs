//! Which descriptors a process has, and under which numbers.

use rustix::io::fcntl_dupfd_cloexec;
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};

/// Gives the descriptors the numbers 0, 1, 2 and so on, and closes every other one. The last `closed_by_exec` of them
/// do not outlive the execution of another program; the others do.
///
/// Whatever else in this process believes to own a descriptor must not be used or dropped afterwards: the callers
/// never return.
pub(super) fn arrange(descriptors: Vec<OwnedFd>, closed_by_exec: usize) -> io::Result<()> {
    let count = RawFd::try_from(descriptors.len()).map_err(io::Error::other)?;
    // First out of the way, so that none is overwritten before it was moved.
    let mut moved = Vec::new();
    for descriptor in descriptors {
        moved.push(fcntl_dupfd_cloexec(&descriptor, count)?);
        std::mem::forget(descriptor);
    }
    for (number, descriptor) in (0..).zip(&moved) {
        let is_kept = number < count - RawFd::try_from(closed_by_exec).map_err(io::Error::other)?;
        place(descriptor, number, if is_kept { 0 } else { libc::O_CLOEXEC })?;
    }
    moved.into_iter().for_each(std::mem::forget);
    close_from(count)
}

fn place(descriptor: &OwnedFd, number: RawFd, flags: i32) -> io::Result<()> {
    // SAFETY: both numbers are below those that anything here owns; what was open under the new one is given up, which
    // is what `arrange` is for.
    #[expect(unsafe_code, reason = "giving a descriptor a number takes it from whoever had it")]
    match unsafe { libc::dup3(descriptor.as_raw_fd(), number, flags) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn close_from(first: RawFd) -> io::Result<()> {
    let first = u32::try_from(first).map_err(io::Error::other)?;
    // SAFETY: what had these numbers is given up, which is what `arrange` is for.
    #[expect(unsafe_code, reason = "closing all descriptors takes them from whoever had them")]
    match unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// Takes over a descriptor that [`arrange`] gave its number.
pub(super) fn take(number: RawFd) -> OwnedFd {
    use std::os::fd::FromRawFd as _;
    // SAFETY: `arrange` opened it under this number, forgot its owner, and each number is taken once.
    #[expect(unsafe_code, reason = "a descriptor known by its number is owned by saying so")]
    unsafe {
        OwnedFd::from_raw_fd(number)
    }
}
