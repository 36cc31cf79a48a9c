//! What the three algorithms compute with: words in general-purpose registers.

use super::pinned::{add_pairs, in_register_32, in_register_64};

/// A word of 32 or 64 bits.
pub trait Word: Copy + 'static {
    /// 0.
    const ZERO: Self;
    /// Bytes in a message.
    const BYTES: usize;
    /// From the message, whose bytes are big-endian: BB1's swap.
    fn from_message(bytes: &[u8]) -> Self;
    /// To the digest.
    fn append_to(self, digest: &mut Vec<u8>);
    /// The same word; the compiler must have it in registers of this size here.
    fn pinned(self) -> Self;
    /// Modulo 2^32 or 2^64.
    fn plus(self, other: Self) -> Self;
    /// Each bit of both.
    fn and(self, other: Self) -> Self;
    /// Each bit of either.
    fn or(self, other: Self) -> Self;
    /// Each bit of just one.
    fn xor(self, other: Self) -> Self;
    /// Each bit turned.
    fn not(self) -> Self;
    /// "ROTR".
    fn rotate_right(self, bits: u32) -> Self;
    /// "SHR".
    fn shift_right(self, bits: u32) -> Self;
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
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
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
    /// Of the same value.
    pub const fn new(word: u64) -> Self {
        Self { low: word as u32, high: (word >> 32) as u32 }
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
    fn and(self, other: Self) -> Self {
        Self { low: self.low & other.low, high: self.high & other.high }
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Self { low: self.low | other.low, high: self.high | other.high }
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Self { low: self.low ^ other.low, high: self.high ^ other.high }
    }
    #[inline(always)]
    fn not(self) -> Self {
        Self { low: !self.low, high: !self.high }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_computes_as_a_64_bit_word_does() {
        let words = [0, 1, u64::MAX, 0x0123_4567_89ab_cdef, 0x8000_0000_ffff_ffff, 0xffff_ffff_0000_0001];
        for a in words {
            let pair = Pair::new(a);
            assert_eq!(pair.not(), Pair::new(!a));
            for bits in [1, 8, 14, 18, 19, 28, 34, 39, 41, 61] {
                assert_eq!(Word::rotate_right(pair, bits), Pair::new(a.rotate_right(bits)), "{a:x} by {bits}");
            }
            for bits in [6, 7] {
                assert_eq!(pair.shift_right(bits), Pair::new(a >> bits), "{a:x} by {bits}");
            }
            for b in words {
                assert_eq!(pair.plus(Pair::new(b)), Pair::new(a.wrapping_add(b)), "{a:x} + {b:x}");
                assert_eq!(pair.and(Pair::new(b)), Pair::new(a & b));
                assert_eq!(pair.or(Pair::new(b)), Pair::new(a | b));
                assert_eq!(pair.xor(Pair::new(b)), Pair::new(a ^ b));
            }
        }
    }

    #[test]
    fn a_pair_is_read_and_written_as_a_64_bit_word() {
        let bytes = [1, 2, 3, 4, 5, 6, 7, 8];
        assert_eq!(Pair::from_message(&bytes), Pair::new(0x0102_0304_0506_0708));
        let mut digest = Vec::new();
        Pair::from_message(&bytes).append_to(&mut digest);
        assert_eq!(digest, bytes);
    }
}
