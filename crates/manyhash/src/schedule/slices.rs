//! Messages in memory, as a supply of the schedule.

use super::digests::Digests;
use super::messages::Messages;
use super::queue::Queue;
use super::{Advanced, Lanes, Supply, Waiting, bytes_of};
use crate::algorithm::ending::{Ending, Tail, block_count, body_bytes};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Ahead, MAX_LANES};
use crate::kernel::start::Starts;
use alloc::vec::Vec;

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
    body: &'a [u8],
    /// The bytes of both segments.
    bytes: usize,
    done_bytes: usize,
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
        self.slots.push(Segments { message: 0, body: &[], bytes: 0, done_bytes: 0 });
        self.tails.push(Tail::empty());
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        let Some(next) = self.queue.peek(0) else { return false };
        let message = self.messages.message(next);
        let blocks = block_count::<C>(message.len() as u64);
        let (body, rest) = message.split_at(body_bytes::<C>(message.len(), blocks));
        let tail = &mut self.tails[slot];
        tail.set(rest, self.starts.bytes() + message.len() as u64, C::Ending::first(self.starts.state(next)));
        self.slots[slot] = Segments { body, bytes: body.len() + tail.blocks().len(), done_bytes: 0, message: next };
        self.queue.take(blocks);
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

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced {
        let (most_bytes, slots) = (bytes_of::<C>(most_blocks), lanes.slots);
        let mut ahead = Ahead::without_lanes();
        for (lane, slot) in slots.iter().enumerate() {
            let Segments { body, done_bytes, .. } = &self.slots[*slot];
            if *done_bytes < body.len() {
                ahead.add_lane(&body[*done_bytes..]);
            } else {
                let tail = &self.tails[*slot];
                ahead.add_lane(&tail.blocks()[done_bytes - body.len()..]);
                if *done_bytes == body.len() {
                    lanes.states.mark_end(lane, tail.end());
                }
            }
        }
        ahead.repeat_first(lanes.kernel.lanes);
        let (mut ended, mut runs) = (0, 0);
        while ended == 0 && ahead.taken_bytes() < most_bytes {
            let blocks = ahead.take(most_bytes - ahead.taken_bytes());
            lanes.advance(blocks);
            runs += 1;
            let mut at_end = ahead.at_end();
            while at_end != 0 {
                let lane = at_end.trailing_zeros() as usize;
                at_end &= at_end - 1;
                let (Segments { bytes, done_bytes, .. }, tail) = (&self.slots[slots[lane]], &self.tails[slots[lane]]);
                if done_bytes + ahead.taken_bytes() < *bytes {
                    lanes.states.mark_end(lane, tail.end());
                    ahead.go_on(lane, tail.blocks());
                } else {
                    ended |= 1 << lane;
                }
            }
        }
        let bytes = ahead.taken_bytes();
        for slot in slots {
            self.slots[*slot].done_bytes += bytes;
        }
        Advanced { blocks: (bytes / C::BLOCK_BYTES) as u64, runs, ended }
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        let Segments { bytes, done_bytes, .. } = self.slots[slot];
        ((bytes - done_bytes) / C::BLOCK_BYTES) as u64
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<C>) {
        self.digests.set_state::<C>(self.slots[slot].message, state);
    }
}
