//! The kernel of short messages: whole messages, one in each lane, go from their starts to their
//! digests in one run.
//!
//! Padding is made in registers, so the instruction set must have masked loads. Messages may end
//! after different numbers of blocks. Then the lane of one that has ended goes on with the next message
//! that waits, which is the refill of S-HASH (Gueron & Krasnov 2012, Algorithm 1) without leaving the
//! kernel. If none waits, it goes on with zeros until the last message has ended. If all lanes share the
//! last block, its schedule is computed beforehand. If digests are hashed once more (HMAC), the state
//! becomes the next block without leaving its registers.

use super::in_lanes::{NextBlock, NextColumns, Source, WordsOf, loads_columns, reads_ahead};
use super::states::States;
use crate::algorithm::ending::{Ending, Tail, block_count};
use crate::algorithm::{BlockOf, ChainingOf, Compression, MAX_BLOCK_BYTES, MAX_ROUNDS, StateOf, VectorOf, WordOf};
use crate::isa::{FirstByte, Isa, MAX_LANES, Row, Task, Whole, Word, WordCount, Words, most_words};
use std::hint::black_box;

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
    pub(super) fn read<I: Isa>(&self, isa: I) -> StateOf<C, VectorOf<C, I>> {
        match self {
            Self::Same(midstate) => C::State::splat(isa, midstate),
            Self::Each(rows) => C::State::read(isa, rows.as_ref().as_flattened(), MAX_LANES),
        }
    }
}

/// What whole short messages have in common.
pub(crate) struct ShortMessages<'a, C: Compression> {
    pub(crate) midstates: LaneStarts<'a, C>,
    /// The bytes that each midstate stands for.
    pub(crate) start_bytes: u64,
    /// The byte that follows each message, with zeros around it.
    pub(crate) first: &'a FirstByte,
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

    /// Writes the block of one digest, that of a final state.
    #[inline(always)]
    pub(crate) fn write(&self, state: &ChainingOf<C>, block: &mut [u8]) {
        let words = self.kept.as_ref().iter().zip(self.padding.as_ref());
        for (i, ((kept, padding), bytes)) in words.zip(block.chunks_exact_mut(size_of::<WordOf<C>>())).enumerate() {
            let word = state.as_ref().get(i).copied().unwrap_or_default();
            word.masked(*kept, *padding).write_bytes(C::BYTE_ORDER, 0, bytes);
        }
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

/// The task for messages that are all in lanes: it leaves the final state of lane i in `rows[i]`. If they
/// differ in blocks or `finals` are asked for, it also leaves the final states as they are there. The
/// states of all lanes in registers would cost MD5 in four waves 12 %, even where all messages end
/// together.
pub(crate) struct InLanes<'a, 'm, C: Compression> {
    pub(crate) messages: &'a ShortMessages<'a, C>,
    /// The messages. Lanes whose messages have ended may be left.
    pub(crate) whole: &'a mut Whole<'m>,
    /// The blocks of the longest message, padding included.
    pub(crate) blocks: usize,
    /// The last block's schedule, if all lanes share it.
    pub(crate) shared_end: Option<&'a [WordOf<C>; MAX_ROUNDS]>,
    /// Memory for final states, a row of as many words as there are lanes for each word of a state. A number of lanes that the
    /// compiler does not know would cost the kernels of several waves a sixth more instructions.
    pub(crate) finals: Option<&'a mut [WordOf<C>]>,
    /// Whether the whole states are asked for there. Otherwise only the words of digests are in them.
    pub(crate) whole_states: bool,
    pub(crate) rows: &'a mut [Row],
}

impl<I: Isa, C: Compression> Task<I> for InLanes<'_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let Self { whole, blocks, shared_end, whole_states, .. } = self;
        let mut finals = self.finals.map(|words| States::of_columns(words, VectorOf::<C, I>::LANES));
        let ShortMessages { midstates, start_bytes, first, outer } = *self.messages;
        let mut state = midstates.read(isa);
        let lengths = lengths::<C>(VectorOf::<C, I>::LANES, whole, start_bytes as u32);
        let mut ends = [0; MAX_LANES];
        let mut nearest = blocks;
        if finals.is_some() {
            nearest = block_count::<C>(whole.blocks().len_bytes() as u64) as usize;
            for (lane, end) in ends[..VectorOf::<C, I>::LANES].iter_mut().enumerate() {
                *end = block_count::<C>(u64::from(whole.bytes(lane))) as u32;
            }
        }
        let all_blocks = if outer.is_some() { blocks + 1 } else { blocks };
        let mut memory = [WordsOf::<I, C>::none(), WordsOf::<I, C>::none()];
        let mut ahead = Ahead::<I, C>::nothing(isa, &mut memory);
        for block in 0..all_blocks {
            if let (true, Some(expanded), true) = (C::HAS_CONSTANT_BLOCKS, shared_end, block == blocks - 1) {
                C::compress_constant(isa, &mut state, expanded);
                continue;
            }
            let some_end = block + 1 >= nearest;
            let mut ending = Words::splat(isa, WordOf::<C>::ONES);
            match outer {
                Some((midstates, digest_block)) if block == blocks => {
                    if let Some(finals) = &finals {
                        read_digests::<C, I>(isa, finals, &mut state);
                    }
                    ahead.words.set(digest_block.block(isa, &state));
                    state = midstates.read(isa);
                }
                _ => {
                    let words = ahead.words(isa, whole, first, block);
                    if some_end {
                        if finals.is_some() {
                            ending = Words::read(isa, &lanes_at::<C, I>(&ends, block as u32 + 1));
                        }
                        C::Ending::finish_in_lanes(isa, &mut state, words, ending, Words::read(isa, &lengths));
                    }
                }
            }
            ahead.compress(isa, &mut state, whole, (block + 1, some_end));
            // What the compiler knows here it would make use of in a copy of the compression for each case: three copies, which
            // pushed each other out of Zen 5's operation cache (tags of 12 messages of 20 bytes took 1.7 times as long in one
            // program as in another).
            if let (true, Some(finals)) = (black_box(some_end), &mut finals) {
                keep_finals::<C, I>(isa, ending, &state, (finals, whole_states));
                if block + FEW_LEFT < blocks {
                    nearest = next_end::<C, I>(&ends, block as u32 + 1) as usize;
                    if nearest > block + FEW_STEPS {
                        leave_ended::<C, I>(whole, &ends, [block + 1, blocks].map(|blocks| blocks as u32));
                    }
                }
            }
        }
        if let Some(finals) = &finals {
            read_digests::<C, I>(isa, finals, &mut state);
        }
        Words::write_rows(&state.as_ref()[..C::DIGEST_WORDS], C::BYTE_ORDER, self.rows);
    }
}

