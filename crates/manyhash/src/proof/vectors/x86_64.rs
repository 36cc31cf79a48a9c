//! What the kernels for x86-64 want of vectors, with the SHA extensions as Intel's manual says.

use super::super::instructions::{Expression, Terms, one_instruction};
use super::{Lanes, Several};
use crate::isa::x86_64::manual;
use crate::isa::x86_64::sha::ShaVector;
use crate::isa::{Blocks, ByteOrder, FourWords, Pairs, Successive, Word, Words};

macro_rules! successive { ($($word:ident)*) => { $(
    impl<const N: usize> Successive for Several<$word, N> {
        fn constants(_: Lanes<N>, words: &[$word]) -> Self {
            Self(one_instruction(|i| Words::splat(Terms, words[i])))
        }
        fn splat_word(_: Lanes<N>, word: $word) -> Self {
            Self::of_numbers(|_| word)
        }
        fn splat_stored(_: Lanes<N>, word: $word) -> Self {
            Self::of_numbers(|_| word)
        }
        fn shift_in(self, next: Self) -> Self {
            self.moved(|i| Some(if i + 1 < N { self.0[i + 1] } else { next.0[0] }))
        }
        fn shift_in_two(self, next: Self) -> Self {
            if N == 2 { next } else { self.moved(|i| Some(if i + 2 < N { self.0[i + 2] } else { next.0[i + 2 - N] })) }
        }
        fn last_two_first(self) -> Self {
            if N == 2 { self } else { self.moved(|i| (i < 2).then(|| self.0[N - 2 + i])) }
        }
        fn first_two_last(self) -> Self {
            if N == 2 { self } else { self.moved(|i| (i + 2 >= N).then(|| self.0[i + 2 - N])) }
        }
        fn first(self) -> $word {
            self.0[0].number()
        }
    }
)* } }
successive!(u32 u64);

macro_rules! four_words { ($($word:ident)*) => { $(
    impl FourWords for Several<$word, 4> {
        type Sixteen = [Expression<$word>; 16];
        fn constants(_: Lanes<4>, words: &[$word; 4]) -> Self {
            Self(one_instruction(|i| Words::splat(Terms, words[i])))
        }
        fn load_sixteen(_: Lanes<4>, block: &[u8]) -> Self::Sixteen {
            std::array::from_fn(|i| Expression::from_number(Word::from_bytes(ByteOrder::Little, &block[i * size_of::<$word>()..])))
        }
        fn pick(_: Lanes<4>, block: Self::Sixteen, places: &[$word; 8]) -> [Self; 2] {
            [0, 4].map(|first| Self(block.first_chunk().copied().expect("sixteen")).moved(|i| Some(block[places[first + i] as usize])))
        }
        fn turn<const BY: i32>(self) -> Self {
            self.moved(|i| Some(self.0[(i + BY as usize) % 4]))
        }
    }
)* } }
four_words!(u32 u64);

impl<const N: usize> Pairs for Several<u32, N> {
    fn write_pairs(first: Self, second: Self, pairs: &mut [[u32; 2]]) {
        for lane in 0..N {
            pairs[Self::place(lane)] = [first.0[lane].number(), second.0[lane].number()];
        }
    }
    fn read_fours(_: Lanes<N>, order: ByteOrder, first: &[u8], second: &[u8]) -> Self {
        Self::of_numbers(|i| Word::from_bytes(order, &(if i < 4 { first } else { second })[i % 4 * 4..]))
    }
}

impl ShaVector for Several<u32, 4> {
    type Isa = Lanes<4>;

    fn new(_: Lanes<4>, words: [u32; 4]) -> Self {
        Self::of_numbers(|i| words[i])
    }
    fn constants(isa: Lanes<4>, words: [u32; 4]) -> Self {
        Successive::constants(isa, &words)
    }
    fn highest(_: Lanes<4>, word: u32) -> Self {
        let zero = Expression::plain(0);
        Self([zero, zero, zero, Expression::from_number(word)])
    }
    fn pair(_: Lanes<4>, words: &[u32; 2]) -> Self {
        let ([first, second], zero) = (words.map(Expression::from_number), Expression::plain(0));
        Self([first, second, zero, zero])
    }
    fn words(self) -> [u32; 4] {
        self.0.map(Expression::number)
    }
    fn load_block(isa: Lanes<4>, blocks: &Blocks, lane: usize, at: usize, reversed: bool, _in_halves: bool) -> [Self; 4] {
        std::array::from_fn(|i| {
            let mut quad: Self = Words::read_bytes(isa, ByteOrder::Big, blocks.bytes(lane, at + 16 * i, 16));
            if reversed {
                quad.0.reverse();
            }
            quad
        })
    }
    fn add(self, other: Self) -> Self {
        Words::add(self, other)
    }
    fn xor(self, other: Self) -> Self {
        Words::xor(self, other)
    }
    fn upper_half(self) -> Self {
        self.moved(|i| Some(self.0[[2, 3, 0, 0][i]]))
    }
    fn shift_in(self, next: Self) -> Self {
        Successive::shift_in(self, next)
    }
    #[inline(never)]
    fn sha1_rounds<const F: i32>(self, e_and_words: Self) -> Self {
        self.by(e_and_words, |abcd, words| manual::sha1rnds4(F, abcd, words))
    }
    #[inline(never)]
    fn sha1_next_e(self, words: Self) -> Self {
        self.by(words, manual::sha1nexte)
    }
    #[inline(never)]
    fn sha1_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha1msg1)
    }
    #[inline(never)]
    fn sha1_schedule_last(self, w3: Self) -> Self {
        self.by(w3, manual::sha1msg2)
    }
    #[inline(never)]
    fn sha256_rounds(self, abef: Self, words_and_constants: Self) -> Self {
        self.by(abef, |cdgh, abef| manual::sha256rnds2(cdgh, abef, words_and_constants.0))
    }
    #[inline(never)]
    fn sha256_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha256msg1)
    }
    #[inline(never)]
    fn sha256_schedule_last(self, w3: Self) -> Self {
        self.by(w3, manual::sha256msg2)
    }
}
