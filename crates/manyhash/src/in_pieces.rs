//! A message that arrives in pieces, for all that takes such messages.

use crate::algorithm::ChainingOf;
#[cfg(feature = "hmac")]
use crate::algorithm::WordOf;
use crate::algorithm::ending::{BlockBytes, Ending, Tail, whole_bytes, zeros};
use crate::backend;
#[cfg(feature = "hmac")]
use crate::isa::Word;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;

/// A state, and the bytes that do not fill a block yet.
#[derive(Clone)]
pub(crate) struct InPieces<C: Compiled> {
    state: ChainingOf<C>,
    /// The bytes that have not been compressed yet are the first `rest_bytes` of these.
    rest: BlockBytes<C>,
    rest_bytes: usize,
    /// Bytes of the message, those before its start included.
    pub(crate) bytes: u64,
}

impl<C: Compiled> InPieces<C> {
    /// Begins a message from `start`, which stands for the bytes before it.
    pub(crate) fn starting(start: Start<C>) -> Self {
        Self { state: start.state, rest: zeros::<C, 8>(), rest_bytes: 0, bytes: start.bytes }
    }

    /// Appends a piece to the message.
    pub(crate) fn update(&mut self, mut piece: &[u8]) {
        let mix = backend::mix_of::<C>();
        self.bytes += piece.len() as u64;
        let kept = self.rest_bytes;
        if kept > 0 {
            let (completing, later) = piece.split_at(piece.len().min(C::BLOCK_BYTES - kept));
            let rest = self.rest.as_mut().as_flattened_mut();
            rest[kept..kept + completing.len()].copy_from_slice(completing);
            self.rest_bytes += completing.len();
            if whole_bytes::<C>(self.rest_bytes + later.len()) == 0 {
                return;
            }
            C::compress_alone(mix, &mut self.state, &rest[..C::BLOCK_BYTES]);
            piece = later;
        }
        let (blocks, rest) = piece.split_at(whole_bytes::<C>(piece.len()));
        if !blocks.is_empty() {
            C::compress_alone(mix, &mut self.state, blocks);
        }
        self.rest.as_mut().as_flattened_mut()[..rest.len()].copy_from_slice(rest);
        self.rest_bytes = rest.len();
    }

    /// Returns the state after the blocks that were compressed, and the bytes behind them.
    pub(crate) fn unfinished(&self) -> (&ChainingOf<C>, &[u8]) {
        (&self.state, &self.rest.as_ref().as_flattened()[..self.rest_bytes])
    }

    /// Pads and returns the final state. The message then has no more use.
    pub(crate) fn finish(&mut self) -> &ChainingOf<C> {
        let mut tail = Tail::<C>::empty();
        tail.set(&self.rest.as_ref().as_flattened()[..self.rest_bytes], self.bytes, C::Ending::first(&self.state));
        C::Ending::mark_end(&mut self.state, tail.end());
        C::compress_alone(backend::mix_of::<C>(), &mut self.state, tail.blocks());
        &self.state
    }

    /// Overwrites the state and the bytes that are kept with zeros.
    #[cfg(feature = "hmac")]
    pub(crate) fn erase(&mut self) {
        WordOf::<C>::erase(self.state.as_mut());
        zeroize::Zeroize::zeroize(self.rest.as_mut().as_flattened_mut());
    }
}
