//! j-lanes hashing: one message dealt out to j lanes word by word, as cards are (Gueron 2013, definitions 1 and 2).
//!
//! The words of a row of lanes lie in memory as a vector register wants them: where j is a multiple of a backend's lanes, a load is a word
//! of each, and for any other j some lanes of the last vector do work that nobody asks for. Nothing is ever transposed. Backends without
//! lanes (SHA-NI) get each slice's words copied together.

use super::separated::{self, Role};
use super::{LANES, ParameterError};
use crate::algorithm::ending::Tail;
use crate::algorithm::{Compression, CompressionOf, WordOf};
use crate::algorithms::Algorithm;
use crate::backend::{self, Backend, BackendError};
use crate::frame::Frame;
use crate::isa::{Blocks, Dealt, Word};
use crate::kernel::Kernel;
use crate::kernel::start::Start;
use crate::kernel::states::States;
use crate::schedule::digests::Digests;
use crate::schedule::mix::Mix;
use crate::threads;
use std::{fmt, io};

/// j-lanes(A, j).
///
/// Slice i is words i, i + j, i + 2j, ... of the message, words of 4 bytes (8 for SHA-384, SHA-512 and SHA-512/t), the last of which may be
/// short; a slice may be empty. The digest is that of all slices' digests, one after the other.
///
/// ```
/// use manyhash::{Sha256, hash, tree::JLanes};
/// let slices: [&[u8]; 2] = [b"ABCDIJ", b"EFGH"];
/// let digests: Vec<u8> = slices.iter().flat_map(|slice| hash::<Sha256>(slice)).collect();
/// assert_eq!(JLanes::<Sha256>::new(2).unwrap().hash(b"ABCDEFGHIJ"), hash::<Sha256>(&digests));
/// ```
#[derive(Clone, Debug)]
pub struct JLanes<A: Algorithm> {
    lanes: usize,
    threads: usize,
    /// For the lanes, if it is not to be chosen.
    backend: Option<Backend>,
    lane: Frame<A>,
    wrap: Frame<A>,
}

impl<A: Algorithm> JLanes<A> {
    /// With so many lanes. 16 fill a register of AVX-512 with 32-bit words, 32 two waves of them or two threads; more only make the end
    /// slower.
    ///
    /// # Errors
    /// If they are none or more than 1024.
    pub fn new(lanes: usize) -> Result<Self, ParameterError> {
        if !LANES.contains(&lanes) {
            return Err(ParameterError::Lanes { lanes });
        }
        Ok(Self { lanes, threads: 1, backend: None, lane: Frame::default(), wrap: Frame::default() })
    }

    /// The same with initial values of its own: see [`tree`](super#separated).
    #[must_use]
    pub fn separated(self) -> Self {
        let frame = |role| separated::frame("j-lanes", self.lanes, role);
        Self { lane: frame(Role::Lane), wrap: frame(Role::Wrap), ..self }
    }

    /// The same on up to so many threads, each with some of the lanes, if the pieces given to the hasher are long and there are lanes
    /// enough. The digest is the same.
    #[must_use]
    pub fn on_threads(self, threads: usize) -> Self {
        Self { threads: threads.max(1), ..self }
    }

    /// The same with every block of the lanes computed by one backend. The digest is the same.
    ///
    /// # Errors
    /// If it has no kernel for `A`, or this CPU lacks it.
    pub fn on_backend(self, backend: Backend) -> Result<Self, BackendError> {
        backend.mix::<A>()?;
        Ok(Self { backend: Some(backend), ..self })
    }

    /// The digest of a message.
    pub fn hash(&self, message: &[u8]) -> A::Digest {
        let mut hasher = self.hasher();
        hasher.update(message);
        hasher.finalize()
    }

