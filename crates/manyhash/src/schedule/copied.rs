//! Short messages with bytes around them, copied together with these, so that each is one message in memory
//! and goes the ways of others.
//!
//! In the schedule a message of two blocks takes twice as long as its blocks do, and the copy a tenth.

use super::digests::Digests;
use super::framed::Around;
use super::messages::{Chunks, Contiguous, Messages};
use super::mix::Mix;
use super::route;
use crate::algorithm::Compression;
use crate::isa::MAX_LANES;
use crate::kernel::start::{Passes, Starts};
use alloc::vec::Vec;

/// A message with more bytes than this, those around it included, is not copied.
const MOST_BYTES: usize = 1024;

/// Messages are copied by so many bytes, which stay in the first cache until they are hashed, or by as
/// many messages as there are lanes, if these have more.
const TOGETHER_BYTES: usize = 16 << 10;

/// Hashes every message with the bytes around it, if all are short and start from the same midstate.
/// Returns whether it did.
pub(super) fn hash_many<C: Compression>(
    mix: &Mix<C>,
    around: Around<'_, '_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
) -> bool {
    let Around { passes, head, suffix } = around;
    let around_bytes = head.len() + suffix.len();
    let starts = [Some(passes.inner), passes.outer];
    if around_bytes > MOST_BYTES || starts.iter().flatten().any(Starts::are_own) {
        return false;
    }
    let count = messages.count();
    let (mut bytes, mut most_bytes, mut are_equal) = (0, 0, true);
    match messages.equal_bytes() {
        Some(equal) => (bytes, most_bytes) = (count.saturating_mul(equal), equal),
        None => {
            for i in 0..count {
                let len = messages.message(i).len();
                if len > MOST_BYTES {
                    return false;
                }
                are_equal &= i == 0 || len == most_bytes;
                bytes += len;
                most_bytes = most_bytes.max(len);
            }
        }
    }
    if most_bytes > MOST_BYTES - around_bytes {
        return false;
    }
    let mean_bytes = around_bytes + bytes / count.max(1);
    let together = (TOGETHER_BYTES / mean_bytes.max(1) / MAX_LANES * MAX_LANES).max(MAX_LANES).min(count.max(1));
    let mut copies = Copies { passes, head, suffix, bytes: Vec::with_capacity(together * mean_bytes), offsets: Vec::new() };
    for first in (0..count).step_by(together) {
        let some = first..count.min(first + together);
        let digest_bytes = digests.digest_bytes();
        let digests = &mut Digests::new(digests.part(some.clone()), digest_bytes);
        let next = some.map(|i| messages.message(i));
        if are_equal { copies.hash_equal(mix, next, most_bytes, digests) } else { copies.hash(mix, next, digests) }
    }
    true
}

/// Memory for messages and the bytes around them.
struct Copies<'a, 's, C: Compression> {
    passes: Passes<'s, C>,
    head: &'a [u8],
    suffix: &'a [u8],
    bytes: Vec<u8>,
    offsets: Vec<usize>,
}

impl<C: Compression> Copies<'_, '_, C> {
    /// Hashes messages of any length.
    fn hash<'m>(&mut self, mix: &Mix<C>, messages: impl Iterator<Item = &'m [u8]>, digests: &mut Digests<'_>) {
        self.bytes.clear();
        self.offsets.clear();
        self.offsets.push(0);
        for message in messages {
            self.bytes.extend_from_slice(self.head);
            self.bytes.extend_from_slice(message);
            self.bytes.extend_from_slice(self.suffix);
            self.offsets.push(self.bytes.len());
        }
        route::hash_many(mix, &self.passes, &Contiguous::new(&self.bytes, &self.offsets), digests, None);
    }

    /// Hashes messages of `message_bytes` bytes. What is around them stays where the messages before had it.
    fn hash_equal<'m>(
        &mut self,
        mix: &Mix<C>,
        messages: impl ExactSizeIterator<Item = &'m [u8]>,
        message_bytes: usize,
        digests: &mut Digests<'_>,
    ) {
        let stride = self.head.len() + message_bytes + self.suffix.len();
        let copies_bytes = messages.len() * stride;
        while self.bytes.len() < copies_bytes {
            self.bytes.extend_from_slice(self.head);
            self.bytes.resize(self.bytes.len() + message_bytes, 0);
            self.bytes.extend_from_slice(self.suffix);
        }
        let bytes = &mut self.bytes[..copies_bytes];
        let copies = bytes.chunks_exact_mut(stride).map(|copy| &mut copy[self.head.len()..][..message_bytes]).zip(messages);
        // The compiler makes better copies of a length that it knows.
        match message_bytes {
            32 => copies.for_each(|(copy, message)| copy_array::<32>(copy, message)),
            64 => copies.for_each(|(copy, message)| copy_array::<64>(copy, message)),
            _ => copies.for_each(|(copy, message)| copy.copy_from_slice(message)),
        }
        route::hash_many(mix, &self.passes, &Chunks { values: bytes, message_bytes: stride }, digests, None);
    }
}

/// Copies a message of `N` bytes.
#[inline(always)]
fn copy_array<const N: usize>(copy: &mut [u8], message: &[u8]) {
    *copy.first_chunk_mut::<N>().expect("its length") = *message.first_chunk().expect("its length");
}
