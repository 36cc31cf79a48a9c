//! The vectors of WebAssembly: 4 lanes of 32 bits, or 2 of 64. They are there in a module that was compiled with the feature
//! `simd128`, which is about all that browsers run since 2023.
//!
//! SAFETY, for every block of this file: a vector or a token exists only in such a module, and [`Blocks::starts`] checked every
//! pointer that is read.

#![allow(unused_unsafe, reason = "most operations of WebAssembly are safe; the macros are also for architectures where they are not")]

use super::operations::operations;
use super::words::{MAX_BLOCK_WORDS, most_words, put_square, sixteen, squares};
use super::{Blocks, ByteOrder, Isa, Simd128, Words};
use core::arch::wasm32::*;
use std::mem::MaybeUninit;

/// Four 32-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct U32x4(v128);

/// Two 64-bit words.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct U64x2(v128);

impl Isa for Simd128 {
    type U32 = U32x4;
    type U64 = U64x2;
}

/// Returns `$x` with byte `$i` in place of byte 0, 1, 2, ...
macro_rules! bytes {
    ($x:expr; $($i:literal)*) => {
        u8x16_shuffle::<$($i),*>($x, $x)
    };
}

/// Reverses the bytes of each 32-bit word.
#[inline(always)]
fn swap_bytes_32(x: v128) -> v128 {
    bytes!(x; 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12)
}

/// Reverses the bytes of each 64-bit word.
#[inline(always)]
fn swap_bytes_64(x: v128) -> v128 {
    bytes!(x; 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8)
}

impl U32x4 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(_: Simd128, order: ByteOrder, starts: [*const u8; 4], at: usize) -> [Self; 4] {
        macro_rules! row {
            ($i:literal) => {
                // SAFETY: the caller guarantees the bytes.
                unsafe { v128_load(starts[$i].add(at).cast()) }
            };
        }
        macro_rules! word {
            ($x:expr) => {
                Self(if matches!(order, ByteOrder::Big) { swap_bytes_32($x) } else { $x })
            };
        }
        let (a, b, c, d) = (row!(0), row!(1), row!(2), row!(3));
        let (ab, cd) = (u32x4_shuffle::<0, 4, 1, 5>(a, b), u32x4_shuffle::<0, 4, 1, 5>(c, d));
        let (ab_high, cd_high) = (u32x4_shuffle::<2, 6, 3, 7>(a, b), u32x4_shuffle::<2, 6, 3, 7>(c, d));
        [
            word!(u64x2_shuffle::<0, 2>(ab, cd)),
            word!(u64x2_shuffle::<1, 3>(ab, cd)),
            word!(u64x2_shuffle::<0, 2>(ab_high, cd_high)),
            word!(u64x2_shuffle::<1, 3>(ab_high, cd_high)),
        ]
    }

    /// No instruction has a name for a register, so that nothing keeps the compiler from reordering. What runs the module
    /// compiles it once more anyway.
    #[inline(always)]
    fn pinned(x: v128) -> v128 {
        x
    }
}

impl U64x2 {
    /// Loads the words that a register has of each lane, from byte `at` on, and transposes them.
    ///
    /// # Safety
    /// A register's bytes can be read at byte `at` of each start.
    #[inline(always)]
    unsafe fn square(_: Simd128, order: ByteOrder, starts: [*const u8; 2], at: usize) -> [Self; 2] {
        macro_rules! row {
            ($i:literal) => {
                // SAFETY: the caller guarantees the bytes.
                unsafe { v128_load(starts[$i].add(at).cast()) }
            };
        }
        macro_rules! word {
            ($x:expr) => {
                Self(if matches!(order, ByteOrder::Big) { swap_bytes_64($x) } else { $x })
            };
        }
        let (a, b) = (row!(0), row!(1));
        [word!(u64x2_shuffle::<0, 2>(a, b)), word!(u64x2_shuffle::<1, 3>(a, b))]
    }

    /// As of [`U32x4`].
    #[inline(always)]
    fn pinned(x: v128) -> v128 {
        x
    }
}

/// Rotation, shift and selection. A rotation is two shifts and an or, or a move of bytes where it moves whole ones.
macro_rules! shifts_and_selection {
    ($word:ident, $left:ident, $right:ident; $($by:literal: $($i:literal)*;)*) => {
        #[inline]
        fn rotate_right<const R: u32>(self) -> Self {
            Self(match R {
                $($by => bytes!(self.0; $($i)*),)*
                _ => v128_or($right(self.0, R), $left(self.0, $word::BITS - R)),
            })
        }
        #[inline]
        fn shift_right<const R: u32>(self) -> Self {
            Self($right(self.0, R))
        }
        #[inline]
        fn choose(x: Self, y: Self, z: Self) -> Self {
            Self(v128_bitselect(y.0, z.0, x.0))
        }
        #[inline]
        fn xor_and_not(x: Self, y: Self, z: Self) -> Self {
            Self(v128_xor(x.0, v128_andnot(z.0, y.0)))
        }
        #[inline]
        fn add_choice(self, x: Self, choice: Self, other: Self) -> Self {
            self.add(Self(v128_andnot(other.0, x.0))).add(x.and(choice))
        }
    };
}

impl Words for U32x4 {
    operations!(Simd128, u32 as u32, 4 lanes, u32x4_splat, u32x4_add, v128_xor, v128_and, swap_bytes_32);
    shifts_and_selection! {
        u32, u32x4_shl, u32x4_shr;
        8: 1 2 3 0 5 6 7 4 9 10 11 8 13 14 15 12;
        16: 2 3 0 1 6 7 4 5 10 11 8 9 14 15 12 13;
        24: 3 0 1 2 7 4 5 6 11 8 9 10 15 12 13 14;
    }
}

impl Words for U64x2 {
    operations!(Simd128, u64 as u64, 2 lanes, u64x2_splat, u64x2_add, v128_xor, v128_and, swap_bytes_64);
    shifts_and_selection! {
        u64, u64x2_shl, u64x2_shr;
        8: 1 2 3 4 5 6 7 0 9 10 11 12 13 14 15 8;
        16: 2 3 4 5 6 7 0 1 10 11 12 13 14 15 8 9;
        24: 3 4 5 6 7 0 1 2 11 12 13 14 15 8 9 10;
        32: 4 5 6 7 0 1 2 3 12 13 14 15 8 9 10 11;
        56: 7 0 1 2 3 4 5 6 15 8 9 10 11 12 13 14;
    }
}
