//! SSE2: 4 lanes of 32 bits, 2 of 64: the XMM case of Aciicmez 2004 and the 4 buffers of Gueron & Krasnov 2012, on every x86-64.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Sse2::detect`] found the instruction set, and
//! [`Blocks::starts`] checked every pointer that is read.

use super::{Blocks, ByteOrder, Isa, Words};
use crate::isa::Sse2;
use core::arch::x86_64::*;

/// Four 32-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U32x4(__m128i);

/// Two 64-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct U64x2(__m128i);

impl Isa for Sse2 {
    type U32 = U32x4;
    type U64 = U64x2;
}

/// `asm!` checks its operands against the features of the function it stands in, hence a function.
#[inline]
#[target_feature(enable = "sse2")]
fn pin(mut x: __m128i) -> __m128i {
    // SAFETY: no instruction, only a register named.
    unsafe { core::arch::asm!("/* {0} */", inout(xmm_reg) x, options(pure, nomem, nostack, preserves_flags)) }
    x
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

macro_rules! common {
    ($word:ident, $lanes:literal, $add:ident, $splat:ident as $signed:ident, $left:ident, $right:ident) => {
        type Isa = Sse2;
        type Word = $word;
        const LANES: usize = $lanes;
        const WAVES: usize = 1;
        #[inline(always)]
        fn splat(_: Sse2, word: $word) -> Self {
            // SAFETY: the token.
            Self(unsafe { $splat(word as $signed) })
        }
        #[inline(always)]
        fn read(_: Sse2, words: &[$word]) -> Self {
            let words = &words[..$lanes];
            // SAFETY: the token; 16 bytes are there.
            Self(unsafe { _mm_loadu_si128(words.as_ptr().cast()) })
        }
        #[inline(always)]
        fn write(self, words: &mut [$word]) {
            let words = &mut words[..$lanes];
            // SAFETY: the value; 16 bytes are there.
            unsafe { _mm_storeu_si128(words.as_mut_ptr().cast(), self.0) }
        }
        #[inline(always)]
        fn add(self, other: Self) -> Self {
            // SAFETY: the value.
            Self(unsafe { $add(self.0, other.0) })
        }
        #[inline(always)]
        fn xor(self, other: Self) -> Self {
            // SAFETY: the value.
            Self(unsafe { _mm_xor_si128(self.0, other.0) })
        }
        #[inline(always)]
        fn and(self, other: Self) -> Self {
            // SAFETY: the value.
            Self(unsafe { _mm_and_si128(self.0, other.0) })
        }
        #[inline(always)]
        fn rotate_right<const R: u32>(self) -> Self {
            // SAFETY: the value. Counts in a register become immediates; `slli::<{ 32 - R }>` is not stable Rust.
            unsafe {
                let right = $right(self.0, _mm_cvtsi32_si128(R as i32));
                let left = $left(self.0, _mm_cvtsi32_si128(($word::BITS - R) as i32));
                Self(_mm_xor_si128(right, left))
            }
        }
        #[inline(always)]
        fn shift_right<const R: u32>(self) -> Self {
            // SAFETY: the value.
            Self(unsafe { $right(self.0, _mm_cvtsi32_si128(R as i32)) })
        }
        #[inline(always)]
        fn pin(self) -> Self {
            // SAFETY: the value.
            Self(unsafe { pin(self.0) })
        }
    };
}

impl Words for U32x4 {
    common!(u32, 4, _mm_add_epi32, _mm_set1_epi32 as i32, _mm_sll_epi32, _mm_srl_epi32);

    #[inline(always)]
    fn load_block(_: Sse2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<4>(first_lane, at, 64);
        // SAFETY: the token; each start has 64 bytes.
        unsafe {
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) {
                        _mm_shufflehi_epi16::<0xB1>(_mm_shufflelo_epi16::<0xB1>(swap_in_halves($x)))
                    } else {
                        $x
                    })
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
    common!(u64, 2, _mm_add_epi64, _mm_set1_epi64x as i64, _mm_sll_epi64, _mm_srl_epi64);

    #[inline(always)]
    fn load_block(_: Sse2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<2>(first_lane, at, 128);
        // SAFETY: the token; each start has 128 bytes.
        unsafe {
            macro_rules! word {
                ($x:expr) => {
                    Self(if matches!(order, ByteOrder::Big) {
                        _mm_shufflehi_epi16::<0x1B>(_mm_shufflelo_epi16::<0x1B>(swap_in_halves($x)))
                    } else {
                        $x
                    })
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
