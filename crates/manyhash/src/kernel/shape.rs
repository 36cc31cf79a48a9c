//! What a kernel is made of, as data that follows from its line in a list. Callers see it as
//! methods of `Backend`, the census takes its rules from it, and tools sort by it. None of them
//! needs to know kernels by name.

use crate::algorithm::{Compression, VectorOf, WordOf};
use crate::isa::{Isa, Token, Words};
use std::fmt;

/// The way in which a backend computes the rounds of an algorithm. Tables sort in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// Scalar code, which any CPU can run.
    Scalar,
    /// Scalar rounds of a message beside its message schedule in vectors.
    ScalarBesideVectors,
    /// Vectors that hold some words of the state of one message.
    Rows,
    /// Vectors that hold a word of each message.
    Lanes,
    /// Instructions made for the rounds of an algorithm, such as the SHA extensions.
    Instructions,
    /// Instructions made for the rounds of an algorithm, beside message schedules in vectors.
    InstructionsBesideVectors,
    /// Instructions made for the rounds of an algorithm for some messages, beside lanes for others.
    InstructionsBesideLanes,
}

/// Writes a few words for tables: `lanes`.
impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Scalar => "scalar code",
            Self::ScalarBesideVectors => "scalar rounds, schedule in vectors",
            Self::Rows => "vectors within one message",
            Self::Lanes => "lanes",
            Self::Instructions => "instructions for rounds",
            Self::InstructionsBesideVectors => "instructions for rounds, schedules in vectors",
            Self::InstructionsBesideLanes => "instructions for rounds, other messages in lanes",
        })
    }
}

/// The facts that describe a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    /// The way it computes rounds.
    pub(crate) kind: Kind,
    /// The width in bits of the widest vectors that it computes in, if it has any.
    pub(crate) vector_bits: Option<usize>,
    /// The number of vectors, or of messages in registers of their own, that it advances in turns.
    pub(crate) waves: usize,
    /// The features that it needs, as the compiler names them.
    pub(crate) features: &'static [&'static str],
}

impl Shape {
    /// Returns the shape of the kernel of `C` in the lanes of `I`. Vectors of one lane are scalars.
    pub(super) fn in_lanes<C: Compression, I: Isa>() -> Self {
        let (lanes, waves) = (VectorOf::<C, I>::LANES, VectorOf::<C, I>::WAVES);
        let vector_bits = (lanes > waves).then_some(lanes / waves * 8 * size_of::<WordOf<C>>());
        let kind = if vector_bits.is_some() { Kind::Lanes } else { Kind::Scalar };
        Self { kind, vector_bits, waves, features: I::FEATURES }
    }

    /// Returns the shape of a kernel that keeps each of `messages` messages in registers.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no such kernels yet"))]
    pub(super) fn per_message<I: Token>(kind: Kind, vector_bits: usize, messages: usize) -> Self {
        Self { kind, vector_bits: Some(vector_bits), waves: messages, features: I::FEATURES }
    }
}
