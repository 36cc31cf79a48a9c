//! Messages in memory, with bytes around each of them, as a supply of the schedule.

use super::copied::{self, Copies};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::opened;
use super::queue::Queue;
use super::route;
use super::{Advanced, Ended, Extent, Lanes, Memory, Pieces, Supply, Waiting, ended_of};
use crate::algorithm::ending::{End, Ending, block_count, padded, padded_bytes, whole_bytes};
use crate::algorithm::{ChainingOf, Compression, SelfTested};
use crate::isa::Ahead;
use crate::kernel::start::{Passes, Start, Starts};
use alloc::vec::Vec;

/// The bytes before and after each message.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a, 's, C: Compression> {
    /// Passes that start after the whole blocks of what comes before.
    pub(crate) passes: Passes<'s, C>,
    /// The rest of what comes before: see [`absorbed_bytes`].
    pub(crate) head: &'a [u8],
    /// The bytes after each message.
    pub(crate) suffix: &'a [u8],
}

impl<C: Compression> Around<'_, '_, C> {
    /// Returns whether there is nothing before and after messages.
    pub(super) fn is_nothing(&self) -> bool {
        self.head.is_empty() && self.suffix.is_empty()
    }

    /// Bytes of a message with those around it, counted from the midstate.
    fn framed_bytes(&self, message: &[u8]) -> u64 {
        (self.head.len() + message.len() + self.suffix.len()) as u64
    }
}

/// Returns how many bytes of what comes before messages are compressed once for all of them: the whole
/// blocks, but none of a tree, whose first chunk ends in a message.
pub(crate) fn absorbed_bytes<C: SelfTested>(prefix_bytes: usize) -> usize {
    if C::HAS_CHUNKS { 0 } else { whole_bytes::<C>(prefix_bytes) }
}

/// Hashes every message with the bytes around it. Panics if there are not as many digests as
/// messages.
pub(super) fn hash_many<C: Compression>(mix: &Mix<C>, around: Around<'_, '_, C>, messages: &dyn Messages, digests: &mut Digests<'_>) {
    if around.is_nothing() {
        return route::hash_many(mix, &around.passes, messages, digests, None);
    }
    digests.check_room(messages.count());
    let are_own = [Some(around.passes.inner), around.passes.outer].iter().flatten().any(Starts::are_own);
    match around.passes.inner {
        Starts::Same(start) if !are_own && hash_from_one_start(mix, around, start, messages, digests) => return,
        _ => {}
    }
    let queue = Queue::longest_first::<C>(messages, 0..messages.count(), around.framed_bytes(&[]));
    let mut framed = Framed { around, messages, digests, queue, slots: Vec::new() };
    super::run(&mut Memory::default(), mix, Extent::All, &mut framed, &mut Usage::default());
    if let Some(outer) = around.passes.outer {
        let all = (Which::From(0), digests.count());
        route::hash_digests(mix, outer, all, digests, &mut Usage::default());
    }
}

/// Hashes messages that all start from one midstate in other ways than the schedule, if there is a better one. Returns whether there is.
fn hash_from_one_start<C: Compression>(
    mix: &Mix<C>,
    around: Around<'_, '_, C>,
    start: &Start<C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
) -> bool {
    let Around { passes, head, suffix } = around;
    let count = messages.count();
    if suffix.is_empty() && head.len() == C::BLOCK_BYTES {
        opened::hash_behind_block(mix, start, passes.outer, head, messages, digests);
        return true;
    }
    let lengths = || (0..count).map(|i| messages.message(i).len());
    let most_bytes = if suffix.is_empty() { copied::MOST_BYTES } else { copied::MOST_BYTES_WITH_SUFFIX };
    if let Some(most_bytes) = most_bytes.checked_sub(head.len() + suffix.len()) {
        let first_bytes = messages.equal_bytes().or_else(|| lengths().next()).unwrap_or(0);
        if first_bytes <= most_bytes && (messages.equal_bytes().is_some() || messages.equal_before(0..count, first_bytes) == count) {
            copied::hash_equal(mix, passes, (head, suffix), messages, first_bytes, digests);
            return true;
        }
        let (longest, bytes) = lengths().fold((0, 0), |(longest, sum), bytes| (bytes.max(longest), bytes.saturating_add(sum)));
        if longest <= most_bytes {
            let bytes = bytes + count * (head.len() + suffix.len());
            let mut copies = Copies::new(mix, start, passes.outer).reserving(count, bytes);
            (0..count).for_each(|i| copies.push(i, [head, messages.message(i), suffix], digests));
            copies.hash(digests);
            return true;
        }
    }
    if suffix.is_empty() {
        let write_head = |_, room: &mut [u8]| {
            room[..head.len()].copy_from_slice(head);
            head.len()
        };
        opened::hash_many(mix, start, passes.outer, &write_head, messages, digests);
        return true;
    }
    false
}

