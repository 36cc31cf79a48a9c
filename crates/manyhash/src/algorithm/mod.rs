//! Floor 2, algorithms: each a file, written once in safe code over [`Words`], and the ONE list of them.
//!
//! A [`Compression`] function compresses one block in every lane. Algorithms that share one (SHA-384 and SHA-512)
//! share all its kernels: each is a [`Variant`] of it, with an initial value, names and a digest length of its own.
//! Nothing here knows kernels, schedules or callers.

use crate::isa::{ByteOrder, MAX_BLOCK_WORDS, Word, WordCount, Words};
use ending::Ending;
use std::fmt::Debug;
use std::hash::Hash;

/// What distinguishes an algorithm from others with the same compression function.
pub(crate) trait Variant: Copy + Debug + Send + Sync + 'static {
    /// The compression function.
    type Compression: Compression;
    /// An array with as many bytes as the digest has.
    type Bytes: Copy + Debug + Eq + Ord + Hash + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;
    /// What it is called.
    const NAMES: Names;
    /// The state before the first block.
    const INITIAL: ChainingOf<Self::Compression>;
    /// A digest of zeros, to be written to.
    const ZERO: Self::Bytes;
    /// The bytes of many digests, one after the other.
    fn flattened(digests: &mut [Self::Bytes]) -> &mut [u8];
    /// Room for whole digests, and the bytes that are left over.
    fn unflattened(bytes: &mut [u8]) -> (&mut [Self::Bytes], &mut [u8]);
}

/// What an algorithm is called by whom.
pub(crate) struct Names {
    /// By its standard: `SHA-512/256`.
    pub(crate) standard: &'static str,
    /// In BSD-style lists: `SHA512/256`.
    pub(crate) tag: &'static str,
    /// As one would type it: `sha512/256`.
    pub(crate) typed: &'static str,
    /// By Python's hashlib: `sha512_256`.
    pub(crate) hashlib: &'static str,
    /// The command that lists its digests, if there is one: `sha256sum`.
    pub(crate) command: Option<&'static str>,
    /// Whether digests of this length are taken for its own if nothing else is said.
    pub(crate) is_default_of_its_length: bool,
}

/// The compression function of algorithm `A`.
pub(crate) type CompressionOf<A> = <A as Variant>::Compression;
/// The word of a compression function.
pub type WordOf<C> = <C as Compression>::Word;
/// The words of a state, each a `T`: a word, a vector, a row of words.
pub type StateOf<C, T> = <<C as Compression>::State as WordCount>::Of<T>;
/// The words of a block, each a `T`: a word or a vector.
pub type BlockOf<C, T> = <<C as Compression>::Block as WordCount>::Of<T>;
/// The state of one message between two blocks.
pub type ChainingOf<C> = StateOf<C, WordOf<C>>;
/// The vector of a compression function's words on the instruction set `I`.
pub(crate) type VectorOf<C, I> = <WordOf<C> as Word>::Vector<I>;

/// The most rounds of any algorithm, and so words of an expanded block.
pub const MAX_ROUNDS: usize = 80;
/// The most bytes a block may have: 168, those of SHAKE128.
pub(crate) const MAX_BLOCK_BYTES: usize = MAX_BLOCK_WORDS * size_of::<u64>();

