//! Section 4.1.3: PREFETCHT0, which loads a cache line ahead of its use.

/// Asks for the cache lines of a block that begins `distance` bytes after `block` does. Beyond the message's end it is a wasted load.
#[inline(always)]
pub fn prefetch(block: &[u8], distance: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..block.len()).step_by(64) {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = block.as_ptr().wrapping_add(distance + line);
        #[allow(unused_unsafe, reason = "safe in later versions")]
        // SAFETY: a hint that reads nothing and is allowed for every address.
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(address.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (block, distance);
}
