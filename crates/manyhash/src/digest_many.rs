//! Many messages at once where hash functions are those of the crate `digest`. That crate has no trait for it
//! yet: `digest::multi` (RustCrypto/traits, pull request 2479) is proposed, for messages of one length.

use crate::algorithms::Algorithm;
use crate::hash::Hasher;
use crate::many::hash_many_into;
use alloc::{vec, vec::Vec};
use digest::array::{Array, AssocArraySize};
use digest::common::BlockSizeUser;
use digest::{Digest, FixedOutput, FixedOutputReset, HashMarker, Output, OutputSizeUser, Reset, Update};

/// A hash function of the crate `digest` that has the digests of many messages in one call: what code asks for that
/// is generic over hash functions, and wants lanes where there are some.
///
/// `Hasher<Sha256>` and its like have lanes; [`OneByOne`] makes one of any other hash function, and of a test's.
///
/// ```
/// use digest::{Digest, Output};
/// use manyhash::{DigestMany, Hasher, OneByOne};
///
/// /// A level of a tree: the digest of each two neighbours.
/// fn level<D: DigestMany>(below: &[Output<D>]) -> Vec<Output<D>> {
///     let pairs: Vec<Vec<u8>> = below.chunks(2).map(|pair| pair.concat()).collect();
///     D::digest_many(&pairs)
/// }
///
/// let leaves: Vec<_> = (0..8u8).map(|i| sha2::Sha256::digest([i])).collect();
/// assert_eq!(level::<Hasher<manyhash::Sha256>>(&leaves), level::<OneByOne<sha2::Sha256>>(&leaves));
/// ```
pub trait DigestMany: Digest {
    /// Writes the digest of `messages[i]` to `digests[i]`.
    ///
    /// # Panics
    /// Panics if the lengths differ.
    fn digest_many_into(messages: &[impl AsRef<[u8]>], digests: &mut [Output<Self>]);

    /// Returns the digest of each message, in the order of the messages.
    fn digest_many(messages: &[impl AsRef<[u8]>]) -> Vec<Output<Self>> {
        let mut digests = vec![Output::<Self>::default(); messages.len()];
        Self::digest_many_into(messages, &mut digests);
        digests
    }
}

impl<A: Algorithm<Digest: AssocArraySize>> DigestMany for Hasher<A> {
    fn digest_many_into(messages: &[impl AsRef<[u8]>], digests: &mut [Output<Self>]) {
        hash_many_into::<A>(messages, A::digests_in(Array::slice_as_flattened_mut(digests)));
    }
}

/// Any hash function of the crate `digest` as one of many messages, which it hashes one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct OneByOne<D>(D);

impl<D: Digest + Update + FixedOutput + Default + HashMarker> DigestMany for OneByOne<D> {
    fn digest_many_into(messages: &[impl AsRef<[u8]>], digests: &mut [Output<Self>]) {
        let (room, wanted) = (digests.len(), messages.len());
        assert_eq!(room, wanted, "{wanted} messages, and room for {room} digests");
        for (message, digest) in messages.iter().zip(digests) {
            *digest = D::digest(message);
        }
    }
}

impl<D: OutputSizeUser> OutputSizeUser for OneByOne<D> {
    type OutputSize = D::OutputSize;
}

impl<D: BlockSizeUser> BlockSizeUser for OneByOne<D> {
    type BlockSize = D::BlockSize;
}

impl<D: HashMarker> HashMarker for OneByOne<D> {}

impl<D: Update> Update for OneByOne<D> {
    fn update(&mut self, data: &[u8]) {
        self.0.update(data);
    }
}

impl<D: FixedOutput> FixedOutput for OneByOne<D> {
    fn finalize_into(self, out: &mut Output<Self>) {
        self.0.finalize_into(out);
    }
}

impl<D: Reset> Reset for OneByOne<D> {
    fn reset(&mut self) {
        self.0.reset();
    }
}

impl<D: FixedOutputReset> FixedOutputReset for OneByOne<D> {
    fn finalize_into_reset(&mut self, out: &mut Output<Self>) {
        self.0.finalize_into_reset(out);
    }
}
