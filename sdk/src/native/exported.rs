//! The library's side: an extension behind the table of functions that `export!` exports. The dispatch is that of a
//! process; only the way in is another.

use super::abi::{ABI_MAJOR, ABI_MINOR, Buffer, HostTable, STATUS_FAULT, STATUS_OK, Slice, Vtable};
use super::bytes;
use super::host_table::HostLink;
use crate::extension::{Extension, Identity};
use crate::serve::{Backend, CallText, Host, Instance};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// An extension of which `export!` made a library.
pub trait Exported: Extension {
    /// Returns the one load of it in this process.
    fn loaded() -> &'static Loaded<Self>;
}

/// The one load of an extension that a library holds.
pub struct Loaded<E> {
    instance: Instance<E>,
    link: std::sync::OnceLock<Arc<HostLink>>,
}

impl<E: Extension> Loaded<E> {
    /// Makes one that is not started.
    pub const fn new(identity: Identity) -> Self {
        Self { instance: Instance::new(identity), link: std::sync::OnceLock::new() }
    }
}

/// Returns the table of an extension's library.
pub const fn vtable<E: Exported>() -> Vtable {
    Vtable {
        size: size_of::<Vtable>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        create: create::<E>,
        call: call::<E>,
        cancel: cancel::<E>,
        dispose: dispose::<E>,
    }
}

#[expect(unsafe_code, reason = "it is called through the binary interface")]
unsafe extern "C" fn create<E: Exported>(host: *const HostTable, hello: Slice, out: *mut Buffer) -> i32 {
    let started = contained(|| {
        // SAFETY: the interface promises that the table stays valid until the worker ends, and the bytes for this call.
        let (link, hello) = unsafe { (HostLink::new(host)?, bytes::text(hello)?) };
        let link = Arc::new(link);
        let loaded = E::loaded();
        if loaded.link.set(Arc::clone(&link)).is_err() {
            return Err("this library is loaded already, and it can be loaded once in a worker".to_owned());
        }
        loaded.instance.start(hello, Host { link }).map(String::into_bytes)
    });
    // SAFETY: the interface promises a place for the output.
    unsafe { finish(started, out) }
}

#[expect(unsafe_code, reason = "it is called through the binary interface")]
unsafe extern "C" fn call<E: Exported>(call: Slice, out: *mut Buffer) -> i32 {
    let answered = contained(|| {
        // SAFETY: the interface promises the bytes for the duration of this call.
        let text = unsafe { bytes::text(call) }?;
        let call = CallText::read(text).map_err(|error| format!("the call can't be read: {error}"))?;
        let loaded = E::loaded();
        let mut answer = Vec::with_capacity(64);
        let answered = loaded.instance.call(&call, &mut answer);
        if let Some(link) = loaded.link.get() {
            link.answered(call.id);
        }
        answered.map(|()| answer)
    });
    // SAFETY: the interface promises a place for the output.
    unsafe { finish(answered, out) }
}

#[expect(unsafe_code, reason = "the type is the interface's")]
unsafe extern "C" fn cancel<E: Exported>(call: u64) {
    if let Some(link) = E::loaded().link.get() {
        link.cancelled(call);
    }
}

#[expect(unsafe_code, reason = "it is called through the binary interface")]
unsafe extern "C" fn dispose<E: Exported>(dispose: Slice) -> i32 {
    let disposed = contained(|| {
        // SAFETY: the interface promises the bytes for the duration of this call.
        let dispose = unsafe { bytes::text(dispose) }?;
        E::loaded().instance.dispose(dispose);
        Ok(())
    });
    if disposed.is_ok() { STATUS_OK } else { STATUS_FAULT }
}

/// Keeps every panic on this side.
fn contained<T>(run: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("the extension panicked".to_owned()))
}

/// # Safety
/// `out` must be null or a place for a buffer.
#[expect(unsafe_code, reason = "the output goes through a pointer")]
unsafe fn finish(result: Result<Vec<u8>, String>, out: *mut Buffer) -> i32 {
    let (status, bytes) = match result {
        Ok(bytes) => (STATUS_OK, bytes),
        Err(message) => (STATUS_FAULT, message.into_bytes()),
    };
    if !out.is_null() {
        // SAFETY: it is not null, so by the caller's promise it is a place for a buffer.
        unsafe { out.write(bytes::give(bytes)) };
    }
    status
}
