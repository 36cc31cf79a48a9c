//! The finalists by name, in linear code and in lanes.

use super::blake::{Blake256, Blake512};
use super::groestl::{Groestl256, Groestl256Output};
use super::jh::Jh256;
use super::skein::{Skein512, Skein512Output};
use manyhash::hazmat::{ChainingOf, Compression, Lanes, Sha3_256Compression, WordOf};
use skein::digest::consts::U64;

/// A function that appends the digest of a message.
pub type Linear = fn(&[u8], &mut Vec<u8>);

/// Linear code of a crate that is not this project's, by the trait of the crate's version.
macro_rules! linear {
    ($Digest:path, $Function:ty) => {
        |message, digests| digests.extend_from_slice(&<$Function as $Digest>::digest(message))
    };
}

/// The backends that have one message in each lane of a single register, for every instruction set.
const ONE_WAVE: [&str; 7] = ["portable", "sse2", "avx", "avx512-128", "avx2", "avx512-256", "avx512"];

/// The bytes of what a function leaves for its output.
const LEFT_BYTES: usize = 64;

/// Returns a compression function in the lanes of a single register, for each instruction set of this CPU.
fn one_wave<C: Compression>(initial: ChainingOf<C>, digest_bytes: usize) -> impl Iterator<Item = Lanes<C>> {
    Lanes::<C>::all(initial, digest_bytes).into_iter().filter(|lanes| ONE_WAVE.contains(&lanes.backend()))
}

/// A hash function, and the two ways to compute it.
pub struct Function {
    /// The name, such as "BLAKE-256".
    pub name: &'static str,
    /// The length in bytes of the words that it computes with.
    pub word_bytes: usize,
    /// The length in bytes of its blocks.
    pub block_bytes: usize,
    /// The function in linear code, one message after the other.
    pub linear: Linear,
    /// The name of the linear code.
    pub linear_name: &'static str,
    /// The function in lanes, on each instruction set of this CPU, narrowest first.
    pub kernels: Vec<LaneKernel>,
}

/// What lanes hash.
enum Input<'a> {
    /// A message in each lane, and the next one when it ends.
    Messages(&'a [&'a [u8]]),
    /// One message, dealt out to as many slices as lanes.
    Dealt(&'a [u8]),
}

/// Returns the digests of messages, or of slices, one after the other.
fn digests<C: Compression>(lanes: &Lanes<C>, input: Input<'_>) -> Vec<u8> {
    match input {
        Input::Messages(messages) => lanes.hash_many(messages),
        Input::Dealt(message) => lanes.hash_dealt(message),
    }
}

/// A hash function in the lanes of one instruction set.
pub struct LaneKernel {
    /// The backend's name in the engine.
    pub backend: &'static str,
    /// The number of messages that it hashes at once.
    pub lanes: usize,
    digests: Box<dyn Fn(Input<'_>) -> Vec<u8>>,
}

impl LaneKernel {
    /// Returns a function of one compression function, on each instruction set.
    fn all<C: Compression>(initial: ChainingOf<C>, digest_bytes: usize) -> Vec<Self> {
        let kernel = |lanes: Lanes<C>| {
            let (backend, count) = (lanes.backend(), lanes.lanes());
            Self { backend, lanes: count, digests: Box::new(move |input| digests(&lanes, input)) }
        };
        one_wave::<C>(initial, digest_bytes).map(kernel).collect()
    }

    /// Returns a function that hashes what the compression function `C` leaves of a message once more, with `O` and from a state of zeros.
    fn all_of_two<C: Compression, O: Compression>(initial: ChainingOf<C>, digest_bytes: usize) -> Vec<Self> {
        let kernel = |(first, output): (Lanes<C>, Lanes<O>)| {
            assert_eq!(first.backend(), output.backend());
            let (backend, lanes) = (first.backend(), first.lanes());
            let both = move |input: Input<'_>| output.hash_many(&digests(&first, input).chunks(LEFT_BYTES).collect::<Vec<_>>());
            Self { backend, lanes, digests: Box::new(both) }
        };
        one_wave::<C>(initial, LEFT_BYTES).zip(one_wave::<O>(O::filled(WordOf::<O>::default()), digest_bytes)).map(kernel).collect()
    }

    /// Appends the digest of each message.
    pub fn hash_many(&self, messages: &[&[u8]], digests: &mut Vec<u8>) {
        digests.extend((self.digests)(Input::Messages(messages)));
    }

    /// Appends the digest of each slice of a message dealt out to as many slices as lanes.
    pub fn hash_dealt(&self, message: &[u8], digests: &mut Vec<u8>) {
        digests.extend((self.digests)(Input::Dealt(message)));
    }
}

impl Function {
    fn new<C: Compression>(name: &'static str, linear_name: &'static str, linear: Linear, kernels: Vec<LaneKernel>) -> Self {
        Self { name, word_bytes: size_of::<WordOf<C>>(), block_bytes: C::BLOCK_BYTES, linear, linear_name, kernels }
    }

    /// Returns all of them.
    pub fn all() -> [Self; 7] {
        // Keccak as it was submitted: FIPS 202 changed a byte of padding, from 0x01 to 0x06, and the last word of the state says what is
        // added to that.
        let mut keccak = [0; 26];
        keccak[25] = 0x01 ^ 0x06;
        let sponge = |name, linear, initial| {
            Self::new::<Sha3_256Compression>(name, "sha3", linear, LaneKernel::all::<Sha3_256Compression>(initial, 32))
        };
        let (blake_256, blake_512) =
            (LaneKernel::all::<Blake256>(Blake256::INITIAL, 32), LaneKernel::all::<Blake512>(Blake512::INITIAL, 64));
        let skein = LaneKernel::all_of_two::<Skein512, Skein512Output>(Skein512::INITIAL, 64);
        let jh = LaneKernel::all::<Jh256>(Jh256::INITIAL, 32);
        let groestl = LaneKernel::all_of_two::<Groestl256, Groestl256Output>(Groestl256::INITIAL, 32);
        [
            // The linear code of BLAKE has its state's 4 columns in a register, that of JH 128 elements' bits. That of Keccak and Skein is
            // scalar, and Grøstl's has tables of the S-box and its multiples.
            Self::new::<Blake256>("BLAKE-256", "blake-hash", linear!(blake_hash::Digest, blake_hash::Blake256), blake_256),
            Self::new::<Blake512>("BLAKE-512", "blake-hash", linear!(blake_hash::Digest, blake_hash::Blake512), blake_512),
            sponge("Keccak[1088]", linear!(sha3::Digest, sha3::Keccak256), keccak),
            sponge("SHA3-256", linear!(sha3::Digest, sha3::Sha3_256), [0; 26]),
            Self::new::<Skein512>("Skein-512", "skein", linear!(sha3::Digest, skein::Skein512<U64>), skein),
            Self::new::<Jh256>("JH-256", "jh", linear!(sha3::Digest, jh::Jh256), jh),
            Self::new::<Groestl256>("Groestl-256", "groestl", linear!(sha3::Digest, groestl::Groestl256), groestl),
        ]
    }
}
