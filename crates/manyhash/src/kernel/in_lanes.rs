//! Kernels in lanes: message i is in lane i, and the same instructions advance all of them.

use super::states::States;
use crate::algorithm::{Compression, VectorOf, WordOf};
use crate::isa::{Blocks, Dealt, Isa, Task, WordCount, Words};

/// The task that compresses each lane's blocks where they lie.
pub(super) struct Lanes<'a, 's, 'b, C: Compression> {
    pub(super) states: &'a mut States<'s, C>,
    pub(super) blocks: &'a Blocks<'b>,
}

impl<I: Isa, C: Compression> Task<I> for Lanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = self.states.read(isa);
        let mut at = 0;
        while at < self.blocks.len_bytes() {
            let block = C::Block::load::<VectorOf<C, I>>(isa, C::BYTE_ORDER, self.blocks, 0, at);
            C::compress(isa, &mut state, block);
            at += C::BLOCK_BYTES;
        }
        self.states.write(&state);
    }
}

/// The task that compresses one message that is dealt out to lanes, which needs no transposition.
pub(super) struct DealtLanes<'a, 's, 'b, C: Compression> {
    pub(super) states: &'a mut States<'s, C>,
    pub(super) dealt: &'a Dealt<'b>,
}

impl<I: Isa, C: Compression> Task<I> for DealtLanes<'_, '_, '_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = self.states.read(isa);
        for block in 0..self.dealt.blocks {
            let rows = self.dealt.rows(block, C::Block::COUNT, VectorOf::<C, I>::LANES * size_of::<WordOf<C>>());
            C::compress::<VectorOf<C, I>>(isa, &mut state, C::Block::load_rows(isa, C::BYTE_ORDER, &rows));
        }
        self.states.write(&state);
    }
}