/// Messages on their way through the schedule, and those that wait.
struct Framed<'a, 's, 'd, C: Compression> {
    around: Around<'a, 's, C>,
    messages: &'a dyn Messages,
    digests: &'a mut Digests<'d>,
    queue: Queue,
    slots: Vec<Segments<'a>>,
}

/// A message in three segments: the block it shares with the bytes before it, its whole blocks
/// where they are, and its end.
#[derive(Default)]
struct Segments<'a> {
    message: usize,
    head: Vec<u8>,
    body: &'a [u8],
    end: Vec<u8>,
    end_done_bytes: usize,
    /// How many of the last bytes of `end` are what an ending calls the end.
    marked_bytes: usize,
    blocks_left: u64,
}

impl Segments<'_> {
    /// Returns the blocks of `end` that come next, without those that are a run of their own.
    fn end_ready<C: Compression>(&self) -> &[u8] {
        let ready = &self.end[self.end_done_bytes..];
        let bytes = if C::Ending::MARKS_END && ready.len() > self.marked_bytes { ready.len() - self.marked_bytes } else { ready.len() };
        &ready[..bytes]
    }
}

impl<C: Compression> Supply<C> for Framed<'_, '_, '_, C> {
    fn add_slot(&mut self) -> usize {
        self.slots.push(Segments::default());
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        let Some(next) = self.queue.peek(0) else { return false };
        let slot = &mut self.slots[slot];
        let Around { passes, head, suffix } = self.around;
        let message = self.messages.message(next);
        let framed_bytes = self.around.framed_bytes(message);
        (slot.message, slot.end_done_bytes, slot.blocks_left) = (next, 0, block_count::<C>(framed_bytes));
        slot.head.clear();
        slot.end.clear();
        let mut rest = message;
        if !head.is_empty() {
            match message.split_at_checked(C::BLOCK_BYTES - head.len()) {
                Some((completing, later)) if whole_bytes::<C>(framed_bytes as usize) > 0 => {
                    slot.head.extend_from_slice(head);
                    slot.head.extend_from_slice(completing);
                    rest = later;
                }
                // The message ends in the first block.
                _ => slot.end.extend_from_slice(head),
            }
        }
        let body_bytes = whole_bytes::<C>(rest.len() + suffix.len()).min(rest.len() - rest.len() % C::BLOCK_BYTES);
        (slot.body, rest) = rest.split_at(body_bytes);
        slot.end.extend_from_slice(rest);
        slot.end.extend_from_slice(suffix);
        slot.marked_bytes = padded_bytes::<C>(framed_bytes as usize - whole_bytes::<C>(framed_bytes as usize));
        let first = C::Ending::first(passes.inner.state(next));
        padded::<C>(&mut slot.end, passes.inner.bytes() + framed_bytes, first);
        self.queue.take(slot.blocks_left);
        true
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(self.queue.waiting())
    }

    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        let next = self.queue.peek(skip)?;
        Some(block_count::<C>(self.around.framed_bytes(self.messages.message(next))))
    }

    fn longest_blocks(&self) -> u64 {
        self.queue.longest_blocks()
    }

    fn initial(&self, slot: usize) -> ChainingOf<C> {
        *self.around.passes.inner.state(self.slots[slot].message)
    }

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced {
        self.advance_by_piece(lanes, most_blocks)
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        self.slots[slot].blocks_left
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<C>) {
        self.digests.set_state::<C>(self.slots[slot].message, state);
    }
}

impl<C: Compression> Pieces<C> for Framed<'_, '_, '_, C> {
    fn add_ready<'b>(&'b self, slots: &[usize], ahead: &mut Ahead<'b>) {
        for slot in slots {
            let slot = &self.slots[*slot];
            ahead.add_lane(if !slot.head.is_empty() {
                &slot.head
            } else if !slot.body.is_empty() {
                slot.body
            } else {
                slot.end_ready::<C>()
            });
        }
    }

    fn at_end(&self, slot: usize) -> Option<End> {
        let slot = &self.slots[slot];
        let framed_bytes = self.around.framed_bytes(self.messages.message(slot.message));
        let rest_bytes = framed_bytes as usize - whole_bytes::<C>(framed_bytes as usize);
        let is_next = slot.blocks_left == (slot.marked_bytes / C::BLOCK_BYTES) as u64;
        is_next.then(|| End { message_bytes: self.around.passes.inner.bytes() + framed_bytes, rest_bytes })
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        ended_of(slots, |slot| {
            let slot = &mut self.slots[slot];
            slot.blocks_left -= (bytes / C::BLOCK_BYTES) as u64;
            if !slot.head.is_empty() {
                slot.head.clear();
            } else if !slot.body.is_empty() {
                slot.body = &slot.body[bytes..];
            } else {
                slot.end_done_bytes += bytes;
            }
            slot.blocks_left == 0
        })
    }
}
