//! The finalists by name, in linear code and in lanes.

use super::blake::{Blake256, Blake512};
use super::groestl::{Groestl256, Groestl256Output};
use super::jh::Jh256;
use super::skein::{Skein512, Skein512Output};
use manyhash::hazmat::{ChainingOf, Compression, Lanes, Sha3_256Compression, WordOf};
use std::rc::Rc;

/// A function that appends the digest of a message.
pub type Linear = fn(&[u8], &mut Vec<u8>);

/// Linear code, one message after the other, by crates that are not this project's.
pub mod linear {
    use blake_hash::Digest as _;
    use sha3::Digest as _;
    use skein::digest::consts::U64;

    macro_rules! linear {
        ($($name:ident $Digest:ty),+) => { $(
            /// Appends the digest of a message.
            pub fn $name(message: &[u8], digests: &mut Vec<u8>) {
                digests.extend_from_slice(&<$Digest>::digest(message));
            }
        )+ };
    }
    linear!(blake256 blake_hash::Blake256, blake512 blake_hash::Blake512, keccak256 sha3::Keccak256, sha3_256 sha3::Sha3_256);
    linear!(skein512 skein::Skein512<U64>, jh256 jh::Jh256, groestl256 groestl::Groestl256);
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
    /// The function in linear code, one message after the other.
    pub linear: Linear,
    /// The name of the linear code.
    pub linear_name: &'static str,
    /// The function in lanes, on each instruction set of this CPU, narrowest first.
    pub kernels: Vec<LaneKernel>,
}

/// The digests of some messages, one after the other.
type HashMany = dyn Fn(&[&[u8]]) -> Vec<u8>;
/// The digests of a message's slices, one after the other.
type HashDealt = dyn Fn(&[u8]) -> Vec<u8>;

/// A hash function in the lanes of one instruction set.
#[derive(Clone)]
pub struct LaneKernel {
    /// The backend's name in the engine.
    pub backend: &'static str,
    /// The number of messages that it hashes at once.
    pub lanes: usize,
    many: Rc<HashMany>,
    dealt: Rc<HashDealt>,
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

    /// Hashes what `first` leaves of a message once more, with the compression function `O`.
    fn of_two<C: Compression, O: Compression>(first: Lanes<C>, output: Lanes<O>) -> Self {
        assert_eq!(first.backend(), output.backend());
        let backend = first.backend();
        let (first, output) = (Rc::new((first, output)), |output: &Lanes<O>, left: &[u8]| {
            let left: Vec<&[u8]> = left.chunks(LEFT_BYTES).collect();
            output.hash_many(&left)
        });
        let for_dealt = first.clone();
        Self {
            backend,
            lanes: first.0.lanes(),
            many: Rc::new(move |messages| output(&first.1, &first.0.hash_many(messages))),
            dealt: Rc::new(move |message| output(&for_dealt.1, &for_dealt.0.hash_dealt(message))),
        }
    }

    /// Appends the digest of each message.
    pub fn hash_many(&self, messages: &[&[u8]], digests: &mut Vec<u8>) {
        digests.extend((self.many)(messages));
    }

    /// Appends the digest of each slice of a message dealt out to as many slices as lanes.
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
        let kernels = one_wave::<C>(initial, digest_bytes).map(LaneKernel::new).collect();
        Self { name, word_bytes: size_of::<WordOf<C>>(), linear, linear_name, kernels }
    }

    /// Creates a function that ends with the compression function `O`, from a state of zeros.
    fn of_two<C: Compression, O: Compression>(
        name: &'static str,
        linear: Linear,
        linear_name: &'static str,
        initial: ChainingOf<C>,
        digest_bytes: usize,
    ) -> Self {
        let outputs = one_wave::<O>(O::filled(WordOf::<O>::default()), digest_bytes);
        let kernels = one_wave::<C>(initial, LEFT_BYTES).zip(outputs).map(|(first, output)| LaneKernel::of_two(first, output)).collect();
        Self { name, word_bytes: size_of::<WordOf<C>>(), linear, linear_name, kernels }
    }

    /// BLAKE-256. Its linear code has its state's 4 columns in a register of 128 bits.
    pub fn blake256() -> Self {
        Self::new::<Blake256>("BLAKE-256", linear::blake256, "blake-hash", Blake256::INITIAL, 32)
    }

    /// BLAKE-512. Its linear code has its state's 4 columns in a register of 256 bits.
    pub fn blake512() -> Self {
        Self::new::<Blake512>("BLAKE-512", linear::blake512, "blake-hash", Blake512::INITIAL, 64)
    }

    /// Keccak with a rate of 1088 bits, as it was submitted: FIPS 202 changed a byte of padding, from 0x01 to 0x06,
    /// and the last word of the state says what is added to that. Its linear code is scalar.
    pub fn keccak256() -> Self {
        let mut initial = [0; 26];
        initial[25] = 0x01 ^ 0x06;
        Self::new::<Sha3_256Compression>("Keccak[1088]", linear::keccak256, "sha3", initial, 32)
    }

    /// SHA3-256 as it was standardised.
    pub fn sha3_256() -> Self {
        Self::new::<Sha3_256Compression>("SHA3-256", linear::sha3_256, "sha3", [0; 26], 32)
    }

    /// Skein-512 with digests of 512 bits. Its linear code is scalar.
    pub fn skein512() -> Self {
        Self::of_two::<Skein512, Skein512Output>("Skein-512", linear::skein512, "skein", Skein512::INITIAL, 64)
    }

    /// JH-256. Its linear code has 128 elements' bits in a register of 128 bits.
    pub fn jh256() -> Self {
        Self::new::<Jh256>("JH-256", linear::jh256, "jh", Jh256::INITIAL, 32)
    }

    /// Grøstl-256. Its linear code has tables of the S-box and its multiples.
    pub fn groestl256() -> Self {
        Self::of_two::<Groestl256, Groestl256Output>("Groestl-256", linear::groestl256, "groestl", Groestl256::INITIAL, 32)
    }
}
