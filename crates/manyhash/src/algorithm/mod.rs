//! Floor 2, algorithms: each is a file, written once in safe code over [`Words`], and this file has
//! the ONE list of them.
//!
//! A [`Compression`] function compresses one block in every lane. Algorithms that share one
//! (SHA-384 and SHA-512) share all its kernels: each is a [`Variant`] of it, with an initial value,
//! names and a digest length of its own. This floor does not know kernels, schedules or callers.

use crate::isa::{ByteOrder, MAX_BLOCK_WORDS, Word, WordCount, Words};
use ending::{Ending, pad_digest};
use std::fmt::Debug;
use std::hash::Hash;

/// An algorithm, distinguished from others with the same compression function.
pub(crate) trait Variant: Copy + Debug + Send + Sync + 'static {
    /// The compression function that the algorithm shares with others of its family.
    type Compression: Compression;
    /// An array with as many bytes as the digest has.
    type Bytes: Copy + Debug + Eq + Ord + Hash + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;
    /// The names of the algorithm.
    const NAMES: Names;
    /// The state before the first block.
    const INITIAL: ChainingOf<Self::Compression>;
    /// A digest of zeros, to be overwritten.
    const ZERO: Self::Bytes;
    /// Returns the bytes of many digests, one after the other.
    fn flattened(digests: &mut [Self::Bytes]) -> &mut [u8];
    /// Returns the bytes of many digests, one after the other, to be read.
    fn flat(digests: &[Self::Bytes]) -> &[u8];
    /// Splits `bytes` into room for whole digests and the bytes that are left over.
    fn unflattened(bytes: &mut [u8]) -> (&mut [Self::Bytes], &mut [u8]);
}

/// The names of an algorithm, one for each place that names it.
pub(crate) struct Names {
    /// The name in its standard: `SHA-512/256`.
    pub(crate) standard: &'static str,
    /// The tag in BSD-style lists: `SHA512/256`.
    pub(crate) tag: &'static str,
    /// The name as one types it: `sha512/256`.
    pub(crate) typed: &'static str,
    /// The name in Python's hashlib: `sha512_256`.
    pub(crate) hashlib: &'static str,
    /// The command that lists its digests, if there is one: `sha256sum`.
    pub(crate) command: Option<&'static str>,
    /// True if a digest of this length is taken for one of this algorithm unless another is named.
    pub(crate) is_default_of_its_length: bool,
}

/// The compression function of algorithm `A`.
pub(crate) type CompressionOf<A> = <A as Variant>::Compression;
/// The machine word of a compression function.
pub type WordOf<C> = <C as Compression>::Word;
/// The words of a state, each of them a `T`: a word, a vector or a row of words.
pub type StateOf<C, T> = <<C as Compression>::State as WordCount>::Of<T>;
/// The words of a block, each of them a `T`: a word or a vector.
pub type BlockOf<C, T> = <<C as Compression>::Block as WordCount>::Of<T>;
/// The state of one message between two blocks.
pub type ChainingOf<C> = StateOf<C, WordOf<C>>;
/// The vector of a compression function's words on the instruction set `I`.
pub(crate) type VectorOf<C, I> = <WordOf<C> as Word>::Vector<I>;

/// The most rounds that any algorithm has, and so the most words of an expanded block.
pub const MAX_ROUNDS: usize = 80;
/// The most bytes a block may have: 168, those of SHAKE128.
pub(crate) const MAX_BLOCK_BYTES: usize = MAX_BLOCK_WORDS * size_of::<u64>();

