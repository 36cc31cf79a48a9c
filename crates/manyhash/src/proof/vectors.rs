//! Vectors of several expressions, as the kernels for single messages want them: successive words of a
//! message, lanes whose words are stored as pairs, and the words that the SHA extensions compute with.
//!
//! What is in memory, in a message too, is the number of an expression. An instruction that is faulty is
//! so in all lanes.

use super::instructions::{Expression, Fault, Terms, is_faulty, one_instruction};
use crate::isa::x86_64::manual;
use crate::isa::x86_64::sha::ShaVector;
use crate::isa::{Blocks, ByteOrder, Isa, Pairs, Successive, Task, Token, Word, Words};

/// The instruction set whose vectors have `N` expressions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes<const N: usize>;

impl<const N: usize> Token for Lanes<N> {
    const FEATURES: &'static [&'static str] = &[];
    fn detect() -> Option<Self> {
        Some(Self)
    }
    fn run<T: Task<Self>>(self, task: T) -> T::Output {
        task.run(self)
    }
}

impl<const N: usize> Isa for Lanes<N> {
    type U32 = Several<u32, N>;
    type U64 = Several<u64, N>;
}

/// A vector of expressions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Several<W, const N: usize>([Expression<W>; N]);

impl<W: Word + Into<u64>, const N: usize> Several<W, N> {
    /// The expressions whose numbers are in memory.
    fn of_numbers(numbers: impl Fn(usize) -> W) -> Self {
        Self(std::array::from_fn(|i| Expression::from_number(numbers(i))))
    }

    /// The vector in which each word comes from a place of this one or is zero. A fault leaves it as it is.
    fn moved(self, from: impl Fn(usize) -> Option<Expression<W>>) -> Self {
        if is_faulty(Fault::Move) { self } else { Self(std::array::from_fn(|i| from(i).unwrap_or(Expression::plain(W::default())))) }
    }
}

macro_rules! words {
    ($($word:ident)*) => { $(
        impl<const N: usize> Words for Several<$word, N> {
            type Isa = Lanes<N>;
            type Word = $word;
            const LANES: usize = N;
            const WAVES: usize = 1;

            /// Zeros have no fault: they stand for what is written before it is read.
            fn splat(_: Lanes<N>, word: $word) -> Self {
                Self(if word == 0 { [Expression::plain(0); N] } else { one_instruction(|_| Words::splat(Terms, word)) })
            }
            fn read(_: Lanes<N>, words: &[$word]) -> Self {
                Self::of_numbers(|i| words[i])
            }
            fn write(self, words: &mut [$word]) {
                words[..N].copy_from_slice(&self.0.map(Expression::number));
            }
            fn load<const M: usize>(_: Lanes<N>, order: ByteOrder, blocks: &Blocks, first_lane: usize, at: usize) -> [Self; M] {
                std::array::from_fn(|word| Self::of_numbers(|lane| {
                    Word::from_bytes(order, blocks.bytes(first_lane + lane, at + word * size_of::<$word>(), size_of::<$word>()))
                }))
            }
            fn read_bytes(_: Lanes<N>, order: ByteOrder, bytes: &[u8]) -> Self {
                Self::of_numbers(|i| Word::from_bytes(order, &bytes[i * size_of::<$word>()..]))
            }
            fn add(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::add(self.0[i], other.0[i])))
            }
            fn xor(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::xor(self.0[i], other.0[i])))
            }
            fn and(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::and(self.0[i], other.0[i])))
            }
            fn not(self) -> Self {
                Self(one_instruction(|i| Words::not(self.0[i])))
            }
            fn rotate_right<const R: u32>(self) -> Self {
                Self(one_instruction(|i| Words::rotate_right::<R>(self.0[i])))
            }
            fn shift_right<const R: u32>(self) -> Self {
                Self(one_instruction(|i| Words::shift_right::<R>(self.0[i])))
            }
            fn pin(self) -> Self {
                self
            }
        }

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
    )* };
}
words!(u32 u64);

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

impl Several<u32, 4> {
    /// What an instruction of the manual makes of two operands, or of the same exchanged.
    fn by(self, other: Self, instruction: impl Fn([Expression<u32>; 4], [Expression<u32>; 4]) -> [Expression<u32>; 4]) -> Self {
        Self(if is_faulty(Fault::Operands) { instruction(other.0, self.0) } else { instruction(self.0, other.0) })
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
    fn sha1_rounds<const F: i32>(self, e_and_words: Self) -> Self {
        self.by(e_and_words, |abcd, words| manual::sha1rnds4(F, abcd, words))
    }
    fn sha1_next_e(self, words: Self) -> Self {
        self.by(words, manual::sha1nexte)
    }
    fn sha1_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha1msg1)
    }
    fn sha1_schedule_last(self, w3: Self) -> Self {
        self.by(w3, manual::sha1msg2)
    }
    fn sha256_rounds(self, abef: Self, words_and_constants: Self) -> Self {
        self.by(abef, |cdgh, abef| manual::sha256rnds2(cdgh, abef, words_and_constants.0))
    }
    fn sha256_schedule_first(self, w1: Self) -> Self {
        self.by(w1, manual::sha256msg1)
    }
    fn sha256_schedule_last(self, w3: Self) -> Self {
        self.by(w3, manual::sha256msg2)
    }
}
