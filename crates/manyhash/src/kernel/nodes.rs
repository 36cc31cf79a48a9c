//! The kernel of nodes: chunks or parents of trees, one in each lane, go from their starts to their values in one run.
//! They are whole blocks, equally many, so there is nothing to pad.

use crate::algorithm::ending::Ending;
use crate::algorithm::{ChainingOf, Compression, StateOf, VectorOf, WordOf};
use crate::isa::{Blocks, Isa, Row, Task, Word, WordCount, Words, prefetch};

/// The most lanes of such a kernel.
pub(crate) const NODE_LANES: usize = 16;

/// The numbers of the nodes in the lanes: their lower words, and their upper words.
pub(crate) type Numbers<C> = [[WordOf<C>; NODE_LANES]; 2];

/// The task: it leaves the value of the node in lane i at the beginning of `rows[i]`.
pub(crate) struct Nodes<'a, 'b, C: Compression> {
    /// The state that all start from, but for their numbers, if they have any.
    pub(crate) start: &'a ChainingOf<C>,
    pub(crate) numbers: Option<&'a Numbers<C>>,
    pub(crate) blocks: &'a Blocks<'b>,
    /// The bytes that the lanes read next time, or any others, if they are worth fetching.
    pub(crate) later: Option<&'a [&'b [u8]; NODE_LANES]>,
    pub(crate) rows: &'a mut [Row; NODE_LANES],
}

impl<I: Isa, C: Compression> Task<I> for Nodes<'_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state: StateOf<C, VectorOf<C, I>> = C::State::splat(isa, self.start);
        if let (Some(numbers), Some(counter)) = (self.numbers, const { C::Ending::COUNTER }) {
            state.as_mut()[counter] = Words::read(isa, &numbers[0]);
            state.as_mut()[counter + 1] = Words::read(isa, &numbers[1]);
        }
        let blocks = self.blocks.len_bytes() / C::BLOCK_BYTES;
        for block in 0..blocks {
            if let Some(later) = self.later {
                later[..<VectorOf<C, I>>::LANES].iter().for_each(|later| prefetch(later, block * C::BLOCK_BYTES));
            }
            let mut words = C::Block::load(isa, C::BYTE_ORDER, self.blocks, 0, block * C::BLOCK_BYTES);
            if block + 1 == blocks {
                let length = Words::splat(isa, C::Ending::length(C::BLOCK_BYTES as u32));
                C::Ending::finish_in_lanes(isa, &mut state, &mut words, Words::splat(isa, WordOf::<C>::ONES), length);
            }
            C::compress(isa, &mut state, words);
        }
        let value = &state.as_ref()[..C::DIGEST_WORDS];
        if const { <VectorOf<C, I>>::PADS } {
            return Words::write_rows(value, C::BYTE_ORDER, self.rows);
        }
        let mut words = [[WordOf::<C>::default(); NODE_LANES]; 8];
        value.iter().zip(&mut words).for_each(|(vector, words)| vector.write(words));
        for (lane, row) in self.rows[..<VectorOf<C, I>>::LANES].iter_mut().enumerate() {
            for (i, words) in words[..C::DIGEST_WORDS].iter().enumerate() {
                words[lane].write_bytes(C::BYTE_ORDER, i * size_of::<WordOf<C>>(), row);
            }
        }
    }
}
