//! The order in which messages are taken: longest first, so that what is left at the end is short.

use super::Waiting;
use super::messages::{Messages, Which};
use super::short::{Group, MAX_BLOCKS};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use std::cmp::Reverse;

/// At most this many messages are sorted by comparing. More than these are sorted by counting if
/// they are short, which is all the work that tiny ones need.
const FEW: usize = 32;
/// The number of different numbers of blocks that a short message may have.
const COUNTED: usize = MAX_BLOCKS as usize + 1;

/// Messages that wait for their turn.
pub(crate) struct Queue {
    /// The order of the messages; `None` if all have equally many blocks and are taken as they
    /// come.
    order: Option<Order>,
    /// The place of the next message in the order.
    next: usize,
    waiting: Waiting,
    longest_blocks: u64,
    /// The length of every message in bytes, if all are equally long.
    bytes: Option<usize>,
}

/// Indices by blocks, longest first: long messages, then short ones, those of equally many blocks
/// as they come.
struct Order {
    indices: Vec<usize>,
    /// The number of long messages, which are the first.
    long: usize,
    /// For each number of blocks that short messages have, most blocks first: the blocks, and how
    /// many messages have them.
    short: Vec<(u64, usize)>,
}

impl Queue {
    /// Orders `messages` by their blocks. Each of them also has `around_bytes` bytes around it.
    pub(crate) fn longest_first<C: Compression>(messages: &dyn Messages, around_bytes: u64) -> Self {
        let count = messages.count();
        let blocks_of = |message: &[u8]| block_count::<C>(message.len() as u64 + around_bytes);
        let first_bytes = if count > 0 { messages.message(0).len() } else { 0 };
        let first = if count > 0 { blocks_of(messages.message(0)) } else { 0 };
        let (mut is_alike, mut have_as_many_bytes) = (true, true);
        in_chunks(messages, |_, message| {
            have_as_many_bytes &= message.len() == first_bytes;
            is_alike = message.len() == first_bytes || blocks_of(message) == first;
            is_alike
        });
        if is_alike {
            let waiting = Waiting { messages: count, blocks: first * count as u64 };
            let bytes = have_as_many_bytes.then_some(first_bytes);
            return Self { order: None, next: 0, waiting, longest_blocks: first, bytes };
        }
        let (order, blocks) = if count <= FEW { Order::of_few(messages, blocks_of) } else { Order::of_many(messages, blocks_of) };
        let waiting = Waiting { messages: count, blocks };
        let longest_blocks = blocks_of(messages.message(order.indices[0]));
        Self { longest_blocks, order: Some(order), next: 0, waiting, bytes: None }
    }

    /// Returns the number of messages that are not short, waiting or not; 0 if all have equally
    /// many blocks.
    pub(super) fn long_messages(&self) -> usize {
        self.order.as_ref().map_or(0, |order| order.long)
    }

    /// Returns the short messages by blocks, most blocks first: blocks, and how many messages have
    /// them.
    pub(super) fn short_groups(&self) -> &[(u64, usize)] {
        self.order.as_ref().map_or(&[], |order| &order.short)
    }

    /// Takes all messages out of the queue but the first `first`, and returns their indices. Call it
    /// only before the first message is taken, if not all messages have equally many blocks.
    pub(super) fn split_off(&mut self, first: usize) -> Vec<usize> {
        let Order { indices, long, short } = self.order.as_mut().expect("messages differ in blocks");
        let rest = indices.split_off(first);
        let mut left = rest.len();
        while let (Some((blocks, count)), true) = (short.last_mut(), left > 0) {
            let taken = left.min(*count);
            self.waiting.blocks -= taken as u64 * *blocks;
            (left, *count) = (left - taken, *count - taken);
            if *count == 0 {
                short.pop();
            }
        }
        self.waiting.messages = first;
        if *long == 0 {
            self.longest_blocks = short.first().map_or(0, |(blocks, _)| *blocks);
        }
        rest
    }

