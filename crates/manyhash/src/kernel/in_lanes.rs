//! Kernels in lanes: message i is in lane i, and the same instructions advance all of them.

use super::states::States;
use crate::algorithm::{Beside, BlockOf, Compression, MAX_AHEAD, TURNS, VectorOf, WordOf};
use crate::isa::{BlockWords, Blocks, Dealt, Isa, Task, WAYS, WordCount, Words};

/// What lanes read.
#[derive(Clone, Copy)]
pub(super) enum Source<'a, 'b> {
    /// The blocks of each lane's message, where they lie.
    Apart(&'a Blocks<'b>),
    /// One message that is dealt out to the lanes, which needs no transposition.
    Dealt(&'a Dealt<'b>),
}

/// Compresses the blocks of each lane. One task for both sources halves what the compiler has to do,
/// and the code; the branch for each block costs nothing that could be measured.
pub(super) struct Lanes<'a, 's, 'b, C: Compression> {
    pub(super) states: &'a mut States<'s, C>,
    pub(super) source: Source<'a, 'b>,
}

impl<I: Isa, C: Compression> Task<I> for Lanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = self.states.read(isa);
        let blocks = match self.source {
            Source::Apart(blocks) => blocks.len_bytes() / C::BLOCK_BYTES,
            Source::Dealt(dealt) => dealt.blocks,
        };
        let source = self.source;
        if const { loads_columns::<I, C>() } {
            if blocks > 0 {
                let [words, next] = &mut [WordsOf::<I, C>::none(), WordsOf::<I, C>::none()];
                let (mut words, mut next) = (words, next);
                source.prefetch::<I, C>(1);
                words.set(source.words::<I, C>(isa, 0));
                for block in 0..blocks {
                    source.prefetch::<I, C>(block + 2);
                    C::compress_beside(
                        isa,
                        &mut state,
                        words.words(),
                        &mut NextColumns::<I, C> { isa, source, block: block + 1, blocks, words: next },
                    );
                    std::mem::swap(&mut words, &mut next);
                    next.clear();
                }
            }
        } else if const { !rounds_ahead::<I, C>().is_empty() } {
            if blocks > 0 {
                let mut next = source.words::<I, C>(isa, 0);
                for block in 0..blocks {
                    let words = &mut { next };
                    let beside = &mut NextBlock::<I, C> { isa, source, block: block + 1, blocks, words: &mut next };
                    C::compress_beside(isa, &mut state, words, beside);
                }
            }
        } else {
            for block in 0..blocks {
                let words = source.words::<I, C>(isa, block);
                C::compress(isa, &mut state, words);
            }
        }
        self.states.write(&state);
    }
}

impl Source<'_, '_> {
    /// Loads the words of a block of each lane.
    #[inline(always)]
    fn words<I: Isa, C: Compression>(self, isa: I, block: usize) -> BlockOf<C, VectorOf<C, I>> {
        match self {
            Self::Apart(blocks) => C::Block::load(isa, C::BYTE_ORDER, blocks, 0, block * C::BLOCK_BYTES),
            Self::Dealt(dealt) => {
                let vector_bytes = VectorOf::<C, I>::LANES * size_of::<WordOf<C>>();
                C::Block::load_rows(isa, C::BYTE_ORDER, &dealt.rows(block, C::Block::COUNT, vector_bytes))
            }
        }
    }

    /// Asks for the bytes of a block.
    #[inline(always)]
    pub(super) fn prefetch<I: Isa, C: Compression>(self, block: usize) {
        if let Self::Apart(blocks) = self {
            blocks.prefetch(VectorOf::<C, I>::LANES, block * C::BLOCK_BYTES, C::BLOCK_BYTES);
        }
    }
}

/// The words of a block of each lane.
pub(super) type WordsOf<I, C> = BlockWords<<C as Compression>::Block, VectorOf<C, I>>;

/// Returns whether the next block is loaded between the rounds of a block.
///
/// Messages often begin at the same place of a page. Then all lanes read from one set of the first cache, and push each other's lines
/// out if they are more than its ways. Such lines come from the second cache, one after the other: between the rounds, that costs no
/// time. MD5, 32 messages of 16 KiB in two waves of Zen 5: 180 -> 145 ns a block; of 16,000 bytes: 148 -> 145.
pub(super) const fn reads_ahead<I: Isa, C: Compression>() -> bool {
    loads_columns::<I, C>() || !rounds_ahead::<I, C>().is_empty()
}

