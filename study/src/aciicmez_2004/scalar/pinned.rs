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
    let (mut low, mut high) = a;
    // SAFETY: two additions of registers. `low` is written before `b.1` is read, and `inout` shares no register with an input.
    unsafe {
        core::arch::asm!(
            "add {0:e}, {2:e}",
            "adc {1:e}, {3:e}",
            inout(reg) low, inout(reg) high, in(reg) b.0, in(reg) b.1,
            options(pure, nomem, nostack)
        );
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
