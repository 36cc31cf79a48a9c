//! SSE2: 4 lanes of 32 bits, 2 of 64: the XMM case of Aciicmez 2004 and the 4 buffers of Gueron & Krasnov 2012, on every x86-64.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Sse2::detect`] found the instruction set, and
//! [`Blocks::starts`] checked every pointer that is read.

use super::operations::{operations, rotation_by_shifts, vectors};
use crate::isa::{Blocks, ByteOrder, Isa, Sse2, Words};
use core::arch::x86_64::*;

vectors! {
    Sse2,
    /// Four 32-bit words.
    U32x4,
    /// Two 64-bit words.
    U64x2,
    __m128i in xmm_reg of "sse2"
}

/// Bytes of each 16-bit half word change places: SSE2 has no byte shuffle.
///
/// # Safety
/// SSE2.
#[inline(always)]
unsafe fn swap_in_halves(x: __m128i) -> __m128i {
    // SAFETY: SSE2, says the caller.
    unsafe { _mm_or_si128(_mm_slli_epi16::<8>(x), _mm_srli_epi16::<8>(x)) }
}

/// The bytes of each 32-bit word, last first.
///
/// # Safety
/// SSE2.
#[inline(always)]
unsafe fn swap_bytes_32(x: __m128i) -> __m128i {
    // SAFETY: SSE2, says the caller.
    unsafe { _mm_shufflehi_epi16::<0xB1>(_mm_shufflelo_epi16::<0xB1>(swap_in_halves(x))) }
}

/// The bytes of each 64-bit word, last first.
///
/// # Safety
/// SSE2.
#[inline(always)]
unsafe fn swap_bytes_64(x: __m128i) -> __m128i {
    // SAFETY: SSE2, says the caller.
    unsafe { _mm_shufflehi_epi16::<0x1B>(_mm_shufflelo_epi16::<0x1B>(swap_in_halves(x))) }
}

impl Words for U32x4 {
    operations!(
        Sse2, u32 as i32, 4 lanes, _mm_set1_epi32, _mm_loadu_si128, _mm_storeu_si128, _mm_add_epi32, _mm_xor_si128, _mm_and_si128, swap_bytes_32
    );
    rotation_by_shifts!(u32, _mm_sll_epi32, _mm_srl_epi32, _mm_xor_si128);

    #[inline(always)]
    fn load_block(_: Sse2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<4>(first_lane, at, 64);
        // SAFETY: the token; each start has 64 bytes.
        unsafe {
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_32($x) } else { $x })
                };
            }
            macro_rules! quarter {
                ($at:literal) => {{
                    macro_rules! row {
                        ($i:literal) => {
                            _mm_loadu_si128(starts[$i].add($at).cast())
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
                }};
            }
            let (p, q, r, s) = (quarter!(0), quarter!(16), quarter!(32), quarter!(48));
            [p[0], p[1], p[2], p[3], q[0], q[1], q[2], q[3], r[0], r[1], r[2], r[3], s[0], s[1], s[2], s[3]]
        }
    }
}

impl Words for U64x2 {
    operations!(
        Sse2, u64 as i64, 2 lanes, _mm_set1_epi64x, _mm_loadu_si128, _mm_storeu_si128, _mm_add_epi64, _mm_xor_si128, _mm_and_si128, swap_bytes_64
    );
    rotation_by_shifts!(u64, _mm_sll_epi64, _mm_srl_epi64, _mm_xor_si128);

    #[inline(always)]
    fn load_block(_: Sse2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<2>(first_lane, at, 128);
        // SAFETY: the token; each start has 128 bytes.
        unsafe {
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) { swap_bytes_64($x) } else { $x })
                };
            }
            let mut words = [Self(_mm_setzero_si128()); 16];
            macro_rules! pairs { ($($i:literal)*) => { $(
                let (a, b) = (_mm_loadu_si128(starts[0].add(8 * $i).cast()), _mm_loadu_si128(starts[1].add(8 * $i).cast()));
                words[$i] = word!(_mm_unpacklo_epi64(a, b));
                words[$i + 1] = word!(_mm_unpackhi_epi64(a, b));
            )* } }
            pairs!(0 2 4 6 8 10 12 14);
            words
        }
    }
}
