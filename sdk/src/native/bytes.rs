//! Bytes on their way across the interface: lent ones, and ones that are handed over with the function that frees them.

use super::abi::{Buffer, Slice};
use crate::protocol::MAX_FRAME;

/// Lends bytes for the duration of a call.
pub(crate) fn lend(bytes: &[u8]) -> Slice {
    Slice { data: bytes.as_ptr(), length: bytes.len() }
}

/// Returns lent bytes as text.
///
/// # Safety
/// The slice must describe bytes that stay as they are for as long as the text is used.
#[expect(unsafe_code, reason = "bytes come as a pointer and a length")]
pub(crate) unsafe fn text<'a>(slice: Slice) -> Result<&'a str, String> {
    if slice.data.is_null() {
        return Ok("");
    }
    // SAFETY: the caller promises that the bytes are there and stay.
    let bytes = unsafe { std::slice::from_raw_parts(slice.data, slice.length) };
    std::str::from_utf8(bytes).map_err(|error| format!("the bytes handed over are not UTF-8: {error}"))
}

/// Returns a buffer that holds nothing.
pub(crate) const fn nothing() -> Buffer {
    Buffer { data: std::ptr::null_mut(), length: 0, capacity: 0, free: None }
}

/// Hands bytes over.
pub(crate) fn give(bytes: Vec<u8>) -> Buffer {
    let mut bytes = std::mem::ManuallyDrop::new(bytes);
    Buffer { data: bytes.as_mut_ptr(), length: bytes.len(), capacity: bytes.capacity(), free: Some(free) }
}

#[expect(unsafe_code, reason = "it takes back what `give` handed over")]
unsafe extern "C" fn free(data: *mut u8, length: usize, capacity: usize) {
    // SAFETY: these are the three parts of a vector that `give` took apart, and each buffer is freed once.
    drop(unsafe { Vec::from_raw_parts(data, length, capacity) });
}

/// Appends what was handed over to `into`, and frees it.
///
/// # Safety
/// The buffer must describe `length` bytes that can be read, and its function must free them.
#[expect(unsafe_code, reason = "bytes come as a pointer and a length")]
pub(crate) unsafe fn take(buffer: Buffer, into: &mut Vec<u8>) -> Result<(), String> {
    let Buffer { data, length, capacity, free } = buffer;
    let taken = match (data.is_null(), length) {
        (_, 0) => Ok(()),
        (true, _) => Err(format!("{length} bytes were handed over, and no place where they are")),
        (false, _) if length > MAX_FRAME => {
            Err(format!("{length} bytes were handed over, over the limit of {MAX_FRAME}"))
        }
        (false, _) => {
            // SAFETY: the caller promises that these bytes can be read.
            into.extend_from_slice(unsafe { std::slice::from_raw_parts(data, length) });
            Ok(())
        }
    };
    if let (Some(free), false) = (free, data.is_null()) {
        // SAFETY: the caller promises that this function frees these bytes; nothing uses them any more.
        unsafe { free(data, length, capacity) };
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::{give, lend, nothing, take, text};
    use crate::native::abi::{Buffer, Slice};

    #[expect(unsafe_code, reason = "the interface is of pointers")]
    fn taken(buffer: Buffer) -> Result<Vec<u8>, String> {
        let mut into = b"so: ".to_vec();
        // SAFETY: each buffer here is empty, refused by its length, or made by `give`.
        unsafe { take(buffer, &mut into) }.map(|()| into)
    }

    #[test]
    #[expect(unsafe_code, reason = "the interface is of pointers")]
    fn bytes_cross_over_and_impossible_ones_are_refused() {
        assert_eq!(taken(give(b"abc".to_vec())).unwrap(), b"so: abc");
        assert_eq!(taken(give(Vec::with_capacity(9))).unwrap(), b"so: ");
        assert_eq!(taken(nothing()).unwrap(), b"so: ");
        assert!(taken(Buffer { length: 3, ..nothing() }).unwrap_err().contains("no place"));
        let long = Buffer { length: usize::MAX, data: std::ptr::dangling_mut(), ..nothing() };
        assert!(taken(long).unwrap_err().contains("over the limit"));
        // SAFETY: the bytes are static.
        unsafe {
            assert_eq!(text(lend(b"abc")).unwrap(), "abc");
            assert_eq!(text(Slice { data: std::ptr::null(), length: 0 }).unwrap(), "");
            assert!(text(lend(b"\xff")).unwrap_err().contains("UTF-8"));
        }
    }
}
