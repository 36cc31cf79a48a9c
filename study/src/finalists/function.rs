//! The finalists by name: linear, and in lanes.

use super::blake::{Blake256, Blake512};
use super::keccak::Keccak256;
use super::linear::{self, Linear};
use manyhash::hazmat::{ChainingOf, Compression, Lanes, Sha3_256Compression, WordOf};
use std::rc::Rc;

/// The backends with a register of every instruction set, and one message in each of its lanes.
const ONE_WAVE: [&str; 6] = ["portable", "sse2", "avx512-128", "avx2", "avx512-256", "avx512"];

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
    /// In lanes, on each instruction set of this CPU, narrowest first.
    pub kernels: Vec<LaneKernel>,
}

/// A hash function in the lanes of one instruction set.
#[derive(Clone)]
pub struct LaneKernel {
    /// As the engine names its backends.
    pub backend: &'static str,
    /// Messages at once.
    pub lanes: usize,
    many: Rc<dyn Fn(&[&[u8]]) -> Vec<u8>>,
    dealt: Rc<dyn Fn(&[u8]) -> Vec<u8>>,
}

impl LaneKernel {
    fn new<C: Compression>(lanes: Lanes<C>) -> Self {
        let (backend, count, lanes) = (lanes.backend(), lanes.lanes(), Rc::new(lanes));
        let for_dealt = lanes.clone();
        Self {
            backend,
            lanes: count,
            many: Rc::new(move |messages| lanes.hash_many(messages)),
            dealt: Rc::new(move |message| for_dealt.hash_dealt(message)),
        }
    }

    /// Appends the digest of each message.
    pub fn hash_many(&self, messages: &[&[u8]], digests: &mut Vec<u8>) {
        digests.extend((self.many)(messages));
    }

    /// Appends the digest of each slice of a message that is dealt out to as many slices as there are lanes.
    pub fn hash_dealt(&self, message: &[u8], digests: &mut Vec<u8>) {
        digests.extend((self.dealt)(message));
    }
}

impl Function {
    fn new<C: Compression>(
        name: &'static str,
        linear: Linear,
        linear_name: &'static str,
        initial: ChainingOf<C>,
        digest_bytes: usize,
    ) -> Self {
        let lanes = Lanes::<C>::all(initial, digest_bytes).into_iter().filter(|lanes| ONE_WAVE.contains(&lanes.backend()));
        let kernels = lanes.map(LaneKernel::new).collect();
        Self { name, word_bytes: size_of::<WordOf<C>>(), linear, linear_name, kernels }
    }

    /// Linear code has the four columns of its state in a register of 128 bits.
    pub fn blake256() -> Self {
        Self::new::<Blake256>("BLAKE-256", linear::blake256, "blake-hash", Blake256::INITIAL, 32)
    }

    /// The same with registers of 256 bits.
    pub fn blake512() -> Self {
        Self::new::<Blake512>("BLAKE-512", linear::blake512, "blake-hash", Blake512::INITIAL, 64)
    }

    /// As it was submitted.
    pub fn keccak256() -> Self {
        Self::new::<Keccak256>("Keccak[1088]", linear::keccak256, "sha3", [0; 25], 32)
    }

    /// As it was standardised.
    pub fn sha3_256() -> Self {
        Self::new::<Sha3_256Compression>("SHA3-256", linear::sha3_256, "sha3", [0; 25], 32)
    }
}
