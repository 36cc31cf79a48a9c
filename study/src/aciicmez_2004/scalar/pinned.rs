//! Words that the compiler must keep in general-purpose registers: what it cannot see into it neither packs into vectors nor joins to
//! wider words.

#![cfg_attr(not(target_arch = "x86_64"), allow(clippy::missing_const_for_fn))]

/// The same word, in a 32-bit register.
#[inline(always)]
pub fn in_register_32(word: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    let word = {
        let mut word = word;
        // SAFETY: a comment; nothing is executed.
        unsafe { core::arch::asm!("/* {0:e} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags)) };
        word
    };
    word
}

/// The same word, in a 64-bit register.
#[inline(always)]
pub fn in_register_64(word: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    let word = {
        let mut word = word;
        // SAFETY: a comment; nothing is executed.
        unsafe { core::arch::asm!("/* {0:r} */", inout(reg) word, options(pure, nomem, nostack, preserves_flags)) };
        word
    };
    word
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
