//! The instruction set whose vectors are expressions, and the words of the reference, which are the
//! same expressions.

use crate::isa::{Blocks, ByteOrder, Isa, Task, Token, Word, Words, choose};
use ::terms::{self, Term};
use std::cell::Cell;
use std::ops::{BitAnd, BitOr, BitXor, Not};

/// The instruction set that computes expressions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms;

impl Token for Terms {
    const FEATURES: &'static [&'static str] = &[];
    fn detect() -> Option<Self> {
        Some(Self)
    }
    #[inline(never)]
    fn run<T: Task<Self>>(self, task: T) -> T::Output {
        task.run(self)
    }
}

impl Isa for Terms {
    type U32 = Expression<u32>;
    type U64 = Expression<u64>;
}

/// A fault of an instruction: what it does instead of what its name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// A rotation by one bit more.
    Rotation,
    /// A shift by one bit more.
    Shift,
    /// A constant with its lowest bit changed.
    Constant,
    /// A sum without what is added.
    Addition,
    /// An exclusive or without its second operand.
    Xor,
    /// An or instead of an and.
    And,
    /// `choose` with the last two arguments exchanged.
    Choose,
    /// A move of words that leaves them where they are.
    Move,
    /// An instruction of the SHA extensions with its first two operands exchanged.
    Operands,
}

impl Fault {
    /// All faults.
    pub(super) const ALL: [Self; 9] =
        [Self::Rotation, Self::Shift, Self::Constant, Self::Addition, Self::Xor, Self::And, Self::Choose, Self::Move, Self::Operands];
}

thread_local! {
    /// The fault to be made, and how many of the instructions that can have it come before.
    static PLANNED: Cell<Option<(Fault, usize)>> = const { Cell::new(None) };
}

/// Runs `task` with a fault in one instruction: the one of its kind that `before` others of the kind
/// come before. Returns `None` if there is no such instruction.
pub(super) fn with_fault<T>(fault: Fault, before: usize, task: impl FnOnce() -> T) -> Option<T> {
    PLANNED.set(Some((fault, before)));
    let result = task();
    PLANNED.take().is_none().then_some(result)
}

/// Gives up a fault that was not made yet.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no other kernels compute what is not used"))]
pub(super) fn no_more_faults() {
    if PLANNED.get().is_some() {
        PLANNED.set(Some((Fault::Rotation, usize::MAX)));
    }
}

/// Computes each of `N` lanes by one instruction: if it is faulty, it is so in all of them.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "for kernels that other architectures lack"))]
pub(super) fn one_instruction<T, const N: usize>(lane: impl Fn(usize) -> T) -> [T; N] {
    let planned = PLANNED.get();
    std::array::from_fn(|i| {
        PLANNED.set(planned);
        lane(i)
    })
}

/// Returns whether this instruction is the one to be faulty.
pub(super) fn is_faulty(fault: Fault) -> bool {
    match PLANNED.get() {
        Some((planned, before)) if planned == fault => {
            PLANNED.set((before > 0).then(|| (fault, before - 1)));
            before == 0
        }
        _ => false,
    }
}

/// An expression in the place of a word `W`. A word in memory is the number of an expression. It is as
/// long as the word, because kernels take the length of vectors for that of their words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expression<W>(Term, [W; 0]);

impl<W> PartialEq for Expression<W> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<W: Word + Into<u64>> Expression<W> {
    const BITS: u32 = 8 * size_of::<W>() as u32;

    fn new(term: Term) -> Self {
        Self(term, [])
    }

    /// Any word: the variable of a number.
    pub(super) fn variable(number: usize) -> Self {
        Self::new(terms::variable(Self::BITS, number as u32))
    }

    /// The expression of a number.
    pub(super) fn from_number(number: W) -> Self {
        Self::new(terms::from_number(number.into() as u32))
    }

    /// The number of the expression.
    pub(super) fn number(self) -> W {
        W::from(self.0.number())
    }

    /// The bits that the word has where `mask` has ones, and zeros elsewhere.
    pub(super) fn kept(self, mask: Self) -> Self {
        Self::new(terms::and(Self::BITS, self.0, mask.0))
    }

