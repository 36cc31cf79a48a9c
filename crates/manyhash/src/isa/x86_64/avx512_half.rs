//! AVX-512 in half registers: 8 lanes of 32 bits, or 4 of 64.
//!
//! If a CPU issues at most two 512-bit or three 256-bit instructions a cycle (Intel), 8 messages in
//! half registers beat 8 in whole ones that are half empty. Loading and transposition are those of
//! `avx2.rs`.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`Avx512Half::detect`]
//! found the instruction set.

use super::avx2::{self, swap_bytes_32, swap_bytes_64};
use super::operations::three_operand_logic;
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Avx512Half, Blocks, ByteOrder, FourWords, Includes, Isa, Pairs, Words};
use core::arch::x86_64::*;
use std::mem::MaybeUninit;

vectors! {
    Avx512Half,
    /// Eight 32-bit words.
    U32x8(__m256i),
    /// Four 64-bit words.
    U64x4(__m256i),
    in ymm_reg "/* {0} */" of "avx"
}

impl U32x8 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(isa: Avx512Half, order: ByteOrder, starts: [*const u8; 8], at: usize) -> [Self; 8] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { avx2::U32x8::square(isa.included(), order, starts, at) };
        macro_rules! words { ($($i:literal)*) => { [$(Self(words[$i].0)),*] } }
        words!(0 1 2 3 4 5 6 7)
    }
}

impl Words for U32x8 {
    operations!(
        Avx512Half, u32 as i32, 8 lanes, _mm256_set1_epi32, _mm256_add_epi32, _mm256_xor_si256, _mm256_and_si256, swap_bytes_32
    );
    three_operand_logic!(_mm256_rorv_epi32, _mm256_set1_epi32 as i32, _mm256_srlv_epi32, _mm256_ternarylogic_epi32);
}

impl Pairs for U32x8 {
    #[inline(always)]
    fn read_fours(_: Avx512Half, order: ByteOrder, first: &[u8], second: &[u8]) -> Self {
        let (first, second) = (&first[..16], &second[..16]);
        // SAFETY: the token proves the instruction set; each slice has half a vector.
        unsafe {
            let words = _mm256_loadu2_m128i(second.as_ptr().cast(), first.as_ptr().cast());
            Self(if matches!(order, ByteOrder::Big) { swap_bytes_32(words) } else { words })
        }
    }
    #[inline(always)]
    fn write_pairs(first: Self, second: Self, pairs: &mut [[u32; 2]]) {
        // SAFETY: the values prove the instruction set; two vectors are as many pairs as there are
        // lanes.
        let by_lane: [[u32; 2]; 8] =
            unsafe { core::mem::transmute([_mm256_unpacklo_epi32(first.0, second.0), _mm256_unpackhi_epi32(first.0, second.0)]) };
        // An assignment, because `copy_from_slice` is a call in programs that are linked with `lto = "off"`.
        *pairs.first_chunk_mut().expect("a pair for each lane") = by_lane;
    }
}

impl U64x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(isa: Avx512Half, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        // SAFETY: the caller guarantees what `square` requires.
        let words = unsafe { avx2::U64x4::square(isa.included(), order, starts, at) };
        macro_rules! words { ($($i:literal)*) => { [$(Self(words[$i].0)),*] } }
        words!(0 1 2 3)
    }
}

impl Words for U64x4 {
    operations!(
        Avx512Half, u64 as i64, 4 lanes, _mm256_set1_epi64x, _mm256_add_epi64, _mm256_xor_si256, _mm256_and_si256, swap_bytes_64
    );
    three_operand_logic!(_mm256_rorv_epi64, _mm256_set1_epi64x as i64, _mm256_srlv_epi64, _mm256_ternarylogic_epi64);
}

impl FourWords for U64x4 {
    type Sixteen = [__m512i; 2];
    #[inline(always)]
    fn load_sixteen(_: Avx512Half, block: &[u8]) -> [__m512i; 2] {
        let block = &block[..128];
        // SAFETY: the token proves the instruction set; `block` has 128 bytes.
        unsafe { [_mm512_loadu_si512(block.as_ptr().cast()), _mm512_loadu_si512(block.as_ptr().add(64).cast())] }
    }
    #[inline(always)]
    fn pick(_: Avx512Half, [low, high]: [__m512i; 2], places: &[u64; 8]) -> [Self; 2] {
        // SAFETY: the token proves the instruction set; there are eight places.
        unsafe {
            let words = _mm512_permutex2var_epi64(low, _mm512_loadu_si512(places.as_ptr().cast()), high);
            [Self(_mm512_castsi512_si256(words)), Self(_mm512_extracti64x4_epi64::<1>(words))]
        }
    }
    #[inline(always)]
    fn turn<const BY: i32>(self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe {
            match BY {
                1 => _mm256_permute4x64_epi64::<0b00_11_10_01>(self.0),
                2 => _mm256_permute4x64_epi64::<0b01_00_11_10>(self.0),
                _ => _mm256_permute4x64_epi64::<0b10_01_00_11>(self.0),
            }
        })
    }
}
