//! The root of a tree, and its output of any length (2.6).

use super::{DIGEST_BYTES, Mode};
use crate::algorithm::blake3::{Blake3Compression, CHUNK_BYTES, CHUNK_START};
use crate::algorithm::ending::{Node, whole_bytes};
use crate::algorithm::{ChainingOf, SelfTested, TreeNode};
use crate::backend;
use crate::kernel::start::Starts;
use crate::schedule::chunks::{Pair, Trees, erase, reduce};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::{Messages, Part, Slice};
use alloc::vec::Vec;

/// The last block of a tree, before it is compressed.
#[derive(Clone)]
pub(super) struct Root {
    /// The state before it, but for the counter.
    state: ChainingOf<Blake3Compression>,
    block: Pair,
    block_bytes: usize,
}

/// Its state may have a key in it.
#[cfg(feature = "hmac")]
impl Drop for Root {
    fn drop(&mut self) {
        erase::<Blake3Compression>(std::slice::from_mut(&mut self.state));
    }
}

impl Root {
    /// Returns the root that the bytes `last` end, no more than a block, from the state before them.
    pub(super) fn new(state: &ChainingOf<Blake3Compression>, last: &[u8]) -> Self {
        let mut root = Self { state: *state, block: [0; 2 * DIGEST_BYTES], block_bytes: last.len() };
        root.block[..last.len()].copy_from_slice(last);
        root
    }

    /// Returns the state that gives half `number` of the output: 32 bytes.
    fn state(&self, number: u64) -> ChainingOf<Blake3Compression> {
        let mut state = self.state;
        let counter = number / 2;
        (state[Node::COUNTER], state[Node::COUNTER + 1]) = (counter as u32, (counter >> 32) as u32);
        state[Node::IS_UPPER] = if is_upper(number) { u32::MAX } else { 0 };
        state
    }

    /// Makes half `number` of the output of what was hashed from its state.
    fn finish(&self, number: u64, half: &mut [u8; DIGEST_BYTES]) {
        if is_upper(number) {
            for (bytes, word) in half.as_chunks_mut().0.iter_mut().zip(&self.state) {
                *bytes = (u32::from_le_bytes(*bytes) ^ word).to_le_bytes();
            }
        }
    }
}

/// Returns whether half `number` of the output is the upper one of a block.
fn is_upper(number: u64) -> bool {
    !number.is_multiple_of(2)
}

/// How many halves of blocks of output are made together.
const TOGETHER: usize = 512;

/// Writes output of each root: the bytes of `output` are shared out equally, and each root's begin with half
/// `first` of its blocks.
pub(super) fn output_of(roots: &[Root], first: u64, output: &mut [u8]) {
    let output_bytes = output.len() / roots.len();
    let halves_of_one = output_bytes.div_ceil(DIGEST_BYTES);
    let (mut states, mut blocks) = (Vec::with_capacity(TOGETHER), Vec::with_capacity(TOGETHER));
    let mut numbered = Vec::with_capacity(TOGETHER);
    let mut halves = [[0; DIGEST_BYTES]; TOGETHER];
    let mut rooms = output.chunks_mut(output_bytes).flat_map(|output| output.chunks_mut(DIGEST_BYTES));
    let mut all = roots.iter().flat_map(|root| (0..halves_of_one as u64).map(move |i| (root, first + i)));
    loop {
        erase::<Blake3Compression>(&mut states);
        states.clear();
        blocks.clear();
        numbered.clear();
        numbered.extend(all.by_ref().take(TOGETHER));
        for (root, number) in &numbered {
            states.push(root.state(*number));
            blocks.push(&root.block[..root.block_bytes]);
        }
        if blocks.is_empty() {
            return;
        }
        let halves = &mut halves[..blocks.len()];
        let state = &|i: usize| &states[i];
        let starts = Starts::Each { state, bytes: 0 };
        let mut digests = Digests::new(halves.as_flattened_mut(), DIGEST_BYTES);
        Blake3Compression::hash_many(backend::mix_of(), &starts.into(), &Slice(&blocks), &mut digests, None);
        for ((half, (root, number)), room) in halves.iter_mut().zip(&numbered).zip(rooms.by_ref()) {
            root.finish(*number, half);
            room.copy_from_slice(&half[..room.len()]);
        }
    }
}

/// Writes `output_bytes` bytes for each message.
pub(super) fn output_many(mode: &Mode, messages: &dyn Messages, output_bytes: usize, output: &mut [u8]) {
    /// How many messages are taken together: their roots are kept.
    const MESSAGES: usize = 256;
    for first in (0..messages.count()).step_by(MESSAGES) {
        let count = MESSAGES.min(messages.count() - first);
        let roots = roots_of(mode, &Part { messages, range: first..first + count });
        output_of(&roots, 0, &mut output[first * output_bytes..][..count * output_bytes]);
    }
}

/// Returns the roots of messages.
fn roots_of(mode: &Mode, messages: &dyn Messages) -> Vec<Root> {
    let (short, long): (Vec<usize>, Vec<usize>) = (0..messages.count()).partition(|i| messages.message(*i).len() <= CHUNK_BYTES);
    let start = mode.start;
    let mut roots: Vec<Root> = vec![Root::new(&start.state, &[]); messages.count()];
    let parent = Blake3Compression::node(&start.state, TreeNode::Root);
    let trees = Trees::<Blake3Compression> { mix: backend::mix_of(), start: &start.state };
    reduce(trees, long.len(), long.iter().map(|i| (*i, messages.message(*i))), |found| {
        for (message, block) in found.iter() {
            roots[message] = Root::new(&parent, block);
        }
    });

    // The blocks before the last one are full, so that the mark of an end changes nothing in them but the flags, and these are none here.
    let mut begin = start;
    begin.state[Node::LAST_FLAGS] = 0;
    let (mut begun, mut wholes) = (Vec::new(), Vec::new());
    for i in short {
        let (whole, rest) = messages.message(i).split_at(whole_bytes::<Blake3Compression>(messages.message(i).len()));
        roots[i] = Root::new(&start.state, rest);
        if !whole.is_empty() {
            begun.push(i);
            wholes.push(whole);
        }
    }
    let mut values = vec![[0; DIGEST_BYTES]; wholes.len()];
    let mut digests = Digests::new(values.as_flattened_mut(), DIGEST_BYTES);
    Blake3Compression::hash_many(backend::mix_of(), &(&begin).into(), &Slice(&wholes), &mut digests, None);
    for (i, value) in begun.into_iter().zip(values) {
        let state = &mut roots[i].state;
        state[..8].copy_from_slice(&super::key_words(&value));
        state[Node::FLAGS] &= !CHUNK_START;
    }
    roots
}
