//! Copies of what lanes read next, for messages that push each other out of the first cache.
//!
//! Addresses that are equal modulo 4 KiB share one set of the first cache, which has room for 8 to
//! 12 lines. Sixteen lanes or more that read such addresses at the same time need more. If their
//! blocks begin on lines, that does no harm, because no line is read twice. Otherwise every line
//! belongs to two blocks, and is gone before the second one is read. Messages are often as far
//! apart as that: pages, or the rows of a table. MD5 of 64 messages of 4 KiB, one after the other
//! from an address that is no multiple of 64, took 39 us on Zen 4, and takes 23 with copies.

use super::messages::{Messages, Which};
use crate::isa::{Blocks, MAX_LANES};

/// The bytes of all copies together: half of the smallest first cache.
const STAGED_BYTES: usize = 16 << 10;
/// Copies are as far apart as this, so that no two of them share a set.
const GAP_BYTES: usize = 64;
/// The most lanes that may share a set.
const WAYS: usize = 8;
/// The fewest bytes ahead in each lane for which copies are made.
const FEWEST_BYTES: usize = 512;

/// Memory for copies.
#[derive(Default)]
pub(super) struct Staging {
    bytes: Vec<u8>,
}

impl Staging {
    /// Returns whether copying what lanes read next saves time.
    #[inline]
    pub(super) fn pays(ahead: &Blocks<'_>) -> bool {
        ahead.len_bytes() >= FEWEST_BYTES && ahead.lanes() > WAYS && ahead.lanes_that_crowd_with_first() > WAYS
    }

    /// Returns whether copying saves time if the first of these `count` messages, which are about
    /// equally long, are in the lanes of a kernel.
    pub(super) fn pays_for(messages: &dyn Messages, which: Which<'_>, count: usize) -> bool {
        let lanes = count.min(MAX_LANES);
        let bytes = messages.message(which.index(0)).len();
        if bytes < FEWEST_BYTES || lanes <= WAYS {
            return false;
        }
        let mut first: [&[u8]; MAX_LANES] = [&[]; MAX_LANES];
        messages.fill(which, &mut first[..lanes]);
        let bytes = first[..lanes].iter().map(|message| message.len()).min().unwrap_or_default();
        Self::pays(&Blocks::new(lanes, bytes, |lane| first[lane]))
    }

    /// Copies what lanes read next, some whole blocks of `block_bytes` bytes at a time, and calls
    /// `advance` with each copy.
    pub(super) fn advance(&mut self, ahead: &Blocks<'_>, block_bytes: usize, mut advance: impl FnMut(&Blocks<'_>)) {
        let lanes = ahead.lanes();
        let chunk_bytes = (STAGED_BYTES / lanes / block_bytes).max(1) * block_bytes;
        let stride = chunk_bytes.next_multiple_of(GAP_BYTES) + GAP_BYTES;
        self.bytes.resize(MAX_LANES * stride, 0);
        for at in (0..ahead.len_bytes()).step_by(chunk_bytes) {
            let bytes = chunk_bytes.min(ahead.len_bytes() - at);
            for (lane, copy) in self.bytes.chunks_exact_mut(stride).enumerate().take(lanes) {
                copy[..bytes].copy_from_slice(ahead.bytes(lane, at, bytes));
            }
            advance(&Blocks::new(lanes, bytes, |lane| &self.bytes[lane * stride..]));
        }
    }
}
