//! Messages in memory, as a supply of the schedule.

use super::digests::Digests;
use super::messages::Messages;
use super::queue::Queue;
use super::{Ended, Supply, Waiting, ended_of};
use crate::algorithm::ending::{End, Tail, block_count, body_bytes};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Blocks, MAX_LANES};
use crate::kernel::start::Starts;

/// Messages on their way through the schedule, and those that wait.
pub(super) struct Slices<'a, 's, 'd, C: Compression> {
    starts: Starts<'s, C>,
    messages: &'a dyn Messages,
    digests: &'a mut Digests<'d>,
    queue: Queue,
    /// What is asked for every run stands together, apart from the tails, which are large.
    slots: Vec<Segments<'a>>,
    tails: Vec<Tail<C>>,
}

/// A message in two segments: its whole blocks where they are, and its tail.
struct Segments<'a> {
    /// The whole blocks that are left.
    body: &'a [u8],
    tail_done_bytes: usize,
    blocks_left: u64,
    message: usize,
}

impl<'a, 's, 'd, C: Compression> Slices<'a, 's, 'd, C> {
    /// Supplies the messages of `queue`, each from where it starts.
    pub(super) fn new(starts: Starts<'s, C>, messages: &'a dyn Messages, digests: &'a mut Digests<'d>, queue: Queue) -> Self {
        let most = queue.waiting().messages.min(MAX_LANES);
        let (slots, tails) = (Vec::with_capacity(most), Vec::with_capacity(most));
        Self { starts, messages, digests, queue, slots, tails }
    }

    /// Returns the queue, with the order that messages were taken in.
    pub(super) fn into_queue(self) -> Queue {
        self.queue
    }
}

impl<C: Compression> Supply<C> for Slices<'_, '_, '_, C> {
    fn add_slot(&mut self) -> usize {
        self.slots.push(Segments { message: 0, body: &[], tail_done_bytes: 0, blocks_left: 0 });
        self.tails.push(Tail::empty());
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        let Some(next) = self.queue.peek(0) else { return false };
        let message = self.messages.message(next);
        let blocks_left = block_count::<C>(message.len() as u64);
        let (body, rest) = message.split_at(body_bytes::<C>(message.len(), blocks_left));
        self.tails[slot].set(rest, self.starts.bytes() + message.len() as u64);
        self.slots[slot] = Segments { body, tail_done_bytes: 0, blocks_left, message: next };
        self.queue.take(blocks_left);
        true
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(self.queue.waiting())
    }

    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        self.queue.peek(skip).map(|next| block_count::<C>(self.messages.message(next).len() as u64))
    }

    fn longest_blocks(&self) -> u64 {
        self.queue.longest_blocks()
    }

    fn initial(&self, slot: usize) -> ChainingOf<C> {
        *self.starts.state(self.slots[slot].message)
    }

    fn add_ready<'b>(&'b self, slots: &[usize], ahead: &mut Blocks<'b>) {
        for slot in slots {
            let Segments { body, tail_done_bytes, .. } = self.slots[*slot];
            ahead.add_lane(if body.is_empty() { &self.tails[*slot].blocks()[tail_done_bytes..] } else { body });
        }
    }

    fn at_end(&self, slot: usize) -> Option<End> {
        let Segments { body, tail_done_bytes, .. } = self.slots[slot];
        (body.is_empty() && tail_done_bytes == 0).then(|| self.tails[slot].end())
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        self.slots[slot].blocks_left
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        ended_of(slots, |slot| {
            let slot = &mut self.slots[slot];
            if slot.body.is_empty() {
                slot.tail_done_bytes += bytes;
            } else {
                slot.body = &slot.body[bytes..];
            }
            slot.blocks_left -= (bytes / C::BLOCK_BYTES) as u64;
            slot.blocks_left == 0
        })
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<C>) {
        self.digests.set_state::<C>(self.slots[slot].message, state);
    }
}
