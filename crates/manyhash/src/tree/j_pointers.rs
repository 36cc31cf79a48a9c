//! j-pointers hashing: j slices of one message, each a range of it, are hashed side by side; then
//! their digests are hashed (Gueron 2013, "data is consumed from j locations").

use super::separated::{self, Role};
use super::{LANES, ParameterError};
use crate::algorithms::Algorithm;
use crate::frame::Frame;
#[cfg(feature = "std")]
use crate::readers::Readers;
use alloc::vec::Vec;
use std::ops::Range;

/// Computes j-pointers(A, j).
///
/// Slice i is bytes `i * s..(i + 1) * s` of a message of n bytes, as far as it goes, where s is n /
/// j rounded up to whole blocks of A. A slice may be empty. The digest is that of all slices'
/// digests, one after the other.
///
/// ```
/// use manyhash::{Sha256, hash, tree::JPointers};
/// let message = [7; 200];
/// let slices = [&message[..128], &message[128..]];
/// let digests: Vec<u8> = slices.iter().flat_map(|slice| hash::<Sha256>(slice)).collect();
/// assert_eq!(JPointers::<Sha256>::new(2).unwrap().hash(&message), hash::<Sha256>(&digests));
/// ```
#[derive(Clone, Debug)]
pub struct JPointers<A: Algorithm> {
    lanes: usize,
    lane: Frame<A>,
    wrap: Frame<A>,
}

impl<A: Algorithm> JPointers<A> {
    /// Creates j-pointers hashing with `lanes` slices.
    ///
    /// # Errors
    /// Fails if `lanes` is not in 1 to 1024.
    pub fn new(lanes: usize) -> Result<Self, ParameterError> {
        if !LANES.contains(&lanes) {
            return Err(ParameterError::Lanes { lanes });
        }
        Ok(Self { lanes, lane: Frame::default(), wrap: Frame::default() })
    }

    /// Uses initial values derived from algorithm, mode and j: see [`tree`](super#separated).
    #[must_use]
    pub fn separated(self) -> Self {
        let frame = |role| separated::frame("j-pointers", self.lanes as u64, role);
        Self { lane: frame(Role::Lane), wrap: frame(Role::Wrap), ..self }
    }

    /// Returns the slices of a message of `message_bytes` bytes: one for each lane, in order.
    pub fn slices(&self, message_bytes: u64) -> impl Iterator<Item = Range<u64>> + use<A> {
        let slice_bytes = message_bytes.div_ceil(self.lanes as u64).div_ceil(A::BLOCK_BYTES as u64).saturating_mul(A::BLOCK_BYTES as u64);
        let at = move |lane: u64| lane.saturating_mul(slice_bytes).min(message_bytes);
        (0..self.lanes as u64).map(move |lane| at(lane)..at(lane + 1))
    }

    /// Returns the digest of a message.
    // In a program for any algorithm, a copy for each in each place that calls it made the wheel larger.
    #[inline(never)]
    pub fn hash(&self, message: &[u8]) -> A::Digest {
        self.wrap(&self.slice_digests(message))
    }

    /// Returns the digest of each slice of a message. Whoever keeps them need not hash all of the
    /// message again when a part of it [changes](Self::update).
    pub fn slice_digests(&self, message: &[u8]) -> Vec<A::Digest> {
        let slices: Vec<&[u8]> = self.slices(message.len() as u64).map(|slice| within(message, &slice)).collect();
        self.lane.hash_many(&slices)
    }

    /// Returns the digest of a message of which the bytes `changed` have changed, but not how many
    /// it has, since it had these digests of slices: hashes only the slices that have changed, and
    /// replaces their digests (Gueron 2013, "only a portion" of the message changes).
    ///
    /// # Panics
    /// Panics if there are not as many digests as slices, or if `changed` goes past the end of the
    /// message.
    pub fn update(&self, slice_digests: &mut [A::Digest], message: &[u8], changed: Range<u64>) -> A::Digest {
        assert!(changed.end <= message.len() as u64, "changed bytes to {} of {}", changed.end, message.len());
        let slices = self.slices(message.len() as u64).enumerate();
        let slices: Vec<_> = slices.filter(|(_, slice)| slice.start.max(changed.start) < slice.end.min(changed.end)).collect();
        let messages: Vec<&[u8]> = slices.iter().map(|(_, slice)| within(message, slice)).collect();
        for ((lane, _), digest) in slices.iter().zip(self.lane.hash_many(&messages)) {
            slice_digests[*lane] = digest;
        }
        self.wrap(slice_digests)
    }

    /// Returns the [`Readers`] that hash slices which have to be read.
    #[cfg(feature = "std")]
    pub fn readers(&self) -> Readers<A> {
        Readers::with_initial(self.lane.only_start().expect("nothing but an initial value").state)
    }

    /// Returns the digest of the message from the digests of all slices.
    ///
    /// # Panics
    /// Panics if there are not as many digests as slices, and as [`hash`](Self::hash) does.
    pub fn wrap(&self, slices: &[A::Digest]) -> A::Digest {
        assert_eq!(slices.len(), self.lanes, "digests of slices");
        super::wrap(&self.wrap, slices)
    }
}

fn within<'a>(message: &'a [u8], slice: &Range<u64>) -> &'a [u8] {
    &message[slice.start as usize..slice.end as usize]
}
