//! One message dealt out to lanes word by word and hashed slice by slice, for
//! [`JLanes`](super::JLanes).

use crate::algorithm::ending::{Ending, Tail};
use crate::algorithm::{Compression, WordOf};
use crate::isa::{Blocks, Dealt, Word, WordCount};
use crate::kernel::Kernel;
use crate::kernel::start::Start;
use crate::kernel::states::States;
use crate::schedule::digests::Digests;
use crate::schedule::mix::Mix;
use crate::threads;
use alloc::vec::Vec;

/// Hashes the slices of one message that arrives in pieces.
#[derive(Clone)]
pub(crate) struct DealtHasher<C: Compression> {
    lanes: usize,
    /// The groups of lanes of each thread.
    shares: Vec<Vec<Group<C>>>,
    /// Bytes that have not been compressed yet: less than a stride, and a row more if whole blocks
    /// have to wait for more bytes.
    rest: Vec<u8>,
    message_bytes: u64,
    /// The byte that follows every slice.
    first: u8,
}

impl<C: Compression> DealtHasher<C> {
    const WORD_BYTES: usize = size_of::<WordOf<C>>();

    /// Deals a message out to `lanes` lanes, on the kernels of `mix` and up to `threads` threads.
    /// Every slice begins at `start`.
    pub(crate) fn new(mix: &Mix<C>, start: &Start<C>, lanes: usize, threads: usize) -> Self {
        let share_lanes = share_lanes(mix, lanes, threads);
        let groups_of = |first: usize| {
            let mut groups = Vec::new();
            let end = (first + share_lanes).min(lanes);
            let mut next = first;
            while next < end {
                let group = Group::new(mix, start, next, end - next);
                next += group.lanes;
                groups.push(group);
            }
            groups
        };
        let shares = (0..lanes).step_by(share_lanes).map(groups_of).collect();
        Self { lanes, shares, rest: Vec::new(), message_bytes: 0, first: C::Ending::first(&start.state) }
    }

    /// Returns the bytes of the message so far.
    pub(crate) fn message_bytes(&self) -> u64 {
        self.message_bytes
    }

    fn row_bytes(&self) -> usize {
        self.lanes * Self::WORD_BYTES
    }

    fn stride_bytes(&self) -> usize {
        C::Block::COUNT * self.row_bytes()
    }

    /// Appends a piece to the message.
    pub(crate) fn update(&mut self, mut piece: &[u8]) {
        self.message_bytes += piece.len() as u64;
        let stride_bytes = self.stride_bytes();
        let following_bytes = if C::Ending::HOLDS_BACK { self.row_bytes() } else { 0 };
        while !self.rest.is_empty() {
            let (completing, later) = piece.split_at(piece.len().min(stride_bytes + following_bytes - self.rest.len()));
            self.rest.extend_from_slice(completing);
            if self.rest.len() < stride_bytes + following_bytes {
                return;
            }
            let mut rest = std::mem::take(&mut self.rest);
            self.advance(&rest[..stride_bytes]);
            rest.drain(..stride_bytes);
            self.rest = rest;
            piece = later;
        }
        let strides_bytes = piece.len().saturating_sub(following_bytes);
        let (strides, rest) = piece.split_at(strides_bytes - strides_bytes % stride_bytes);
        if !strides.is_empty() {
            self.advance(strides);
        }
        self.rest.extend_from_slice(rest);
    }

    fn advance(&mut self, strides: &[u8]) {
        let row_bytes = self.row_bytes();
        let tile_bytes = TILE_BYTES.next_multiple_of(self.stride_bytes());
        let advance = |groups: &mut [Group<_>]| match groups {
            [group] => group.advance(strides, row_bytes),
            groups => {
                for tile in strides.chunks(tile_bytes) {
                    groups.iter_mut().for_each(|group| group.advance(tile, row_bytes));
                }
            }
        };
        let threads = self.shares.len().min(strides.len() / THREAD_BYTES);
        if threads <= 1 {
            return self.shares.iter_mut().for_each(|groups| advance(groups));
        }
        threads::map(threads, self.shares.iter_mut().collect(), |groups: &mut Vec<_>| advance(groups));
    }

