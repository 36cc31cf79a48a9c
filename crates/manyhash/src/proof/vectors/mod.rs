//! Vectors of several expressions, as the kernels for single messages want them: successive words of a
//! message, lanes whose words are stored as pairs, and the words that instructions for hash functions
//! compute with.
//!
//! What is in memory, in a message too, is the number of an expression. An instruction that is faulty is
//! so in all lanes.

mod aarch64;
#[cfg(target_arch = "x86_64")]
mod x86_64;

use super::instructions::{Expression, Fault, Terms, is_faulty, one_instruction};
use crate::isa::{Blocks, ByteOrder, Isa, Task, Token, Word, Words};

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

// Operations are calls, as those of one expression are.
macro_rules! words {
    ($($word:ident)*) => { $(
        impl<const N: usize> Words for Several<$word, N> {
            type Isa = Lanes<N>;
            type Word = $word;
            const LANES: usize = N;
            const WAVES: usize = 1;

            /// Zeros have no fault: they stand for what is written before it is read.
            #[inline(never)]
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
            #[inline(never)]
            fn add(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::add(self.0[i], other.0[i])))
            }
            #[inline(never)]
            fn xor(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::xor(self.0[i], other.0[i])))
            }
            #[inline(never)]
            fn and(self, other: Self) -> Self {
                Self(one_instruction(|i| Words::and(self.0[i], other.0[i])))
            }
            #[inline(never)]
            fn not(self) -> Self {
                Self(one_instruction(|i| Words::not(self.0[i])))
            }
            #[inline(never)]
            fn rotate_right<const R: u32>(self) -> Self {
                Self(one_instruction(|i| Words::rotate_right::<R>(self.0[i])))
            }
            #[inline(never)]
            fn shift_right<const R: u32>(self) -> Self {
                Self(one_instruction(|i| Words::shift_right::<R>(self.0[i])))
            }
            fn pin(self) -> Self {
                self
            }
        }
    )* };
}
words!(u32 u64);

impl<W: Copy, const N: usize> Several<W, N> {
    /// What an instruction of a manual makes of two operands, or of the same exchanged.
    fn by(self, other: Self, instruction: impl Fn([Expression<W>; N], [Expression<W>; N]) -> [Expression<W>; N]) -> Self {
        Self(if is_faulty(Fault::Operands) { instruction(other.0, self.0) } else { instruction(self.0, other.0) })
    }
}
