//! The order in which messages are taken: longest first, so that what is left at the end is short.

use super::Waiting;
use super::messages::{Messages, Which};
use super::short::{Group, MAX_BLOCKS};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::isa::prefetch;
use alloc::vec::Vec;
use std::cmp::Reverse;
use std::ops::Range;

/// At most this many messages are sorted by comparing. More than these are sorted by counting if
/// they are short, which is all the work that tiny ones need.
const FEW: usize = 32;
/// Messages are sorted by class: the blocks of a short one, and `LONG`.
const CLASSES: usize = LONG as usize + 1;
/// As many numbers of blocks as most batches of short messages have.
const SHORT_CLASSES: usize = 32;
/// The class of messages that are not short.
const LONG: u8 = MAX_BLOCKS as u8 + 1;
const _: () = assert!(MAX_BLOCKS < u8::MAX as u64);

/// Messages that wait for their turn.
pub(crate) struct Queue {
    /// The order of the messages; `None` if all have equally many blocks and are taken as they
    /// come.
    order: Option<Order>,
    /// The index of the first message, if there is no order.
    first: usize,
    /// The place of the next message in the order, or its index.
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
    /// Orders the messages of `range` by their blocks. Each of them also has `around_bytes` bytes
    /// around it.
    pub(crate) fn longest_first<C: Compression>(messages: &dyn Messages, range: Range<usize>, around_bytes: u64) -> Self {
        let count = range.len();
        let blocks_of = |message: &[u8]| block_count::<C>(message.len() as u64 + around_bytes);
        let first_bytes = if count > 0 { messages.message(range.start).len() } else { 0 };
        let first = if count > 0 { blocks_of(messages.message(range.start)) } else { 0 };
        let equal = messages.equal_before(range.clone(), first_bytes);
        let mut is_alike = true;
        in_chunks(messages, range.start + equal..range.end, |_, message| {
            is_alike = message.len() == first_bytes || blocks_of(message) == first;
            is_alike
        });
        if is_alike {
            let waiting = Waiting { messages: count, blocks: first * count as u64 };
            let bytes = (equal == count).then_some(first_bytes);
            return Self { order: None, first: range.start, next: range.start, waiting, longest_blocks: first, bytes };
        }
        let (order, blocks) =
            if count <= FEW { Order::of_few(messages, range, blocks_of) } else { Order::of_many(messages, range, blocks_of) };
        let waiting = Waiting { messages: count, blocks };
        let longest_blocks = blocks_of(messages.message(order.indices[0]));
        Self { longest_blocks, order: Some(order), first: 0, next: 0, waiting, bytes: None }
    }

    /// Returns whether the messages are not too many for the second cache, a MiB of them in blocks of 64 bytes, and none is so long that
    /// `lanes` lanes would wait for it: it is short, or has few blocks beside all.
    pub(super) fn stays_in_cache(&self, lanes: usize) -> bool {
        const MOST_BLOCKS: u64 = 1 << 14;
        let few_blocks = self.waiting.blocks / (4 * lanes as u64);
        self.waiting.blocks <= MOST_BLOCKS && self.longest_blocks <= few_blocks.max(MAX_BLOCKS)
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

    /// Takes all messages out of the queue but the first ones, and returns their indices. `first` says
    /// how many these are, and how many blocks they have. Call it only before the first message is taken,
    /// if not all messages have equally many blocks.
    pub(super) fn split_off(&mut self, first: Waiting) -> Vec<usize> {
        let Order { indices, long, short } = self.order.as_mut().expect("messages differ in blocks");
        let rest = indices.split_off(first.messages);
        let mut left = rest.len();
        while let (Some((_, count)), true) = (short.last_mut(), left > 0) {
            let taken = left.min(*count);
            (left, *count) = (left - taken, *count - taken);
            if *count == 0 {
                short.pop();
            }
        }
        *long -= left;
        self.waiting = first;
        if *long == 0 {
            self.longest_blocks = short.first().map_or(0, |(blocks, _)| *blocks);
        }
        rest
    }

    /// Returns all messages as a group, if they are short and have equally many blocks.
    pub(super) fn alike_group(&self) -> Option<Group<'static>> {
        let is_short = self.order.is_none() && self.longest_blocks <= MAX_BLOCKS && self.waiting.messages > 0;
        let which = Which::From(self.next);
        is_short.then_some(Group { blocks: self.longest_blocks, count: self.waiting.messages, which, bytes: self.bytes })
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

    /// Returns whether the messages, which differ in blocks, are more than the second cache has by far. Then lanes wait for what they read as
    /// they do where they collide. Zen 5, 2,000 messages of 1 to 8 KB: MD5 1,215 us in four waves and 1,068 in two, SHA-1 964 in two and
    /// 893 in one.
    pub(super) fn is_far<C: Compression>(&self) -> bool {
        const NEAR_BYTES: u64 = 2 << 20;
        self.order.is_some() && self.waiting.blocks > NEAR_BYTES / C::BLOCK_BYTES as u64
    }

    /// Returns the messages that wait, in their order.
    pub(super) fn ahead(&self) -> Which<'_> {
        self.order.as_ref().map_or(Which::From(self.next), |order| Which::These(&order.indices[self.next..]))
    }