    /// Writes the digest of each slice.
    pub(crate) fn finalize(self, digests: &mut Digests<'_>) {
        let row_bytes = self.row_bytes();
        let Self { lanes, shares, rest, message_bytes, first } = self;
        let slice_bytes = (message_bytes - rest.len() as u64) / lanes as u64;
        let (mut tails, mut slice) = (Vec::new(), Vec::with_capacity(C::BLOCK_BYTES));
        for mut group in shares.into_iter().flatten() {
            tails.resize(group.lanes, Tail::<C>::empty());
            for (lane, tail) in (group.first_lane..).zip(&mut tails) {
                slice.clear();
                for row in rest.chunks(row_bytes) {
                    let at = row.len().min(lane * Self::WORD_BYTES);
                    slice.extend_from_slice(&row[at..row.len().min(at + Self::WORD_BYTES)]);
                }
                tail.set(&slice, slice_bytes + slice.len() as u64, first);
            }
            group.finish(&tails, digests);
        }
    }
}

/// Returns the lanes for each thread but perhaps the last. Of `threads` threads, only as many get
/// lanes as make it faster: half of a vector may take a thread as long as all of it.
fn share_lanes<C: Compression>(mix: &Mix<C>, lanes: usize, threads: usize) -> usize {
    let shares = (1..=threads.min(lanes)).map(|threads| lanes.div_ceil(threads));
    shares.min_by_key(|lanes| mix.cost_ps(*lanes, LONG_BLOCKS)).expect("at least one thread")
}

/// The number of blocks that kernels are chosen for: the longer the message, the more the choice
/// matters.
const LONG_BLOCKS: u64 = 1000;
/// The bytes by which one thread advances all its groups before it goes on. They are in the
/// second-level cache when the next group comes.
const TILE_BYTES: usize = 256 << 10;
/// The bytes that a piece must have for each thread, or starting the threads costs more than they
/// save.
const THREAD_BYTES: usize = 128 << 10;
/// The number of blocks that are copied together for a backend without lanes.
const COPIED_BLOCKS: usize = 16;

/// Successive lanes that one kernel advances.
#[derive(Clone)]
struct Group<C: Compression> {
    kernel: Kernel<C>,
    first_lane: usize,
    /// The number of lanes, at most as many as the kernel has.
    lanes: usize,
    /// The chaining values, one column for each lane of the kernel.
    words: Vec<WordOf<C>>,
}

impl<C: Compression> Group<C> {
    /// Takes the first of `lanes` lanes, as many as one kernel has.
    fn new(mix: &Mix<C>, start: &Start<C>, first_lane: usize, lanes: usize) -> Self {
        let kernel = mix.kernels[mix.best_for(lanes, LONG_BLOCKS)];
        let mut words = vec![WordOf::<C>::default(); kernel.lanes * C::STATE_WORDS];
        let mut states = States::<C>::of_columns(&mut words, kernel.lanes);
        for lane in 0..kernel.lanes {
            states.set_column(lane, &start.state);
        }
        Self { kernel, first_lane, lanes: lanes.min(kernel.lanes), words }
    }

