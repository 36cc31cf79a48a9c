//! NEON: 4 lanes of 32 bits, or 2 of 64. Every AArch64 has it.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Neon::detect`] found
//! the instruction set, and [`Blocks::starts`] checked every pointer that is read.

use super::operations::{rotated, rotation_by_insertion, shifts_and_selection};
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Blocks, ByteOrder, Isa, Neon, Words};
use core::arch::aarch64::*;
use std::mem::MaybeUninit;

vectors! {
    Neon,
    /// Four 32-bit words.
    U32x4(uint32x4_t),
    /// Two 64-bit words.
    U64x2(uint64x2_t),
    in vreg "/* {0:v} */" of "neon"
}

/// Reverses the bytes of each 32-bit word.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
pub(super) unsafe fn swap_bytes_32(x: uint32x4_t) -> uint32x4_t {
    // SAFETY: the caller guarantees NEON.
    unsafe { vreinterpretq_u32_u8(vrev32q_u8(vreinterpretq_u8_u32(x))) }
}

/// Reverses the bytes of each 64-bit word.
///
/// # Safety
/// The CPU has NEON.
#[inline(always)]
pub(super) unsafe fn swap_bytes_64(x: uint64x2_t) -> uint64x2_t {
    // SAFETY: the caller guarantees NEON.
    unsafe { vreinterpretq_u64_u8(vrev64q_u8(vreinterpretq_u8_u64(x))) }
}

impl U32x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Neon, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! row {
                ($i:literal) => {
                    vreinterpretq_u32_u8(vld1q_u8(starts[$i].add(at)))
                };
            }
            macro_rules! word {
                ($half:ident $even:ident $other:ident) => {{
                    let word = vreinterpretq_u32_u64($half(vreinterpretq_u64_u32($even), vreinterpretq_u64_u32($other)));
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(word) } else { word })
                }};
            }
            let (a, b, c, d) = (row!(0), row!(1), row!(2), row!(3));
            // Words 0 and 2 of two lanes, and words 1 and 3.
            let (even, odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
            let (other_even, other_odd) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
            [
                word!(vtrn1q_u64 even other_even),
                word!(vtrn1q_u64 odd other_odd),
                word!(vtrn2q_u64 even other_even),
                word!(vtrn2q_u64 odd other_odd),
            ]
        }
    }
}

impl Words for U32x4 {
    operations!(Neon, u32 as u32, 4 lanes, vdupq_n_u32, vaddq_u32, veorq_u32, vandq_u32, swap_bytes_32);
    rotation_by_insertion!(u32 as i32, vshlq_u32, vdupq_n_s32, vorrq_u32, "sri {0:v}.4s, {1:v}.4s, {2}");
    shifts_and_selection!(i32, vshlq_u32, vdupq_n_s32, vornq_u32, vbslq_u32);
}

impl U64x2 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Neon, order: ByteOrder, starts: [*const u8; 2], at: usize) -> [Self; 2] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! word {
                ($half:ident) => {{
                    let row = |i: usize| vreinterpretq_u64_u8(vld1q_u8(starts[i].add(at)));
                    let word = $half(row(0), row(1));
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_64(word) } else { word })
                }};
            }
            [word!(vtrn1q_u64), word!(vtrn2q_u64)]
        }
    }
}

impl Words for U64x2 {
    operations!(Neon, u64 as u64, 2 lanes, vdupq_n_u64, vaddq_u64, veorq_u64, vandq_u64, swap_bytes_64);
    rotation_by_insertion!(u64 as i64, vshlq_u64, vdupq_n_s64, vorrq_u64, "sri {0:v}.2d, {1:v}.2d, {2}");
    shifts_and_selection!(i64, vshlq_u64, vdupq_n_s64, vornq_u64, vbslq_u64);
}
