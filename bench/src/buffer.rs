//! Memory for the messages: aligned to a huge page, huge pages asked for, filled with random-looking bytes.
//!
//! Huge pages keep the cost of address translation out of the comparison; how many the system grants is its own affair.
#![allow(unsafe_code)]

use std::alloc::{Layout, alloc, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use crate::workloads::Random;

/// The size of a huge page on x86-64 and, with 4 KiB base pages, on AArch64.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// Random-looking bytes that start on a huge-page boundary.
pub struct Buffer {
    start: NonNull<u8>,
    layout: Layout,
}

impl Buffer {
    /// At least `bytes` bytes, all of them written, so that every page is present before anything is timed.
    pub fn new(bytes: usize, seed: u64) -> Self {
        let whole = bytes.max(1).next_multiple_of(HUGE_PAGE_BYTES);
        let layout = Layout::from_size_align(whole, HUGE_PAGE_BYTES)
            .expect("the size of a workload fits a layout");
        // SAFETY: the layout's size is at least HUGE_PAGE_BYTES, so not zero.
        let start = unsafe { alloc(layout) };
        let Some(start) = NonNull::new(start) else {
            handle_alloc_error(layout)
        };
        #[cfg(target_os = "linux")]
        // SAFETY: the range is the allocation just made, page-aligned; this advice changes no contents. A refusal (a kernel
        // without huge pages) only means small pages.
        let _ = unsafe {
            rustix::mm::madvise(
                start.as_ptr().cast(),
                whole,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
        // SAFETY: `whole` bytes were allocated at `start`.
        unsafe { start.write_bytes(0, whole) };
        let mut buffer = Self { start, layout };
        Random::new(seed).fill(buffer.bytes_mut());
        buffer
    }

    /// The whole buffer.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `layout.size()` bytes from `start` are allocated and were all written in `new`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.layout.size()) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`; `&mut self` makes the slice the only one.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated in `new` with this layout, and freed only here.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}
