//! Signals of a process with one thread: all as they are by default, and the end of children as something to read.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::ptr;

/// The highest number of a signal.
const LAST: i32 = 64;

/// Gives every signal its default meaning, and blocks none.
pub(super) fn reset() {
    for signal in 1..=LAST {
        by_default(signal);
    }
    mask(libc::SIG_SETMASK, &[]);
}

/// Lets a write to a pipe that nobody reads fail instead of ending the process, as Rust programs expect.
pub(super) fn ignore_broken_pipes() {
    disposition(libc::SIGPIPE, libc::SIG_IGN);
}

/// Blocks the signal that a child ended, and returns a descriptor that is readable when one did.
pub(super) fn children() -> io::Result<OwnedFd> {
    let set = mask(libc::SIG_BLOCK, &[libc::SIGCHLD]);
    // SAFETY: the set is whole; the descriptor is new, and only ours.
    #[expect(unsafe_code, reason = "signalfd has no safe wrapper")]
    unsafe {
        match libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            descriptor => Ok(OwnedFd::from_raw_fd(descriptor)),
        }
    }
}

/// Asks the kernel itself: the C library keeps two signals to itself, and leaves them ignored in what it starts.
fn by_default(signal: i32) {
    let default = [0_u64; 4];
    // SAFETY: zero in each field is the default disposition, with no flags and no mask; nothing is written back. For
    // the two signals that can't be changed it fails, which is as wanted.
    #[expect(unsafe_code, reason = "signal dispositions have no safe wrapper")]
    unsafe {
        libc::syscall(
            libc::SYS_rt_sigaction,
            signal,
            default.as_ptr(),
            ptr::null_mut::<u64>(),
            size_of::<u64>(),
        )
    };
}

fn disposition(signal: i32, handler: libc::sighandler_t) {
    // SAFETY: only the two constants are passed, which are no function.
    #[expect(unsafe_code, reason = "signal dispositions have no safe wrapper")]
    unsafe {
        libc::signal(signal, handler)
    };
}

/// Changes the mask, and returns the set that was given.
fn mask(how: i32, signals: &[i32]) -> libc::sigset_t {
    let mut set = MaybeUninit::uninit();
    // SAFETY: `sigemptyset` makes the set whole before it is used; the numbers are those of signals.
    #[expect(unsafe_code, reason = "signal masks have no safe wrapper")]
    unsafe {
        libc::sigemptyset(set.as_mut_ptr());
        for signal in signals {
            libc::sigaddset(set.as_mut_ptr(), *signal);
        }
        libc::sigprocmask(how, set.as_ptr(), ptr::null_mut());
        set.assume_init()
    }
}
