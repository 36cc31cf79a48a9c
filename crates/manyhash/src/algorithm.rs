//! Hash algorithms: what one is, and the ONE list of them.
//!
//! An algorithm is a [`Compression`] function, written once in safe code over [`Words`], with an initial value, a name and a digest
//! length. Algorithms that differ in no more than those (SHA-384 and SHA-512) share the compression function and so all its kernels.

use crate::frame::Frame;
use crate::lanes::{ByteOrder, Word, Words, sixteen};
use crate::many::Messages;
use crate::shape::{Shape, Shapes};
use std::fmt::Debug;
use std::hash::Hash;

/// A hash algorithm. Sealed: the list is this crate's, see [`for_each_algorithm!`](crate::for_each_algorithm).
#[allow(private_bounds, reason = "sealed")]
pub trait Algorithm: Sealed + Copy + Debug + Send + Sync + 'static {
    /// The digest: `[u8; DIGEST_BYTES]`.
    type Digest: Copy + Debug + Eq + Ord + Hash + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;
    /// The name its standard gives it, as `SHA-256` or `SHA-512/256`.
    const NAME: &'static str;
    /// Bytes of a block, the unit it compresses.
    const BLOCK_BYTES: usize;
    /// Bytes of a digest.
    const DIGEST_BYTES: usize;

    /// A buffer as room for digests one after the other, as columns and files of them are laid out.
    ///
    /// # Panics
    /// If the bytes are not those of whole digests.
    ///
    /// ```
    /// use manyhash::{Algorithm, Sha256, hash_many_into};
    /// let mut column = vec![0; 2 * 32];
    /// hash_many_into::<Sha256>(&["one", "two"], Sha256::digests_in(&mut column));
    /// ```
    fn digests_in(bytes: &mut [u8]) -> &mut [Self::Digest];
}

/// What the engine needs to know of an [`Algorithm`], and nobody else.
pub(crate) trait Sealed: Sized {
    /// The compression function.
    type Compression: Compression;
    /// The state before the first block.
    const INITIAL: <Self::Compression as Compression>::State<<Self::Compression as Compression>::Word>;
    /// A digest of zeros, to be written to.
    fn zero_digest() -> Self::Digest
    where
        Self: Algorithm;
    /// Hashes messages in a frame on the shapes in use. Declared here so that it is compiled once, and not by everyone who has a tree.
    fn hash_framed(frame: &Frame<Self>, messages: &dyn Messages, digests: &mut [Self::Digest])
    where
        Self: Algorithm;
}

/// The compression function of algorithm `A`.
pub(crate) type CompressionOf<A> = <A as Sealed>::Compression;
/// The word of a compression function.
pub(crate) type WordOf<C> = <C as Compression>::Word;
/// The chaining value of one message.
pub(crate) type ChainingOf<C> = <C as Compression>::State<WordOf<C>>;

/// The most rounds of any algorithm, and so words of an expanded block.
pub(crate) const MAX_ROUNDS: usize = 80;

