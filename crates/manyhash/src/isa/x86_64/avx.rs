//! AVX: 4 lanes of 32 bits, or 2 of 64, as SSE2 has them, in the encodings with three operands and with a shuffle of bytes. It is what
//! Gueron & Krasnov 2012 and Gueron 2013 measured ("AVX", four buffers), and what CPUs have that are older than AVX2.
//!
//! Rotations are shifts, as in `sse2.rs`; the compiler gives all of this file VEX encodings, because [`Avx`]'s features are on.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Avx::detect`] found the instruction set.

use super::operations::{rotation_by_shifts, successive};
use super::sse2;
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Avx, Blocks, ByteOrder, Includes, Isa, Successive, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Avx,
    /// Four 32-bit words.
    U32x4(__m128i),
    /// Two 64-bit words.
    U64x2(__m128i),
    in xmm_reg "/* {0} */" of "avx"
}

/// Reverses the bytes of each 32-bit word.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
pub(super) unsafe fn swap_bytes_32(x: __m128i) -> __m128i {
    // SAFETY: the caller guarantees SSSE3.
    unsafe { _mm_shuffle_epi8(x, _mm_set_epi64x(0x0C0D0E0F_08090A0B, 0x04050607_00010203)) }
}

/// Reverses the bytes of each 64-bit word.
///
/// # Safety
/// The CPU has SSSE3.
#[inline(always)]
pub(super) unsafe fn swap_bytes_64(x: __m128i) -> __m128i {
    // SAFETY: the caller guarantees SSSE3.
    unsafe { _mm_shuffle_epi8(x, _mm_set_epi64x(0x08090A0B_0C0D0E0F, 0x00010203_04050607)) }
}

impl U32x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(isa: Avx, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { sse2::U32x4::square(isa.included(), ByteOrder::Little, starts, at) };
        // SAFETY: the token proves the instruction set.
        unsafe {
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(words[$i].0) } else { words[$i].0 })),*]
            } }
            words!(0 1 2 3)
        }
    }
}

impl Words for U32x4 {
    operations!(
        Avx, u32 as i32, 4 lanes, _mm_set1_epi32, _mm_add_epi32, _mm_xor_si128, _mm_and_si128, swap_bytes_32
    );
    rotation_by_shifts!(u32, _mm_sll_epi32, _mm_srl_epi32, _mm_xor_si128);
}

impl U64x2 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(isa: Avx, order: ByteOrder, starts: [*const u8; 2], at: usize) -> [Self; 2] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { sse2::U64x2::square(isa.included(), ByteOrder::Little, starts, at) };
        // SAFETY: the token proves the instruction set.
        unsafe {
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_64(words[$i].0) } else { words[$i].0 })),*]
            } }
            words!(0 1)
        }
    }
}

impl Words for U64x2 {
    operations!(
        Avx, u64 as i64, 2 lanes, _mm_set1_epi64x, _mm_add_epi64, _mm_xor_si128, _mm_and_si128, swap_bytes_64
    );
    rotation_by_shifts!(u64, _mm_sll_epi64, _mm_srl_epi64, _mm_xor_si128);
}

successive!(U32x4, U64x2);