/// A compression function: state and block in, state out, in any number of lanes.
pub trait Compression: Copy + Send + Sync + 'static {
    /// Its machine word.
    type Word: Word;
    /// How many words the state of a message has. The first of them become the digest. Others may be of any use: a capacity, a counter, a
    /// flag.
    type State: WordCount;
    /// How many words a block has.
    type Block: WordCount;
    /// How a message ends.
    type Ending: Ending<Self>;
    /// Its name in the cost table.
    const NAME: &'static str;
    /// How words are read from blocks and written to digests.
    const BYTE_ORDER: ByteOrder;
    /// Whether two waves of the widest vectors pay: then it has the lanes after `waves` in the list of `isa/mod.rs`. They do not where one
    /// wave has more vectors alive than there are registers.
    const WANTS_WAVES: bool = true;
    /// Whether it has rounds of two forms, with the shortest wait and with the fewest operations (`Words::LATENCY_BOUND`): then it has the
    /// lanes after `lean` in the list of `isa/mod.rs`.
    const HAS_LEAN_ROUNDS: bool = false;
    /// Whether a round is so few operations, and each so much waiting for the one before, that waves pay beyond those that pay for every
    /// algorithm: then it has the lanes after `more` in the list of `isa/mod.rs`.
    const WANTS_MORE_WAVES: bool = false;
    /// Words of the state.
    const STATE_WORDS: usize = Self::State::COUNT;
    /// Words of the state that may be in a digest, the first ones.
    const DIGEST_WORDS: usize = if Self::STATE_WORDS < 8 { Self::STATE_WORDS } else { 8 };
    /// Bytes of a block.
    const BLOCK_BYTES: usize = Self::Block::COUNT * size_of::<Self::Word>();

    /// One block in each lane.
    fn compress<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut StateOf<Self, V>, block: BlockOf<Self, V>);
    /// A state with `value` everywhere.
    #[inline(always)]
    fn filled<T: Copy + Send + Sync>(value: T) -> StateOf<Self, T> {
        Self::State::filled(value)
    }
    /// The schedule of a block that all lanes share, for [`compress_constant`](Self::compress_constant).
    fn expand(block: BlockOf<Self, Self::Word>) -> [Self::Word; MAX_ROUNDS] {
        let mut expanded = [Self::Word::default(); MAX_ROUNDS];
        expanded[..Self::Block::COUNT].copy_from_slice(block.as_ref());
        expanded
    }
    /// One block, the same in every lane, from its schedule.
    #[inline(always)]
    fn compress_constant<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut StateOf<Self, V>, expanded: &[Self::Word; MAX_ROUNDS]) {
        let mut block = Self::Block::filled(Self::Word::default());
        block.as_mut().copy_from_slice(&expanded[..Self::Block::COUNT]);
        Self::compress(isa, state, Self::Block::splat(isa, &block));
    }
}

macro_rules! algorithms {
    ($dollar:tt $($module:ident: $Compression:ident = $($Algorithm:ident)+;)*) => {
        $(pub(crate) mod $module;)*

        /// The algorithms by their names.
        pub mod names {
            $(pub use super::$module::{$($Algorithm),+};)*
        }
        pub use names::*;

        /// Calls `$callback! { [$($arguments)*] Sha1 Sha224 ... }` with every algorithm of this crate, in its order.
        ///
        /// This is how command lines, bindings, tests and benchmarks stay complete: none of them has a list of its own.
        ///
        /// ```
        /// macro_rules! names { ([] $($Algorithm:ident)*) => { [$(<manyhash::$Algorithm as manyhash::Algorithm>::NAME),*] } }
        /// let names = manyhash::for_each_algorithm!(names []);
        /// assert!(names.contains(&"SHA-512/256"));
        /// ```
        #[macro_export]
        macro_rules! for_each_algorithm {
            ($dollar callback:ident [$dollar($dollar arguments:tt)*]) => {
                $dollar callback! { [$dollar($dollar arguments)*] $($($Algorithm)+)* }
            };
        }

        /// Calls `$callback! { $(path)::* ... }` with the path of every compression function.
        macro_rules! for_each_compression {
            ($dollar callback:ident) => {
                $dollar callback! { $($crate::algorithm::$module::$Compression)* }
            };
        }
    };
}

// The ONE list: a file of this folder, the compression function in it, and the algorithms that have it.
algorithms! { $
    md5: Md5Compression = Md5;
    sha1: Sha1Compression = Sha1;
    sha256: Sha256Compression = Sha224 Sha256;
    sha512: Sha512Compression = Sha384 Sha512 Sha512_224 Sha512_256;
    keccak: Sha3_256Compression = Sha3_256;
    blake2s: Blake2sCompression = Blake2s;
}

