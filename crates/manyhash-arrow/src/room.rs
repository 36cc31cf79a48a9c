//! Memory that a column is written to.

use crate::Error;
use arrow_buffer::{Buffer, MutableBuffer};
use bytes::Bytes;
use memmap2::MmapMut;
use std::ops::{Deref, DerefMut};

/// Memory full of zeros, to be written over, and aligned as any type needs it.
///
/// A large piece is asked for in large pages: the first touch of a page of 4 KiB costs up to a
/// microsecond in a virtual machine, which is 10 ns for a digest of 32 bytes and would be a quarter
/// of all the time.
pub(crate) enum Room {
    Small(MutableBuffer),
    Large(MmapMut),
}

impl Room {
    /// Pieces of at least this number of bytes, a few large pages, are asked for in large pages.
    const LARGE_BYTES: usize = 4 << 20;

    /// Room for `count` items of `item_bytes` bytes each.
    ///
    /// # Errors
    /// If memory is short.
    pub(crate) fn new(count: usize, item_bytes: usize) -> Result<Self, Error> {
        let bytes = count.saturating_mul(item_bytes);
        if bytes < Self::LARGE_BYTES {
            return Ok(Self::Small(MutableBuffer::from_len_zeroed(bytes)));
        }
        let mapped = MmapMut::map_anon(bytes).map_err(|_| Error::Memory { bytes })?;
        #[cfg(target_os = "linux")]
        // This is a wish: without large pages everything is as right, and slower.
        let _ = mapped.advise(memmap2::Advice::HugePage);
        Ok(Self::Large(mapped))
    }
}

impl Deref for Room {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Small(bytes) => bytes,
            Self::Large(mapped) => mapped,
        }
    }
}

impl DerefMut for Room {
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Self::Small(bytes) => bytes,
            Self::Large(mapped) => mapped,
        }
    }
}

impl From<Room> for Buffer {
    fn from(room: Room) -> Self {
        match room {
            Room::Small(bytes) => bytes.into(),
            Room::Large(mapped) => Self::from(Bytes::from_owner(mapped)),
        }
    }
}

/// Checks that there is memory for `count` items of `item_bytes` bytes each, before a library asks
/// for it that ends the process if there is none.
///
/// # Errors
/// If memory is short.
pub(crate) fn affordable(count: usize, item_bytes: usize) -> Result<(), Error> {
    let bytes = count.saturating_mul(item_bytes);
    Vec::<u8>::new().try_reserve_exact(bytes).map_err(|_| Error::Memory { bytes })
}