/// A compression function: it takes a state and a block and returns a state, in any number of
/// lanes.
pub trait Compression: Copy + Send + Sync + 'static {
    /// The machine word: `u32` or `u64`.
    type Word: Word;
    /// The number of words in the state of a message. The first of them become the digest. Others
    /// may serve as a capacity, a counter or a flag.
    type State: WordCount;
    /// The number of words in a block.
    type Block: WordCount;
    /// The rule for what follows the last byte of a message.
    type Ending: Ending<Self>;
    /// The name of the function.
    const NAME: &'static str;
    /// The name of the function whose kernels cost as much: the one in the cost tables.
    const COSTS_OF: &'static str = Self::NAME;
    /// The order of bytes in which words are read from blocks and written to digests.
    const BYTE_ORDER: ByteOrder;
    /// True if two waves of the widest vectors pay. Such a function also has the lanes after `waves`
    /// in the list of `isa/mod.rs`. They do not pay where one wave has more vectors alive than there
    /// are registers.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code, reason = "no such lanes"))]
    const WANTS_WAVES: bool = true;
    /// True if rounds have two forms, with the shortest wait and with the fewest operations
    /// (`Words::LATENCY_BOUND`). Such a function also has the lanes after `lean` in the list.
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no such lanes"))]
    const HAS_LEAN_ROUNDS: bool = false;
    /// True if a round has so few operations, and each waits so long for the one before, that more
    /// waves pay than for other algorithms. Such a function also has the lanes after `more` in the
    /// list.
    const WANTS_MORE_WAVES: bool = false;
    /// True if digests of digests are common enough for code of their own in every instruction set
    /// (`kernel/chains.rs`): it costs each as much program as hashing in turns. Other chains go through
    /// memory.
    const WANTS_CHAINS: bool = false;
    /// Words of the state of one message.
    const STATE_WORDS: usize = Self::State::COUNT;
    /// Words of the state that may be in a digest. They are the first ones, at most eight.
    const DIGEST_WORDS: usize = if Self::STATE_WORDS < 8 { Self::STATE_WORDS } else { 8 };
    /// Bytes of a block.
    const BLOCK_BYTES: usize = Self::Block::COUNT * size_of::<Self::Word>();

    /// Compresses one block in each lane.
    fn compress<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut StateOf<Self, V>, block: BlockOf<Self, V>);
    /// Compresses one block in each lane, whose words may be others afterwards: of a function that keeps them in memory, no copy is made.
    #[inline(always)]
    fn compress_in_place<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut StateOf<Self, V>, block: &mut BlockOf<Self, V>) {
        Self::compress(isa, state, *block);
    }
    /// Compresses in each lane the block of a message that is a digest and nothing else. What stands behind it in `block` is not read,
    /// and may be anything afterwards.
    #[inline(always)]
    fn compress_digest<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut StateOf<Self, V>, block: &mut BlockOf<Self, V>) {
        pad_digest::<Self, V>(isa, block);
        Self::compress(isa, state, *block);
    }
    /// For one wave of many lanes and for two: the round before which each wave loads its words of the next block. If there are any,
    /// there is [`compress_beside`](Self::compress_beside).
    const READS_AHEAD: [&'static [usize]; MAX_AHEAD] = [&[]; MAX_AHEAD];
    /// True if two waves are compressed in turns of rounds, of which [`compress_beside`](Self::compress_beside) tells
    /// `Beside::in_turn`.
    const HAS_TURNS: bool = false;
    /// Compresses one block in each lane, and does what is `beside` between the rounds. Its words may be others afterwards.
    #[inline(always)]
    fn compress_beside<V: Words<Word = Self::Word>>(
        _: V::Isa,
        _state: &mut StateOf<Self, V>,
        _block: &mut BlockOf<Self, V>,
        _beside: &mut impl Beside,
    ) {
        unreachable!("asked for only where READS_AHEAD")
    }
    /// Returns a state whose words are all `value`.
    #[inline(always)]
    fn filled<T: Copy + Send + Sync>(value: T) -> StateOf<Self, T> {
        Self::State::filled(value)
    }
    /// True if a block that all lanes share takes fewer operations: then it has
    /// [`expand`](Self::expand) and [`compress_constant`](Self::compress_constant).
    const HAS_CONSTANT_BLOCKS: bool = false;
    /// Expands a block that all lanes share, for [`compress_constant`](Self::compress_constant).
    fn expand(_block: BlockOf<Self, Self::Word>) -> [Self::Word; MAX_ROUNDS] {
        unreachable!("asked for only where HAS_CONSTANT_BLOCKS")
    }
    /// Compresses one block, the same in every lane, from its expansion.
    #[inline(always)]
    fn compress_constant<V: Words<Word = Self::Word>>(_: V::Isa, _state: &mut StateOf<Self, V>, _expanded: &[Self::Word; MAX_ROUNDS]) {
        unreachable!("asked for only where HAS_CONSTANT_BLOCKS")
    }
}

