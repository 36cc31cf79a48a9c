//! One message in a kernel for one: its whole blocks where they lie and its end, in one run.

use super::per_message::PerMessage;
use crate::algorithm::{ChainingOf, Compression, VectorOf};
use crate::isa::{Blocks, Isa, Task, WordCount};

/// The task that compresses one message in registers of its own.
pub(super) struct InRegisters<'a, C: Compression> {
    pub(super) state: &'a mut ChainingOf<C>,
    /// Whole blocks.
    pub(super) body: &'a [u8],
    /// The whole blocks that come next.
    pub(super) end: &'a [u8],
}

impl<I: PerMessage<C>, C: Compression> Task<I> for InRegisters<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = [isa.load(self.state)];
        for segment in [self.body, self.end] {
            if !segment.is_empty() {
                isa.compress(&mut state, &Blocks::successive(1, segment.len(), segment));
            }
        }
        *self.state = isa.store(&state[0]);
    }
}

/// The task that compresses one message in the only lane of an instruction set.
pub(super) struct InLane<'a, C: Compression> {
    pub(super) state: &'a mut ChainingOf<C>,
    /// Whole blocks.
    pub(super) body: &'a [u8],
    /// The whole blocks that come next.
    pub(super) end: &'a [u8],
}

impl<I: Isa, C: Compression> Task<I> for InLane<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(self, isa: I) {
        let mut state = C::State::splat::<VectorOf<C, I>>(isa, self.state);
        for segment in [self.body, self.end] {
            for block in segment.chunks_exact(C::BLOCK_BYTES) {
                let words = C::Block::load(isa, C::BYTE_ORDER, &Blocks::successive(1, C::BLOCK_BYTES, block), 0, 0);
                C::compress(isa, &mut state, words);
            }
        }
        C::State::write(&state, self.state.as_mut(), 1);
    }
}
