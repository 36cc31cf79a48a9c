//! Messages whose blocks are dealt out to leaves in turns, as a supply of the schedule: BLAKE2bp and
//! BLAKE2sp ("BLAKE2: simpler, smaller, fast as MD5", the section on tree hashing).
//!
//! The leaves of all messages are messages of the schedule. Their blocks are hashed where they lie, so
//! that a lane has one block ready at a time.

use super::messages::Messages;
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::{Advanced, Extent, Lanes, Memory, Supply, Waiting, bytes_of};
use crate::algorithm::ending::{Ending, Tail, block_count};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Ahead, MAX_LANES};

/// What is dealt out: block i of a message goes to leaf i modulo the number of leaves.
pub(crate) struct Dealing<'a, C: Compression> {
    /// Where the leaves of each message begin.
    pub(crate) starts: &'a [ChainingOf<C>],
    /// The bytes that each of these stands for.
    pub(crate) bytes_before: u64,
    /// A block before those of each leaf, or nothing.
    pub(crate) head: &'a [u8],
    pub(crate) messages: &'a dyn Messages,
    /// Whether messages end. If they do not, they are whole blocks, equally many for each leaf.
    pub(crate) ends: bool,
}

impl<'a, C: Compression> Dealing<'a, C> {
    /// Returns message and leaf of one of all leaves.
    fn place(&self, number: usize) -> (&'a [u8], usize) {
        let leaves = self.starts.len();
        (self.messages.message(number / leaves), number % leaves)
    }

    /// Returns how many bytes of its message a leaf has.
    fn message_bytes(&self, number: usize) -> usize {
        let (message, leaf) = self.place(number);
        let round_bytes = self.starts.len() * C::BLOCK_BYTES;
        let rest = message.len() % round_bytes;
        message.len() / round_bytes * C::BLOCK_BYTES + rest.saturating_sub(leaf * C::BLOCK_BYTES).min(C::BLOCK_BYTES)
    }

    /// Returns a block of a leaf. The last one may be shorter, and empty.
    fn block(&self, number: usize, block: usize) -> &'a [u8] {
        let has_head = usize::from(!self.head.is_empty());
        let Some(block) = block.checked_sub(has_head) else { return self.head };
        let (message, leaf) = self.place(number);
        let begin = message.len().min((block * self.starts.len() + leaf) * C::BLOCK_BYTES);
        &message[begin..message.len().min(begin + C::BLOCK_BYTES)]
    }
}

/// Leaves as messages of as many bytes, which is all that a queue asks for.
struct Lengths<'a, 'd, C: Compression>(&'d Dealing<'a, C>);

impl<C: Compression> Messages for Lengths<'_, '_, C> {
    fn count(&self) -> usize {
        self.0.messages.count() * self.0.starts.len()
    }
    fn message(&self, i: usize) -> &[u8] {
        &self.0.place(i).0[..self.0.message_bytes(i)]
    }
}

/// Gives `finish` the last state of each leaf of each message. Leaf i of message m has the number
/// i + m times the leaves of a message.
pub(crate) fn run<C: Compression>(mix: &Mix<C>, dealing: &Dealing<'_, C>, finish: &mut dyn FnMut(usize, &ChainingOf<C>)) {
    let lengths = Lengths(dealing);
    let queue = Queue::longest_first::<C>(&lengths, 0..lengths.count(), dealing.head.len() as u64);
    let most = queue.waiting().messages.min(MAX_LANES);
    let (slots, tails) = (Vec::with_capacity(most), Vec::with_capacity(most));
    super::run(&mut Memory::default(), mix, Extent::All, &mut Leaves { dealing, finish, queue, slots, tails }, &mut Usage::default());
}

/// Leaves on their way through the schedule, and those that wait.
struct Leaves<'a, 'd, 'f, C: Compression> {
    dealing: &'d Dealing<'a, C>,
    finish: &'f mut dyn FnMut(usize, &ChainingOf<C>),
    queue: Queue,
    slots: Vec<Leaf>,
    /// The last block of each leaf, if messages end.
    tails: Vec<Tail<C>>,
}

#[derive(Clone, Copy, Default)]
struct Leaf {
    number: usize,
    blocks: usize,
    done: usize,
}

impl<C: Compression> Leaves<'_, '_, '_, C> {
    /// Returns whether the next block of a slot, behind `done` ones, is the last one of a message.
    fn is_last(&self, slot: usize, done: usize) -> bool {
        self.dealing.ends && done + 1 == self.slots[slot].blocks
    }

    /// Returns the next block of a slot, behind `done` ones.
    fn ready(&self, slot: usize, done: usize) -> &[u8] {
        if self.is_last(slot, done) { self.tails[slot].blocks() } else { self.dealing.block(self.slots[slot].number, done) }
    }
}

impl<C: Compression> Supply<C> for Leaves<'_, '_, '_, C> {
    fn add_slot(&mut self) -> usize {
        self.slots.push(Leaf::default());
        self.tails.push(Tail::empty());
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        let Some(number) = self.queue.peek(0) else { return false };
        let bytes = (self.dealing.head.len() + self.dealing.message_bytes(number)) as u64;
        let blocks = block_count::<C>(bytes);
        self.slots[slot] = Leaf { number, blocks: blocks as usize, done: 0 };
        if self.dealing.ends {
            let last = self.dealing.block(number, blocks as usize - 1);
            self.tails[slot].set(last, self.dealing.bytes_before + bytes, C::Ending::FIRST);
        }
        self.queue.take(blocks);
        true
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(self.queue.waiting())
    }

    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        let next = self.queue.peek(skip)?;
        Some(block_count::<C>((self.dealing.head.len() + self.dealing.message_bytes(next)) as u64))
    }

    fn longest_blocks(&self) -> u64 {
        self.queue.longest_blocks()
    }

    fn initial(&self, slot: usize) -> ChainingOf<C> {
        self.dealing.starts[self.slots[slot].number % self.dealing.starts.len()]
    }

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced {
        let (most_bytes, slots) = (bytes_of::<C>(most_blocks), lanes.slots);
        let mut ahead = Ahead::without_lanes();
        for (lane, slot) in slots.iter().enumerate() {
            let done = self.slots[*slot].done;
            ahead.add_lane(self.ready(*slot, done));
            if self.is_last(*slot, done) {
                lanes.states.mark_end(lane, self.tails[*slot].end());
            }
        }
        ahead.repeat_first(lanes.kernel.lanes);
        let (mut ended, mut runs) = (0, 0);
        while ended == 0 && ahead.taken_bytes() < most_bytes {
            let blocks = ahead.take(most_bytes - ahead.taken_bytes());
            lanes.advance(blocks);
            runs += 1;
            let taken = ahead.taken_bytes() / C::BLOCK_BYTES;
            for (lane, slot) in slots.iter().enumerate() {
                let done = self.slots[*slot].done + taken;
                if done == self.slots[*slot].blocks {
                    ended |= 1 << lane;
                    continue;
                }
                if self.is_last(*slot, done) {
                    lanes.states.mark_end(lane, self.tails[*slot].end());
                }
                ahead.go_on(lane, self.ready(*slot, done));
            }
        }
        let blocks = ahead.taken_bytes() / C::BLOCK_BYTES;
        for slot in slots {
            self.slots[*slot].done += blocks;
        }
        Advanced { blocks: blocks as u64, runs, ended }
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        let Leaf { blocks, done, .. } = self.slots[slot];
        (blocks - done) as u64
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<C>) {
        (self.finish)(self.slots[slot].number, state);
    }
}
