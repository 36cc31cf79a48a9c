//! NEON with the instructions for SHA-3, which other algorithms gain by too: an exclusive or of three
//! words, a row of chi, and, made by the compiler of an exclusive or and a rotation, one instruction for
//! both.
//!
//! SAFETY, for every block of this file: a vector or a token exists only if [`NeonSha3::detect`] found
//! the instruction set, and [`Blocks::starts`] checked every pointer that is read.

use super::neon::{self, swap_bytes_32, swap_bytes_64};
use super::operations::{known_rotation, rotated, rotation_by_insertion, shifts_and_selection};
use crate::isa::operations::{operations, vectors};
use crate::isa::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use crate::isa::{Blocks, ByteOrder, Includes, Isa, NeonSha3, Words};
use core::arch::aarch64::*;
use std::mem::MaybeUninit;

vectors! {
    NeonSha3,
    /// Four 32-bit words.
    U32x4(uint32x4_t),
    /// Two 64-bit words.
    U64x2(uint64x2_t),
    in vreg "/* {0:v} */" of "neon"
}

/// The loads that are those of `neon.rs`.
macro_rules! square_of_neon {
    ($Vector:ident, $lanes:literal) => {
        impl $Vector {
            /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
            ///
            /// # Safety
            /// A register's bytes can be read at byte `at` of each start.
            #[inline(always)]
            unsafe fn square(isa: NeonSha3, order: ByteOrder, starts: [*const u8; $lanes], at: usize) -> [Self; $lanes] {
                // SAFETY: the caller guarantees what `square` requires; both types are one register.
                unsafe { core::mem::transmute(neon::$Vector::square(isa.included(), order, starts, at)) }
            }
        }
    };
}
square_of_neon!(U32x4, 4);
square_of_neon!(U64x2, 2);

/// What one instruction does with three words.
macro_rules! three_words {
    ($xor3:ident, $xor_and_not:ident) => {
        #[inline]
        fn xor3(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $xor3(x.0, y.0, z.0) })
        }
        #[inline]
        fn xor_and_not(x: Self, y: Self, z: Self) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $xor_and_not(x.0, z.0, y.0) })
        }
    };
}

impl Words for U32x4 {
    operations!(NeonSha3, u32 as u32, 4 lanes, vdupq_n_u32, vaddq_u32, veorq_u32, vandq_u32, swap_bytes_32);
    rotation_by_insertion!(u32 as i32, vshlq_u32, vdupq_n_s32, vorrq_u32, "sri {0:v}.4s, {1:v}.4s, {2}");
    shifts_and_selection!(i32, vshlq_u32, vdupq_n_s32, vornq_u32, vbslq_u32);
    three_words!(veor3q_u32, vbcaxq_u32);
}

impl Words for U64x2 {
    operations!(NeonSha3, u64 as u64, 2 lanes, vdupq_n_u64, vaddq_u64, veorq_u64, vandq_u64, swap_bytes_64);
    known_rotation!(u64 as i64, vshlq_u64, vdupq_n_s64, vorrq_u64);
    shifts_and_selection!(i64, vshlq_u64, vdupq_n_s64, vornq_u64, vbslq_u64);
    three_words!(veor3q_u64, vbcaxq_u64);
}
