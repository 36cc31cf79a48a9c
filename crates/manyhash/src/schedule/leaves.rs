//! Messages whose blocks are dealt out to leaves in turns, as a supply of the schedule: BLAKE2bp and
//! BLAKE2sp ("BLAKE2: simpler, smaller, fast as MD5", the section on tree hashing).
//!
//! The leaves of all messages are messages of the schedule. Some blocks of each leaf that is in a lane are
//! copied together at a time, so that a message may have any length.

use super::messages::Messages;
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::{Advanced, Ended, Extent, Lanes, Memory, Pieces, Supply, Waiting, ended_of};
use crate::algorithm::ending::{End, Ending, Tail, block_count};
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{Ahead, MAX_LANES};
use alloc::vec::Vec;

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
    let (slots, copied, tails) = (Vec::with_capacity(most), Vec::new(), Vec::with_capacity(most));
    let leaves = &mut Leaves { dealing, finish, queue, slots, copied, tails };
    super::run(&mut Memory::default(), mix, Extent::All, leaves, &mut Usage::default());
}

/// How many blocks of a leaf are copied together. Without copying, a run would have one block, and loading and storing
/// states beside it: on Zen 5, a message of 1 MB by BLAKE2bp is hashed at 2.9 GB/s, and was at 2.6 so.
const TOGETHER: usize = 8;

/// Leaves on their way through the schedule, and those that wait.
struct Leaves<'a, 'd, 'f, C: Compression> {
    dealing: &'d Dealing<'a, C>,
    finish: &'f mut dyn FnMut(usize, &ChainingOf<C>),
    queue: Queue,
    slots: Vec<Leaf>,
    /// Room for the next blocks of each leaf.
    copied: Vec<u8>,
    /// The last block of each leaf, if messages end.
    tails: Vec<Tail<C>>,
}

/// A leaf, and how far it has come.
#[derive(Clone, Copy, Default)]
struct Leaf {
    number: usize,
    blocks: usize,
    done: usize,
    /// The blocks before this one are copied, or compressed already.
    copied: usize,
    /// The place of the next block among those that were copied together.
    place: usize,
}

impl<C: Compression> Leaves<'_, '_, '_, C> {
    const ROOM_BYTES: usize = TOGETHER * C::BLOCK_BYTES;

    /// Returns whether the next block of a slot is the last one of a message.
    fn is_at_end(&self, slot: usize) -> bool {
        self.dealing.ends && self.slots[slot].done + 1 == self.slots[slot].blocks
    }

    /// Copies the next blocks of a slot, unless some are left or the last one comes next.
    fn copy(&mut self, slot: usize) {
        let Leaf { number, blocks, done, copied, .. } = self.slots[slot];
        if done < copied || self.is_at_end(slot) {
            return;
        }
        let end = (done + TOGETHER).min(blocks - usize::from(self.dealing.ends));
        let room = self.copied[slot * Self::ROOM_BYTES..].chunks_exact_mut(C::BLOCK_BYTES);
        for (block, room) in (done..end).zip(room) {
            room.copy_from_slice(self.dealing.block(number, block));
        }
        (self.slots[slot].copied, self.slots[slot].place) = (end, 0);
    }
}

impl<C: Compression> Supply<C> for Leaves<'_, '_, '_, C> {
    fn add_slot(&mut self) -> usize {
        self.slots.push(Leaf::default());
        self.copied.resize(self.slots.len() * Self::ROOM_BYTES, 0);
        self.tails.push(Tail::empty());
        self.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        let Some(number) = self.queue.peek(0) else { return false };
        let dealing = self.dealing;
        let bytes = (dealing.head.len() + dealing.message_bytes(number)) as u64;
        let blocks = block_count::<C>(bytes);
        self.slots[slot] = Leaf { number, blocks: blocks as usize, ..Leaf::default() };
        if dealing.ends {
            self.tails[slot].set(dealing.block(number, blocks as usize - 1), dealing.bytes_before + bytes, C::Ending::FIRST);
        }
        self.copy(slot);
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
        self.advance_by_piece(lanes, most_blocks)
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        let Leaf { blocks, done, .. } = self.slots[slot];
        (blocks - done) as u64
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<C>) {
        (self.finish)(self.slots[slot].number, state);
    }
}

impl<C: Compression> Pieces<C> for Leaves<'_, '_, '_, C> {
    fn add_ready<'b>(&'b self, slots: &[usize], ahead: &mut Ahead<'b>) {
        for slot in slots {
            if self.is_at_end(*slot) {
                ahead.add_lane(self.tails[*slot].blocks());
            } else {
                let Leaf { done, copied, place, .. } = self.slots[*slot];
                let first = slot * Self::ROOM_BYTES + place * C::BLOCK_BYTES;
                ahead.add_lane(&self.copied[first..first + (copied - done) * C::BLOCK_BYTES]);
            }
        }
    }

    fn at_end(&self, slot: usize) -> Option<End> {
        self.is_at_end(slot).then(|| self.tails[slot].end())
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        let blocks = bytes / C::BLOCK_BYTES;
        ended_of(slots, |slot| {
            let leaf = &mut self.slots[slot];
            leaf.done += blocks;
            leaf.place += blocks;
            let ends = leaf.done == leaf.blocks;
            if !ends {
                self.copy(slot);
            }
            ends
        })
    }
}
