//! Short messages with bytes around them, copied together with these, so that each is one message in memory
//! and goes the ways of others.
//!
//! In the schedule a message of two blocks takes twice as long as its blocks do, and the copy a tenth.

use super::digests::Digests;
use super::messages::{Chunks, Contiguous, Messages, Which};
use super::mix::Mix;
use super::route;
use crate::algorithm::Compression;
use crate::isa::MAX_LANES;
use crate::kernel::start::{Passes, Start, Starts};
use alloc::vec::Vec;

/// A message with more bytes than this, those around it included, is not copied if nothing comes behind it, or if something does: then
/// all else that can be done is three pieces in the schedule.
pub(super) const MOST_BYTES: usize = 1024;
pub(super) const MOST_BYTES_WITH_SUFFIX: usize = 2048;

/// Messages of one length are copied by so many bytes, which stay in the first cache until they are hashed,
/// or by as many messages as there are lanes, if these have more.
const TOGETHER_BYTES: usize = 16 << 10;

/// And those of any length by so many, and at least so many messages, as the last ones do not fill the lanes: 10,000 of 20 to 100 bytes
/// took SHA-256 a tenth longer by 16 KiB, and 1,000 of 300 to 1,000 bytes an eighth by 64 KiB alone (Zen 5).
const RAGGED_BYTES: usize = 64 << 10;
const FEWEST_RAGGED: usize = 4 * MAX_LANES;

/// Hashes messages of `message_bytes` bytes with the bytes around each of them, from the midstates of `passes`, which are the same for all.
pub(super) fn hash_equal<C: Compression>(
    mix: &Mix<C>,
    passes: Passes<'_, C>,
    (head, suffix): (&[u8], &[u8]),
    messages: &dyn Messages,
    message_bytes: usize,
    digests: &mut Digests<'_>,
) {
    let count = messages.count();
    let stride = head.len() + message_bytes + suffix.len();
    let together = (TOGETHER_BYTES / stride.max(1) / MAX_LANES * MAX_LANES).max(MAX_LANES).min(count.max(1));
    let mut bytes = Vec::with_capacity(together * stride);
    for first in (0..count).step_by(together) {
        let some = first..count.min(first + together);
        // What is around messages stays where those before had it.
        while bytes.len() < some.len() * stride {
            bytes.extend_from_slice(head);
            bytes.resize(bytes.len() + message_bytes, 0);
            bytes.extend_from_slice(suffix);
        }
        let bytes = &mut bytes[..some.len() * stride];
        let copies = bytes.chunks_exact_mut(stride).map(|copy| &mut copy[head.len()..][..message_bytes]);
        let copies = copies.zip(some.clone().map(|i| messages.message(i)));
        // The compiler makes better copies of a length that it knows.
        match message_bytes {
            32 => copies.for_each(|(copy, message)| copy_array::<32>(copy, message)),
            64 => copies.for_each(|(copy, message)| copy_array::<64>(copy, message)),
            _ => copies.for_each(|(copy, message)| copy.copy_from_slice(message)),
        }
        let digest_bytes = digests.digest_bytes();
        let digests = &mut Digests::new(digests.part(some), digest_bytes);
        route::hash_many(mix, &passes, &Chunks { values: bytes, message_bytes: stride }, digests, None);
    }
}

/// Copies a message of `N` bytes.
#[inline(always)]
fn copy_array<const N: usize>(copy: &mut [u8], message: &[u8]) {
    *copy.first_chunk_mut::<N>().expect("its length") = *message.first_chunk().expect("its length");
}

/// Messages of any length with the bytes around them, until they are enough to be hashed.
pub(super) struct Copies<'a, 's, C: Compression> {
    mix: &'a Mix<C>,
    start: &'a Start<C>,
    outer: Option<Starts<'s, C>>,
    /// The messages, one after the other, and room for more.
    bytes: Vec<u8>,
    /// Where each message begins, and where the last one ends.
    offsets: Vec<usize>,
    indices: Vec<usize>,
}

impl<'a, 's, C: Compression> Copies<'a, 's, C> {
    /// Makes room for messages that start at `start`.
    pub(super) fn new(mix: &'a Mix<C>, start: &'a Start<C>, outer: Option<Starts<'s, C>>) -> Self {
        Self { mix, start, outer, bytes: Vec::new(), offsets: vec![0], indices: Vec::new() }
    }

    /// Makes room for about those of `count` messages that wait together. All have `bytes` bytes, with what is around them.
    pub(super) fn reserving(mut self, count: usize, bytes: usize) -> Self {
        let mean_bytes = (bytes / count.max(1)).max(1);
        let together = (RAGGED_BYTES / mean_bytes).max(FEWEST_RAGGED).min(count);
        self.bytes.resize((together * mean_bytes + MOST_BYTES_WITH_SUFFIX).min(bytes), 0);
        self.offsets.reserve(together);
        self.indices.reserve(together);
        self
    }

    /// Copies message `i`, with what is before and after it, and hashes those that wait if they are many.
    #[inline]
    pub(super) fn push(&mut self, i: usize, [head, message, suffix]: [&[u8]; 3], digests: &mut Digests<'_>) {
        let first = self.offsets[self.indices.len()];
        let end = first + head.len() + message.len() + suffix.len();
        if end > self.bytes.len() {
            self.bytes.resize(2 * end, 0);
        }
        let (head_room, room) = self.bytes[first..end].split_at_mut(head.len());
        let (message_room, suffix_room) = room.split_at_mut(message.len());
        put(head_room, head);
        message_room.copy_from_slice(message);
        put(suffix_room, suffix);
        self.offsets.push(end);
        self.indices.push(i);
        if end >= RAGGED_BYTES && self.indices.len() >= FEWEST_RAGGED {
            self.hash(digests);
        }
    }

    /// Hashes the messages that wait.
    pub(super) fn hash(&mut self, digests: &mut Digests<'_>) {
        let messages = Contiguous::new(&self.bytes[..self.offsets[self.indices.len()]], &self.offsets);
        route::hash_some(self.mix, Starts::Same(self.start), self.outer, &messages, Which::rising(&self.indices), digests, None);
        self.offsets.truncate(1);
        self.indices.clear();
    }
}

/// Copies what is around a message: nothing, one byte or more. It is no call of a function if it is none or one.
#[inline(always)]
fn put(room: &mut [u8], bytes: &[u8]) {
    match (room, bytes) {
        (_, []) => {}
        ([place], [byte]) => *place = *byte,
        (room, bytes) => room.copy_from_slice(bytes),
    }
}
