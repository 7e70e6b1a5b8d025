//! The binary interface between a worker and a native extension, version 1: plain C, bytes in and bytes out.
//!
//! A library exports one function, [`ENTRY_SYMBOL`], that returns its [`Vtable`]. Both tables begin with their own
//! size, so that either side can be older: a field beyond the size the other side states is not read. New fields are
//! added at the end; anything else is a new major version with a symbol of its own. No unwinding crosses it.
//!
//! The bytes are JSON of `protocol`: a `Call` in, the `Answer` or the fault's message out.

use std::ffi::c_void;

/// The function that a library exports: `extern "C" fn() -> *const Vtable`.
pub const ENTRY_SYMBOL: &str = "pintle_entry_v1";
/// The major version of this interface.
pub const ABI_MAJOR: u16 = 1;
/// The minor version of this interface.
pub const ABI_MINOR: u16 = 0;

/// It went well; the output holds the value.
pub const STATUS_OK: i32 = 0;
/// It failed; the output holds a message as UTF-8.
pub const STATUS_FAULT: i32 = 1;

/// Bytes that are only lent, for the duration of a call.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Slice {
    /// The first byte; may be null if there are none.
    pub data: *const u8,
    /// Their number.
    pub length: usize,
}

/// Bytes that are handed over, with the function that frees them.
#[repr(C)]
#[derive(Debug)]
pub struct Buffer {
    /// The first byte; null if there are none.
    pub data: *mut u8,
    /// Their number.
    pub length: usize,
    /// How many were allocated.
    pub capacity: usize,
    /// Frees them; null if there is nothing to free.
    pub free: Option<unsafe extern "C" fn(*mut u8, usize, usize)>,
}

/// What a library offers to its worker.
#[repr(C)]
#[derive(Debug)]
pub struct Vtable {
    /// The size of this table, in bytes.
    pub size: u32,
    /// The major version; must be [`ABI_MAJOR`].
    pub abi_major: u16,
    /// The minor version.
    pub abi_minor: u16,
    /// Starts the extension: `hello` is a JSON `Hello`, and the output a JSON `Ready`. The host table stays valid until
    /// the worker ends.
    pub create: unsafe extern "C" fn(host: *const HostTable, hello: Slice, out: *mut Buffer) -> i32,
    /// Answers a call: `call` is a JSON `Call`, and the output a JSON `Answer`. May be called from several threads at
    /// once.
    pub call: unsafe extern "C" fn(call: Slice, out: *mut Buffer) -> i32,
    /// Says that the answer to a call is no longer wanted.
    pub cancel: unsafe extern "C" fn(call: u64),
    /// Lets go of everything; `dispose` is a JSON `Dispose`.
    pub dispose: unsafe extern "C" fn(dispose: Slice) -> i32,
}

/// What a worker offers to a library.
#[repr(C)]
#[derive(Debug)]
pub struct HostTable {
    /// The size of this table, in bytes.
    pub size: u32,
    /// The major version.
    pub abi_major: u16,
    /// The minor version.
    pub abi_minor: u16,
    /// Handed back with every request.
    pub context: *mut c_void,
    /// Asks something of the host and waits for the answer: `request` is a JSON `Request` (its `id` is ignored), the output a JSON `Reply`. May
    /// be called from any thread.
    pub request: unsafe extern "C" fn(context: *mut c_void, request: Slice, out: *mut Buffer) -> i32,
    /// Reads what has arrived, without waiting for more, so that the library learns of cancels. May be called from any
    /// thread.
    pub look: unsafe extern "C" fn(context: *mut c_void),
}
