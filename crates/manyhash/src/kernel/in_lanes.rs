//! Kernels in lanes: message i is in lane i, and the same instructions advance all of them.

use super::states::States;
use crate::algorithm::{Compression, VectorOf, WordOf};
use crate::isa::{Blocks, Dealt, Isa, Task, WordCount, Words};

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
        for block in 0..blocks {
            let words = match self.source {
                Source::Apart(blocks) => C::Block::load::<VectorOf<C, I>>(isa, C::BYTE_ORDER, blocks, 0, block * C::BLOCK_BYTES),
                Source::Dealt(dealt) => {
                    let vector_bytes = VectorOf::<C, I>::LANES * size_of::<WordOf<C>>();
                    C::Block::load_rows(isa, C::BYTE_ORDER, &dealt.rows(block, C::Block::COUNT, vector_bytes))
                }
            };
            C::compress(isa, &mut state, words);
        }
        self.states.write(&state);
    }
}
