//! The instructions of AArch64 for SHA-1, SHA-2 and SM3 as operations on values. The vectors of the
//! CPU have the instructions (`sha.rs`); those of the proofs have what Arm's manual says of them
//! (`manual.rs`), so that they prove the code of the kernels.
//!
//! A vector has its lowest word first.

use crate::isa::Blocks;

/// A vector whose words are successive words of a message's state or schedule.
pub(crate) trait ShaVector: Copy {
    /// The instruction set of the vector.
    type Isa: Copy;
    /// The words of a vector: four of 32 bits, or two of 64.
    type Array: Copy;
    /// Makes a vector of words in memory.
    fn new(isa: Self::Isa, words: Self::Array) -> Self;
    /// Makes a vector of words that are always the same.
    #[inline(always)]
    fn constants(isa: Self::Isa, words: Self::Array) -> Self {
        Self::new(isa, words)
    }
    /// Returns the words.
    fn words(self) -> Self::Array;
    /// Loads the `N` vectors of words of the block at byte `at` of a lane.
    fn load_block<const N: usize>(isa: Self::Isa, blocks: &Blocks, lane: usize, at: usize) -> [Self; N];
    /// Adds word by word.
    fn add(self, other: Self) -> Self;
    /// Returns the same words, and the compiler keeps calls of this function in order, and with those of `Words`.
    #[inline(always)]
    fn in_order(self) -> Self {
        self
    }
}

/// The instructions for SHA-1 and SHA-256.
pub(crate) trait Sha32: ShaVector<Array = [u32; 4]> {
    /// A word in a register of its own.
    type Single: Copy;
    /// Makes a single of a word in memory.
    fn single(isa: Self::Isa, word: u32) -> Self::Single;
    /// Returns the word of a single.
    fn word(single: Self::Single) -> u32;
    /// Returns the lowest word.
    fn lowest(self) -> Self::Single;
    /// As [`in_order`](ShaVector::in_order), for a single.
    #[inline(always)]
    fn single_in_order(single: Self::Single) -> Self::Single {
        single
    }
    /// Adds two singles.
    fn add_singles(one: Self::Single, other: Self::Single) -> Self::Single;
    /// SHA-1: does four rounds on a to d with the function of rounds `20 * F..20 * F + 20`.
    fn sha1_rounds<const F: usize>(self, e: Self::Single, words_and_constants: Self) -> Self;
    /// SHA-1: returns e of the next four rounds, from a of four rounds ago.
    fn sha1_next_e(a: Self::Single) -> Self::Single;
    /// SHA-1: the first step of four message words, from the twelve oldest of the sixteen before.
    fn sha1_schedule_first(self, w1: Self, w2: Self) -> Self;
    /// SHA-1: the last step of four message words, with the four before them.
    fn sha1_schedule_last(self, w3: Self) -> Self;
    /// SHA-256: does four rounds and returns a to d.
    fn sha256_rounds(self, efgh: Self, words_and_constants: Self) -> Self;
    /// SHA-256: does the same four rounds on e to h and returns e to h.
    fn sha256_rounds_lower(self, abcd: Self, words_and_constants: Self) -> Self;
    /// SHA-256: the first step of four message words, from the eight oldest of the sixteen before.
    fn sha256_schedule_first(self, w1: Self) -> Self;
    /// SHA-256: the last step of four message words, with the eight before them.
    fn sha256_schedule_last(self, w2: Self, w3: Self) -> Self;
}

/// The instructions for SHA-512. Of two words of the state, the first is the lower one in a vector.
pub(crate) trait Sha64: ShaVector<Array = [u64; 2]> {
    /// Returns the higher word of `self` below the lower one of `next`.
    fn shift_in(self, next: Self) -> Self;
    /// SHA-512: does two rounds up to what is added to c and d, on g and h with message words and
    /// constants added.
    fn sha512_rounds(self, fg: Self, de: Self) -> Self;
    /// SHA-512: the rest of two rounds, on what [`sha512_rounds`](Self::sha512_rounds) returned: a and b.
    fn sha512_rounds_upper(self, cd: Self, ab: Self) -> Self;
    /// SHA-512: the first step of two message words, from the four oldest of the sixteen before.
    fn sha512_schedule_first(self, w1: Self) -> Self;
    /// SHA-512: the last step of two message words, with the two before them, and words nine and ten
    /// of the sixteen before.
    fn sha512_schedule_last(self, w7: Self, w9_and_10: Self) -> Self;
}

/// The instructions for SM3.
pub(crate) trait Sm3: ShaVector<Array = [u32; 4]> {
    /// Returns the words from word `N` on, and the first `N` words of `next` behind them.
    fn shift_in<const N: i32>(self, next: Self) -> Self;
    /// Computes the bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// The first step of four message words: `self` has words 0 to 3 of the sixteen before, `w7` words 7
    /// to 10, and `w12` words 12 to 15.
    fn sm3_schedule_first(self, w7: Self, w12: Self) -> Self;
    /// The last step of four message words, with words 10 to 13 and 3 to 6 of the sixteen before.
    fn sm3_schedule_last(self, w10: Self, w3: Self) -> Self;
    /// Returns SS1 of a round in the highest word, from a and e and the round's constant, each the
    /// highest word of its vector.
    fn sm3_ss1(self, efgh: Self, constant: Self) -> Self;
    /// Does a round on a to d, with word `WORD` of words exclusive-ored with those four later. The
    /// function is that of rounds 0 to 15 if `EARLY`.
    fn sm3_round_upper<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self;
    /// Does the same round on e to h, with word `WORD` of the message words.
    fn sm3_round_lower<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self;
}
