//! A native extension: its library is loaded here, in the worker, and served until the host closes the connection.
//! The library is never unloaded; the process ends instead.

use super::{descriptors, signals, system};
use crate::worker::report::{Failure, Stage};
use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};
use pintle_sdk::native::abi::{ENTRY_SYMBOL, Vtable};
use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use std::ffi::CString;
use std::fs::File;
use std::io::Write as _;
use std::os::fd::RawFd;

/// Serves a loaded library: what to call, what the host says, and what is said to the host. Returns when the host
/// closed the connection, or why it could not go on. Unsafe, since nobody can check that the table is what it says.
pub type ServeLibrary = unsafe fn(
    library: *const Vtable,
    from_host: File,
    to_host: File,
) -> Result<(), Box<dyn std::error::Error>>;

/// Where a program reads what the host says.
const FROM_HOST: RawFd = 3;
/// Where it writes what it says.
const TO_HOST: RawFd = 4;

/// Loads the library behind the descriptor before `told`, and serves it. Returns only if it can't be loaded.
pub(super) fn become_library(environment: &[CString], told: RawFd, serve: ServeLibrary) -> Failure {
    signals::ignore_broken_pipes();
    if let Err(error) = system::set_environment(environment) {
        return failure(error.to_string());
    }
    let prepared = set_dumpable_behavior(DumpableBehavior::Dumpable)
        .and_then(|()| rustix::thread::set_name(c"pintle-native"));
    if let Err(error) = prepared {
        return failure(error.to_string());
    }
    let library = told - 1;
    let vtable = match load(&format!("/proc/self/fd/{library}")) {
        Ok(vtable) => vtable,
        Err(message) => return failure(message),
    };
    // What the library started while it was loaded may hold copies of this descriptor, so a word is needed.
    let mut told = File::from(descriptors::take(told));
    let is_heard = told.write_all(b"loaded").is_ok();
    drop((told, descriptors::take(library)));
    if !is_heard {
        system::exit(127);
    }
    let (from_host, to_host) = (descriptors::take(FROM_HOST).into(), descriptors::take(TO_HOST).into());
    // SAFETY: the library, which is never closed, says that this is its table; it runs in a process of its own because
    // that can't be checked.
    #[expect(unsafe_code, reason = "serving a library runs foreign code")]
    let served = unsafe { serve(vtable, from_host, to_host) };
    let code = match served {
        Ok(()) => 0,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "the extension can't be served: {error}");
            1
        }
    };
    system::flush();
    system::exit(code)
}

fn load(path: &str) -> Result<*const Vtable, String> {
    // SAFETY: loading runs the library's constructors and calling its entry runs its code. That is what this process
    // is for, and all that it holds is the extension's own. The library is never closed.
    #[expect(unsafe_code, reason = "loading a library runs foreign code")]
    unsafe {
        let library =
            Library::open(Some(path), RTLD_NOW | RTLD_LOCAL).map_err(|error| message(&error, path))?;
        let library = Box::leak(Box::new(library));
        let entry = library
            .get::<unsafe extern "C" fn() -> *const Vtable>(ENTRY_SYMBOL.as_bytes())
            .map_err(|error| message(&error, path))?;
        let vtable = entry();
        if vtable.is_null() { Err(format!("`{ENTRY_SYMBOL}` returned nothing")) } else { Ok(vtable) }
    }
}

/// The loader's message names the path by which the library was opened, which means nothing to anyone.
fn message(error: &libloading::Error, path: &str) -> String {
    let text = std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string);
    text.replace(path, "the library")
}

fn failure(text: String) -> Failure {
    Failure { stage: Stage::Library, errno: 0, text }
}

/// Serves native extensions with what the SDK brings for it.
///
/// # Safety
///
/// The table must be one that a library returned which is never closed.
#[expect(unsafe_code, reason = "the type of what serves a library is unsafe to call")]
pub(super) unsafe fn serve(
    library: *const Vtable,
    from_host: File,
    to_host: File,
) -> Result<(), Box<dyn std::error::Error>> {
    // SAFETY: the caller sees to it.
    let served = unsafe { pintle_sdk::native::serve_library(library, from_host, to_host) };
    served.map_err(|error| {
        let mut text = error.to_string();
        let mut cause = std::error::Error::source(&error);
        while let Some(error) = cause {
            text.push_str(&format!(": {error}"));
            cause = error.source();
        }
        text.into()
    })
}
