//! Many messages that are all there: slices.

use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, digest};
use crate::padding::{Tail, block_count};
use crate::scheduler::{self, Progress, Slot, Supply, Usage};
use crate::shape::Plan;
use crate::stream;

/// Hashes every message on the shapes of `plan`. Panics if the lengths differ.
pub(crate) fn hash_many_on<A: Algorithm>(
    plan: &Plan<CompressionOf<A>>,
    messages: &[impl AsRef<[u8]>],
    digests: &mut [A::Digest],
) -> Usage {
    assert_eq!(messages.len(), digests.len(), "{} messages but room for {} digests", messages.len(), digests.len());
    if let [message] = messages {
        digests[0] = stream::hash_on::<A>(plan, message.as_ref());
        return Usage::default();
    }
    scheduler::run(plan, &A::INITIAL, &mut Batch::<A, _> { order: longest_first::<CompressionOf<A>>(messages), messages, digests, taken: 0 })
}

/// The longest first, so that what is left at the end is short: by blocks, and otherwise as they come.
fn longest_first<C: Compression>(messages: &[impl AsRef<[u8]>]) -> Option<Vec<usize>> {
    /// Lengths below this many blocks are sorted by counting, which is all that happens to tiny messages.
    const COUNTED: usize = 64;
    let blocks = |message: &dyn AsRef<[u8]>| block_count::<C>(message.as_ref().len() as u64);
    let first = blocks(messages.first()?);
    if messages.iter().all(|message| blocks(message) == first) {
        return None;
    }
    let mut long: Vec<(u64, usize)> = Vec::new();
    let mut ends = [0; COUNTED];
    for (i, message) in messages.iter().enumerate() {
        match blocks(message) {
            few if few < COUNTED as u64 => ends[few as usize] += 1,
            many => long.push((many, i)),
        }
    }
    long.sort_by_key(|(blocks, _)| std::cmp::Reverse(*blocks));
    let mut place = long.len();
    for count in ends.iter_mut().rev() {
        (*count, place) = (place, place + *count);
    }
    let mut order = vec![0; messages.len()];
    for (slot, (_, i)) in order.iter_mut().zip(&long) {
        *slot = *i;
    }
    for (i, message) in messages.iter().enumerate() {
        if let Some(place) = ends.get_mut(blocks(message) as usize) {
            order[*place] = i;
            *place += 1;
        }
    }
    Some(order)
}

struct Batch<'a, A: Algorithm, M> {
    messages: &'a [M],
    digests: &'a mut [A::Digest],
    /// `None`: as they come.
    order: Option<Vec<usize>>,
    taken: usize,
}

/// A message in two segments: its whole blocks where they are, and its tail.
struct Segments<'a> {
    message: usize,
    body: &'a [u8],
    tail: Tail,
    tail_done_bytes: usize,
    block_bytes: usize,
}

impl Slot for Segments<'_> {
    #[inline]
    fn ready(&self) -> &[u8] {
        if self.body.is_empty() { &self.tail.blocks()[self.tail_done_bytes..] } else { self.body }
    }
    #[inline]
    fn blocks_left(&self) -> u64 {
        ((self.body.len() + self.tail.blocks().len() - self.tail_done_bytes) / self.block_bytes) as u64
    }
}

impl<'a, A: Algorithm, M: AsRef<[u8]>> Supply<CompressionOf<A>> for Batch<'a, A, M> {
    type Slot = Segments<'a>;

    fn slot(&mut self) -> Segments<'a> {
        Segments { message: 0, body: &[], tail: Tail::EMPTY, tail_done_bytes: 0, block_bytes: A::BLOCK_BYTES }
    }

    #[inline]
    fn refill(&mut self, slot: &mut Segments<'a>) -> bool {
        if self.taken == self.messages.len() {
            return false;
        }
        slot.message = self.order.as_ref().map_or(self.taken, |order| order[self.taken]);
        self.taken += 1;
        let message = self.messages[slot.message].as_ref();
        let (body, rest) = message.split_at(message.len() - message.len() % A::BLOCK_BYTES);
        slot.body = body;
        slot.tail.set::<CompressionOf<A>>(rest, message.len() as u64);
        slot.tail_done_bytes = 0;
        true
    }

    #[inline]
    fn waiting(&self) -> Option<usize> {
        Some(self.messages.len() - self.taken)
    }

    #[inline]
    fn consume(&mut self, slot: &mut Segments<'a>, bytes: usize) -> Progress {
        if slot.body.is_empty() {
            slot.tail_done_bytes += bytes;
        } else {
            slot.body = &slot.body[bytes..];
        }
        if slot.tail_done_bytes == slot.tail.blocks().len() { Progress::Ended } else { Progress::More }
    }

    #[inline]
    fn finish(&mut self, slot: &mut Segments<'a>, state: &ChainingOf<CompressionOf<A>>) {
        self.digests[slot.message] = digest::<A>(state);
    }
}
