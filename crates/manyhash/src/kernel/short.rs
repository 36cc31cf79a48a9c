//! The kernel of short messages: whole messages, one in each lane, go from their starts to their
//! digests in one run.
//!
//! Padding is made in registers, so the instruction set must have masked loads. Messages may end
//! after different numbers of blocks: the final state of one that has ended is kept, and its lane
//! goes on with zeros until the longest has ended. If all lanes share the last block, its schedule
//! is computed beforehand. If digests are hashed once more (HMAC), the state becomes the next block
//! without leaving its registers.

use crate::algorithm::ending::{Ending, Tail, block_count};
use crate::algorithm::{BlockOf, ChainingOf, Compression, MAX_BLOCK_BYTES, MAX_ROUNDS, StateOf, VectorOf, WordOf};
use crate::isa::{FirstByte, Isa, MAX_LANES, Row, Task, Whole, Word, WordCount, Words, most_words};

/// One state for each lane, with a row for each word.
pub(crate) type LaneStates<C> = StateOf<C, [WordOf<C>; MAX_LANES]>;

/// The states that the messages in the lanes start from.
#[derive(Clone, Copy)]
pub(crate) enum LaneStarts<'a, C: Compression> {
    /// One state for all lanes.
    Same(&'a ChainingOf<C>),
    /// One state for each lane.
    Each(&'a LaneStates<C>),
}

impl<C: Compression> LaneStarts<'_, C> {
    /// Reads the states, one vector for each word.
    #[inline(always)]
    fn read<I: Isa>(&self, isa: I) -> StateOf<C, VectorOf<C, I>> {
        match self {
            Self::Same(midstate) => C::State::splat(isa, midstate),
            Self::Each(rows) => C::State::read(isa, rows.as_ref().as_flattened(), MAX_LANES),
        }
    }
}

/// Whole short messages, one in each lane.
pub(crate) struct ShortMessages<'a, 'm, C: Compression> {
    pub(crate) midstates: LaneStarts<'a, C>,
    /// The bytes that each midstate stands for.
    pub(crate) start_bytes: u64,
    pub(crate) messages: &'a Whole<'m>,
    /// The byte that follows each message, with zeros around it.
    pub(crate) first: &'a FirstByte,
    /// The blocks of the longest message, padding included.
    pub(crate) blocks: usize,
    /// The last block's schedule, if all lanes share it.
    pub(crate) shared_end: Option<&'a [WordOf<C>; MAX_ROUNDS]>,
    /// The starts of a second pass over the digests, if there is one, and the block of a digest.
    pub(crate) outer: Option<(LaneStarts<'a, C>, &'a DigestBlock<C>)>,
}

/// The only block of a message that is a digest: the bits of the state that are in it, and the
/// padding.
pub(crate) struct DigestBlock<C: Compression> {
    kept: BlockOf<C, WordOf<C>>,
    padding: BlockOf<C, WordOf<C>>,
}

impl<C: Compression> DigestBlock<C> {
    /// Describes digests of `digest_bytes` bytes, after `start_bytes` bytes and with `first` behind them.
    pub(crate) fn new(digest_bytes: usize, start_bytes: u64, first: u8) -> Self {
        let mut kept = [0; MAX_BLOCK_BYTES];
        kept[..digest_bytes].fill(0xFF);
        let mut padding = Tail::<C>::empty();
        padding.set(&[0; 64][..digest_bytes], start_bytes + digest_bytes as u64, first);
        Self { kept: words::<C>(&kept), padding: words::<C>(padding.blocks()) }
    }

    /// Returns the block of each lane's digest.
    #[inline(always)]
    pub(crate) fn block<I: Isa>(&self, isa: I, state: &StateOf<C, VectorOf<C, I>>) -> BlockOf<C, VectorOf<C, I>> {
        let mut block = C::Block::filled(Words::splat(isa, WordOf::<C>::default()));
        macro_rules! set { ($($i:literal)*) => { $(
            if const { $i < C::Block::COUNT } {
                let padding = Words::splat(isa, self.padding.as_ref()[$i]);
                block.as_mut()[$i] = if const { $i < C::STATE_WORDS } {
                    state.as_ref()[$i].and(Words::splat(isa, self.kept.as_ref()[$i])).xor(padding)
                } else {
                    padding
                };
            }
        )* } }
        most_words!(set);
        block
    }
}

/// Reads the words of the block at the beginning of `bytes`.
fn words<C: Compression>(bytes: &[u8]) -> BlockOf<C, WordOf<C>> {
    let mut words = C::Block::filled(WordOf::<C>::default());
    for (word, bytes) in words.as_mut().iter_mut().zip(bytes.chunks_exact(size_of::<WordOf<C>>())) {
        *word = Word::from_bytes(C::BYTE_ORDER, bytes);
    }
    words
}

