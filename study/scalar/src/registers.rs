//! What the compiler cannot be asked for: words that it must keep in general-purpose registers, for what it cannot see into it neither
//! packs into vectors nor joins to wider words; and PREFETCHT0 (section 4.1.3), which loads a cache line ahead of its use.

/// The same word, out of a register that the assembler names as `$x86` or `$arm` says; elsewhere the compiler is free.
macro_rules! in_register {
    ($word:ident, $x86:literal, $arm:literal) => {{
        #[allow(unused_mut, reason = "written to where there is assembly")]
        let mut word = $word;
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a comment; nothing is executed.
        unsafe {
            core::arch::asm!($x86, inout(reg) word, options(pure, nomem, nostack, preserves_flags))
        };
        #[cfg(target_arch = "aarch64")]
        // SAFETY: as above.
        unsafe {
            core::arch::asm!($arm, inout(reg) word, options(pure, nomem, nostack, preserves_flags))
        };
        word
    }};
}

/// The same word, in a 32-bit register.
#[inline(always)]
pub fn in_register_32(word: u32) -> u32 {
    in_register!(word, "/* {0:e} */", "/* {0:w} */")
}

/// The same word, in a 64-bit register.
#[inline(always)]
pub fn in_register_64(word: u64) -> u64 {
    in_register!(word, "/* {0:r} */", "/* {0:x} */")
}

/// The sum of two 64-bit words in pairs of 32-bit registers (low, high): an addition, and one with its carry.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn add_pairs(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    use core::arch::x86_64::_addcarry_u32;
    let (mut low, mut high) = (0, 0);
    #[allow(unused_unsafe, reason = "safe in later versions")]
    // SAFETY: additions, which every x86-64 has; the results are written to words of ours.
    unsafe {
        let carry = _addcarry_u32(0, a.0, b.0, &mut low);
        _addcarry_u32(carry, a.1, b.1, &mut high);
    }
    (low, high)
}

/// The sum of two 64-bit words in pairs of 32-bit words (low, high), as the compiler likes it.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub fn add_pairs(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    let (low, carry) = a.0.overflowing_add(b.0);
    (low, a.1.wrapping_add(b.1).wrapping_add(u32::from(carry)))
}

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
