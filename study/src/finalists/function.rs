//! The finalists by name: linear, and in lanes.

use super::blake::{Blake256, Blake512};
use super::keccak::{Keccak256, Sha3};
use super::lanes::{LaneHash, LaneKernel};
use super::linear::{self, Linear};

/// A hash function, the two ways to compute it.
pub struct Function {
    /// "BLAKE-256".
    pub name: &'static str,
    /// Bytes of the words that it computes with.
    pub word_bytes: usize,
    /// One message after the other.
    pub linear: Linear,
    /// Whose linear code that is.
    pub linear_name: &'static str,
    /// In lanes, on each instruction set of this CPU.
    pub kernels: Vec<LaneKernel>,
}

impl Function {
    fn new<H: LaneHash>(name: &'static str, linear: Linear, linear_name: &'static str) -> Self {
        Self { name, word_bytes: size_of::<H::Word>(), linear, linear_name, kernels: LaneKernel::all::<H>() }
    }

    /// Linear code has the four columns of its state in a register of 128 bits.
    pub fn blake256() -> Self {
        Self::new::<Blake256>("BLAKE-256", linear::blake256, "blake-hash")
    }

    /// The same with registers of 256 bits.
    pub fn blake512() -> Self {
        Self::new::<Blake512>("BLAKE-512", linear::blake512, "blake-hash")
    }

    /// As it was submitted.
    pub fn keccak256() -> Self {
        Self::new::<Keccak256>("Keccak[1088]", linear::keccak256, "sha3")
    }

    /// As it was standardised.
    pub fn sha3_256() -> Self {
        Self::new::<Sha3>("SHA3-256", linear::sha3_256, "sha3")
    }
}
