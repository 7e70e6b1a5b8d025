//! A descriptor whose readiness an async runtime watches.

use std::io;
use std::os::fd::OwnedFd;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Watches when a descriptor becomes readable.
pub(super) fn watch(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: an owned descriptor is open, and always the same one, for as long as it is owned.
    #[expect(unsafe_code, reason = "the runtime can't check what it is told to watch")]
    let watched = unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) };
    watched.map_err(|error| error.into_parts().1)
}
