//! The instructions for SHA-1, SHA-2 and SM3 as operations on values.
//!
//! SAFETY, for every block of this file: a token or a value exists only if `detect` found the
//! instruction set.

use super::instructions::{Sha32, Sha64, ShaVector, Sm3};
use super::neon::{swap_bytes_32, swap_bytes_64};
use crate::isa::{Blocks, NeonSha3, ShaCe, Sm3Ce};
use core::arch::aarch64::*;
use core::arch::asm;
use std::mem::MaybeUninit;

/// A vector of an instruction set: its words, and how they are loaded.
macro_rules! vectors {
    ($($(#[$doc:meta])* $Vector:ident($Register:ident) of $Isa:ident, [$word:ident; $words:literal], $add:ident, $load:ident, $swap:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub(crate) struct $Vector($Register);

        impl ShaVector for $Vector {
            type Isa = $Isa;
            type Array = [$word; $words];

            #[inline(always)]
            fn new(_: $Isa, words: [$word; $words]) -> Self {
                // SAFETY: the token proves the instruction set; a whole vector is there.
                Self(unsafe { $load(words.as_ptr().cast()) })
            }
            #[inline(always)]
            fn words(self) -> [$word; $words] {
                // SAFETY: the value proves the instruction set; both types have sixteen bytes.
                unsafe { core::mem::transmute(self.0) }
            }
            #[inline(always)]
            fn load_block<const N: usize>(_: $Isa, blocks: &Blocks, lane: usize, at: usize) -> [Self; N] {
                let block = blocks.bytes(lane, at, N * size_of::<Self>());
                let mut vectors = [const { MaybeUninit::<Self>::uninit() }; N];
                let mut i = 0;
                while i < N {
                    // SAFETY: the token proves the instruction set; `block` has `N` vectors.
                    vectors[i].write(Self(unsafe { $swap($load(block.as_ptr().add(i * size_of::<Self>()).cast())) }));
                    i += 1;
                }
                // SAFETY: all of them were written.
                unsafe { core::mem::transmute_copy(&vectors) }
            }
            #[inline]
            fn add(self, other: Self) -> Self {
                // SAFETY: the value proves the instruction set.
                Self(unsafe { $add(self.0, other.0) })
            }
            #[inline]
            fn in_order(self) -> Self {
                let mut x = self.0;
                // SAFETY: the value proves the instruction set; there is no instruction, only the name of a register.
                unsafe { asm!("/* {0:v} */", inout(vreg) x, options(nomem, nostack, preserves_flags)) }
                Self(x)
            }
        }
    )* };
}
vectors! {
    /// Four 32-bit words, for SHA-1 and SHA-256.
    Quad(uint32x4_t) of ShaCe, [u32; 4], vaddq_u32, vld1q_u32, swap_bytes_32;
    /// Two 64-bit words, for SHA-512.
    Pair(uint64x2_t) of NeonSha3, [u64; 2], vaddq_u64, vld1q_u64, swap_bytes_64;
    /// Four 32-bit words, for SM3.
    Sm3Quad(uint32x4_t) of Sm3Ce, [u32; 4], vaddq_u32, vld1q_u32, swap_bytes_32;
}

macro_rules! operations {
    ($($name:ident($self:ident $(, $operand:ident)*) = $expression:expr;)*) => { $(
        #[inline]
        fn $name($self $(, $operand: Self)*) -> Self {
            // SAFETY: the value proves the instruction set.
            Self(unsafe { $expression })
        }
    )* };
}

/// A word by itself in a vector register, which proves the instruction set as vectors do.
#[derive(Clone, Copy)]
pub struct Single(u32);

impl Sha32 for Quad {
    type Single = Single;

    #[inline(always)]
    fn single(_: ShaCe, word: u32) -> Single {
        Single(word)
    }
    #[inline(always)]
    fn word(single: Single) -> u32 {
        single.0
    }
    #[inline]
    fn lowest(self) -> Single {
        // SAFETY: the value proves the instruction set.
        Single(unsafe { vgetq_lane_u32::<0>(self.0) })
    }
    #[inline]
    fn single_in_order(Single(mut word): Single) -> Single {
        // SAFETY: there is no instruction, only the name of a register.
        unsafe { asm!("/* {0:s} */", inout(vreg) word, options(nomem, nostack, preserves_flags)) }
        Single(word)
    }
    #[inline(always)]
    fn add_singles(one: Single, other: Single) -> Single {
        Single(one.0.wrapping_add(other.0))
    }
    #[inline]
    fn sha1_rounds<const F: usize>(self, Single(e): Single, words_and_constants: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe {
            match F {
                0 => vsha1cq_u32(self.0, e, words_and_constants.0),
                2 => vsha1mq_u32(self.0, e, words_and_constants.0),
                _ => vsha1pq_u32(self.0, e, words_and_constants.0),
            }
        })
    }
    #[inline]
    fn sha1_next_e(Single(a): Single) -> Single {
        // SAFETY: the single proves the instruction set.
        Single(unsafe { vsha1h_u32(a) })
    }

    operations! {
        sha1_schedule_first(self, w1, w2) = vsha1su0q_u32(self.0, w1.0, w2.0);
        sha1_schedule_last(self, w3) = vsha1su1q_u32(self.0, w3.0);
        sha256_rounds(self, efgh, words_and_constants) = vsha256hq_u32(self.0, efgh.0, words_and_constants.0);
        sha256_rounds_lower(self, abcd, words_and_constants) = vsha256h2q_u32(self.0, abcd.0, words_and_constants.0);
        sha256_schedule_first(self, w1) = vsha256su0q_u32(self.0, w1.0);
        sha256_schedule_last(self, w2, w3) = vsha256su1q_u32(self.0, w2.0, w3.0);
    }
}

