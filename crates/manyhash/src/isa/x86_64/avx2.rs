//! AVX2: 8 lanes of 32 bits, 4 of 64. A rotation is two shifts and an exclusive or, as in the papers.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Avx2::detect`] found the instruction set, and
//! [`Blocks::starts`] checked every pointer that is read.

use super::operations::{operations, rotation_by_shifts, vectors};
use crate::isa::{Avx2, Blocks, ByteOrder, Isa, Words};
use core::arch::x86_64::*;

vectors! {
    Avx2,
    /// Eight 32-bit words.
    U32x8,
    /// Four 64-bit words.
    U64x4,
    __m256i in ymm_reg of "avx"
}

/// The bytes of each 32-bit word, last first.
///
/// # Safety
/// AVX2.
#[inline(always)]
pub(super) unsafe fn swap_bytes_32(x: __m256i) -> __m256i {
    // SAFETY: AVX2, says the caller.
    unsafe { _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0C0D0E0F_08090A0B, 0x04050607_00010203))) }
}

/// The bytes of each 64-bit word, last first.
///
/// # Safety
/// AVX2.
#[inline(always)]
pub(super) unsafe fn swap_bytes_64(x: __m256i) -> __m256i {
    // SAFETY: AVX2, says the caller.
    unsafe { _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090A0B_0C0D0E0F, 0x00010203_04050607))) }
}

impl Words for U32x8 {
    operations!(
        Avx2, u32 as i32, 8 lanes, _mm256_set1_epi32, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi32, _mm256_xor_si256, _mm256_and_si256, swap_bytes_32
    );
    rotation_by_shifts!(u32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_xor_si256);

    #[inline(always)]
    fn load_block(_: Avx2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<8>(first_lane, at, 64);
        // SAFETY: the token; each start has 64 bytes.
        unsafe {
            macro_rules! half { ($at:literal: $($i:literal)*) => { transpose_8x8([$(_mm256_loadu_si256(starts[$i].add($at).cast())),*]) } }
            let (low, high) = (half!(0: 0 1 2 3 4 5 6 7), half!(32: 0 1 2 3 4 5 6 7));
            macro_rules! words { ($($half:ident $i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_32($half[$i]) } else { $half[$i] })),*]
            } }
            words!(low 0 low 1 low 2 low 3 low 4 low 5 low 6 low 7 high 0 high 1 high 2 high 3 high 4 high 5 high 6 high 7)
        }
    }
}

impl Words for U64x4 {
    operations!(
        Avx2, u64 as i64, 4 lanes, _mm256_set1_epi64x, _mm256_loadu_si256, _mm256_storeu_si256, _mm256_add_epi64, _mm256_xor_si256, _mm256_and_si256, swap_bytes_64
    );
    rotation_by_shifts!(u64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_xor_si256);

    #[inline(always)]
    fn load_block(_: Avx2, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; 16] {
        let starts = blocks.starts::<4>(first_lane, at, 128);
        // SAFETY: the token; each start has 128 bytes.
        unsafe {
            macro_rules! quarter { ($at:literal: $($i:literal)*) => { transpose_4x4([$(_mm256_loadu_si256(starts[$i].add($at).cast())),*]) } }
            let (p, q) = (quarter!(0: 0 1 2 3), quarter!(32: 0 1 2 3));
            let (r, s) = (quarter!(64: 0 1 2 3), quarter!(96: 0 1 2 3));
            macro_rules! words { ($($quarter:ident $i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_64($quarter[$i]) } else { $quarter[$i] })),*]
            } }
            words!(p 0 p 1 p 2 p 3 q 0 q 1 q 2 q 3 r 0 r 1 r 2 r 3 s 0 s 1 s 2 s 3)
        }
    }
}

/// Row i, eight words of message i, becomes row i, word i of eight messages: 24 shuffles, in the order of `avx512::transpose_16x16`.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn transpose_8x8(rows: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: AVX2, says the caller.
    unsafe {
        let mut pairs = rows;
        macro_rules! pair { ($($i:literal)*) => { $(
            pairs[$i] = _mm256_unpacklo_epi32(rows[$i], rows[$i + 1]);
            pairs[$i + 1] = _mm256_unpackhi_epi32(rows[$i], rows[$i + 1]);
        )* } }
        pair!(0 2 4 6);
        let mut fours = rows;
        macro_rules! four { ($($i:literal)*) => { $(
            fours[$i] = _mm256_unpacklo_epi64(pairs[$i], pairs[$i + 2]);
            fours[$i + 1] = _mm256_unpackhi_epi64(pairs[$i], pairs[$i + 2]);
            fours[$i + 2] = _mm256_unpacklo_epi64(pairs[$i + 1], pairs[$i + 3]);
            fours[$i + 3] = _mm256_unpackhi_epi64(pairs[$i + 1], pairs[$i + 3]);
        )* } }
        four!(0 4);
        let mut words = rows;
        macro_rules! halves { ($($c:literal)*) => { $(
            words[$c] = _mm256_permute2x128_si256::<0x20>(fours[$c], fours[$c + 4]);
            words[$c + 4] = _mm256_permute2x128_si256::<0x31>(fours[$c], fours[$c + 4]);
        )* } }
        halves!(0 1 2 3);
        words
    }
}

/// The same for 4 messages of four 64-bit words: 8 shuffles.
///
/// # Safety
/// AVX2.
#[inline(always)]
unsafe fn transpose_4x4(rows: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: AVX2, says the caller.
    unsafe {
        let (a, b) = (_mm256_unpacklo_epi64(rows[0], rows[1]), _mm256_unpackhi_epi64(rows[0], rows[1]));
        let (c, d) = (_mm256_unpacklo_epi64(rows[2], rows[3]), _mm256_unpackhi_epi64(rows[2], rows[3]));
        [
            _mm256_permute2x128_si256::<0x20>(a, c),
            _mm256_permute2x128_si256::<0x20>(b, d),
            _mm256_permute2x128_si256::<0x31>(a, c),
            _mm256_permute2x128_si256::<0x31>(b, d),
        ]
    }
}
