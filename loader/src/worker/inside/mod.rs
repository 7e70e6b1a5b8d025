//! What runs on the other side: nursery, keeper and the first steps of a program. All of it has one thread until a
//! native extension is served, and so may fork and go on with ordinary code.

mod system;
mod signals;
mod descriptors;
mod fencing;
mod serve;
mod keeper;
mod program;
mod library;

pub use library::ServeLibrary;

use std::ffi::OsStr;

/// The name by which a host calls its own binary to be the nursery.
pub(super) const NURSERY: &str = "pintle-nursery";
/// The argument that forbids namespaces, for tests.
pub(super) const WITHOUT_NAMESPACES: &str = "without-namespaces";

/// Turns this process into the nursery if it was started as one, and then never returns; else does nothing. Must be the
/// first thing in the `main` of a host, before any thread is started. Native extensions are served by `serve`.
pub fn enter_with(serve: ServeLibrary) {
    let mut arguments = std::env::args_os();
    if arguments.next().as_deref() == Some(OsStr::new(NURSERY)) {
        let is_without_namespaces = arguments.next().as_deref() == Some(OsStr::new(WITHOUT_NAMESPACES));
        serve::serve(is_without_namespaces, serve)
    }
}

/// Turns this process into the nursery if it was started as one, as [`enter_with`] does.
pub fn enter() {
    enter_with(library::serve);
}

/// Tells whether this process was started as a nursery, and so must not start one.
pub(super) fn is_nursery() -> bool {
    std::env::args_os().next().as_deref() == Some(OsStr::new(NURSERY))
}
