//! Many messages that are all there: slices.

use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, digest};
use crate::padding::{Tail, block_count};
use crate::scheduler::{self, Progress, Slot, Supply, Usage, Waiting};
use crate::shape::Plan;
use crate::stream;

/// Hashes every message on the shapes of `plan`. Panics if the lengths differ.
pub(crate) fn hash_many_on<A: Algorithm>(plan: &Plan<CompressionOf<A>>, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) -> Usage {
    assert_eq!(messages.len(), digests.len(), "{} messages but room for {} digests", messages.len(), digests.len());
    if let [message] = messages {
        digests[0] = stream::hash_on::<A>(plan, message.as_ref());
        return Usage::default();
    }
    let Queue { order, blocks, longest_blocks } = longest_first::<CompressionOf<A>>(messages);
    let waiting = Waiting { messages: messages.len(), blocks };
    scheduler::run(plan, &A::INITIAL, &mut Batch::<A, _> { messages, digests, order, waiting, longest_blocks })
}

/// An order to take messages in.
struct Queue {
    /// Indices of messages, longest first; `None`: all have as many blocks, and come as they are.
    order: Option<Vec<usize>>,
    /// Of all messages.
    blocks: u64,
    longest_blocks: u64,
}

/// The longest first, so that what is left at the end is short: by blocks, and otherwise as they come.
fn longest_first<C: Compression>(messages: &[impl AsRef<[u8]>]) -> Queue {
    /// Lengths below this many blocks are sorted by counting, which is all that happens to tiny messages.
    const COUNTED: usize = 64;
    let blocks_of = |i: usize| block_count::<C>(messages[i].as_ref().len() as u64);
    let first = messages.first().map_or(0, |_| blocks_of(0));
    if (0..messages.len()).all(|i| blocks_of(i) == first) {
        return Queue { order: None, blocks: first * messages.len() as u64, longest_blocks: first };
    }
    let mut long: Vec<(u64, usize)> = Vec::new();
    let mut places = [0; COUNTED];
    let mut blocks = 0;
    for i in 0..messages.len() {
        let count = blocks_of(i);
        blocks += count;
        match places.get_mut(count as usize) {
            Some(place) => *place += 1,
            None => long.push((count, i)),
        }
    }
    long.sort_by_key(|(blocks, _)| std::cmp::Reverse(*blocks));
    let mut next = long.len();
    for place in places.iter_mut().rev() {
        (*place, next) = (next, next + *place);
    }
    let mut order: Vec<usize> = long.iter().map(|(_, i)| *i).collect();
    order.resize(messages.len(), 0);
    for i in 0..messages.len() {
        if let Some(place) = places.get_mut(blocks_of(i) as usize) {
            order[*place] = i;
            *place += 1;
        }
    }
    Queue { longest_blocks: blocks_of(order[0]), order: Some(order), blocks }
}

struct Batch<'a, A: Algorithm, M> {
    messages: &'a [M],
    digests: &'a mut [A::Digest],
    order: Option<Vec<usize>>,
    waiting: Waiting,
    longest_blocks: u64,
}

impl<A: Algorithm, M: AsRef<[u8]>> Batch<'_, A, M> {
    /// Index of the message that comes after `skip` others.
    #[inline]
    fn next(&self, skip: usize) -> Option<usize> {
        let left = self.waiting.messages.checked_sub(skip + 1)?;
        let place = self.messages.len() - 1 - left;
        Some(self.order.as_ref().map_or(place, |order| order[place]))
    }
}

/// A message in two segments: its whole blocks where they are, and its tail.
struct Segments<'a> {
    message: usize,
    body: &'a [u8],
    tail: Tail,
    tail_done_bytes: usize,
    blocks_left: u64,
}

impl Slot for Segments<'_> {
    #[inline]
    fn ready(&self) -> &[u8] {
        if self.body.is_empty() { &self.tail.blocks()[self.tail_done_bytes..] } else { self.body }
    }
    #[inline]
    fn blocks_left(&self) -> u64 {
        self.blocks_left
    }
}

impl<'a, A: Algorithm, M: AsRef<[u8]>> Supply<CompressionOf<A>> for Batch<'a, A, M> {
    type Slot = Segments<'a>;

    fn slot(&mut self) -> Segments<'a> {
        Segments { message: 0, body: &[], tail: Tail::EMPTY, tail_done_bytes: 0, blocks_left: 0 }
    }

    #[inline]
    fn refill(&mut self, slot: &mut Segments<'a>) -> bool {
        let Some(next) = self.next(0) else { return false };
        let message = self.messages[next].as_ref();
        slot.message = next;
        let (body, rest) = message.split_at(message.len() - message.len() % A::BLOCK_BYTES);
        slot.body = body;
        slot.tail.set::<CompressionOf<A>>(rest, message.len() as u64);
        slot.tail_done_bytes = 0;
        slot.blocks_left = ((body.len() + slot.tail.blocks().len()) / A::BLOCK_BYTES) as u64;
        self.waiting.messages -= 1;
        self.waiting.blocks -= slot.blocks_left;
        true
    }

    #[inline]
    fn waiting(&self) -> Option<Waiting> {
        Some(self.waiting)
    }

    #[inline]
    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        self.next(skip).map(|next| block_count::<CompressionOf<A>>(self.messages[next].as_ref().len() as u64))
    }

    #[inline]
    fn longest_blocks(&self) -> u64 {
        self.longest_blocks
    }

    #[inline]
    fn consume(&mut self, slot: &mut Segments<'a>, bytes: usize) -> Progress {
        if slot.body.is_empty() {
            slot.tail_done_bytes += bytes;
        } else {
            slot.body = &slot.body[bytes..];
        }
        slot.blocks_left -= (bytes / A::BLOCK_BYTES) as u64;
        if slot.blocks_left == 0 { Progress::Ended } else { Progress::More }
    }

    #[inline]
    fn finish(&mut self, slot: &mut Segments<'a>, state: &ChainingOf<CompressionOf<A>>) {
        self.digests[slot.message] = digest::<A>(state);
    }
}
