//! Messages with less than a block before each of them: the first blocks of all are compressed side by
//! side, and the rest of each is a message that starts from the midstate after its first block, and goes
//! the ways of others.
//!
//! In the schedule such a message is three pieces, and a run is as long as the shortest piece in the lanes:
//! messages of 1 to 2 KB took SHA-256 three times as long as their blocks do (Zen 5).

use super::alone;
use super::copied::{self, Copies};
use super::digests::Digests;
use super::each_block::compress_each;
use super::messages::{Messages, Slice, Which};
use super::mix::Mix;
use super::route::hash_some;
use crate::algorithm::ending::whole_bytes;
use crate::algorithm::{ChainingOf, Compression};
use crate::isa::{MAX_LANES, prefetch};
use crate::kernel::start::{Start, Starts};
use alloc::vec::Vec;

/// Writes what comes before message i to the beginning of the room, and returns how many bytes it has: fewer
/// than a block.
pub(crate) type Head<'a> = &'a dyn Fn(usize, &mut [u8]) -> usize;

/// So many messages go on together, whose midstates stay in the cache until then, or more if one of them is
/// so long that the others would leave it alone.
const TOGETHER: usize = 1024;

/// The beginning of a message is fetched while so many before it are read.
const FETCHED_AHEAD: usize = 8;

/// Hashes every message with its head before it, from `start`. If all are short, they are copied: beside
/// longer ones, lanes of their own took SHA-256 1.13 times as long (Zen 5). Panics if there are not as many digests as messages.
pub(crate) fn hash_many<C: Compression>(
    mix: &Mix<C>,
    start: &Start<C>,
    outer: Option<Starts<'_, C>>,
    head: Head<'_>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
) {
    let count = messages.count();
    digests.check_room(count);
    let all_are_short = (0..count).all(|i| messages.message(i).len() <= copied::MOST_BYTES - C::BLOCK_BYTES);
    let mut copies = Copies::new(mix, start, outer);
    let mut opened = Opened { mix, start, outer, blocks: Vec::new(), states: Vec::new(), rests: Vec::new(), indices: Vec::new() };
    let (mut together_bytes, mut longest_bytes) = (0, 0);
    let mut block = vec![0; C::BLOCK_BYTES];
    for i in 0..count {
        if i + FETCHED_AHEAD < count {
            prefetch(messages.message(i + FETCHED_AHEAD), 0);
        }
        let message = messages.message(i);
        let head_bytes = head(i, &mut block);
        let bytes = head_bytes + message.len();
        if all_are_short || whole_bytes::<C>(bytes) == 0 {
            copies.push(i, [&block[..head_bytes], message, &[]], digests);
            continue;
        }
        let (first, rest) = message.split_at(C::BLOCK_BYTES - head_bytes);
        block[head_bytes..].copy_from_slice(first);
        opened.push(i, &block, rest);
        (together_bytes, longest_bytes) = (together_bytes + bytes, longest_bytes.max(bytes));
        if opened.indices.len() >= TOGETHER && together_bytes / TOGETHER >= longest_bytes / 2 {
            opened.hash(digests);
            (together_bytes, longest_bytes) = (0, 0);
        }
    }
    copies.hash(digests);
    opened.hash(digests);
}

/// Messages whose first blocks were compressed, or wait for lanes.
struct Opened<'a, 's, C: Compression> {
    mix: &'a Mix<C>,
    start: &'a Start<C>,
    outer: Option<Starts<'s, C>>,
    /// The first blocks that wait, of the last messages.
    blocks: Vec<u8>,
    /// The midstates after the first blocks of the others.
    states: Vec<ChainingOf<C>>,
    rests: Vec<&'a [u8]>,
    indices: Vec<usize>,
}

impl<'a, C: Compression> Opened<'a, '_, C> {
    /// Takes message `i`.
    fn push(&mut self, i: usize, first_block: &[u8], rest: &'a [u8]) {
        self.blocks.extend_from_slice(first_block);
        self.rests.push(rest);
        self.indices.push(i);
        if self.blocks.len() == MAX_LANES * C::BLOCK_BYTES {
            self.compress();
        }
    }

    /// Hashes what is left of the messages.
    fn hash(&mut self, digests: &mut Digests<'_>) {
        self.compress();
        let inner = Starts::Each { state: &|i| &self.states[i], bytes: self.start.bytes + C::BLOCK_BYTES as u64 };
        hash_some(self.mix, inner, self.outer, &Slice(&self.rests), Which::rising(&self.indices), digests, None);
        self.states.clear();
        self.rests.clear();
        self.indices.clear();
    }

    /// Compresses the blocks that wait.
    fn compress(&mut self) {
        let Self { mix, start, blocks, states, .. } = self;
        compress_each(mix, &start.state, blocks, |after, count| states.extend((0..count).map(|lane| after.column(lane))));
        blocks.clear();
    }
}

/// Hashes every message behind a head of a whole block, which waited since a message may be empty (RFC 7693,
/// section 3.3, has a key in such a block): it is compressed once for all others.
pub(super) fn hash_behind_block<C: Compression>(
    mix: &Mix<C>,
    start: &Start<C>,
    outer: Option<Starts<'_, C>>,
    head: &[u8],
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
) {
    digests.check_room(messages.count());
    let mut behind = Start { state: start.state, bytes: start.bytes + head.len() as u64 };
    alone::compress(mix, &mut behind.state, head);
    let (empty, others): (Vec<usize>, Vec<usize>) = (0..messages.count()).partition(|i| messages.message(*i).is_empty());
    let rests: Vec<&[u8]> = others.iter().map(|i| messages.message(*i)).collect();
    hash_some(mix, Starts::Same(&behind), outer, &Slice(&rests), Which::rising(&others), digests, None);
    hash_some(mix, Starts::Same(start), outer, &Slice(&vec![head; empty.len()]), Which::rising(&empty), digests, None);
}