    /// Returns the messages that were taken, and how many they are.
    pub(super) fn taken(&self) -> (Which<'_>, usize) {
        match &self.order {
            Some(order) => (Which::These(&order.indices), self.next),
            None => (Which::From(self.first), self.next - self.first),
        }
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
    fn of_few(messages: &dyn Messages, range: Range<usize>, blocks_of: impl Fn(&[u8]) -> u64) -> (Self, u64) {
        let mut sorted = [(0, 0); FEW];
        let sorted = &mut sorted[..range.len()];
        in_chunks(messages, range.clone(), |i, message| {
            sorted[i] = (blocks_of(message), range.start + i);
            true
        });
        sort_longest_first(sorted);
        let long = sorted.partition_point(|(blocks, _)| *blocks > MAX_BLOCKS);
        let mut short = Vec::with_capacity(FEW);
        short.extend(sorted[long..].chunk_by(|one, other| one.0 == other.0).map(|group| (group[0].0, group.len())));
        let blocks = sorted.iter().fold(0, |sum: u64, (blocks, _)| sum.saturating_add(*blocks));
        (Self { indices: sorted.iter().map(|(_, i)| *i).collect(), long, short }, blocks)
    }

    /// Returns the order of any number of messages, and the blocks of all of them.
    fn of_many(messages: &dyn Messages, range: Range<usize>, blocks_of: impl Fn(&[u8]) -> u64) -> (Self, u64) {
        let mut long: Vec<(u64, usize)> = Vec::new();
        let mut blocks: u64 = 0;
        // The class of each message, so that nobody is asked twice: its blocks, or `LONG`.
        let mut classes = Vec::with_capacity(range.len());
        // The first byte of each is read here, one message after the other, and a few lines behind it are fetched, so that the CPU sees a
        // stream. In the order of blocks it sees none: a column of URLs that is in memory took MD5 1.8 times what rows of one length take,
        // and 1.4 so. With the lines behind, 20,000 messages of about 170 bytes take SHA-256 0.83 of the time (Zen 3).
        let mut first_bytes = 0;
        in_chunks(messages, range.clone(), |i, message| {
            first_bytes |= message.first().copied().unwrap_or_default();
            (1..=3).for_each(|line| prefetch(message, 64 * line));
            let its_blocks = blocks_of(message);
            blocks = blocks.saturating_add(its_blocks);
            let class = if its_blocks <= MAX_BLOCKS { its_blocks as u8 } else { LONG };
            if class == LONG {
                long.push((its_blocks, range.start + i));
            }
            classes.push(class);
            true
        });
        std::hint::black_box(first_bytes);
        // Sorted by counting. Each half has counts and places of its own, so that one message need
        // not wait for the place of the one before.
        let (one, other) = classes.split_at(classes.len() / 2);
        let mut places = [[0usize; CLASSES]; 2];
        let [in_one, in_other] = &mut places;
        one.iter().zip(other).for_each(|(one, other)| {
            in_one[usize::from(*one)] += 1;
            in_other[usize::from(*other)] += 1;
        });
        other[one.len()..].iter().for_each(|class| in_other[usize::from(*class)] += 1);
        let mut short = Vec::with_capacity(SHORT_CLASSES);
        let mut next = 0;
        for class in (0..CLASSES).rev() {
            let (from_one, from_other) = (in_one[class], in_other[class]);
            (in_one[class], in_other[class]) = (next, next + from_one);
            next += from_one + from_other;
            if class != usize::from(LONG) && from_one + from_other > 0 {
                short.push((class as u64, from_one + from_other));
            }
        }
        let mut indices = vec![0; range.len()];
        let mut put = |place: &mut usize, i: usize| {
            indices[*place] = i;
            *place += 1;
        };
        let middle = range.start + one.len();
        for (i, (one, other)) in one.iter().zip(other).enumerate() {
            put(&mut in_one[usize::from(*one)], range.start + i);
            put(&mut in_other[usize::from(*other)], middle + i);
        }
        other[one.len()..].iter().for_each(|class| put(&mut in_other[usize::from(*class)], range.end - 1));
        sort_longest_first(&mut long);
        for (index, (_, i)) in indices.iter_mut().zip(&long) {
            *index = *i;
        }
        (Self { indices, long: long.len(), short }, blocks)
    }
}

/// Sorts messages by their blocks; equal ones stay in order. A closure where it is used would be another
/// type, and so another sort to be compiled, for each algorithm.
fn sort_longest_first(messages: &mut [(u64, usize)]) {
    messages.sort_by_key(|(blocks, _)| Reverse(*blocks));
}

/// Calls `see` with each message of `range` and its place there, as long as it returns that it wants
/// more.
pub(super) fn in_chunks<'a>(messages: &'a dyn Messages, range: Range<usize>, mut see: impl FnMut(usize, &'a [u8]) -> bool) {
    const CHUNK: usize = 32;
    let mut found: [&[u8]; CHUNK] = [&[]; CHUNK];
    for first in (0..range.len()).step_by(CHUNK) {
        let found = &mut found[..CHUNK.min(range.len() - first)];
        messages.fill(Which::From(range.start + first), found);
        for (i, message) in found.iter().enumerate() {
            if !see(first + i, message) {
                return;
            }
        }
    }
}