/// The words of a block and of the next one, if that was loaded beside its rounds: see [`reads_ahead`].
struct Ahead<'w, I: Isa, C: Compression> {
    words: &'w mut WordsOf<I, C>,
    /// The next ones, if they are loaded in columns.
    columns: &'w mut WordsOf<I, C>,
    /// The next ones, if they are loaded otherwise.
    next: BlockOf<C, VectorOf<C, I>>,
    are_loaded: bool,
}

impl<'w, I: Isa, C: Compression> Ahead<'w, I, C> {
    #[inline(always)]
    fn nothing(isa: I, memory: &'w mut [WordsOf<I, C>; 2]) -> Self {
        let [words, columns] = memory;
        Self { words, columns, next: C::Block::filled(Words::splat(isa, WordOf::<C>::default())), are_loaded: false }
    }

    /// Returns the words of a block of each lane, padded where messages end.
    #[inline(always)]
    fn words(&mut self, isa: I, whole: &Whole<'_>, first: &FirstByte, block: usize) -> &mut BlockOf<C, VectorOf<C, I>> {
        let at = block * C::BLOCK_BYTES;
        if self.are_loaded {
            if const { loads_columns::<I, C>() } {
                std::mem::swap(&mut self.words, &mut self.columns);
                self.columns.clear();
            } else {
                self.words.set(self.next);
            }
        } else if at + C::BLOCK_BYTES <= whole.blocks().len_bytes() {
            if const { loads_columns::<I, C>() } {
                Source::Apart(whole.blocks()).prefetch::<I, C>(block + 1);
            }
            self.words.set(C::Block::load(isa, C::BYTE_ORDER, whole.blocks(), 0, at));
        } else {
            self.words.set(C::Block::load_padded(isa, C::BYTE_ORDER, whole, first, 0, at));
        }
        self.words.words()
    }