/// A compression function: state and block in, state out, in any number of lanes.
pub(crate) trait Compression: Copy + Send + Sync + 'static {
    /// Its machine word.
    type Word: Word;
    /// An array of `STATE_WORDS` of anything: words, vectors, rows of words.
    type State<T: Copy + Send + Sync>: Copy + Send + Sync + AsRef<[T]> + AsMut<[T]>;
    /// Its name in the cost table.
    const NAME: &'static str;
    /// Words of the state.
    const STATE_WORDS: usize;
    /// How words are read from blocks and written to digests.
    const BYTE_ORDER: ByteOrder;
    /// Bytes of the message length at the end of the padding (FIPS 180-4, section 5.1).
    const LENGTH_BYTES: usize;
    /// Whether a round is so few operations, and each so much waiting for the one before, that waves pay beyond those that pay for every
    /// algorithm: then it has the shapes after `more` in the list of `isa.rs`.
    const WANTS_MORE_WAVES: bool = false;
    /// Bytes of a block: always sixteen words.
    const BLOCK_BYTES: usize = 16 * size_of::<Self::Word>();

    /// A state with `value` everywhere.
    fn filled<T: Copy + Send + Sync>(value: T) -> Self::State<T>;
    /// One block in each lane.
    fn compress<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut Self::State<V>, words: [V; 16]);
    /// The schedule of a block that all lanes share, for [`compress_constant`](Self::compress_constant).
    fn expand(words: [Self::Word; 16]) -> [Self::Word; MAX_ROUNDS] {
        let mut expanded = [Self::Word::default(); MAX_ROUNDS];
        expanded[..16].copy_from_slice(&words);
        expanded
    }
    /// One block, the same in every lane, from its schedule.
    #[inline(always)]
    fn compress_constant<V: Words<Word = Self::Word>>(isa: V::Isa, state: &mut Self::State<V>, expanded: &[Self::Word; MAX_ROUNDS]) {
        macro_rules! words { ($($t:literal)*) => { [$(V::splat(isa, expanded[$t])),*] } }
        Self::compress(isa, state, sixteen!(words));
    }
    /// Its kernels for one message or a few, if it has any besides `compress`.
    fn solo_shapes() -> Vec<Shape<Self>> {
        Vec::new()
    }
    /// Where its shapes are kept, once known: `shape::cache!(Compression)`.
    fn shapes() -> &'static Shapes<Self>;
}

macro_rules! algorithms {
    ($dollar:tt $($module:ident: $($Algorithm:ident)+;)*) => {
        $(
            pub(crate) mod $module;
            pub use $module::{$($Algorithm),+};
        )*

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
    };
}

// The ONE list: a file of `algorithm/` and the algorithms it declares.
algorithms! { $
    md5: Md5;
    sha1: Sha1;
    sha256: Sha224 Sha256;
    sha512: Sha384 Sha512 Sha512_224 Sha512_256;
}

pub(crate) mod sha2;

/// Declares an algorithm: `Type, "NAME", digest bytes, compression function, initial value`.
macro_rules! algorithm {
    ($(#[$doc:meta])* $Algorithm:ident, $name:literal, $digest_bytes:literal, $Compression:ident, $initial:expr) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $Algorithm;

        impl $crate::algorithm::Algorithm for $Algorithm {
            type Digest = [u8; $digest_bytes];
            const NAME: &'static str = $name;
            const BLOCK_BYTES: usize = <$Compression as $crate::algorithm::Compression>::BLOCK_BYTES;
            const DIGEST_BYTES: usize = $digest_bytes;
            fn digests_in(bytes: &mut [u8]) -> &mut [[u8; $digest_bytes]] {
                let (digests, rest) = bytes.as_chunks_mut();
                assert!(rest.is_empty(), "not whole digests: {} bytes are left over", rest.len());
                digests
            }
        }

        impl $crate::algorithm::Sealed for $Algorithm {
            type Compression = $Compression;
            const INITIAL: $crate::algorithm::ChainingOf<$Compression> = $initial;
            fn zero_digest() -> [u8; $digest_bytes] {
                [0; $digest_bytes]
            }
            fn hash_framed(
                frame: &$crate::frame::Frame<Self>,
                messages: &dyn $crate::many::Messages,
                digests: &mut [[u8; $digest_bytes]],
            ) {
                frame.hash_many_on($crate::backend::plan::<Self>(), messages, digests);
            }
        }
    };
}
use algorithm;

/// The digest a final state stands for: its words as bytes, cut to the digest's length.
#[inline]
pub(crate) fn digest<A: Algorithm>(state: &ChainingOf<CompressionOf<A>>) -> A::Digest {
    let mut digest = A::zero_digest();
    let bytes = digest.as_mut();
    let word_bytes = size_of::<WordOf<CompressionOf<A>>>();
    for (i, word) in state.as_ref()[..bytes.len().div_ceil(word_bytes)].iter().enumerate() {
        word.write_bytes(<CompressionOf<A>>::BYTE_ORDER, i * word_bytes, bytes);
    }
    digest
}