    /// Returns all messages as a group, if they are short and have equally many blocks.
    pub(super) fn alike_group(&self) -> Option<Group<'static>> {
        let is_short = self.order.is_none() && self.longest_blocks <= MAX_BLOCKS && self.waiting.messages > 0;
        is_short.then_some(Group { blocks: self.longest_blocks, count: self.waiting.messages, which: Which::From(0), bytes: self.bytes })
    }

    /// Returns the index of the message that comes after `skip` others.
    #[inline]
    pub(crate) fn peek(&self, skip: usize) -> Option<usize> {
        if skip >= self.waiting.messages {
            return None;
        }
        let place = self.next + skip;
        Some(self.order.as_ref().map_or(place, |order| order.indices[place]))
    }

    /// Returns the indices of all messages that wait before the first is taken; `None` if they are
    /// the first ones.
    pub(super) fn indices(&self) -> Option<&[usize]> {
        self.order.as_ref().map(|order| order.indices.as_slice())
    }

    /// Takes the next message, of `blocks` blocks, out of the queue.
    #[inline]
    pub(crate) fn take(&mut self, blocks: u64) {
        self.next += 1;
        self.waiting.messages -= 1;
        self.waiting.blocks = self.waiting.blocks.saturating_sub(blocks);
    }

    /// Returns the messages that wait.
    #[inline]
    pub(crate) fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// Returns a number of blocks that no message exceeds.
    #[inline]
    pub(crate) fn longest_blocks(&self) -> u64 {
        self.longest_blocks
    }
}

impl Order {
    /// Returns the order of at most [`FEW`] messages, and the blocks of all of them.
    fn of_few(messages: &dyn Messages, blocks_of: impl Fn(&[u8]) -> u64) -> (Self, u64) {
        let mut sorted = [(0, 0); FEW];
        let sorted = &mut sorted[..messages.count()];
        in_chunks(messages, |i, message| {
            sorted[i] = (blocks_of(message), i);
            true
        });
        sorted.sort_by_key(|(blocks, _)| Reverse(*blocks));
        let long = sorted.partition_point(|(blocks, _)| *blocks > MAX_BLOCKS);
        let mut short = Vec::with_capacity(FEW);
        short.extend(sorted[long..].chunk_by(|one, other| one.0 == other.0).map(|group| (group[0].0, group.len())));
        let blocks = sorted.iter().fold(0, |sum: u64, (blocks, _)| sum.saturating_add(*blocks));
        (Self { indices: sorted.iter().map(|(_, i)| *i).collect(), long, short }, blocks)
    }

    /// Returns the order of any number of messages, and the blocks of all of them.
    fn of_many(messages: &dyn Messages, blocks_of: impl Fn(&[u8]) -> u64) -> (Self, u64) {
        let mut long: Vec<(u64, usize)> = Vec::new();
        let mut blocks: u64 = 0;
        let mut counts = [0; COUNTED];
        in_chunks(messages, |i, message| {
            let its_blocks = blocks_of(message);
            blocks = blocks.saturating_add(its_blocks);
            match counts.get_mut(its_blocks as usize) {
                Some(count) => *count += 1,
                None => long.push((its_blocks, i)),
            }
            true
        });
        long.sort_by_key(|(blocks, _)| Reverse(*blocks));
        let used = counts.iter().enumerate().rev().filter(|(_, count)| **count > 0);
        let short = used.map(|(blocks, count)| (blocks as u64, *count)).collect();
        let mut places = counts;
        let mut next = long.len();
        for place in places.iter_mut().rev() {
            (*place, next) = (next, next + *place);
        }
        let mut indices: Vec<usize> = long.iter().map(|(_, i)| *i).collect();
        indices.resize(messages.count(), 0);
        in_chunks(messages, |i, message| {
            if let Some(place) = places.get_mut(blocks_of(message) as usize) {
                indices[*place] = i;
                *place += 1;
            }
            true
        });
        (Self { indices, long: long.len(), short }, blocks)
    }
}

/// Calls `see` with each message and its index, as long as it returns that it wants more.
fn in_chunks<'a>(messages: &'a dyn Messages, mut see: impl FnMut(usize, &'a [u8]) -> bool) {
    const CHUNK: usize = 32;
    let mut found: [&[u8]; CHUNK] = [&[]; CHUNK];
    let count = messages.count();
    for first in (0..count).step_by(CHUNK) {
        let found = &mut found[..CHUNK.min(count - first)];
        messages.fill(Which::From(first), found);
        for (i, message) in found.iter().enumerate() {
            if !see(first + i, message) {
                return;
            }
        }
    }
}
