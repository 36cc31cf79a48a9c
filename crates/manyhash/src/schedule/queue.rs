//! The order in which messages are taken: longest first, so that what is left at the end is short.

use super::Waiting;
use super::messages::{Messages, Which};
use super::short::{Group, MAX_BLOCKS};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;

/// Messages of fewer blocks are sorted by counting, which is all that happens to tiny ones.
const COUNTED: usize = MAX_BLOCKS as usize + 1;

/// Messages that wait for their turn.
pub(crate) struct Queue {
    /// Indices of the messages; `None`: all have as many blocks, and come as they are.
    order: Option<Order>,
    /// Place in the order of the next one.
    next: usize,
    waiting: Waiting,
    longest_blocks: u64,
}

/// Indices by blocks, longest first: long messages, then short ones, those of each number of blocks as they come.
struct Order {
    indices: Vec<usize>,
    /// How many there are of each number of blocks up to [`MAX_BLOCKS`].
    short: [usize; COUNTED],
}

impl Queue {
    /// `messages` by their blocks, of which each has those around it too: `around_bytes`.
    pub(crate) fn longest_first<C: Compression>(messages: &dyn Messages, around_bytes: u64) -> Self {
        let count = messages.count();
        let blocks_of = |message: &[u8]| block_count::<C>(message.len() as u64 + around_bytes);
        let first = if count > 0 { blocks_of(messages.message(0)) } else { 0 };
        let mut is_alike = true;
        let mut long: Vec<(u64, usize)> = Vec::new();
        let mut blocks = 0;
        let mut places = [0; COUNTED];
        in_chunks(messages, |_, message| {
            is_alike = blocks_of(message) == first;
            is_alike
        });
        if is_alike {
            let waiting = Waiting { messages: count, blocks: first * count as u64 };
            return Self { order: None, next: 0, waiting, longest_blocks: first };
        }
        in_chunks(messages, |i, message| {
            let its_blocks = blocks_of(message);
            blocks += its_blocks;
            match places.get_mut(its_blocks as usize) {
                Some(place) => *place += 1,
                None => long.push((its_blocks, i)),
            }
            true
        });
        let short = places;
        long.sort_by_key(|(blocks, _)| std::cmp::Reverse(*blocks));
        let mut next = long.len();
        for place in places.iter_mut().rev() {
            (*place, next) = (next, next + *place);
        }
        let mut indices: Vec<usize> = long.iter().map(|(_, i)| *i).collect();
        indices.resize(count, 0);
        in_chunks(messages, |i, message| {
            if let Some(place) = places.get_mut(blocks_of(message) as usize) {
                indices[*place] = i;
                *place += 1;
            }
            true
        });
        let most_short = || short.iter().rposition(|messages| *messages > 0).unwrap_or(0) as u64;
        let longest_blocks = long.first().map_or_else(most_short, |(blocks, _)| *blocks);
        let waiting = Waiting { messages: count, blocks };
        Self { longest_blocks, order: Some(Order { indices, short }), next: 0, waiting }
    }

    /// Messages that are not short, waiting or not; 0 if all have as many blocks.
    pub(super) fn long_messages(&self) -> usize {
        self.order.as_ref().map_or(0, |order| order.indices.len() - order.short.iter().sum::<usize>())
    }

    /// Whether all messages have as many blocks.
    pub(super) fn is_alike(&self) -> bool {
        self.order.is_none()
    }

    /// The short messages by blocks, most blocks first: blocks, and how many messages have them.
    pub(super) fn short_groups(&self) -> impl Iterator<Item = (u64, usize)> {
        let counts = self.order.iter().flat_map(|order| order.short.iter().enumerate().rev());
        counts.filter(|(_, count)| **count > 0).map(|(blocks, count)| (blocks as u64, *count))
    }

    /// Shows each group of short messages to `hash`, most blocks first. It says how many of a group, the first ones, it has hashed: they
    /// wait no longer. Only before the first message is taken.
    pub(super) fn offer_short(&mut self, mut hash: impl FnMut(Group<'_>) -> usize) {
        let Some(Order { indices, short }) = &mut self.order else {
            if self.longest_blocks <= MAX_BLOCKS && self.waiting.messages > 0 {
                let Waiting { messages: count, .. } = self.waiting;
                let left = count - hash(Group { blocks: self.longest_blocks, count, indices: None });
                assert!(left == 0 || left == count, "all of them or none");
                self.waiting = if left == 0 { Waiting::default() } else { self.waiting };
            }
            return;
        };
        let long = indices.len() - short.iter().sum::<usize>();
        let (mut kept, mut first) = (long, long);
        for (blocks, count) in short.iter_mut().enumerate().rev().filter(|(_, count)| **count > 0) {
            let end = first + *count;
            let done = hash(Group { blocks: blocks as u64, count: *count, indices: Some(&indices[first..end]) });
            self.waiting.messages -= done;
            self.waiting.blocks -= (done * blocks) as u64;
            indices.copy_within(first + done..end, kept);
            (kept, first, *count) = (kept + *count - done, end, *count - done);
        }
        indices.truncate(kept);
        if long == 0 {
            self.longest_blocks = short.iter().rposition(|count| *count > 0).unwrap_or(0) as u64;
        }
    }

    /// Index of the message that comes after `skip` others.
    #[inline]
    pub(crate) fn peek(&self, skip: usize) -> Option<usize> {
        if skip >= self.waiting.messages {
            return None;
        }
        let place = self.next + skip;
        Some(self.order.as_ref().map_or(place, |order| order.indices[place]))
    }

    /// The indices of all messages that wait before the first is taken; `None`: they are the first ones.
    pub(super) fn indices(&self) -> Option<&[usize]> {
        self.order.as_ref().map(|order| order.indices.as_slice())
    }

    /// The next message, of `blocks` blocks, waits no longer.
    #[inline]
    pub(crate) fn take(&mut self, blocks: u64) {
        self.next += 1;
        self.waiting.messages -= 1;
        self.waiting.blocks = self.waiting.blocks.saturating_sub(blocks);
    }

    /// What is waiting.
    #[inline]
    pub(crate) fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// No message has more blocks.
    #[inline]
    pub(crate) fn longest_blocks(&self) -> u64 {
        self.longest_blocks
    }
}

/// Calls `see` with each message and its index, as long as it says that it wants more.
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
