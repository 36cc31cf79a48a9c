//! One message in a kernel for one: its whole blocks where they lie and its end, in one run.

use super::per_message::PerMessage;
use crate::algorithm::ending::{End, Ending};
use crate::algorithm::{ChainingOf, Compression, VectorOf};
use crate::isa::{Blocks, Isa, Task, WordCount};

/// One message in a kernel for one.
pub(super) struct OneMessage<'a, C: Compression> {
    pub(super) state: &'a mut ChainingOf<C>,
    /// Whole blocks.
    pub(super) body: &'a [u8],
    /// The whole blocks that come next.
    pub(super) end: &'a [u8],
    /// What the state is told before these, if they are the message's end.
    pub(super) at_end: Option<&'a End>,
}

impl<C: Compression> OneMessage<'_, C> {
    /// Returns what the state must be told between the body and the end. If there is no body, it is told
    /// now, while it is in memory.
    #[inline(always)]
    fn marked_between(&mut self) -> Option<End> {
        let at_end = *self.at_end.filter(|_| C::Ending::MARKS_END)?;
        if self.body.is_empty() {
            C::Ending::mark_end(self.state, at_end);
            return None;
        }
        Some(at_end)
    }
}

/// The task that compresses it in registers of its own.
pub(super) struct InRegisters<'a, C: Compression>(pub(super) OneMessage<'a, C>);

impl<I: PerMessage<C>, C: Compression> Task<I> for InRegisters<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, isa: I) {
        let between = self.0.marked_between();
        let OneMessage { state: memory, body, end, .. } = self.0;
        let mut state = [isa.load(memory)];
        // An array of both segments would be memory, which is read in larger parts than it was written in: that waits.
        let (mut segment, mut is_end) = (body, false);
        loop {
            if !segment.is_empty() {
                isa.compress(&mut state, &Blocks::successive(1, segment.len(), segment));
            }
            if is_end {
                break;
            }
            if let Some(at_end) = between {
                let mut marked = isa.store(&state[0]);
                C::Ending::mark_end(&mut marked, at_end);
                state = [isa.load(&marked)];
            }
            (segment, is_end) = (end, true);
        }
        *memory = isa.store(&state[0]);
    }
}

/// The task that compresses it in the only lane of an instruction set.
pub(super) struct InLane<'a, C: Compression>(pub(super) OneMessage<'a, C>);

impl<I: Isa, C: Compression> Task<I> for InLane<'_, C> {
    type Output = ();
    #[inline(always)]
    fn run(mut self, isa: I) {
        let between = self.0.marked_between();
        let OneMessage { state: memory, body, end, .. } = self.0;
        let mut state = C::State::splat::<VectorOf<C, I>>(isa, memory);
        let (mut segment, mut is_end) = (body, false);
        loop {
            for block in segment.chunks_exact(C::BLOCK_BYTES) {
                let words = C::Block::load(isa, C::BYTE_ORDER, &Blocks::successive(1, C::BLOCK_BYTES, block), 0, 0);
                C::compress(isa, &mut state, words);
            }
            if is_end {
                break;
            }
            if let Some(at_end) = between {
                C::State::write(&state, memory.as_mut(), 1);
                C::Ending::mark_end(memory, at_end);
                state = C::State::splat::<VectorOf<C, I>>(isa, memory);
            }
            (segment, is_end) = (end, true);
        }
        C::State::write(&state, memory.as_mut(), 1);
    }
}
