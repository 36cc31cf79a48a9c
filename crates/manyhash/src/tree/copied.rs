//! One message dealt out word by word to slices that are copied together, for
//! [`JLanes`](super::JLanes) of an algorithm whose long messages are trees: the chunks of a slice share
//! the lanes, which therefore can't be dealt the words of many slices.

use crate::algorithm::{WordOf, write_digest};
use crate::in_pieces::InPieces;
use crate::kernel::start::Start;
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use crate::schedule::mix::Mix;
use alloc::vec::Vec;

/// The bytes of all slices that are copied before they are hashed.
const COPIED_BYTES: usize = 1 << 20;

/// The slices of one message that arrives in pieces.
#[derive(Clone)]
pub(crate) struct CopiedSlices<C: Compiled> {
    mix: &'static Mix<C>,
    start: Start<C>,
    /// The bytes of each slice that are not hashed yet.
    copied: Vec<Vec<u8>>,
    /// The slices as far as they are hashed; none, if nothing is.
    begun: Vec<InPieces<C>>,
    message_bytes: u64,
}

impl<C: Compiled> CopiedSlices<C> {
    const WORD_BYTES: usize = size_of::<WordOf<C>>();

    /// Deals a message out to `lanes` slices. Each begins at `start`.
    pub(crate) fn new(mix: &'static Mix<C>, start: &Start<C>, lanes: usize) -> Self {
        Self { mix, start: *start, copied: vec![Vec::new(); lanes], begun: Vec::new(), message_bytes: 0 }
    }

    /// Returns the bytes of the message so far.
    pub(crate) fn message_bytes(&self) -> u64 {
        self.message_bytes
    }

    /// Appends a piece to the message.
    pub(crate) fn update(&mut self, piece: &[u8]) {
        for part in piece.chunks(COPIED_BYTES) {
            self.deal(part);
            if self.copied.iter().map(Vec::len).sum::<usize>() >= COPIED_BYTES {
                self.hash_copied();
            }
        }
    }

    fn deal(&mut self, mut piece: &[u8]) {
        let lanes = self.copied.len() as u64;
        while !piece.is_empty() {
            let in_word = (self.message_bytes % Self::WORD_BYTES as u64) as usize;
            let lane = self.message_bytes / Self::WORD_BYTES as u64 % lanes;
            let (word, later) = piece.split_at(piece.len().min(Self::WORD_BYTES - in_word));
            self.copied[lane as usize].extend_from_slice(word);
            self.message_bytes += word.len() as u64;
            piece = later;
        }
    }

    fn hash_copied(&mut self) {
        if self.begun.is_empty() {
            self.begun = vec![InPieces::starting(self.start); self.copied.len()];
        }
        for (slice, copied) in self.begun.iter_mut().zip(&mut self.copied) {
            slice.update_on(self.mix, copied);
            copied.clear();
        }
    }

    /// Writes the digest of each slice.
    pub(crate) fn finalize(mut self, digests: &mut Digests<'_>) {
        if self.begun.is_empty() {
            return C::hash_many(self.mix, &(&self.start).into(), &Slice(&self.copied), digests, None);
        }
        self.hash_copied();
        for (i, slice) in self.begun.iter_mut().enumerate() {
            write_digest::<C>(slice.finish_on(self.mix), digests.room(i));
        }
    }
}
