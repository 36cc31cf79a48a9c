//! The algorithms as callers see them: types.

use crate::algorithm::ending::{Ending, EndingOf};
use crate::algorithm::{Compression, CompressionOf, SelfTested, Variant};
use crate::schedule::compiled::Compiled;
use std::fmt::Debug;
use std::hash::Hash;

/// A hash algorithm. The trait is sealed: [`for_each_algorithm!`](crate::for_each_algorithm) lists
/// its implementors.
#[allow(private_bounds, reason = "sealed")]
pub trait Algorithm: Variant<Compression: Compiled, Bytes = <Self as Algorithm>::Digest> {
    /// The type of a digest: `[u8; DIGEST_BYTES]`.
    type Digest: Copy + Debug + Eq + Ord + Hash + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;
    /// The type of a block, the unit that is compressed: `[u8; BLOCK_BYTES]`.
    type Block: Copy + Debug + AsRef<[u8]> + AsMut<[u8]> + Send + Sync + 'static;
    /// The name in its standard: `SHA-256` or `SHA-512/256`.
    const NAME: &'static str;
    /// Bytes of a block, the unit that is compressed.
    const BLOCK_BYTES: usize;
    /// Bytes of a digest.
    const DIGEST_BYTES: usize;
    /// Bytes of a chunk, if a message that is longer is a tree of chunks, which fill the lanes by themselves: of
    /// BLAKE3.
    const CHUNK_BYTES: Option<usize>;
    /// True if the algorithm has an HMAC (RFC 2104). An algorithm that takes keys by itself has
    /// none.
    const HAS_HMAC: bool;

    /// Returns a buffer as room for digests one after the other, as columns and files of them are
    /// laid out.
    ///
    /// # Panics
    /// Panics if the buffer is not a whole number of digests.
    ///
    /// ```
    /// use manyhash::{Algorithm, Sha256, hash_many_into};
    /// let mut column = vec![0; 2 * 32];
    /// hash_many_into::<Sha256>(&["one", "two"], Sha256::digests_in(&mut column));
    /// ```
    fn digests_in(bytes: &mut [u8]) -> &mut [Self::Digest] {
        let (digests, rest) = Self::unflattened(bytes);
        assert!(rest.is_empty(), "not whole digests: {} bytes are left over", rest.len());
        digests
    }
}

macro_rules! algorithm { ([] $($Name:ident)*) => { $(
    impl Algorithm for crate::$Name {
        type Digest = [u8; size_of::<<crate::$Name as Variant>::Bytes>()];
        type Block = [u8; <CompressionOf<crate::$Name>>::BLOCK_BYTES];
        const NAME: &'static str = Self::NAMES.standard;
        const BLOCK_BYTES: usize = <CompressionOf<Self>>::BLOCK_BYTES;
        const DIGEST_BYTES: usize = size_of::<<Self as Variant>::Bytes>();
        const CHUNK_BYTES: Option<usize> =
            if <CompressionOf<Self>>::HAS_CHUNKS { Some(<CompressionOf<Self>>::CHUNK_BYTES) } else { None };
        const HAS_HMAC: bool = !<EndingOf<Self> as Ending<CompressionOf<Self>>>::HOLDS_BACK;
    }
)* } }
for_each_algorithm!(algorithm []);
