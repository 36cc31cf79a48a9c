//! A run over messages that may be trees of chunks. The chunks of a long message fill the lanes by
//! themselves. Messages that are complete when a run comes to them share the lanes.

use super::{JobId, Stage, Table};
use crate::algorithm::{ChainingOf, CompressionOf, digest};
use crate::algorithms::Algorithm;
use crate::backend;
use crate::in_pieces::InPieces;
use crate::kernel::start::{Start, Starts};
use crate::schedule::compiled::Compiled;
use crate::schedule::digests::Digests;
use crate::schedule::messages::Slice;
use alloc::{boxed::Box, vec::Vec};

/// The most bytes of a message that is put together in memory, so that it can share the lanes.
const TOGETHER_BYTES: u64 = 16 << 10;

impl<A: Algorithm, H, P: AsRef<[u8]>> Table<A, H, P> {
    /// Hashes all that there is.
    pub(super) fn run_trees(&mut self) {
        let mut whole = Vec::new();
        for id in std::mem::take(&mut self.listed) {
            let entry = &mut self.entries[id];
            entry.is_listed = false;
            if entry.stage == Stage::Complete && entry.begun.is_none() && entry.waiting_bytes <= TOGETHER_BYTES {
                whole.push((id, self.whole_message(id)));
            } else {
                self.advance(id);
            }
        }
        let messages: Vec<&[u8]> = whole.iter().map(|(_, message)| &message[..]).collect();
        let mut digests = vec![A::ZERO; messages.len()];
        let state = &|i: usize| -> &ChainingOf<CompressionOf<A>> { &self.entries[whole[i].0].state };
        let starts = Starts::Each { state, bytes: 0 };
        <CompressionOf<A>>::hash_many(backend::mix::<A>(), &starts.into(), &Slice(&messages), &mut Digests::of::<A>(&mut digests), None);
        for ((id, _), digest) in whole.into_iter().zip(digests) {
            self.give(id, digest);
        }
    }

    /// Takes all bytes of a message.
    fn whole_message(&mut self, id: JobId) -> Vec<u8> {
        let mut message = Vec::with_capacity(self.entries[id].waiting_bytes as usize);
        self.take_waiting(id, |bytes| message.extend_from_slice(bytes));
        message
    }

    /// Gives all bytes of a message that wait to `take`, in their order.
    fn take_waiting(&mut self, id: JobId, mut take: impl FnMut(&[u8])) {
        let entry = &mut self.entries[id];
        self.waiting_bytes -= std::mem::take(&mut entry.waiting_bytes);
        take(&entry.buffer.as_ref().as_flattened()[..std::mem::take(&mut entry.kept_bytes)]);
        while let Some(first) = self.entries[id].first_piece {
            let piece = &self.pieces[first];
            take(&piece.bytes.as_ref().expect("a piece that waits").as_ref()[piece.done..piece.len]);
            self.drop_first_piece(id);
        }
    }

    /// Hashes the bytes of a message that wait, and gives its digest if it is complete.
    fn advance(&mut self, id: JobId) {
        let start = Start { state: self.entries[id].state, bytes: 0 };
        let begun = self.entries[id].begun.take();
        let mut message = begun.unwrap_or_else(|| Box::new(InPieces::starting(start)));
        self.take_waiting(id, |bytes| message.update(bytes));
        if self.entries[id].stage == Stage::Complete {
            let digest = digest::<A>(message.finish());
            return self.give(id, digest);
        }
        self.entries[id].begun = Some(message);
    }
}
