//! The few calls of the system for which there is no safe wrapper: forking, executing, ending at once. Only for a
//! process with one thread.

use std::ffi::{CStr, CString, c_char};
use std::io;
use std::os::fd::RawFd;
use std::ptr;

/// On which side of a fork one is.
pub(super) enum Forked {
    /// In the new process.
    Child,
    /// In the old one, with the number of the new.
    Parent(i32),
}

/// Forks.
pub(super) fn fork() -> io::Result<Forked> {
    // SAFETY: the callers have one thread (`serve` checks it), so no lock is held by a thread that the child lacks.
    #[expect(unsafe_code, reason = "forking has no safe wrapper")]
    let pid = unsafe { libc::fork() };
    forked(i64::from(pid))
}

/// Forks a process that is the first of a new PID namespace.
///
/// The C library is not told. It only keeps the thread's number, which is wrong in the child: it must not use threads
/// or abort by signal. Children that it forks with [`fork`] are whole again.
pub(super) fn fork_into_namespace() -> io::Result<Forked> {
    let arguments = libc::clone_args {
        flags: libc::CLONE_NEWPID as u64,
        pidfd: 0,
        child_tid: 0,
        parent_tid: 0,
        exit_signal: libc::SIGCHLD as u64,
        stack: 0,
        stack_size: 0,
        tls: 0,
        set_tid: 0,
        set_tid_size: 0,
        cgroup: 0,
    };
    // SAFETY: the arguments are whole and outlive the call; without CLONE_VM and without a stack it is a fork, for which
    // the same holds as above.
    #[expect(unsafe_code, reason = "clone3 has no wrapper")]
    let pid =
        unsafe { libc::syscall(libc::SYS_clone3, ptr::from_ref(&arguments), size_of::<libc::clone_args>()) };
    forked(pid)
}

fn forked(pid: i64) -> io::Result<Forked> {
    match pid {
        0 => Ok(Forked::Child),
        1.. => Ok(Forked::Parent(i32::try_from(pid).expect("the numbers of processes are small"))),
        ..0 => Err(io::Error::last_os_error()),
    }
}

/// Becomes another program. Returns only if that failed.
pub(super) fn execute(path: &CStr, arguments: &[CString], environment: &[CString]) -> io::Error {
    let arguments = pointers(arguments);
    let environment = pointers(environment);
    // SAFETY: both lists hold strings that end in zero and outlive the call, and end in null.
    #[expect(unsafe_code, reason = "executing has no safe wrapper")]
    unsafe {
        libc::execve(path.as_ptr(), arguments.as_ptr(), environment.as_ptr())
    };
    io::Error::last_os_error()
}

/// Becomes the program in an open file. Returns only if that failed.
pub(super) fn execute_open(file: RawFd, arguments: &[CString], environment: &[CString]) -> io::Error {
    let arguments = pointers(arguments);
    let environment = pointers(environment);
    // SAFETY: both lists hold strings that end in zero and outlive the call, and end in null, as the empty path does.
    #[expect(unsafe_code, reason = "executing has no safe wrapper")]
    unsafe {
        let path = c"".as_ptr();
        libc::syscall(
            libc::SYS_execveat,
            file,
            path,
            arguments.as_ptr(),
            environment.as_ptr(),
            libc::AT_EMPTY_PATH,
        );
    }
    io::Error::last_os_error()
}

fn pointers(strings: &[CString]) -> Vec<*const c_char> {
    strings.iter().map(|string| string.as_ptr()).chain([ptr::null()]).collect()
}

/// Replaces the whole environment of this process.
pub(super) fn set_environment(environment: &[CString]) -> io::Result<()> {
    // SAFETY: there is one thread, so nobody reads the environment meanwhile. What is put there is never freed, since
    // the environment goes on pointing at it.
    #[expect(unsafe_code, reason = "the environment of a process is shared by all of it")]
    unsafe {
        if libc::clearenv() != 0 {
            return Err(io::Error::last_os_error());
        }
        for variable in environment {
            if libc::putenv(variable.clone().into_raw()) != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}

/// Writes out what C code has said and not written yet.
pub(super) fn flush() {
    // SAFETY: null means all streams, which the C library guards itself.
    #[expect(unsafe_code, reason = "the streams of C have no safe wrapper")]
    unsafe {
        libc::fflush(ptr::null_mut())
    };
}

/// Ends this process at once, with nothing run on the way out: in a forked process that would be another's to run.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: it takes a number and does not return.
    #[expect(unsafe_code, reason = "ending without the handlers of the forked process has no safe wrapper")]
    unsafe {
        libc::_exit(code)
    }
}
