//! Where digests are written: one after the other, as bytes, so that the code that writes them need
//! not know the algorithm.

use super::messages::Which;
use crate::algorithm::{ChainingOf, Compression, MAX_DIGEST_BYTES, Variant, copy_digest, write_digest};
use std::ops::Range;

/// Room for the digests of a batch.
pub(crate) struct Digests<'a> {
    bytes: &'a mut [u8],
    digest_bytes: usize,
}

impl<'a> Digests<'a> {
    /// Makes room for digests of the algorithm `A`.
    pub(crate) fn of<A: Variant>(digests: &'a mut [A::Bytes]) -> Self {
        Self::new(A::flattened(digests), A::ZERO.as_ref().len())
    }

    /// Makes room for digests of `digest_bytes` bytes.
    pub(crate) fn new(bytes: &'a mut [u8], digest_bytes: usize) -> Self {
        Self { bytes, digest_bytes }
    }

    /// Returns the number of digests that there is room for.
    pub(crate) fn count(&self) -> usize {
        self.bytes.len() / self.digest_bytes
    }

    /// Panics if there are not as many digests as messages.
    #[inline]
    pub(crate) fn check_room(&self, messages: usize) {
        // No division if the sizes fit.
        if messages * self.digest_bytes != self.bytes.len() {
            super::route::check_room(messages, self.count());
        }
    }

    /// Returns the bytes of each digest.
    #[inline]
    pub(crate) fn digest_bytes(&self) -> usize {
        self.digest_bytes
    }

    /// Returns the digest of message `i`.
    #[inline]
    pub(crate) fn digest(&self, i: usize) -> &[u8] {
        &self.bytes[i * self.digest_bytes..][..self.digest_bytes]
    }

    /// Returns the room for the digest of message `i`.
    #[inline]
    pub(crate) fn room(&mut self, i: usize) -> &mut [u8] {
        &mut self.bytes[i * self.digest_bytes..][..self.digest_bytes]
    }

    /// Returns the room for the digests of some messages.
    pub(crate) fn part(&mut self, messages: Range<usize>) -> &mut [u8] {
        &mut self.bytes[messages.start * self.digest_bytes..messages.end * self.digest_bytes]
    }

    /// Writes the digest of message `i`, which has this final state. It is always inlined, so that
    /// a state that was just put together is never in memory: see [`write_digest`].
    #[inline(always)]
    pub(crate) fn set_state<C: Compression>(&mut self, i: usize, state: &ChainingOf<C>) {
        write_digest::<C>(state, self.room(i));
    }

    /// Writes the digests of the messages of `indices`. Each is the beginning of one of `rows`.
    #[inline]
    pub(crate) fn set_rows(&mut self, indices: Which<'_>, rows: &[[u8; MAX_DIGEST_BYTES]]) {
        macro_rules! set { ($($bytes:literal)*) => { match self.digest_bytes {
            $($bytes => self.set_rows_of::<$bytes>(indices, rows),)*
            _ => (0..rows.len()).for_each(|i| copy_digest(&rows[i], self.room(indices.index(i)))),
        } } }
        set!(16 20 28 32 48 64)
    }

    /// Does what [`set_rows`](Self::set_rows) does for digests of `N` bytes: the compiler makes
    /// better copies of a length that it knows.
    #[inline(always)]
    fn set_rows_of<const N: usize>(&mut self, indices: Which<'_>, rows: &[[u8; MAX_DIGEST_BYTES]]) {
        let digest_of = |row: &[u8; MAX_DIGEST_BYTES]| *row.first_chunk::<N>().expect("a row is long enough");
        let (digests, _) = self.bytes.as_chunks_mut::<N>();
        match indices {
            Which::From(first) => {
                for (digest, row) in digests[first..].iter_mut().zip(rows) {
                    *digest = digest_of(row);
                }
            }
            Which::These(indices) => {
                for (i, row) in indices.iter().zip(rows) {
                    digests[*i] = digest_of(row);
                }
            }
        }
    }
}
