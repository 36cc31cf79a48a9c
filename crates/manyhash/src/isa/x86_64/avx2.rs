//! AVX2: 8 lanes of 32 bits, or 4 of 64. A rotation is two shifts and an exclusive or, as in the
//! papers.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Avx2::detect`] found
//! the instruction set, and [`Blocks::starts`] checked every pointer that is read.

use super::operations::rotation_by_shifts;
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Avx2, Blocks, ByteOrder, Isa, Successive, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Avx2,
    /// Eight 32-bit words.
    U32x8(__m256i),
    /// Four 64-bit words.
    U64x4(__m256i),
    in ymm_reg "/* {0} */" of "avx"
}

/// Reverses the bytes of each 32-bit word.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn swap_bytes_32(x: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe { _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0C0D0E0F_08090A0B, 0x04050607_00010203))) }
}

/// Reverses the bytes of each 64-bit word.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
pub(super) unsafe fn swap_bytes_64(x: __m256i) -> __m256i {
    // SAFETY: the caller guarantees AVX2.
    unsafe { _mm256_shuffle_epi8(x, _mm256_broadcastsi128_si256(_mm_set_epi64x(0x08090A0B_0C0D0E0F, 0x00010203_04050607))) }
}

impl U32x8 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Avx2, order: ByteOrder, starts: [*const u8; 8], at: usize) -> [Self; 8] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! rows { ($($i:literal)*) => { [$(_mm256_loadu_si256(starts[$i].add(at).cast())),*] } }
            let rows = transpose_8x8(rows!(0 1 2 3 4 5 6 7));
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(rows[$i]) } else { rows[$i] })),*]
            } }
            words!(0 1 2 3 4 5 6 7)
        }
    }
}

impl Words for U32x8 {
    operations!(
        Avx2, u32 as i32, 8 lanes, _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, _mm256_and_si256, swap_bytes_32
    );
    rotation_by_shifts!(u32, _mm256_sll_epi32, _mm256_srl_epi32, _mm256_xor_si256);
}

impl U64x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    pub(super) unsafe fn square(_: Avx2, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the token proves the instruction set; the caller guarantees the bytes.
        unsafe {
            macro_rules! rows { ($($i:literal)*) => { [$(_mm256_loadu_si256(starts[$i].add(at).cast())),*] } }
            let rows = transpose_4x4(rows!(0 1 2 3));
            macro_rules! words { ($($i:literal)*) => {
                [$(Self(if matches!(order, ByteOrder::Big) { swap_bytes_64(rows[$i]) } else { rows[$i] })),*]
            } }
            words!(0 1 2 3)
        }
    }
}

impl Words for U64x4 {
    operations!(
        Avx2, u64 as i64, 4 lanes, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_xor_si256, _mm256_and_si256, swap_bytes_64
    );
    rotation_by_shifts!(u64, _mm256_sll_epi64, _mm256_srl_epi64, _mm256_xor_si256);
    /// Through memory a permutation of SHA-3 takes 22 % longer (Zen 4).
    const SHARES_CODE: bool = false;
}

/// The halves of two registers that are next to each other, and zeros, are one instruction.
impl Successive for U64x4 {
    #[inline]
    fn shift_in(self, next: Self) -> Self {
        // SAFETY: the values prove the instruction set.
        Self(unsafe { _mm256_alignr_epi8::<8>(_mm256_permute2x128_si256::<0x21>(self.0, next.0), self.0) })
    }
    #[inline]
    fn shift_in_two(self, next: Self) -> Self {
        // SAFETY: the values prove the instruction set.
        Self(unsafe { _mm256_permute2x128_si256::<0x21>(self.0, next.0) })
    }
    #[inline]
    fn last_two_first(self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe { _mm256_permute2x128_si256::<0x81>(self.0, self.0) })
    }
    #[inline]
    fn first_two_last(self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe { _mm256_permute2x128_si256::<0x08>(self.0, self.0) })
    }
    #[inline]
    fn first(self) -> u64 {
        // SAFETY: the value proves the instruction set.
        unsafe { _mm_cvtsi128_si64(_mm256_castsi256_si128(self.0)) as u64 }
    }
}

/// Transposes: row i, eight words of message i, becomes row i, word i of eight messages. 24
/// shuffles, in the order of `avx512::transpose_16x16`.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transpose_8x8(rows: [__m256i; 8]) -> [__m256i; 8] {
    // SAFETY: the caller guarantees AVX2.
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

/// Transposes 4 messages of four 64-bit words: 8 shuffles.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn transpose_4x4(rows: [__m256i; 4]) -> [__m256i; 4] {
    // SAFETY: the caller guarantees AVX2.
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
