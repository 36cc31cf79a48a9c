//! What the kernels for AArch64 want of vectors, with the instructions as Arm's manual says.

use super::super::instructions::{Expression, Fault, Terms, is_faulty, one_instruction};
use super::{Lanes, Several};
use crate::isa::aarch64::instructions::{Sha32, Sha64, ShaVector, Sm3};
use crate::isa::aarch64::manual;
use crate::isa::{Blocks, ByteOrder, Word, Words};

impl<W: Word + Into<u64>, const N: usize> ShaVector for Several<W, N>
where
    Self: Words<Word = W, Isa = Lanes<N>>,
    Expression<W>: Words<Word = W, Isa = Terms>,
{
    type Isa = Lanes<N>;
    type Array = [W; N];

    fn new(_: Lanes<N>, words: [W; N]) -> Self {
        Self::of_numbers(|i| words[i])
    }
    fn constants(_: Lanes<N>, words: [W; N]) -> Self {
        Self(one_instruction(|i| Words::splat(Terms, words[i])))
    }
    fn words(self) -> [W; N] {
        self.0.map(Expression::number)
    }
    fn load_block<const M: usize>(isa: Lanes<N>, blocks: &Blocks, lane: usize, at: usize) -> [Self; M] {
        std::array::from_fn(|i| Words::read_bytes(isa, ByteOrder::Big, blocks.bytes(lane, at + 16 * i, 16)))
    }
    fn add(self, other: Self) -> Self {
        Words::add(self, other)
    }
}

impl<W: Word + Into<u64>, const N: usize> Several<W, N> {
    /// The words from word `first` on, and the first words of `next` behind them.
    fn shifted(self, first: usize, next: Self) -> Self {
        self.moved(|i| Some(if i + first < N { self.0[i + first] } else { next.0[i + first - N] }))
    }
}

impl Sha32 for Several<u32, 4> {
    type Single = Expression<u32>;

    fn single(_: Lanes<4>, word: u32) -> Expression<u32> {
        Expression::from_number(word)
    }
    fn word(single: Expression<u32>) -> u32 {
        single.number()
    }
    fn lowest(self) -> Expression<u32> {
        self.0[0]
    }
    fn add_singles(one: Expression<u32>, other: Expression<u32>) -> Expression<u32> {
        Words::add(one, other)
    }
    fn sha1_rounds<const F: usize>(self, e: Expression<u32>, words_and_constants: Self) -> Self {
        self.by(words_and_constants, |abcd, words| match F {
            0 => manual::sha1c(abcd, e, words),
            2 => manual::sha1m(abcd, e, words),
            _ => manual::sha1p(abcd, e, words),
        })
    }
    fn sha1_next_e(a: Expression<u32>) -> Expression<u32> {
        if is_faulty(Fault::Move) { a } else { manual::sha1h(a) }
    }
    fn sha1_schedule_first(self, w1: Self, w2: Self) -> Self {
        self.by(w1, |w0, w1| manual::sha1su0(w0, w1, w2.0))
    }
    fn sha1_schedule_last(self, w3: Self) -> Self {
        self.by(w3, manual::sha1su1)
    }
    fn sha256_rounds(self, efgh: Self, words_and_constants: Self) -> Self {
        self.by(efgh, |abcd, efgh| manual::sha256h(abcd, efgh, words_and_constants.0))
    }
    fn sha256_rounds_lower(self, abcd: Self, words_and_constants: Self) -> Self {
        self.by(abcd, |efgh, abcd| manual::sha256h2(efgh, abcd, words_and_constants.0))
    }
    fn sha256_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha256su0)
    }
    fn sha256_schedule_last(self, w2: Self, w3: Self) -> Self {
        self.by(w2, |first, w2| manual::sha256su1(first, w2, w3.0))
    }
}

impl Sha64 for Several<u64, 2> {
    fn shift_in(self, next: Self) -> Self {
        self.shifted(1, next)
    }
    fn sha512_rounds(self, fg: Self, de: Self) -> Self {
        self.by(fg, |sum, fg| manual::sha512h(sum, fg, de.0))
    }
    fn sha512_rounds_upper(self, cd: Self, ab: Self) -> Self {
        self.by(cd, |sum, cd| manual::sha512h2(sum, cd, ab.0))
    }
    fn sha512_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha512su0)
    }
    fn sha512_schedule_last(self, w7: Self, w9_and_10: Self) -> Self {
        self.by(w7, |first, w7| manual::sha512su1(first, w7, w9_and_10.0))
    }
}

impl Sm3 for Several<u32, 4> {
    fn shift_in<const M: i32>(self, next: Self) -> Self {
        self.shifted(M as usize, next)
    }
    fn xor(self, other: Self) -> Self {
        Words::xor(self, other)
    }
    fn sm3_schedule_first(self, w7: Self, w12: Self) -> Self {
        // The first two operands of this one are alike.
        w7.by(w12, |w7, w12| manual::sm3partw1(self.0, w7, w12))
    }
    fn sm3_schedule_last(self, w10: Self, w3: Self) -> Self {
        self.by(w10, |first, w10| manual::sm3partw2(first, w10, w3.0))
    }
    fn sm3_ss1(self, efgh: Self, constant: Self) -> Self {
        self.by(efgh, |abcd, efgh| manual::sm3ss1(abcd, efgh, constant.0))
    }
    fn sm3_round_upper<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self {
        self.by(ss1, |dcba, ss1| manual::sm3tt1(EARLY, dcba, ss1, words.0[WORD as usize]))
    }
    fn sm3_round_lower<const WORD: i32, const EARLY: bool>(self, ss1: Self, words: Self) -> Self {
        self.by(ss1, |hgfe, ss1| manual::sm3tt2(EARLY, hgfe, ss1, words.0[WORD as usize]))
    }
}
