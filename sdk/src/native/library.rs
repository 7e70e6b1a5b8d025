//! The worker's side: a library that was opened and whose table was checked, as a backend of the loop.

use super::abi::{ABI_MAJOR, Buffer, STATUS_FAULT, STATUS_OK, Vtable};
use super::bytes;
use super::host_table::table_of;
use crate::protocol::CallId;
use crate::serve::{Backend, CallText, Ending, Host, ServeError, serve};
use std::fs::File;

/// An opened library. Its functions are called as the interface allows, so nothing a caller does here is unsafe.
#[derive(Debug)]
pub struct Library {
    vtable: &'static Vtable,
}

/// Says why a library can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LibraryError {
    /// Its entry function returned nothing.
    #[error("the library's entry function returned no table")]
    NoTable,
    /// Its table has another layout.
    #[error("the library's interface is version {found}, and this worker speaks {ABI_MAJOR}")]
    Major {
        /// Its version.
        found: u16,
    },
    /// Its table lacks functions.
    #[error("the library's table has {found} bytes, and {needed} are needed")]
    Short {
        /// Its size.
        found: u32,
        /// The size of the smallest table of this version.
        needed: usize,
    },
}

impl Library {
    /// Checks the table that a library's entry function returned.
    ///
    /// # Safety
    /// The pointer must be what the entry function of a library returned, and the library must stay open until the
    /// process ends.
    #[expect(unsafe_code, reason = "a table comes as a pointer out of a library")]
    pub unsafe fn new(vtable: *const Vtable) -> Result<Self, LibraryError> {
        if vtable.is_null() {
            return Err(LibraryError::NoTable);
        }
        // SAFETY: every table begins with these two fields. They are read alone, for a table of another version may be
        // shorter than the type.
        let (size, major) =
            unsafe { ((&raw const (*vtable).size).read(), (&raw const (*vtable).abi_major).read()) };
        if major != ABI_MAJOR {
            return Err(LibraryError::Major { found: major });
        }
        let needed = size_of::<Vtable>();
        if (size as usize) < needed {
            return Err(LibraryError::Short { found: size, needed });
        }
        // SAFETY: the table is as large as the type, and stays.
        Ok(Self { vtable: unsafe { &*vtable } })
    }

    fn finish(status: i32, out: Buffer, into: &mut Vec<u8>) -> Result<(), String> {
        let before = into.len();
        #[expect(unsafe_code, reason = "bytes come as a pointer out of a library")]
        // SAFETY: the library filled the buffer by the rules of the interface, or left it empty.
        let taken = unsafe { bytes::take(out, into) };
        taken.map_err(|message| format!("the library broke the interface: {message}"))?;
        match status {
            STATUS_OK => Ok(()),
            STATUS_FAULT => {
                let message = String::from_utf8_lossy(&into[before..]).into_owned();
                into.truncate(before);
                Err(message)
            }
            other => Err(format!("the library broke the interface: it returned the status {other}")),
        }
    }
}

impl Backend for Library {
    #[expect(unsafe_code, reason = "a library is called through its table")]
    fn start(&self, hello: &str, host: Host) -> Result<String, String> {
        let (mut out, mut ready) = (bytes::nothing(), Vec::new());
        // SAFETY: the table was checked; the host's table stays for ever, the bytes until the call returns.
        let status = unsafe { (self.vtable.create)(table_of(host), bytes::lend(hello.as_bytes()), &mut out) };
        Self::finish(status, out, &mut ready)?;
        String::from_utf8(ready).map_err(|error| format!("the library's `ready` is not UTF-8: {error}"))
    }

    #[expect(unsafe_code, reason = "a library is called through its table")]
    fn call(&self, call: &CallText<'_>, answer: &mut Vec<u8>) -> Result<(), String> {
        let mut out = bytes::nothing();
        // SAFETY: the table was checked, and the bytes are there until the call returns.
        let status = unsafe { (self.vtable.call)(bytes::lend(call.text.as_bytes()), &mut out) };
        Self::finish(status, out, answer)
    }

    #[expect(unsafe_code, reason = "a library is called through its table")]
    fn cancel(&self, call: CallId) {
        // SAFETY: the table was checked.
        unsafe { (self.vtable.cancel)(call) };
    }

    #[expect(unsafe_code, reason = "a library is called through its table")]
    fn dispose(&self, dispose: &str) {
        // SAFETY: the table was checked, and the bytes are there until the call returns. What it returns changes
        // nothing: the end comes either way.
        let _ = unsafe { (self.vtable.dispose)(bytes::lend(dispose.as_bytes())) };
    }
}

/// Serves a host with a library, on the descriptors of this worker, until the library is disposed of or the host is
/// gone. It returns if the calling thread is free then; else the process exits with 0.
///
/// # Safety
/// As for [`Library::new`].
#[expect(unsafe_code, reason = "a table comes as a pointer out of a library")]
pub unsafe fn serve_library(vtable: *const Vtable, input: File, output: File) -> Result<(), ServeError> {
    // SAFETY: the caller promises what is needed.
    let library = unsafe { Library::new(vtable) }.map_err(ServeError::Library)?;
    serve(library, input, output, Ending::Exit)
}
