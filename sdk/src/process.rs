//! An extension as a program of its own. Frames come in on descriptor 3 and go out on descriptor 4; standard output and
//! standard error are its log.

use crate::extension::{Extension, Identity};
use crate::serve::{Ending, Instance, ServeError, serve};
use std::fs::File;
use std::io::{self, Write};

/// Runs an extension until its host disposes of it or is gone. Says on standard error why it ended, if that was an
/// error, and exits with 1.
pub fn run<E: Extension>(identity: Identity) {
    let Some((input, output)) = descriptors() else {
        complain(&format!("`{}` is an extension: a host starts it, not a person", identity.name));
        leave(2)
    };
    let served = serve(Instance::<E>::new(identity), input, output, Ending::Exit);
    if served.is_err() {
        exit(&served);
    }
}

/// Ends the process, also while other threads are at work.
pub(crate) fn exit(how: &Result<(), ServeError>) -> ! {
    match how {
        Ok(()) => leave(0),
        Err(error) => {
            complain(&crate::Error::from_ref(error).to_string());
            leave(1)
        }
    }
}

fn complain(message: &str) {
    // Nobody is left to be told if this fails.
    let _ = writeln!(io::stderr(), "{message}");
}

#[expect(
    clippy::disallowed_methods,
    reason = "the host is gone or done, and threads may be in the midst of something"
)]
fn leave(code: i32) -> ! {
    std::process::exit(code)
}

/// Takes the two ends of the connection, if they are there, so that no child of the extension inherits them.
#[cfg(unix)]
fn descriptors() -> Option<(File, File)> {
    Some((take(3)?, take(4)?))
}

#[cfg(unix)]
#[expect(unsafe_code, reason = "the descriptors are named by number, by the protocol")]
fn take(number: std::os::fd::RawFd) -> Option<File> {
    use rustix::io::{FdFlags, fcntl_setfd};
    use std::os::fd::{BorrowedFd, FromRawFd};
    // SAFETY: it is only asked whether the descriptor is open, and that fails without harm if it is not.
    let borrowed = unsafe { BorrowedFd::borrow_raw(number) };
    fcntl_setfd(borrowed, FdFlags::CLOEXEC).ok()?;
    // SAFETY: it is open, and by the protocol nothing else in this process owns it.
    Some(unsafe { File::from_raw_fd(number) })
}

#[cfg(not(unix))]
fn descriptors() -> Option<(File, File)> {
    None
}