impl Sha64 for Pair {
    operations! {
        shift_in(self, next) = vextq_u64::<1>(self.0, next.0);
        sha512_rounds(self, fg, de) = vsha512hq_u64(self.0, fg.0, de.0);
        sha512_rounds_upper(self, cd, ab) = vsha512h2q_u64(self.0, cd.0, ab.0);
        sha512_schedule_first(self, w1) = vsha512su0q_u64(self.0, w1.0);
        sha512_schedule_last(self, w7, w9_and_10) = vsha512su1q_u64(self.0, w7.0, w9_and_10.0);
    }
}

/// An instruction for SM3 that changes its first operand. The standard library has no stable name for
/// them. It is a function of its own, because `asm!` checks its text against the features of the function
/// it stands in.
macro_rules! sm3_instruction {
    ($text:literal, $first:expr, $second:expr, $third:expr $(, const $lane:ident)?) => {{
        #[inline]
        #[target_feature(enable = "neon,sm4")]
        fn instruction$(<const $lane: i32>)?(mut first: uint32x4_t, second: uint32x4_t, third: uint32x4_t) -> uint32x4_t {
            // SAFETY: the instruction computes a register from registers.
            unsafe {
                asm!($text, inout(vreg) first, in(vreg) second, in(vreg) third, $(const $lane,)? options(pure, nomem, nostack, preserves_flags));
            }
            first
        }
        instruction$(::<$lane>)?($first, $second, $third)
    }};
}

impl Sm3 for Sm3Quad {
    #[inline]
    fn shift_in<const N: i32>(self, next: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe { vextq_u32::<N>(self.0, next.0) })
    }
    #[inline]
    fn sm3_ss1(self, efgh: Self, constant: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe { sm3_instruction!("sm3ss1 {0:v}.4s, {1:v}.4s, {2:v}.4s, {0:v}.4s", constant.0, self.0, efgh.0) })
    }
    #[inline]
    fn sm3_round_upper<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe {
            if EARLY {
                sm3_instruction!("sm3tt1a {0:v}.4s, {1:v}.4s, {2:v}.s[{3}]", self.0, ss1.0, words.0, const WORD)
            } else {
                sm3_instruction!("sm3tt1b {0:v}.4s, {1:v}.4s, {2:v}.s[{3}]", self.0, ss1.0, words.0, const WORD)
            }
        })
    }
    #[inline]
    fn sm3_round_lower<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self {
        // SAFETY: the value proves the instruction set.
        Self(unsafe {
            if EARLY {
                sm3_instruction!("sm3tt2a {0:v}.4s, {1:v}.4s, {2:v}.s[{3}]", self.0, ss1.0, words.0, const WORD)
            } else {
                sm3_instruction!("sm3tt2b {0:v}.4s, {1:v}.4s, {2:v}.s[{3}]", self.0, ss1.0, words.0, const WORD)
            }
        })
    }

    operations! {
        xor(self, other) = veorq_u32(self.0, other.0);
        sm3_schedule_first(self, w7, w12) = sm3_instruction!("sm3partw1 {0:v}.4s, {1:v}.4s, {2:v}.4s", self.0, w7.0, w12.0);
        sm3_schedule_last(self, w10, w3) = sm3_instruction!("sm3partw2 {0:v}.4s, {1:v}.4s, {2:v}.4s", self.0, w10.0, w3.0);
    }
}
