//! SSE2: 4 lanes of 32 bits, or 2 of 64. It is the XMM case of Aciicmez 2004 and the 4 buffers of
//! Gueron & Krasnov 2012, and every x86-64 has it.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Sse2::detect`] found
//! the instruction set, and [`Blocks::starts`] checked every pointer that is read.

use super::operations::{rotation_by_shifts, successive};
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Blocks, ByteOrder, Isa, Sse2, Successive, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Sse2,
    /// Four 32-bit words.
    U32x4(__m128i),
    /// Two 64-bit words.
    U64x2(__m128i),
    in xmm_reg "/* {0} */" of "sse2"
}

successive!(U32x4, U64x2);

/// Swaps the two bytes of each 16-bit half word, because SSE2 has no byte shuffle.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn swap_in_halves(x: __m128i) -> __m128i {
    // SAFETY: the caller guarantees SSE2.
    unsafe { _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x)) }
}

/// Reverses the bytes of each 32-bit word.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn swap_bytes_32(x: __m128i) -> __m128i {
    // SAFETY: the caller guarantees SSE2.
    unsafe { _mm_shufflehi_epi16::<0xB1>(_mm_shufflelo_epi16::<0xB1>(swap_in_halves(x))) }
}

/// Reverses the bytes of each 64-bit word.
///
/// # Safety
/// The CPU has SSE2.
#[inline(always)]
unsafe fn swap_bytes_64(x: __m128i) -> __m128i {
    // SAFETY: the caller guarantees SSE2.
    unsafe { _mm_shufflehi_epi16::<0x1B>(_mm_shufflelo_epi16::<0x1B>(swap_in_halves(x))) }
}

impl U32x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Sse2, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! row {
                ($i:literal) => {
                    _mm_loadu_si128(starts[$i].add(at).cast())
                };
            }
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_32($x) } else { $x })
                };
            }
            let (ab, cd) = (_mm_unpacklo_epi32(row!(0), row!(1)), _mm_unpacklo_epi32(row!(2), row!(3)));
            let (ab_high, cd_high) = (_mm_unpackhi_epi32(row!(0), row!(1)), _mm_unpackhi_epi32(row!(2), row!(3)));
            [
                word!(_mm_unpacklo_epi64(ab, cd)),
                word!(_mm_unpackhi_epi64(ab, cd)),
                word!(_mm_unpacklo_epi64(ab_high, cd_high)),
                word!(_mm_unpackhi_epi64(ab_high, cd_high)),
            ]
        }
    }
}

impl Words for U32x4 {
    operations!(
        Sse2, u32 as i32, 4 lanes, _mm_set1_epi32, _mm_add_epi32, _mm_xor_si128, _mm_and_si128, swap_bytes_32
    );
    rotation_by_shifts!(u32, _mm_sll_epi32, _mm_srl_epi32, _mm_xor_si128);
}

impl U64x2 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Sse2, order: ByteOrder, starts: [*const u8; 2], at: usize) -> [Self; 2] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! row {
                ($i:literal) => {
                    _mm_loadu_si128(starts[$i].add(at).cast())
                };
            }
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_64($x) } else { $x })
                };
            }
            [word!(_mm_unpacklo_epi64(row!(0), row!(1))), word!(_mm_unpackhi_epi64(row!(0), row!(1)))]
        }
    }
}

impl Words for U64x2 {
    operations!(
        Sse2, u64 as i64, 2 lanes, _mm_set1_epi64x, _mm_add_epi64, _mm_xor_si128, _mm_and_si128, swap_bytes_64
    );
    rotation_by_shifts!(u64, _mm_sll_epi64, _mm_srl_epi64, _mm_xor_si128);
}