    /// Compresses the block. Beside its rounds, the one with number `next` is loaded, if no message ends before it or in it.
    #[inline(always)]
    fn compress(&mut self, isa: I, state: &mut StateOf<C, VectorOf<C, I>>, whole: &Whole<'_>, (next, some_end): (usize, bool)) {
        if const { !reads_ahead::<I, C>() } {
            return C::compress_in_place(isa, state, self.words.words());
        }
        let blocks = if some_end { 0 } else { whole.blocks().len_bytes() / C::BLOCK_BYTES };
        self.are_loaded = next < blocks;
        let source = Source::Apart(whole.blocks());
        if const { loads_columns::<I, C>() } {
            if self.are_loaded {
                source.prefetch::<I, C>(next + 1);
            }
            let beside = &mut NextColumns::<I, C> { isa, source, block: next, blocks, words: self.columns };
            C::compress_beside(isa, state, self.words.words(), beside);
        } else {
            let beside = &mut NextBlock::<I, C> { isa, source, block: next, blocks, words: &mut self.next };
            C::compress_beside(isa, state, self.words.words(), beside);
        }
    }
}

/// With so few steps to the next end, lanes whose messages have ended are not left.
const FEW_STEPS: usize = 3;
/// With so few steps to the last end, nobody looks for the next one: that costs 32 messages of 150 bytes a twentieth (MD5, Zen 5).
const FEW_LEFT: usize = 8;

/// Returns after how many blocks the next message ends, when `blocks` blocks were compressed.
#[inline(always)]
fn next_end<C: Compression, I: Isa>(ends: &[u32; MAX_LANES], blocks: u32) -> u32 {
    ends[..VectorOf::<C, I>::LANES].iter().fold(NONE, |nearest, end| if *end > blocks { nearest.min(*end) } else { nearest })
}

/// Leaves the lanes whose messages have ended after `blocks` blocks: those of others are then read without asking where they end. The
/// last message ends after `most_blocks` blocks.
#[inline(always)]
fn leave_ended<C: Compression, I: Isa>(whole: &mut Whole<'_>, ends: &[u32; MAX_LANES], [blocks, most_blocks]: [u32; 2]) {
    let ends = &ends[..VectorOf::<C, I>::LANES];
    // The compiler would look for the last one before the loop: 110 instructions of the 2,550 for 16 messages of a block of SHA-256.
    let most_blocks = black_box(most_blocks);
    let last = ends.iter().position(|end| *end == most_blocks).unwrap_or(0);
    whole.leave_all(VectorOf::<C, I>::LANES, last, |lane| ends[lane] <= blocks);
}

/// Returns words with all bits set for the lanes whose message ends after `blocks` blocks, and zeros for
/// the others.
#[inline(always)]
fn lanes_at<C: Compression, I: Isa>(ends: &[u32; MAX_LANES], blocks: u32) -> [WordOf<C>; MAX_LANES] {
    let mut lanes = [WordOf::<C>::default(); MAX_LANES];
    for (lane, end) in lanes[..VectorOf::<C, I>::LANES].iter_mut().zip(ends) {
        *lane = if *end == blocks { WordOf::<C>::ONES } else { WordOf::<C>::default() };
    }
    lanes
}

/// Returns for each lane what the ending must be told.
#[inline(always)]
fn lengths<C: Compression>(lanes: usize, whole: &Whole<'_>, start_bytes: u32) -> [WordOf<C>; MAX_LANES] {
    let mut lengths = [WordOf::<C>::default(); MAX_LANES];
    for (lane, length) in lengths[..lanes].iter_mut().enumerate() {
        *length = C::Ending::length(start_bytes + whole.bytes(lane));
    }
    lengths
}

/// The task for more messages than lanes: it leaves the final state of message i in `ended[i]`, where
/// those that wait come behind those in the lanes.
pub(crate) struct InTurns<'a, 'm, C: Compression> {
    pub(crate) messages: &'a ShortMessages<'a, C>,
    /// The first messages, one in each lane.
    pub(crate) whole: &'a mut Whole<'m>,
    /// How many lanes have a message of their own, which are the first ones. The others are left.
    pub(crate) own: usize,
    /// The messages that wait for lanes. All messages start from the same midstate.
    pub(crate) waiting: &'a [&'m [u8]],
    /// Once no message waits and no more lanes than this are busy, the run ends. The state of a message that has not ended is then where its
    /// digest would be.
    pub(crate) fewest: usize,
    /// Room for the blocks that are left of each message; 0 if it has ended. It may be empty if `fewest` is 0.
    pub(crate) left: &'a mut [u32],
    /// Memory for a row a lane.
    pub(crate) rows: &'a mut [Row],
    pub(crate) ended: &'a mut [Row],
}