/// Other work that is done between the rounds of a block. It is not a closure, whose body would keep the features of the place where
/// it was written.
pub trait Beside {
    /// Does what stands before a round, and returns `word`, which the round waits for.
    fn before_round<const ROUND: usize, V: Words>(&mut self, word: V) -> V;
    /// Does one part of [`TURNS`].
    #[inline(always)]
    fn in_turn(&mut self, _turn: usize) {}
}

/// The turns of eight rounds in which something is done beside.
pub(crate) const TURNS: usize = 8;

/// No other work.
impl Beside for () {
    #[inline(always)]
    fn before_round<const ROUND: usize, V: Words>(&mut self, word: V) -> V {
        word
    }
}

/// More waves than this do not read ahead: four, whose words fill the registers twice, took 1.03 to 1.65 times as long (MD5, Zen 5).
pub const MAX_AHEAD: usize = 2;

/// A compression function of this crate, whose kernels are tested before they are used.
pub(crate) trait SelfTested: Compression {
    /// What the self-test of a kernel finds if it is right: states after two blocks, and digests
    /// (`kernel/self_test.rs`).
    const KNOWN: [u64; 2];
    /// Bytes of a chunk, if a message that is longer than one is a binary tree: its chunks are the
    /// leaves, and a parent is a block of its two children's values, 32 bytes each
    /// (`schedule/chunks.rs`). The most there can be, if every message is one chain of blocks.
    const CHUNK_BYTES: usize = usize::MAX;
    /// True if long messages are trees of chunks.
    const HAS_CHUNKS: bool = Self::CHUNK_BYTES < usize::MAX;
    /// Returns the state that a node of a long message's tree begins with. The message itself would
    /// begin with `start`, were it one chunk. From a state within the first chunk, returns that of
    /// [`TreeNode::Chunk`]`(0)` at the same place.
    fn node(_start: &ChainingOf<Self>, _node: TreeNode) -> ChainingOf<Self> {
        unreachable!("asked for only where HAS_CHUNKS")
    }
}

/// A node of the tree that a long message is.
#[derive(Clone, Copy)]
pub(crate) enum TreeNode {
    /// The chunk behind so many others.
    Chunk(u64),
    /// A parent that is not the root.
    Parent,
    /// The parent of all.
    Root,
}

macro_rules! algorithms {
    ($dollar:tt $($module:ident: $($Compression:ident = $($Algorithm:ident)*),+;)*) => {
        $(pub(crate) mod $module;)*

        /// The types of all algorithms, by their names.
        pub mod names {
            $($($(pub use super::$module::$Algorithm;)*)+)*
        }
        pub use names::*;

        /// Calls `$callback! { [$($arguments)*] Sha1 Sha224 ... }` with every algorithm of this
        /// crate, in its order.
        ///
        /// Command lines, bindings, tests and benchmarks stay complete because none of them has a
        /// list of its own.
        ///
        /// ```
        /// macro_rules! names { ([] $($Algorithm:ident)*) => { [$(<manyhash::$Algorithm as manyhash::Algorithm>::NAME),*] } }
        /// let names = manyhash::for_each_algorithm!(names []);
        /// assert!(names.contains(&"SHA-512/256"));
        /// ```
        #[macro_export]
        macro_rules! for_each_algorithm {
            ($dollar callback:ident [$dollar($dollar arguments:tt)*]) => {
                $dollar callback! { [$dollar($dollar arguments)*] $($($($Algorithm)*)+)* }
            };
        }

        /// Calls `$callback! { $(path)::* ... }` with the path of every compression function.
        macro_rules! for_each_compression {
            ($dollar callback:ident) => {
                $dollar callback! { $($($crate::algorithm::$module::$Compression)+)* }
            };
        }
    };
}

