//! What the three algorithms compute with: words in general-purpose registers, and boolean functions.

use std::ops::{BitAnd, BitOr, BitXor, Not};

use super::registers::{add_pairs, in_register_32, in_register_64};

/// A word of 32 or 64 bits.
pub trait Word: Copy + 'static + BitAnd<Output = Self> + BitOr<Output = Self> + BitXor<Output = Self> + Not<Output = Self> {
    /// All bits 0.
    const ZERO: Self;
    /// In a message.
    const BYTES: usize;
    /// From the message, whose bytes are big-endian: BB1's swap.
    fn from_message(bytes: &[u8]) -> Self;
    /// Appends the word, big-endian.
    fn append_to(self, digest: &mut Vec<u8>);
    /// The same word; the compiler must have it in registers of this size here.
    fn pinned(self) -> Self;
    /// Modulo 2^32 or 2^64.
    fn plus(self, other: Self) -> Self;
    /// ROTR of FIPS 180-4.
    fn rotate_right(self, bits: u32) -> Self;
    /// SHR of FIPS 180-4.
    fn shift_right(self, bits: u32) -> Self;
}

/// Ch, as FIPS 180 defines it or as figure 4.1 does, in fewer instructions.
#[inline(always)]
pub fn choose<W: Word, const REDEFINED: bool>(x: W, y: W, z: W) -> W {
    if REDEFINED { z ^ (x & (y ^ z)) } else { (x & y) ^ (!x & z) }
}

/// Maj, as FIPS 180 defines it or as figure 4.1 does.
#[inline(always)]
pub fn majority<W: Word, const REDEFINED: bool>(x: W, y: W, z: W) -> W {
    if REDEFINED { (y & (x | z)) | (x & z) } else { (x & y) ^ (x & z) ^ (y & z) }
}

macro_rules! word {
    ($Word:ident, $in_register:ident) => {
        impl Word for $Word {
            const ZERO: Self = 0;
            const BYTES: usize = size_of::<$Word>();
            #[inline(always)]
            fn from_message(bytes: &[u8]) -> Self {
                Self::from_be_bytes(bytes.try_into().expect("as many bytes as a word has"))
            }
            fn append_to(self, digest: &mut Vec<u8>) {
                digest.extend_from_slice(&self.to_be_bytes());
            }
            #[inline(always)]
            fn pinned(self) -> Self {
                $in_register(self)
            }
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn rotate_right(self, bits: u32) -> Self {
                $Word::rotate_right(self, bits)
            }
            #[inline(always)]
            fn shift_right(self, bits: u32) -> Self {
                self >> bits
            }
        }
    };
}
word!(u32, in_register_32);
word!(u64, in_register_64);

/// A 64-bit word in two 32-bit registers, as the paper's CPU had to have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pair {
    low: u32,
    high: u32,
}

impl Pair {
    /// The halves of a word.
    pub const fn new(word: u64) -> Self {
        Self { low: word as u32, high: (word >> 32) as u32 }
    }
}

macro_rules! bitwise {
    ($($Operation:ident $operation:ident)+) => { $(
        impl $Operation for Pair {
            type Output = Self;
            #[inline(always)]
            fn $operation(self, other: Self) -> Self {
                Self { low: self.low.$operation(other.low), high: self.high.$operation(other.high) }
            }
        }
    )+ };
}
bitwise!(BitAnd bitand BitOr bitor BitXor bitxor);

impl Not for Pair {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
    }
}

impl Word for Pair {
    const ZERO: Self = Self::new(0);
    const BYTES: usize = 8;
    #[inline(always)]
    fn from_message(bytes: &[u8]) -> Self {
        let (high, low) = bytes.split_at(4);
        Self { low: u32::from_message(low), high: u32::from_message(high) }
    }
    fn append_to(self, digest: &mut Vec<u8>) {
        self.high.append_to(digest);
        self.low.append_to(digest);
    }
    #[inline(always)]
    fn pinned(self) -> Self {
        Self { low: self.low.pinned(), high: self.high.pinned() }
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        let (low, high) = add_pairs((self.low, self.high), (other.low, other.high));
        Self { low, high }
    }
    #[inline(always)]
    fn rotate_right(self, bits: u32) -> Self {
        // By 32 or more: the halves change places, and the rest is below 32. SHA-512 has no rotation by 0 or 32.
        let (low, high) = if bits < 32 { (self.low, self.high) } else { (self.high, self.low) };
        let bits = bits % 32;
        // Two shifts and an or: SHRD, which the compiler would take, was slow then and is on many CPUs today.
        let join = |upper: u32, lower: u32| (lower >> bits).pinned() | upper << (32 - bits);
        Self { low: join(high, low), high: join(low, high) }
    }
    #[inline(always)]
    fn shift_right(self, bits: u32) -> Self {
        // SHA-512 shifts by 6 and 7.
        Self { low: self.low >> bits | self.high << (32 - bits), high: self.high >> bits }
    }
}
