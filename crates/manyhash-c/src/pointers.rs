//! What callers hand over: pointers that may be null, sizes that may be wrong. Whatever can be seen of that is an
//! error here. All else is the caller's promise: the header.

use crate::Status;
use std::ffi::c_void;
use std::slice;

/// A message, or a tag: `manyhash_bytes`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Bytes {
    data: *const c_void,
    size: usize,
}

// SAFETY: the bytes are read only, and the caller lets them be while a call reads them.
unsafe impl Sync for Bytes {}
// SAFETY: as above.
unsafe impl Send for Bytes {}

impl Bytes {
    /// Takes bytes, unless that is impossible.
    pub(crate) fn new(data: *const c_void, size: usize) -> Result<Self, Status> {
        let bytes = Self { data, size };
        if bytes.is_possible() { Ok(bytes) } else { Err(Status::BadArgument) }
    }

    fn is_possible(&self) -> bool {
        self.size == 0 || !self.data.is_null() && isize::try_from(self.size).is_ok()
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        if self.size == 0 || self.data.is_null() {
            return &[];
        }
        // SAFETY: the caller says that there are so many bytes, and that they stay as they are; whether that is possible
        // was asked before.
        unsafe { slice::from_raw_parts(self.data.cast(), self.size) }
    }
}

/// Whether `count` objects may lie at a place.
fn is_possible<T>(place: *const T, count: usize) -> bool {
    let fits = count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok());
    count == 0 || !place.is_null() && place.is_aligned() && fits
}

/// Returns `count` objects that the caller has at a place.
///
/// # Safety
/// If the place is not null, there are so many objects, which stay as they are.
pub(crate) unsafe fn several<'a, T>(place: *const T, count: usize) -> Result<&'a [T], Status> {
    match count {
        _ if !is_possible(place, count) => Err(Status::BadArgument),
        0 => Ok(&[]),
        // SAFETY: there are so many, and they are where they may be.
        _ => Ok(unsafe { slice::from_raw_parts(place, count) }),
    }
}

/// Returns messages that the caller has at a place.
///
/// # Safety
/// As of [`several`], and each message has as many bytes as it says.
pub(crate) unsafe fn messages<'a>(place: *const Bytes, count: usize) -> Result<&'a [Bytes], Status> {
    // SAFETY: the caller's promise.
    let messages = unsafe { several(place, count) }?;
    if messages.iter().all(Bytes::is_possible) { Ok(messages) } else { Err(Status::BadArgument) }
}

/// Returns room for `count` times `each` bytes that the caller has at a place.
///
/// # Safety
/// If the place is not null, there are so many bytes, which nobody else uses meanwhile.
pub(crate) unsafe fn room<'a>(place: *mut u8, count: usize, each: usize) -> Result<&'a mut [u8], Status> {
    let bytes = count.checked_mul(each).ok_or(Status::BadArgument)?;
    match bytes {
        _ if !is_possible(place, bytes) => Err(Status::BadArgument),
        0 => Ok(&mut []),
        // Bytes that were never written may not be read. They are not, but a reference to them promises that they could be.
        _ => {
            // SAFETY: there are so many bytes, and nobody else uses them.
            unsafe { place.write_bytes(0, bytes) };
            // SAFETY: as above, and they have been written.
            Ok(unsafe { slice::from_raw_parts_mut(place, bytes) })
        }
    }
}
