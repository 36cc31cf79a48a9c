//! Bytes that are fetched into the second cache before they are read.

/// Asks for the line of memory at byte `at` of `bytes`, which need not be one of them: a hint, which changes no result and
/// can't fail. Nothing happens where there is no instruction for it.
#[inline(always)]
pub(crate) fn prefetch(bytes: &[u8], at: usize) {
    prefetch_line(bytes.as_ptr().wrapping_add(at));
}

/// Asks for the line of memory that an address is in, if there is one.
#[inline(always)]
pub(super) fn prefetch_line(line: *const u8) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    // SAFETY: a prefetch never faults, and every x86-64 CPU has it.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T1>(line.cast());
    }
    #[cfg(all(target_arch = "aarch64", not(miri)))]
    // SAFETY: a prefetch never faults, and changes nothing that a program can see.
    unsafe {
        core::arch::asm!("prfm pldl2keep, [{}]", in(reg) line, options(nostack, preserves_flags, readonly));
    }
    #[cfg(any(miri, not(any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = line;
}
