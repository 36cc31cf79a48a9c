//! Where digests go: one after the other, as bytes, so that whoever writes them need not know the algorithm.

use crate::algorithm::{ChainingOf, Compression, MAX_DIGEST_BYTES, Variant, copy_digest, write_digest};

/// Room for the digests of a batch.
pub(crate) struct Digests<'a> {
    bytes: &'a mut [u8],
    digest_bytes: usize,
}

impl<'a> Digests<'a> {
    /// Room for digests of the algorithm `A`.
    pub(crate) fn of<A: Variant>(digests: &'a mut [A::Bytes]) -> Self {
        Self::new(A::flattened(digests), A::ZERO.as_ref().len())
    }

    /// Room for digests of `digest_bytes` bytes.
    pub(super) fn new(bytes: &'a mut [u8], digest_bytes: usize) -> Self {
        Self { bytes, digest_bytes }
    }

    /// How many there is room for.
    pub(crate) fn count(&self) -> usize {
        self.bytes.len() / self.digest_bytes
    }

    /// Bytes of each.
    #[inline]
    pub(crate) fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }

    /// The digest of message `i`.
    #[inline]
    pub(crate) fn digest(&self, i: usize) -> &[u8] {
        &self.bytes[i * self.digest_bytes..][..self.digest_bytes]
    }

    /// Room for the digest of message `i`.
    #[inline]
    pub(crate) fn room(&mut self, i: usize) -> &mut [u8] {
        &mut self.bytes[i * self.digest_bytes..][..self.digest_bytes]
    }

    /// Message `i` has this final state.
    #[inline]
    pub(crate) fn set_state<C: Compression>(&mut self, i: usize, state: &ChainingOf<C>) {
        write_digest::<C>(state, self.room(i));
    }

    /// Message `i` has the digest that begins `row`.
    #[inline]
    pub(crate) fn set_row(&mut self, i: usize, row: &[u8; MAX_DIGEST_BYTES]) {
        copy_digest(row, self.room(i));
    }
}