    /// The bits of this word together with those of another that has none of them.
    pub(super) fn with(self, other: Self) -> Self {
        Self::new(terms::xor(Self::BITS, self.0, other.0))
    }

    /// The word, if it is always the same.
    pub(super) fn value(self) -> Option<W> {
        terms::value(Self::BITS, self.0).map(W::low)
    }

    /// A word, always the same.
    pub(super) fn plain(word: W) -> Self {
        Self::new(terms::constant(Self::BITS, word.into()))
    }
}

/// The reference's operations, which have no faults.
macro_rules! reference {
    ($($word:ident)*) => { $(
        impl BitXor for Expression<$word> {
            type Output = Self;
            fn bitxor(self, other: Self) -> Self {
                Self::new(terms::xor(Self::BITS, self.0, other.0))
            }
        }

        impl BitAnd for Expression<$word> {
            type Output = Self;
            fn bitand(self, other: Self) -> Self {
                Self::new(terms::and(Self::BITS, self.0, other.0))
            }
        }

        impl Not for Expression<$word> {
            type Output = Self;
            fn not(self) -> Self {
                self ^ Self::plain($word::MAX)
            }
        }

        impl BitOr for Expression<$word> {
            type Output = Self;
            fn bitor(self, other: Self) -> Self {
                !(!self & !other)
            }
        }

        impl reference::Word for Expression<$word> {
            type Plain = $word;
            fn constant(plain: $word) -> Self {
                Self::plain(plain)
            }
            fn plus(self, other: Self) -> Self {
                Self::new(terms::add(Self::BITS, self.0, other.0))
            }
            fn rotl(self, bits: u32) -> Self {
                self.rotr(Self::BITS - bits)
            }
            fn rotr(self, bits: u32) -> Self {
                Self::new(terms::rotate_right(Self::BITS, self.0, bits % Self::BITS))
            }
            fn shr(self, bits: u32) -> Self {
                Self::new(terms::shift_right(Self::BITS, self.0, bits))
            }
        }

        // Operations are calls: rounds that are thousands of them in a row took the compiler minutes.
        impl Words for Expression<$word> {
            type Isa = Terms;
            type Word = $word;
            const LANES: usize = 1;
            const WAVES: usize = 1;
            /// `One<Terms>` has the rounds with the fewest operations.
            const LATENCY_BOUND: bool = true;
            const SHARES_CODE: bool = true;

            #[inline(never)]
            fn splat(_: Terms, word: $word) -> Self {
                Self::plain(word ^ $word::from(is_faulty(Fault::Constant)))
            }
            fn read(_: Terms, words: &[$word]) -> Self {
                Self::from_number(words[0])
            }
            fn write(self, words: &mut [$word]) {
                words[0] = self.number();
            }
            fn load<const N: usize>(_: Terms, _: ByteOrder, _: &Blocks, _: usize, _: usize) -> [Self; N] {
                unreachable!("bytes are not expressions")
            }
            fn read_bytes(_: Terms, _: ByteOrder, _: &[u8]) -> Self {
                unreachable!("bytes are not expressions")
            }
            #[inline(never)]
            fn add(self, other: Self) -> Self {
                if is_faulty(Fault::Addition) { self } else { reference::Word::plus(self, other) }
            }
            #[inline(never)]
            fn xor(self, other: Self) -> Self {
                if is_faulty(Fault::Xor) { self } else { self ^ other }
            }
            #[inline(never)]
            fn and(self, other: Self) -> Self {
                if is_faulty(Fault::And) { self | other } else { self & other }
            }
            fn not(self) -> Self {
                !self
            }
            #[inline(never)]
            fn rotate_right<const R: u32>(self) -> Self {
                reference::Word::rotr(self, R + u32::from(is_faulty(Fault::Rotation)))
            }
            #[inline(never)]
            fn shift_right<const R: u32>(self) -> Self {
                reference::Word::shr(self, R + u32::from(is_faulty(Fault::Shift)))
            }
            fn pin(self) -> Self {
                self
            }
            #[inline(never)]
            fn choose(x: Self, y: Self, z: Self) -> Self {
                if is_faulty(Fault::Choose) { choose(x, z, y) } else { choose(x, y, z) }
            }
        }
    )* };
}
reference!(u32 u64);
