//! Memory from the kernel: messages between forbidden pages, and messages larger than memory.

use std::ffi::c_void;
use std::ptr;

use rustix::fs::{MemfdFlags, ftruncate, memfd_create};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap, mmap_anonymous, mprotect, munmap};
use rustix::param::page_size;

/// An address range of this process, given back when dropped.
struct Mapping {
    start: *mut c_void,
    length_bytes: usize,
}

impl Mapping {
    /// Zeroed private memory that may be used as `protection` says.
    fn new(length_bytes: usize, protection: ProtFlags) -> Self {
        // SAFETY: a new mapping at an address of the kernel's choice touches no memory in use.
        let start = unsafe { mmap_anonymous(ptr::null_mut(), length_bytes, protection, MapFlags::PRIVATE) }
            .unwrap_or_else(|error| panic!("mmap of {length_bytes} bytes: {error}"));
        Self { start, length_bytes }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the range is ours alone, and whatever borrowed it has ended.
        unsafe { munmap(self.start, self.length_bytes) }.expect("munmap");
    }
}

/// Which end of their own pages the bytes touch.
#[derive(Clone, Copy, Debug)]
pub enum Against {
    /// One byte before them is forbidden.
    Front,
    /// One byte behind them is forbidden.
    Back,
}

/// Bytes with a forbidden page before and behind their own pages. Touching one byte too many on the side they lie
/// against (on both, if they fill their pages) kills the process with SIGSEGV.
pub struct Guarded {
    mapping: Mapping,
    inner_bytes: usize,
    offset_bytes: usize,
    length_bytes: usize,
}

// SAFETY: the mapping is this value's own, and is changed only through `&mut`.
unsafe impl Send for Guarded {}
// SAFETY: as above.
unsafe impl Sync for Guarded {}

impl Guarded {
    /// Holds no bytes yet, and has room for this many.
    pub fn with_room(most_bytes: usize) -> Self {
        let page = page_size();
        let inner_bytes = most_bytes.next_multiple_of(page);
        let mapping = Mapping::new(inner_bytes + 2 * page, ProtFlags::READ | ProtFlags::WRITE);
        // SAFETY: these are the first and the last page of the mapping, which nothing points to yet.
        unsafe {
            mprotect(mapping.start, page, MprotectFlags::empty()).expect("mprotect");
            mprotect(mapping.start.byte_add(page + inner_bytes), page, MprotectFlags::empty()).expect("mprotect");
        }
        Self { mapping, inner_bytes, offset_bytes: page, length_bytes: 0 }
    }

    /// Holds a copy of the message.
    pub fn new(message: &[u8], against: Against) -> Self {
        let mut guarded = Self::with_room(message.len());
        guarded.set(message, against);
        guarded
    }

    /// Holds a copy of these bytes from now on.
    pub fn set(&mut self, bytes: &[u8], against: Against) -> &[u8] {
        let room = self.room(bytes.len(), against);
        room.copy_from_slice(bytes);
        room
    }

    /// Holds this many bytes from now on, whatever they are.
    pub fn room(&mut self, length_bytes: usize, against: Against) -> &mut [u8] {
        assert!(length_bytes <= self.inner_bytes, "{length_bytes} bytes, and room for {}", self.inner_bytes);
        self.length_bytes = length_bytes;
        self.offset_bytes = match against {
            Against::Front => page_size(),
            Against::Back => page_size() + self.inner_bytes - length_bytes,
        };
        // SAFETY: these bytes are inside the mapping, between its forbidden pages, and borrowed from it.
        unsafe { std::slice::from_raw_parts_mut(self.mapping.start.byte_add(self.offset_bytes).cast(), length_bytes) }
    }

    /// Reads the byte beside those that are held, on the side that they lie against. Does not return.
    pub fn read_beside(&self, against: Against) -> u8 {
        let offset_bytes = match against {
            Against::Front => self.offset_bytes - 1,
            Against::Back => self.offset_bytes + self.length_bytes,
        };
        // SAFETY: this byte is in the mapping, and of a page that may not be read: the process ends here.
        unsafe { self.mapping.start.byte_add(offset_bytes).cast::<u8>().read_volatile() }
    }

    /// Holds these offsets from now on.
    pub fn set_offsets(&mut self, offsets: &[u32], against: Against) -> &[u32] {
        let bytes: Vec<u8> = offsets.iter().flat_map(|offset| offset.to_ne_bytes()).collect();
        // SAFETY: any bytes are numbers.
        let (before, offsets, behind) = unsafe { self.set(&bytes, against).align_to() };
        assert!(before.is_empty() && behind.is_empty(), "pages begin and end at a multiple of four");
        offsets
    }
}

impl AsRef<[u8]> for Guarded {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: these bytes are inside the mapping, between its forbidden pages; it was made with zeros.
        unsafe { std::slice::from_raw_parts(self.mapping.start.byte_add(self.offset_bytes).cast(), self.length_bytes) }
    }
}

/// A chunk repeated to a length that need not fit in memory: the same pages mapped over and over.
pub struct Repeated {
    mapping: Mapping,
    length_bytes: usize,
}

impl Repeated {
    /// `chunk` must fill whole pages.
    pub fn new(chunk: &[u8], length_bytes: usize) -> Self {
        assert!(chunk.len().is_multiple_of(page_size()), "a chunk of {} bytes is not whole pages", chunk.len());
        let file = memfd_create("repeated-chunk", MemfdFlags::CLOEXEC).expect("memfd_create");
        ftruncate(&file, chunk.len() as u64).expect("ftruncate");
        let written = rustix::io::pwrite(&file, chunk, 0).expect("pwrite");
        assert_eq!(written, chunk.len(), "pwrite fell short");

        let mapping = Mapping::new(length_bytes.next_multiple_of(chunk.len()), ProtFlags::empty());
        for offset in (0..mapping.length_bytes).step_by(chunk.len()) {
            // SAFETY: replaces part of the mapping made above, to which nothing points yet. Nobody
            // else has the file, so its bytes never change.
            unsafe {
                let start = mapping.start.byte_add(offset);
                let flags = MapFlags::SHARED | MapFlags::FIXED;
                mmap(start, chunk.len(), ProtFlags::READ, flags, &file, 0).expect("mmap of a chunk");
            }
        }
        Self { mapping, length_bytes }
    }
}

impl AsRef<[u8]> for Repeated {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `new` mapped readable pages over the whole length.
        unsafe { std::slice::from_raw_parts(self.mapping.start.cast(), self.length_bytes) }
    }
}