impl<I: Isa, C: Compression> Task<I> for InTurns<'_, '_, C> {
    /// The steps that it took.
    type Output = u64;
    #[inline(always)]
    fn run(self, isa: I) -> u64 {
        let ShortMessages { midstates, start_bytes, first, outer } = *self.messages;
        let mut state = midstates.read(isa);
        let mut lengths = lengths::<C>(VectorOf::<C, I>::LANES, self.whole, start_bytes as u32);
        if self.own < VectorOf::<C, I>::LANES {
            (self.own..VectorOf::<C, I>::LANES).for_each(|lane| self.whole.leave(lane));
            self.whole.find_nearest_end();
        }
        let mut turns = Turns::<C>::new::<I>(self.whole, self.own);
        let mut nearest = turns.nearest::<I>();
        // The blocks of the digests that are hashed once more, next.
        let mut digests: Option<BlockOf<C, VectorOf<C, I>>> = None;
        let mut at_end = [WordOf::<C>::default(); MAX_LANES];
        let mut block = 0;
        let mut memory = [WordsOf::<I, C>::none(), WordsOf::<I, C>::none()];
        let mut ahead = Ahead::<I, C>::nothing(isa, &mut memory);
        loop {
            let words = ahead.words(isa, self.whole, first, block as usize);
            block += 1;
            let some_end = block >= nearest;
            if some_end {
                at_end = lanes_at::<C, I>(&turns.ends, block);
                let mut ending: VectorOf<C, I> = Words::read(isa, &at_end);
                if let Some(digests) = &digests {
                    let is_digest: VectorOf<C, I> = Words::read(isa, &turns.has_digest);
                    ending = ending.and(is_digest.not());
                    choose_all(is_digest, digests.as_ref(), words.as_mut());
                }
                C::Ending::finish_in_lanes(isa, &mut state, words, ending, Words::read(isa, &lengths));
            }
            ahead.compress(isa, &mut state, self.whole, (block as usize, some_end));
            // One copy of the compression, as in `InLanes`.
            if !black_box(some_end) {
                continue;
            }
            Words::write_rows(&state.as_ref()[..C::DIGEST_WORDS], C::BYTE_ORDER, self.rows);
            digests = outer.map(|(_, digest_block)| digest_block.block(isa, &state));
            let refills =
                Refills { waiting: self.waiting, whole: self.whole, start_bytes, digests_too: digests.is_some(), lengths: &mut lengths };
            let busy = turns.go_on::<I>(block, refills, self.rows, self.ended);
            if busy <= self.fewest && turns.begun == self.own + self.waiting.len() && turns.digests == 0 {
                turns.hand_over::<I>(block, self.rows, self.ended, self.left);
                return u64::from(block);
            }
            nearest = turns.nearest::<I>();
            choose_all(Words::read(isa, &at_end), midstates.read(isa).as_ref(), state.as_mut());
            if let Some((midstates, _)) = outer {
                choose_all(Words::read(isa, &turns.has_digest), midstates.read(isa).as_ref(), state.as_mut());
                if turns.digests == 0 {
                    digests = None;
                }
            }
        }
    }
}

/// No message, and the end of none.
const NONE: u32 = u32::MAX;

/// The messages in the lanes, and their ends.
struct Turns<C: Compression> {
    /// For each lane the number of blocks at the end of its message, counted from the first step.
    ends: [u32; MAX_LANES],
    /// For each lane its message's place among all.
    messages: [u32; MAX_LANES],
    /// All bits are set in the lanes that hash a digest once more.
    has_digest: [WordOf<C>; MAX_LANES],
    /// How many lanes do so.
    digests: usize,
    /// How many messages were in lanes from the beginning.
    own: usize,
    /// How many messages have begun, and how many have ended.
    begun: usize,
    ended: usize,
}

/// What lanes go on with.
struct Refills<'a, 'm, C: Compression> {
    waiting: &'a [&'m [u8]],
    whole: &'a mut Whole<'m>,
    start_bytes: u64,
    /// Whether digests are hashed once more: then a message first hands its lane to its digest.
    digests_too: bool,
    lengths: &'a mut [WordOf<C>; MAX_LANES],
}

impl<C: Compression> Turns<C> {
    #[inline(always)]
    fn new<I: Isa>(whole: &Whole<'_>, own: usize) -> Self {
        let (mut ends, mut messages) = ([NONE; MAX_LANES], [NONE; MAX_LANES]);
        for (lane, (end, message)) in ends.iter_mut().zip(&mut messages).enumerate().take(own.min(VectorOf::<C, I>::LANES)) {
            *end = block_count::<C>(u64::from(whole.bytes(lane))) as u32;
            *message = lane as u32;
        }
        Self { ends, messages, has_digest: [WordOf::<C>::default(); MAX_LANES], digests: 0, own, begun: own, ended: 0 }
    }