// The ONE list. An entry is a file of this folder, the compression functions in it, and the
// algorithms that use each. Functions with output of any length have none: see `xof`.
algorithms! { $
    md5: Md5Compression = Md5;
    sha1: Sha1Compression = Sha1;
    sha256: Sha256Compression = Sha224 Sha256;
    sha512: Sha512Compression = Sha384 Sha512 Sha512_224 Sha512_256;
    keccak: Sha3_224Compression = Sha3_224, Sha3_256Compression = Sha3_256 Keccak256, Sha3_384Compression = Sha3_384,
        Sha3_512Compression = Sha3_512, Shake128Compression =, TurboShake128Compression =, TurboShake256Compression =;
    blake2s: Blake2sCompression = Blake2s;
    blake2b: Blake2bCompression = Blake2b Blake2b256;
    blake3: Blake3Compression = Blake3;
    sm3: Sm3Compression = Sm3;
}

pub(crate) mod blake2;
pub(crate) mod ending;
pub(crate) mod sha2;

/// Declares an algorithm: `Type, names(...), digest bytes, compression function, initial value`.
/// The names are the fields of [`Names`], in their order.
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
            fn flat(digests: &[Self::Bytes]) -> &[u8] {
                digests.as_flattened()
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

/// Writes the digest of `N` bytes that a final state stands for: its words as bytes, cut to the
/// digest's length. Each word is written directly to its place: a copy of bytes that were just
/// written in smaller pieces has to wait for them, 15 ns on Zen 4.
#[inline(always)]
fn write_words<C: Compression, const N: usize>(state: &ChainingOf<C>, digest: &mut [u8; N]) {
    let word_bytes = size_of::<WordOf<C>>();
    for (i, word) in state.as_ref()[..N.div_ceil(word_bytes)].iter().enumerate() {
        word.write_bytes(C::BYTE_ORDER, i * word_bytes, digest);
    }
}

/// Writes the digest that a final state stands for: its first words, as many as `digest` has room
/// for. The compiler knows the usual lengths.
#[inline(always)]
pub(crate) fn write_digest<C: Compression>(state: &ChainingOf<C>, digest: &mut [u8]) {
    macro_rules! write { ($($bytes:literal)*) => { match digest.len() {
        $($bytes if const { $bytes <= MAX_DIGEST_BYTES && $bytes <= C::STATE_WORDS * size_of::<WordOf<C>>() } => {
            write_words::<C, $bytes>(state, digest.try_into().expect("its length"));
        })*
        bytes => {
            let word_bytes = size_of::<WordOf<C>>();
            for (i, word) in state.as_ref()[..bytes.div_ceil(word_bytes)].iter().enumerate() {
                word.write_bytes(C::BYTE_ORDER, i * word_bytes, digest);
            }
        }
    } } }
    write!(32 20 16 64 48 28)
}

/// Copies the first bytes of a row to a digest, as many as the digest has. The compiler knows the
/// usual lengths, because a call of `memcpy` takes longer than the copy.
#[inline]
pub(crate) fn copy_digest(row: &[u8; MAX_DIGEST_BYTES], digest: &mut [u8]) {
    macro_rules! copy { ($($bytes:literal)*) => { match digest.len() {
        $($bytes => digest.copy_from_slice(&row[..$bytes]),)*
        bytes => digest.copy_from_slice(&row[..bytes]),
    } } }
    copy!(32 20 16 64 48 28)
}

/// Returns the digest that a final state stands for.
#[inline]
pub(crate) fn digest<A: Variant>(state: &ChainingOf<CompressionOf<A>>) -> A::Bytes {
    let mut digest = A::ZERO;
    write_digest::<CompressionOf<A>>(state, digest.as_mut());
    digest
}
