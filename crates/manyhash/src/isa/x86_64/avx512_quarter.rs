//! AVX-512 in quarter registers: 4 lanes of 32 bits, or 2 of 64.
//!
//! These are for two messages with 64-bit words, or three or four with 32-bit ones, as those of
//! `avx512_half.rs` are for more, and for one SHA-2 message, whose schedule they make. Loading and
//! transposition are those of `avx.rs`.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if
//! [`Avx512Quarter::detect`] found the instruction set.

use super::avx::{self, swap_bytes_32, swap_bytes_64};
use super::operations::{successive, three_operand_logic};
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Avx512Quarter, Blocks, ByteOrder, FourWords, Includes, Isa, Pairs, Successive, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Avx512Quarter,
    /// Four 32-bit words.
    U32x4(__m128i),
    /// Two 64-bit words.
    U64x2(__m128i),
    in xmm_reg "/* {0} */" of "avx"
}

successive!(U32x4, U64x2);

impl Pairs for U32x4 {
    #[inline(always)]
    fn read_fours(isa: Avx512Quarter, order: ByteOrder, first: &[u8], _second: &[u8]) -> Self {
        Self::read_bytes(isa, order, first)
    }
    #[inline(always)]
    fn write_pairs(first: Self, second: Self, pairs: &mut [[u32; 2]]) {
        // SAFETY: the values prove the instruction set; two vectors are as many pairs as there are
        // lanes.
        let by_lane: [[u32; 2]; 4] =
            unsafe { core::mem::transmute([_mm_unpacklo_epi32(first.0, second.0), _mm_unpackhi_epi32(first.0, second.0)]) };
        // An assignment, because `copy_from_slice` is a call in programs that are linked with `lto = "off"`.
        *pairs.first_chunk_mut().expect("a pair for each lane") = by_lane;
    }
}

impl U32x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(isa: Avx512Quarter, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { avx::U32x4::square(isa.included(), order, starts, at) };
        [Self(words[0].0), Self(words[1].0), Self(words[2].0), Self(words[3].0)]
    }
}

impl Words for U32x4 {
    operations!(
        Avx512Quarter, u32 as i32, 4 lanes, _mm_set1_epi32, _mm_add_epi32, _mm_xor_si128, _mm_and_si128, swap_bytes_32
    );
    three_operand_logic!(_mm_rorv_epi32, _mm_set1_epi32 as i32, _mm_srlv_epi32, _mm_ternarylogic_epi32);
}

impl FourWords for U32x4 {
    type Sixteen = [__m256i; 2];
    #[inline(always)]
    fn load_sixteen(_: Avx512Quarter, block: &[u8]) -> [__m256i; 2] {
        let block = &block[..64];
        // SAFETY: the token proves the instruction set; `block` has 64 bytes.
        unsafe { [_mm256_loadu_si256(block.as_ptr().cast()), _mm256_loadu_si256(block.as_ptr().add(32).cast())] }
    }
    #[inline(always)]
    fn pick(_: Avx512Quarter, [low, high]: [__m256i; 2], places: &[u32; 8]) -> [Self; 2] {
        // SAFETY: the token proves the instruction set; there are eight places.
        unsafe {
            let words = _mm256_permutex2var_epi32(low, _mm256_loadu_si256(places.as_ptr().cast()), high);
            [Self(_mm256_castsi256_si128(words)), Self(_mm256_extracti128_si256::<1>(words))]
        }
    }
    #[inline(always)]
    fn turn<const BY: i32>(self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe {
            match BY {
                1 => _mm_shuffle_epi32::<0b00_11_10_01>(self.0),
                2 => _mm_shuffle_epi32::<0b01_00_11_10>(self.0),
                _ => _mm_shuffle_epi32::<0b10_01_00_11>(self.0),
            }
        })
    }
}

impl U64x2 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(isa: Avx512Quarter, order: ByteOrder, starts: [*const u8; 2], at: usize) -> [Self; 2] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { avx::U64x2::square(isa.included(), order, starts, at) };
        [Self(words[0].0), Self(words[1].0)]
    }
}

impl Words for U64x2 {
    operations!(
        Avx512Quarter, u64 as i64, 2 lanes, _mm_set1_epi64x, _mm_add_epi64, _mm_xor_si128, _mm_and_si128, swap_bytes_64
    );
    three_operand_logic!(_mm_rorv_epi64, _mm_set1_epi64x as i64, _mm_srlv_epi64, _mm_ternarylogic_epi64);
}
