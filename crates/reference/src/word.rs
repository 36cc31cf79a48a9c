//! The words that the compression functions compute with.

use std::ops::{BitAnd, BitOr, BitXor, Not};

/// A word: `u32`, `u64`, or an expression that stands for one in a proof. The operations without a
/// sign of their own have the names of FIPS 180-4, section 3.2.
pub trait Word: Copy + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self> {
    /// The word as the machine has it: `u32` or `u64`.
    type Plain;
    /// The word that is `plain` whatever the input.
    fn constant(plain: Self::Plain) -> Self;
    /// The sum modulo two to the number of bits.
    fn plus(self, other: Self) -> Self;
    /// The word rotated left by some bits, at most as many as it has.
    fn rotl(self, bits: u32) -> Self;
    /// The word rotated right by some bits, at most as many as it has.
    fn rotr(self, bits: u32) -> Self;
    /// The word shifted right by some bits, fewer than it has.
    fn shr(self, bits: u32) -> Self;
}

macro_rules! words {
    ($($word:ident)*) => { $(
        impl Word for $word {
            type Plain = $word;
            fn constant(plain: $word) -> $word {
                plain
            }
            fn plus(self, other: $word) -> $word {
                self.wrapping_add(other)
            }
            fn rotl(self, bits: u32) -> $word {
                self.rotate_left(bits)
            }
            fn rotr(self, bits: u32) -> $word {
                self.rotate_right(bits)
            }
            fn shr(self, bits: u32) -> $word {
                self >> bits
            }
        }
    )* };
}
words!(u32 u64);
