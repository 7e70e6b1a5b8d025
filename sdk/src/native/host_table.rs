//! The host's table, from both sides: a library reaches the host through it, and a worker makes it of its connection.

use super::abi::{ABI_MAJOR, ABI_MINOR, Buffer, HostTable, STATUS_FAULT, STATUS_OK, Slice};
use super::bytes;
use crate::context::{CallError, Link};
use crate::protocol::{CallId, Reply, Request, WireError};
use crate::serve::Host;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::ffi::c_void;
use std::mem::offset_of;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

/// A library's way to the host.
pub(crate) struct HostLink {
    context: *mut c_void,
    request: unsafe extern "C" fn(*mut c_void, Slice, *mut Buffer) -> i32,
    look: Option<unsafe extern "C" fn(*mut c_void)>,
    cancelled: Mutex<Vec<CallId>>,
}

// SAFETY: the interface promises that the functions may be called from any thread with this context.
#[expect(unsafe_code, reason = "the context is a pointer that only the host looks behind")]
unsafe impl Send for HostLink {}
// SAFETY: as above.
#[expect(unsafe_code, reason = "the context is a pointer that only the host looks behind")]
unsafe impl Sync for HostLink {}

impl HostLink {
    /// # Safety
    /// The table must stay valid until the process ends, and be as large as it says.
    #[expect(unsafe_code, reason = "the table comes as a pointer")]
    pub(crate) unsafe fn new(table: *const HostTable) -> Result<Self, String> {
        if table.is_null() {
            return Err("the worker gave no table of the host".to_owned());
        }
        // SAFETY: every version of the table begins with these two fields. Fields are read one by one, since an older
        // table is shorter than the type.
        let (size, major) =
            unsafe { ((&raw const (*table).size).read(), (&raw const (*table).abi_major).read()) };
        if major != ABI_MAJOR || (size as usize) < offset_of!(HostTable, look) {
            return Err(format!(
                "the worker's interface is version {major} with {size} bytes, and this library needs {ABI_MAJOR}"
            ));
        }
        // SAFETY: the stated size covers each field that is read here.
        let (context, request, look) = unsafe {
            let look = ((size as usize) >= offset_of!(HostTable, look) + size_of::<fn()>())
                .then(|| (&raw const (*table).look).read());
            ((&raw const (*table).context).read(), (&raw const (*table).request).read(), look)
        };
        Ok(Self { context, request, look, cancelled: Mutex::new(Vec::new()) })
    }

    pub(crate) fn cancelled(&self, call: CallId) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }

    pub(crate) fn answered(&self, call: CallId) {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).retain(|other| *other != call);
    }
}

impl Link for HostLink {
    #[expect(unsafe_code, reason = "the host is asked through its table")]
    fn request(
        &self,
        parent: Option<CallId>,
        epoch: u64,
        call: &str,
        arguments: &RawValue,
    ) -> Result<Box<RawValue>, CallError> {
        let request =
            Request { id: 0, parent, epoch, call: call.to_owned(), arguments: arguments.to_owned() };
        let request = serde_json::to_vec(&request)
            .map_err(|source| CallError::Arguments { call: call.to_owned(), source })?;
        let (mut out, mut text) = (bytes::nothing(), Vec::new());
        // SAFETY: the bytes live until the call returns, and `out` is a place for a buffer, which the host filled by
        // the rules of the interface.
        let (status, taken) = unsafe {
            let status = (self.request)(self.context, bytes::lend(&request), &mut out);
            (status, bytes::take(out, &mut text))
        };
        let failed =
            |message: String| CallError::Refused(WireError { code: "call.worker".to_owned(), message });
        taken.map_err(failed)?;
        if status != STATUS_OK {
            return Err(failed(String::from_utf8_lossy(&text).into_owned()));
        }
        let reply: Reply = serde_json::from_slice(&text)
            .map_err(|source| CallError::Returned { call: call.to_owned(), source })?;
        match reply.error {
            Some(error) if error.code == CallError::Closed.code() => Err(CallError::Closed),
            Some(error) => Err(CallError::Refused(error)),
            None => Ok(reply.value.unwrap_or_else(|| RawValue::NULL.to_owned())),
        }
    }

    fn is_cancelled(&self, call: CallId) -> bool {
        self.cancelled.lock().unwrap_or_else(PoisonError::into_inner).contains(&call)
    }

    #[expect(unsafe_code, reason = "the host is asked through its table")]
    fn look(&self) {
        if let Some(look) = self.look {
            // SAFETY: the interface allows it from any thread, with this context.
            unsafe { look(self.context) };
        }
    }
}

/// Makes the table of a host. It stays until the process ends, as the interface promises.
pub(crate) fn table_of(host: Host) -> &'static HostTable {
    let context: *mut Host = Box::leak(Box::new(host));
    Box::leak(Box::new(HostTable {
        size: size_of::<HostTable>() as u32,
        abi_major: ABI_MAJOR,
        abi_minor: ABI_MINOR,
        context: context.cast(),
        request,
        look,
    }))
}

/// A request as it comes from a library. Its number is not looked at.
#[derive(Deserialize)]
struct RequestText<'a> {
    #[serde(default)]
    parent: Option<CallId>,
    epoch: u64,
    #[serde(borrow)]
    call: Cow<'a, str>,
    #[serde(borrow)]
    arguments: &'a RawValue,
}

#[expect(unsafe_code, reason = "it is called through the binary interface")]
unsafe extern "C" fn request(context: *mut c_void, request: Slice, out: *mut Buffer) -> i32 {
    let asked = catch_unwind(AssertUnwindSafe(|| {
        // SAFETY: the context is the one of the table, a host that was leaked; the bytes are there for this call.
        let (host, text) = unsafe { (&*context.cast::<Host>(), bytes::text(request)?) };
        let request: RequestText<'_> =
            serde_json::from_str(text).map_err(|error| format!("the request can't be read: {error}"))?;
        let value = host.request(request.parent, request.epoch, &request.call, request.arguments);
        let reply = match value {
            Ok(value) => Reply { id: 0, value: Some(value), error: None },
            Err(CallError::Refused(error)) => Reply { id: 0, value: None, error: Some(error) },
            Err(error) => {
                let error = WireError { code: error.code().to_owned(), message: error.to_string() };
                Reply { id: 0, value: None, error: Some(error) }
            }
        };
        serde_json::to_vec(&reply).map_err(|error| format!("the reply can't be written: {error}"))
    }));
    let (status, bytes) = match asked.unwrap_or_else(|_| Err("the worker failed".to_owned())) {
        Ok(reply) => (STATUS_OK, reply),
        Err(message) => (STATUS_FAULT, message.into_bytes()),
    };
    if !out.is_null() {
        // SAFETY: it is not null, so by the interface it is a place for a buffer.
        unsafe { out.write(bytes::give(bytes)) };
    }
    status
}

#[expect(unsafe_code, reason = "it is called through the binary interface")]
unsafe extern "C" fn look(context: *mut c_void) {
    // SAFETY: the context is the one of the table, a host that was leaked.
    let host = unsafe { &*context.cast::<Host>() };
    let _ = catch_unwind(AssertUnwindSafe(|| host.look()));
}
