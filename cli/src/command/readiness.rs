//! Whether a descriptor is ready: now, or as something to wait for.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that can be waited for.
pub(crate) type Watched = AsyncFd<OwnedFd>;

/// Makes it possible to wait for a descriptor.
#[expect(unsafe_code, reason = "the function without it takes what can close itself meanwhile")]
pub(crate) fn watched(fd: OwnedFd, interest: Interest) -> io::Result<Watched> {
    // SAFETY: an `OwnedFd` is open and the same one for as long as it lives.
    Ok(unsafe { AsyncFd::register_with_interest(fd, interest) }?)
}

/// Tells whether a descriptor is ready for something right now.
pub(crate) fn is_ready(fd: impl AsFd, events: PollFlags) -> bool {
    let mut polled = [PollFd::new(&fd, events)];
    poll(&mut polled, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}