    /// For a message that arrives in pieces.
    pub fn hasher(&self) -> JLanesHasher<A> {
        let mix = match self.backend {
            Some(backend) => backend.mix::<A>().expect("on_backend has asked"),
            None => backend::mix_for_dealt::<A>(),
        };
        let share_lanes = share_lanes(mix, self.lanes, self.threads);
        let start = self.lane.only_start().expect("nothing but an initial value");
        let groups_of = |first: usize| {
            let mut groups = Vec::new();
            let end = (first + share_lanes).min(self.lanes);
            let mut next = first;
            while next < end {
                let group = Group::new(mix, start, next, end - next);
                next += group.lanes;
                groups.push(group);
            }
            groups
        };
        let shares = (0..self.lanes).step_by(share_lanes).map(groups_of).collect();
        JLanesHasher { mode: self.clone(), shares, rest: Vec::new(), message_bytes: 0 }
    }
}

/// Lanes for each thread but perhaps the last, if as many of `threads` get some as make it faster: half of a vector may take a thread as
/// long as all of it.
fn share_lanes<C: Compression>(mix: &Mix<C>, lanes: usize, threads: usize) -> usize {
    let shares = (1..=threads.min(lanes)).map(|threads| lanes.div_ceil(threads));
    shares.min_by_key(|lanes| mix.cost_ps(*lanes, LONG_BLOCKS)).expect("at least one thread")
}

/// Blocks for which kernels are chosen: the longer the message, the more it matters.
const LONG_BLOCKS: u64 = 1000;
/// What one thread advances all its groups by, before it goes on: it is in the second-level cache when the next group comes.
const TILE_BYTES: usize = 256 << 10;
/// A piece must have so many bytes for each thread, or starting them costs more than they save.
const THREAD_BYTES: usize = 128 << 10;
/// Blocks that are copied together for a backend without lanes.
const COPIED_BLOCKS: usize = 16;

/// Successive lanes that a kernel advances.
#[derive(Clone)]
struct Group<C: Compression> {
    kernel: Kernel<C>,
    first_lane: usize,
    /// At most as many as the kernel has.
    lanes: usize,
    /// The chaining values: a column for each lane of the kernel.
    words: Vec<WordOf<C>>,
}

impl<C: Compression> Group<C> {
    /// The first of `lanes` lanes, as many as one kernel takes.
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

    /// Compresses strides, of sixteen rows each.
    fn advance(&mut self, strides: &[u8], row_bytes: usize) {
        let blocks = strides.len() / (16 * row_bytes);
        let first_byte = self.first_lane * size_of::<WordOf<C>>();
        if !self.kernel.has_dealt() {
            return self.advance_copied(&strides[first_byte..], row_bytes, blocks);
        }
        let kernel = self.kernel;
        let vector_bytes = kernel.lanes * size_of::<WordOf<C>>();
        // Lanes that nobody asks for read words of the rows that follow, and behind the last there are none.
        let missing_bytes = (first_byte + vector_bytes).saturating_sub(row_bytes);
        let inside = blocks.saturating_sub(missing_bytes.div_ceil(16 * row_bytes));
        kernel.advance_dealt(&mut self.states(), &Dealt { bytes: &strides[first_byte..], row_bytes, blocks: inside });
        if inside < blocks {
            let mut last = strides[inside * 16 * row_bytes..].to_vec();
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
                copy_slice::<WordOf<C>>(&dealt[first * 16 * row_bytes + lane * word_bytes..], row_bytes, slice);
            }
            let slice = |lane: usize| &slices[if lane < lanes { lane } else { 0 } * slice_bytes..][..slice_bytes];
            kernel.advance(&mut self.states(), &Blocks::new(kernel.lanes, slice_bytes, slice));
        }
    }

    /// Ends the lanes' slices, of whose messages each tail is the end.
    fn finish(&mut self, tails: &[Tail], digests: &mut Digests<'_>) {
        let blocks = |tail: &Tail| tail.blocks().len() / C::BLOCK_BYTES;
        let Self { kernel, first_lane, lanes, .. } = *self;
        // The last word of a message may take its lane, and those before it, one block farther than others.
        for block in 0..tails.iter().map(blocks).max().expect("a lane") {
            let states = &mut self.states();
            let its_block = |lane: usize| {
                let tail = tails[if lane < lanes { lane } else { 0 }].blocks();
                &tail[(block * C::BLOCK_BYTES).min(tail.len() - C::BLOCK_BYTES)..]
            };
            kernel.advance(states, &Blocks::new(kernel.lanes, C::BLOCK_BYTES, its_block));
            for lane in (0..lanes).filter(|lane| blocks(&tails[*lane]) == block + 1) {
                digests.set_state::<C>(first_lane + lane, &states.column(lane));
            }
        }
    }
}