    /// Returns the number of blocks at the nearest end.
    #[inline(always)]
    fn nearest<I: Isa>(&self) -> u32 {
        self.ends[..VectorOf::<C, I>::LANES].iter().fold(NONE, |nearest, end| nearest.min(*end))
    }

    /// Takes the messages that end after `blocks` blocks out of their lanes, and gives these to others
    /// that wait. Returns how many lanes are busy then.
    #[inline(always)]
    fn go_on<I: Isa>(&mut self, blocks: u32, refills: Refills<'_, '_, C>, rows: &[Row], ended: &mut [Row]) -> usize {
        let Refills { waiting, whole, start_bytes, digests_too, lengths } = refills;
        let mut at_end = 0u64;
        for (lane, end) in self.ends[..VectorOf::<C, I>::LANES].iter().enumerate() {
            at_end |= u64::from(*end == blocks) << lane;
        }
        while at_end != 0 {
            let lane = at_end.trailing_zeros() as usize % MAX_LANES;
            at_end &= at_end - 1;
            let is_digest = self.has_digest[lane] == WordOf::<C>::ONES;
            if digests_too && !is_digest {
                self.has_digest[lane] = WordOf::<C>::ONES;
                self.digests += 1;
                self.ends[lane] = blocks + 1;
                whole.leave(lane);
                continue;
            }
            if is_digest {
                self.has_digest[lane] = WordOf::<C>::default();
                self.digests -= 1;
            }
            ended[self.messages[lane] as usize] = rows[lane];
            self.ended += 1;
            if let Some(message) = waiting.get(self.begun - self.own) {
                whole.go_on(lane, blocks as usize * C::BLOCK_BYTES, message);
                self.messages[lane] = self.begun as u32;
                self.ends[lane] = blocks + block_count::<C>(message.len() as u64) as u32;
                lengths[lane] = C::Ending::length(start_bytes as u32 + message.len() as u32);
                self.begun += 1;
            } else {
                whole.leave(lane);
                (self.messages[lane], self.ends[lane]) = (NONE, NONE);
            }
        }
        whole.find_nearest_end();
        self.begun - self.ended
    }

    /// Hands the messages that are in lanes after `blocks` blocks over to others: their states, which are in `rows` but for those of messages
    /// that begin just now, and the blocks that are left of each.
    #[inline(always)]
    fn hand_over<I: Isa>(&self, blocks: u32, rows: &[Row], ended: &mut [Row], left: &mut [u32]) {
        for (lane, row) in rows[..VectorOf::<C, I>::LANES].iter().enumerate() {
            if self.ends[lane] != NONE {
                let message = self.messages[lane] as usize;
                (ended[message], left[message]) = (*row, self.ends[lane] - blocks);
            }
        }
    }
}

/// Replaces vectors by those of `chosen` in the lanes where all bits of `lanes` are set.
#[inline(always)]
fn choose_all<V: Words>(lanes: V, chosen: &[V], vectors: &mut [V]) {
    for (vector, chosen) in vectors.iter_mut().zip(chosen) {
        *vector = V::choose(lanes, *chosen, *vector);
    }
}

/// Replaces the words of digests in `finals`, or all words if it is told so, by those of `state` in the lanes where all bits of
/// `ends` are set.
#[inline(always)]
fn keep_finals<C: Compression, I: Isa>(
    isa: I,
    ends: VectorOf<C, I>,
    state: &StateOf<C, VectorOf<C, I>>,
    (finals, whole_states): (&mut States<'_, C>, bool),
) {
    for (i, state) in state.as_ref().iter().enumerate() {
        if i == C::DIGEST_WORDS && !whole_states {
            break;
        }
        let row = finals.row_mut(i);
        Words::choose(ends, *state, Words::read(isa, row)).write(row);
    }
}

/// Reads the words of digests in `finals`.
#[inline(always)]
fn read_digests<C: Compression, I: Isa>(isa: I, finals: &States<'_, C>, state: &mut StateOf<C, VectorOf<C, I>>) {
    for (i, state) in state.as_mut()[..C::DIGEST_WORDS].iter_mut().enumerate() {
        *state = Words::read(isa, finals.row(i));
    }
}

/// Returns the schedule of the block after a message of `bytes` bytes, which are whole blocks.
pub(crate) fn shared_end<C: Compression>(bytes: u64) -> [WordOf<C>; MAX_ROUNDS] {
    let mut end = Tail::<C>::empty();
    end.set(&[], bytes, C::Ending::FIRST);
    C::expand(words::<C>(end.blocks()))
}