/// The task of the kernel where padding is made in registers: it leaves the final state of lane i
/// in `digests[i]`. Messages of different numbers of blocks need `finals`, memory for the final
/// states of those that have ended. The states of all lanes in registers would cost MD5 in four
/// waves 12 %, even where all messages end together.
pub(crate) struct Run<'a, 'm, C: Compression> {
    pub(super) messages: &'a ShortMessages<'a, 'm, C>,
    pub(super) finals: Option<&'a mut LaneStates<C>>,
    pub(super) digests: &'a mut [Row; MAX_LANES],
}

impl<I: Isa, C: Compression> Task<I> for Run<'_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, isa: I) {
        let ShortMessages { midstates, start_bytes, messages, first, blocks, shared_end, outer } = *self.messages;
        let mut state = midstates.read(isa);
        let mut lengths = [WordOf::<C>::default(); MAX_LANES];
        for (lane, length) in lengths[..VectorOf::<C, I>::LANES].iter_mut().enumerate() {
            *length = C::Ending::length(start_bytes as u32 + messages.bytes(lane));
        }
        let mut blocks_of_lanes = [WordOf::<C>::default(); MAX_LANES];
        let mut fewest_blocks = blocks;
        if self.finals.is_some() {
            fewest_blocks = block_count::<C>(messages.blocks().len_bytes() as u64) as usize;
            for (lane, blocks) in blocks_of_lanes[..VectorOf::<C, I>::LANES].iter_mut().enumerate() {
                *blocks = WordOf::<C>::from(block_count::<C>(u64::from(messages.bytes(lane))) as u32);
            }
        }
        let all_blocks = if outer.is_some() { blocks + 1 } else { blocks };
        for block in 0..all_blocks {
            if let (true, Some(expanded), true) = (C::HAS_CONSTANT_BLOCKS, shared_end, block == blocks - 1) {
                C::compress_constant(isa, &mut state, expanded);
                continue;
            }
            let some_end = block + 1 >= fewest_blocks;
            let mut ends = Words::splat(isa, WordOf::<C>::ONES);
            let words = match outer {
                Some((midstates, digest_block)) if block == blocks => {
                    if let Some(finals) = &self.finals {
                        state = C::State::read(isa, finals.as_ref().as_flattened(), MAX_LANES);
                    }
                    let words = digest_block.block(isa, &state);
                    state = midstates.read(isa);
                    words
                }
                _ => {
                    let at = block * C::BLOCK_BYTES;
                    let mut words = if at + C::BLOCK_BYTES <= messages.blocks().len_bytes() {
                        C::Block::load(isa, C::BYTE_ORDER, messages.blocks(), 0, at)
                    } else {
                        C::Block::load_padded(isa, C::BYTE_ORDER, messages, first, 0, at)
                    };
                    if some_end {
                        if self.finals.is_some() {
                            ends = lanes_of::<C, I>(isa, &blocks_of_lanes, block as u32 + 1);
                        }
                        C::Ending::finish_in_lanes(isa, &mut state, &mut words, ends, Words::read(isa, &lengths));
                    }
                    words
                }
            };
            C::compress(isa, &mut state, words);
            if let (true, Some(finals)) = (some_end, &mut self.finals) {
                keep_finals::<C, I>(isa, ends, &state, finals);
            }
        }
        if let Some(finals) = &self.finals {
            state = C::State::read(isa, finals.as_ref().as_flattened(), MAX_LANES);
        }
        Words::write_rows(&state.as_ref()[..C::DIGEST_WORDS], C::BYTE_ORDER, self.digests);
    }
}

/// Returns a vector with all bits set in the lanes whose message has `blocks` blocks, and none in the
/// others. `of_lanes` are the blocks of each lane's message.
#[inline(always)]
fn lanes_of<C: Compression, I: Isa>(isa: I, of_lanes: &[WordOf<C>; MAX_LANES], blocks: u32) -> VectorOf<C, I> {
    let mut lanes = [WordOf::<C>::default(); MAX_LANES];
    for (lane, of_lane) in lanes[..VectorOf::<C, I>::LANES].iter_mut().zip(of_lanes) {
        *lane = if *of_lane == WordOf::<C>::from(blocks) { WordOf::<C>::ONES } else { WordOf::<C>::default() };
    }
    Words::read(isa, &lanes)
}

/// Replaces `finals` by `state` in the lanes where all bits of `ends` are set.
#[inline(always)]
fn keep_finals<C: Compression, I: Isa>(isa: I, ends: VectorOf<C, I>, state: &StateOf<C, VectorOf<C, I>>, finals: &mut LaneStates<C>) {
    for (state, finals) in state.as_ref().iter().zip(finals.as_mut()) {
        Words::choose(ends, *state, Words::read(isa, finals)).write(finals);
    }
}

/// Returns the schedule of the block after a message of `bytes` bytes, which are whole blocks.
pub(crate) fn shared_end<C: Compression>(bytes: u64) -> [WordOf<C>; MAX_ROUNDS] {
    let mut end = Tail::<C>::empty();
    end.set(&[], bytes, C::Ending::FIRST);
    C::expand(words::<C>(end.blocks()))
}