pub(crate) mod ending;
pub(crate) mod sha2;

/// Declares an algorithm: `Type, names(...), digest bytes, compression function, initial value`. The names are those of [`Names`], in its
/// order.
macro_rules! algorithm {
    ($(#[$doc:meta])* $Algorithm:ident, names($standard:literal, $tag:literal, $typed:literal, $hashlib:literal, $command:expr, $is_default:literal),
     $digest_bytes:literal, $Compression:ident, $initial:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Algorithm;

        impl $crate::algorithm::Variant for $Algorithm {
            type Compression = $Compression;
            type Bytes = [u8; $digest_bytes];
            const NAMES: $crate::algorithm::Names = $crate::algorithm::Names {
                standard: $standard,
                tag: $tag,
                typed: $typed,
                hashlib: $hashlib,
                command: $command,
                is_default_of_its_length: $is_default,
            };
            const INITIAL: $crate::algorithm::ChainingOf<$Compression> = $initial;
            const ZERO: Self::Bytes = [0; $digest_bytes];
            fn flattened(digests: &mut [Self::Bytes]) -> &mut [u8] {
                digests.as_flattened_mut()
            }
            fn unflattened(bytes: &mut [u8]) -> (&mut [Self::Bytes], &mut [u8]) {
                bytes.as_chunks_mut()
            }
        }
    };
}
use algorithm;

/// The most bytes a digest may have.
pub(crate) const MAX_DIGEST_BYTES: usize = 64;

/// Writes the digest of `N` bytes that a final state stands for: its words as bytes, cut to the digest's length. Word by word to where they
/// belong: a copy of bytes that were just written in smaller pieces waits for them, 15 ns on Zen 4.
#[inline(always)]
fn write_words<C: Compression, const N: usize>(state: &ChainingOf<C>, digest: &mut [u8; N]) {
    let word_bytes = size_of::<WordOf<C>>();
    for (i, word) in state.as_ref()[..N.div_ceil(word_bytes)].iter().enumerate() {
        word.write_bytes(C::BYTE_ORDER, i * word_bytes, digest);
    }
}

/// Writes the digest that a final state stands for. The usual lengths are known to the compiler.
#[inline(always)]
pub(crate) fn write_digest<C: Compression>(state: &ChainingOf<C>, digest: &mut [u8]) {
    macro_rules! write { ($($bytes:literal)*) => { match digest.len() {
        $($bytes if const { $bytes <= MAX_DIGEST_BYTES && $bytes <= C::STATE_WORDS * size_of::<WordOf<C>>() } => {
            write_words::<C, $bytes>(state, digest.try_into().expect("its length"));
        })*
        bytes => {
            let mut row = [0; MAX_DIGEST_BYTES];
            for (word, bytes) in state.as_ref().iter().zip(row.chunks_exact_mut(size_of::<WordOf<C>>())) {
                word.write_bytes(C::BYTE_ORDER, 0, bytes);
            }
            digest.copy_from_slice(&row[..bytes]);
        }
    } } }
    write!(32 20 16 64 48 28)
}

/// Copies the first bytes of a row to a digest, as many as it has. The usual lengths are known to the compiler, because a call of `memcpy`
/// takes longer than the copy.
#[inline]
pub(crate) fn copy_digest(row: &[u8; MAX_DIGEST_BYTES], digest: &mut [u8]) {
    macro_rules! copy { ($($bytes:literal)*) => { match digest.len() {
        $($bytes => digest.copy_from_slice(&row[..$bytes]),)*
        bytes => digest.copy_from_slice(&row[..bytes]),
    } } }
    copy!(32 20 16 64 48 28)
}

/// The digest that a final state stands for.
#[inline]
pub(crate) fn digest<A: Variant>(state: &ChainingOf<CompressionOf<A>>) -> A::Bytes {
    let mut digest = A::ZERO;
    write_digest::<CompressionOf<A>>(state, digest.as_mut());
    digest
}