    fn states(&mut self) -> States<'_, C> {
        States::of_columns(&mut self.words, self.kernel.lanes)
    }

    /// Compresses strides, each of a row for each word of a block.
    fn advance(&mut self, strides: &[u8], row_bytes: usize) {
        let stride_bytes = C::Block::COUNT * row_bytes;
        let blocks = strides.len() / stride_bytes;
        let first_byte = self.first_lane * size_of::<WordOf<C>>();
        if !self.kernel.has_dealt() {
            return self.advance_copied(&strides[first_byte..], row_bytes, blocks);
        }
        let kernel = self.kernel;
        let vector_bytes = kernel.lanes * size_of::<WordOf<C>>();
        // Lanes without a slice read words of the rows that follow; behind the last row there are
        // none.
        let missing_bytes = (first_byte + vector_bytes).saturating_sub(row_bytes);
        let inside = blocks.saturating_sub(missing_bytes.div_ceil(stride_bytes));
        kernel.advance_dealt(&mut self.states(), &Dealt { bytes: &strides[first_byte..], row_bytes, blocks: inside });
        if inside < blocks {
            let mut last = strides[inside * stride_bytes..].to_vec();
            last.resize(last.len() + missing_bytes, 0);
            kernel.advance_dealt(&mut self.states(), &Dealt { bytes: &last[first_byte..], row_bytes, blocks: blocks - inside });
        }
    }

    fn advance_copied(&mut self, dealt: &[u8], row_bytes: usize, blocks: usize) {
        let (kernel, lanes) = (self.kernel, self.lanes);
        let word_bytes = size_of::<WordOf<C>>();
        if row_bytes == word_bytes {
            return kernel.advance(&mut self.states(), &Blocks::new(kernel.lanes, blocks * C::BLOCK_BYTES, |_| dealt));
        }
        let mut slices = vec![0; lanes * COPIED_BLOCKS.min(blocks) * C::BLOCK_BYTES];
        for first in (0..blocks).step_by(COPIED_BLOCKS) {
            let slice_bytes = COPIED_BLOCKS.min(blocks - first) * C::BLOCK_BYTES;
            for (lane, slice) in slices.chunks_mut(slice_bytes).take(lanes).enumerate() {
                copy_slice::<WordOf<C>>(&dealt[first * C::Block::COUNT * row_bytes + lane * word_bytes..], row_bytes, slice);
            }
            let slice = |lane: usize| &slices[if lane < lanes { lane } else { 0 } * slice_bytes..][..slice_bytes];
            kernel.advance(&mut self.states(), &Blocks::new(kernel.lanes, slice_bytes, slice));
        }
    }

    /// Ends the slices of the lanes. Each tail is the end of one slice.
    fn finish(&mut self, tails: &[Tail<C>], digests: &mut Digests<'_>) {
        let blocks = |tail: &Tail<C>| tail.blocks().len() / C::BLOCK_BYTES;
        let Self { kernel, first_lane, lanes, .. } = *self;
        // The last word of a message may take its lane, and those before it, one block farther than
        // the others.
        for block in 0..tails.iter().map(blocks).max().expect("a lane") {
            let states = &mut self.states();
            let its_block = |lane: usize| {
                let tail = tails[if lane < lanes { lane } else { 0 }].blocks();
                &tail[(block * C::BLOCK_BYTES).min(tail.len() - C::BLOCK_BYTES)..]
            };
            let ends = |lane: &usize| blocks(&tails[*lane]) == block + 1;
            for (lane, tail) in tails.iter().enumerate().take(lanes) {
                if let Some(end) = tail.end_after(block) {
                    states.mark_end(lane, end);
                }
            }
            kernel.advance(states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, its_block));
            for lane in (0..lanes).filter(ends) {
                digests.set_state::<C>(first_lane + lane, &states.column(lane));
            }
        }
    }
}

/// Copies the words of one lane together.
fn copy_slice<W: Word>(dealt: &[u8], row_bytes: usize, slice: &mut [u8]) {
    let word_bytes = size_of::<W>();
    let rows = slice.len() / word_bytes;
    // One comparison serves all rows.
    let dealt = &dealt[..(rows - 1) * row_bytes + word_bytes];
    for (row, place) in slice.chunks_exact_mut(word_bytes).enumerate() {
        place.copy_from_slice(&dealt[row * row_bytes..][..word_bytes]);
    }
}