/// Returns whether it is loaded a column at a time, which also saves a transposition of whole blocks: the words need no registers but
/// four. SHA-256 in two waves of Zen 5 takes 229 ns a block so (32 messages of 4,000 bytes), and 234 if blocks are loaded between them.
///
/// A CPU seems not to foresee which lines come next if it loads from one line at several times. So they are always asked for a block ahead:
/// without that, 60,000 messages of 1,000 bytes took twice as long. Where the second cache has them, that costs 2 %.
pub(super) const fn loads_columns<I: Isa, C: Compression>() -> bool {
    VectorOf::<C, I>::LOADS_COLUMNS && VectorOf::<C, I>::WAVES == 2 && C::HAS_TURNS
}

/// Returns the round before which each wave loads its words of the next block; nothing if waves are not loaded so.
const fn rounds_ahead<I: Isa, C: Compression>() -> &'static [usize] {
    let waves = VectorOf::<C, I>::WAVES;
    if waves <= MAX_AHEAD && VectorOf::<C, I>::LANES > waves * WAYS { C::READS_AHEAD[waves - 1] } else { &[] }
}

/// Returns the wave that loads its words before a round; no wave if none does.
const fn wave_before<I: Isa, C: Compression>(round: usize) -> usize {
    let rounds = rounds_ahead::<I, C>();
    let mut wave = 0;
    while wave < rounds.len() {
        if rounds[wave] == round {
            return wave;
        }
        wave += 1;
    }
    MAX_AHEAD
}

/// The words of the next block, which are loaded between the rounds of a block.
pub(super) struct NextBlock<'a, 'b, 'w, I: Isa, C: Compression> {
    pub(super) isa: I,
    pub(super) source: Source<'a, 'b>,
    /// The block, and how many there are: if there is no such block, nothing is loaded.
    pub(super) block: usize,
    pub(super) blocks: usize,
    pub(super) words: &'w mut BlockOf<C, VectorOf<C, I>>,
}

impl<I: Isa, C: Compression> Beside for NextBlock<'_, '_, '_, I, C> {
    #[inline(always)]
    fn before_round<const ROUND: usize, V: Words>(&mut self, word: V) -> V {
        // In code with checks of arithmetic, a loop over the rounds would have all that this does before each of them.
        if const { wave_before::<I, C>(ROUND) < MAX_AHEAD } {
            let wave = const { wave_before::<I, C>(ROUND) };
            if self.block < self.blocks {
                match self.source {
                    Source::Apart(blocks) => {
                        let at = self.block * C::BLOCK_BYTES;
                        C::Block::load_wave(self.isa, C::BYTE_ORDER, blocks, at, wave, self.words);
                    }
                    // Its rows are not apart.
                    Source::Dealt(_) if wave == 0 => *self.words = self.source.words::<I, C>(self.isa, self.block),
                    Source::Dealt(_) => {}
                }
            }
        }
        word
    }
}

/// The words of the next block, which are loaded in columns.
pub(super) struct NextColumns<'a, 'b, 'w, I: Isa, C: Compression> {
    pub(super) isa: I,
    pub(super) source: Source<'a, 'b>,
    /// The block, and how many there are: if there is no such block, nothing is loaded.
    pub(super) block: usize,
    pub(super) blocks: usize,
    pub(super) words: &'w mut WordsOf<I, C>,
}

impl<I: Isa, C: Compression> Beside for NextColumns<'_, '_, '_, I, C> {
    #[inline(always)]
    fn before_round<const ROUND: usize, V: Words>(&mut self, word: V) -> V {
        word
    }

    #[inline(always)]
    fn in_turn(&mut self, turn: usize) {
        if self.block < self.blocks {
            match self.source {
                Source::Apart(blocks) => {
                    self.words.load_part::<TURNS>(self.isa, C::BYTE_ORDER, blocks, self.block * C::BLOCK_BYTES, turn);
                }
                // Its rows are not apart.
                Source::Dealt(_) if turn == 0 => self.words.set(self.source.words::<I, C>(self.isa, self.block)),
                Source::Dealt(_) => {}
            }
        }
    }
}
