//! Many messages that are all in memory.

use crate::algorithm::CompressionOf;
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend, BackendError};
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::few::are_best_alone;
use crate::schedule::messages::{Contiguous, Messages, Slice};
use crate::schedule::mix::Mix;
use alloc::vec::Vec;

pub use crate::schedule::messages::Offset;

/// Returns the digest of each message, in the order of the messages.
///
/// A message's `as_ref` must return the same bytes every time. If it does not, the digests are of
/// any bytes, or this panics.
///
/// ```
/// use manyhash::{Sha512, hash, hash_many};
/// let messages = [vec![0u8; 1000], vec![], vec![1; 7]];
/// let digests = hash_many::<Sha512>(&messages);
/// assert_eq!(digests[2], hash::<Sha512>(&[1; 7]));
/// ```
pub fn hash_many<A: Algorithm>(messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
    let mut digests = vec![A::ZERO; messages.len()];
    hash_many_into::<A>(messages, &mut digests);
    digests
}

/// Writes the digest of `messages[i]` to `digests[i]`.
///
/// # Panics
/// Panics if the lengths differ.
///
/// ```
/// use manyhash::{Sha1, hash_many_into};
/// let mut digests = [[0; 20]; 2];
/// hash_many_into::<Sha1>(&["abc", ""], &mut digests);
/// assert_eq!(digests[0][..4], [0xa9, 0x99, 0x3e, 0x36]);
/// ```
pub fn hash_many_into<A: Algorithm>(messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
    hash_on::<A>(backend::mix::<A>(), &Slice(messages), digests);
}

/// Returns the digest of each of `offsets.len() - 1` messages that lie in one buffer: message i is
/// `values[offsets[i]..offsets[i + 1]]`.
///
/// This is the layout of an Arrow column of strings or binaries.
///
/// # Panics
/// Panics if an offset is less than the one before or past the end of `values`.
///
/// ```
/// use manyhash::{Sha256, hash, hash_contiguous};
/// let digests = hash_contiguous::<Sha256>(b"onetwothree", &[0, 3, 6, 11]);
/// assert_eq!(digests[2], hash::<Sha256>(b"three"));
/// ```
pub fn hash_contiguous<A: Algorithm>(values: &[u8], offsets: &[impl Offset]) -> Vec<A::Digest> {
    let mut digests = vec![A::ZERO; offsets.len().saturating_sub(1)];
    hash_contiguous_into::<A>(values, offsets, &mut digests);
    digests
}

/// Writes the digest of message i of those that lie in one buffer to `digests[i]`: see
/// [`hash_contiguous`].
///
/// # Panics
/// Panics as [`hash_contiguous`] does, and if there are not as many digests as messages.
pub fn hash_contiguous_into<A: Algorithm>(values: &[u8], offsets: &[impl Offset], digests: &mut [A::Digest]) {
    hash_on::<A>(backend::mix::<A>(), &Contiguous::new(values, offsets), digests);
}

impl Backend {
    /// Returns the digest of each message, in order, with every block computed by this backend;
    /// lanes without a message are idle.
    ///
    /// # Errors
    /// Fails if the backend has no kernel for the algorithm `A`, or if this CPU lacks it.
    pub fn hash_many<A: Algorithm>(&self, messages: &[impl AsRef<[u8]>]) -> Result<Vec<A::Digest>, BackendError> {
        let mix = self.mix::<A>()?;
        let mut digests = vec![A::ZERO; messages.len()];
        hash_on::<A>(mix, &Slice(messages), &mut digests);
        Ok(digests)
    }
}

/// Writes the digest of every message, computed by the kernels of `mix`. Panics if there are not as
/// many digests as messages.
#[inline]
pub(crate) fn hash_on<A: Algorithm>(mix: &Mix<CompressionOf<A>>, messages: &impl Messages, digests: &mut [A::Digest]) {
    // `route.rs` would decide the same, but only with messages and starts put together in memory: 20
    // bytes of SHA-1 took 56 ns on Zen 4, and take 33.
    if let (1, [digest]) = (messages.count(), &mut *digests) {
        <CompressionOf<A>>::hash_alone(mix, (&A::INITIAL, 0), None, messages.message(0), digest.as_mut());
        return;
    }
    if messages.count() == digests.len() && are_best_alone(mix, messages) {
        for (i, digest) in digests.iter_mut().enumerate() {
            <CompressionOf<A>>::hash_alone(mix, (&A::INITIAL, 0), None, messages.message(i), digest.as_mut());
        }
        return;
    }
    <CompressionOf<A>>::hash_many(mix, &(&Start::of::<A>()).into(), messages, &mut Digests::of::<A>(digests), None);
}
