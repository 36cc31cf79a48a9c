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

/// Which end of the readable pages the message touches.
#[derive(Clone, Copy, Debug)]
pub enum Against {
    /// One byte before the message is forbidden.
    Front,
    /// One byte behind the message is forbidden.
    Back,
}

/// A copy of a message with a forbidden page before and behind its own pages. Reading one byte too
/// many on the side it touches (on both, if it fills its pages) kills the process with SIGSEGV.
pub struct Guarded {
    mapping: Mapping,
    offset_bytes: usize,
    length_bytes: usize,
}

impl Guarded {
    pub fn new(message: &[u8], against: Against) -> Self {
        let page = page_size();
        let inner_bytes = message.len().next_multiple_of(page);
        let mapping = Mapping::new(inner_bytes + 2 * page, ProtFlags::READ | ProtFlags::WRITE);
        let offset_bytes = match against {
            Against::Front => page,
            Against::Back => page + inner_bytes - message.len(),
        };
        // SAFETY: offset and length stay inside the mapping, which is writable and no one else's;
        // the two protected pages are its first and its last.
        unsafe {
            ptr::copy_nonoverlapping(message.as_ptr(), mapping.start.byte_add(offset_bytes).cast(), message.len());
            mprotect(mapping.start, page, MprotectFlags::empty()).expect("mprotect");
            mprotect(mapping.start.byte_add(page + inner_bytes), page, MprotectFlags::empty()).expect("mprotect");
        }
        Self { mapping, offset_bytes, length_bytes: message.len() }
    }
}

impl AsRef<[u8]> for Guarded {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `new` wrote these bytes, inside the mapping and outside its forbidden pages.
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