/// Copies the words of one lane to where they follow each other.
fn copy_slice<W: Word>(dealt: &[u8], row_bytes: usize, slice: &mut [u8]) {
    let word_bytes = size_of::<W>();
    let rows = slice.len() / word_bytes;
    // One comparison for all rows.
    let dealt = &dealt[..(rows - 1) * row_bytes + word_bytes];
    for (row, place) in slice.chunks_exact_mut(word_bytes).enumerate() {
        place.copy_from_slice(&dealt[row * row_bytes..][..word_bytes]);
    }
}

/// Hashes one message that arrives in pieces, by [`JLanes`].
#[derive(Clone)]
pub struct JLanesHasher<A: Algorithm> {
    mode: JLanes<A>,
    /// Groups of each thread.
    shares: Vec<Vec<Group<CompressionOf<A>>>>,
    /// The bytes after the last whole stride.
    rest: Vec<u8>,
    message_bytes: u64,
}

impl<A: Algorithm> JLanesHasher<A> {
    const WORD_BYTES: usize = size_of::<WordOf<CompressionOf<A>>>();

    fn row_bytes(&self) -> usize {
        self.mode.lanes * Self::WORD_BYTES
    }

    /// Appends to the message. Pieces of a MiB and more are best, where there are threads.
    pub fn update(&mut self, mut piece: &[u8]) {
        let stride_bytes = 16 * self.row_bytes();
        self.message_bytes += piece.len() as u64;
        if !self.rest.is_empty() {
            let (completing, later) = piece.split_at(piece.len().min(stride_bytes - self.rest.len()));
            self.rest.extend_from_slice(completing);
            if self.rest.len() < stride_bytes {
                return;
            }
            let mut stride = std::mem::take(&mut self.rest);
            self.advance(&stride);
            stride.clear();
            self.rest = stride;
            piece = later;
        }
        let (strides, rest) = piece.split_at(piece.len() - piece.len() % stride_bytes);
        if !strides.is_empty() {
            self.advance(strides);
        }
        self.rest.extend_from_slice(rest);
    }

    fn advance(&mut self, strides: &[u8]) {
        let row_bytes = self.row_bytes();
        let tile_bytes = TILE_BYTES.next_multiple_of(16 * row_bytes);
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

    /// The digest of the message.
    pub fn finalize(self) -> A::Digest {
        let row_bytes = self.row_bytes();
        let Self { mode, shares, rest, message_bytes, .. } = self;
        let slice_bytes = (message_bytes - rest.len() as u64) / mode.lanes as u64;
        let mut digests = vec![A::ZERO; mode.lanes];
        let (mut tails, mut slice) = (Vec::new(), Vec::with_capacity(16 * Self::WORD_BYTES));
        for mut group in shares.into_iter().flatten() {
            tails.resize(group.lanes, Tail::EMPTY);
            for (lane, tail) in (group.first_lane..).zip(&mut tails) {
                slice.clear();
                for row in rest.chunks(row_bytes) {
                    let first = row.len().min(lane * Self::WORD_BYTES);
                    slice.extend_from_slice(&row[first..row.len().min(first + Self::WORD_BYTES)]);
                }
                tail.set::<CompressionOf<A>>(&slice, slice_bytes + slice.len() as u64);
            }
            group.finish(&tails, &mut Digests::of::<A>(&mut digests));
        }
        super::wrap(&mode.wrap, &digests)
    }
}

/// Shows how far the message has come, never its state.
impl<A: Algorithm> fmt::Debug for JLanesHasher<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hasher = &mut f.debug_struct("JLanesHasher");
        hasher.field("algorithm", &A::NAME).field("lanes", &self.mode.lanes).field("message_bytes", &self.message_bytes);
        hasher.finish_non_exhaustive()
    }
}

impl<A: Algorithm> io::Write for JLanesHasher<A> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        self.update(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
