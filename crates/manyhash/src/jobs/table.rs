//! The inner part of `Jobs`: a table of messages on their way, and the pieces that they wait with.
//! A run is a schedule over the jobs that have blocks ready, each from the state that it was left
//! in. Jobs whose messages may be trees have one of their own: `table/trees.rs`.

mod trees;

use crate::algorithm::ending::{End, Ending, EndingOf, TwoBlocks, block_count, pad, whole_bytes, zeros};
use crate::algorithm::{ChainingOf, CompressionOf, SelfTested, digest};
use crate::algorithms::Algorithm;
use crate::backend;
#[cfg(feature = "hmac")]
use crate::hmac::Key;
use crate::in_pieces::InPieces;
use crate::isa::Ahead;
#[cfg(feature = "hmac")]
use crate::isa::Word;
#[cfg(feature = "hmac")]
use crate::kernel::start::Starts;
use crate::schedule::compiled::Compiled;
#[cfg(feature = "hmac")]
use crate::schedule::digests::Digests;
use crate::schedule::mix::Usage;
use crate::schedule::{Advanced, Ended, Extent, Lanes, Memory, Pieces, Supply, Waiting, ended_of};
use alloc::collections::VecDeque;
use alloc::{boxed::Box, vec::Vec};
use std::ops::Range;

/// The index of a job in the table of jobs.
pub(super) type JobId = usize;
/// The index of a piece in the table of pieces.
type PieceId = usize;

/// A message on its way.
struct Entry<A: Algorithm, H> {
    /// The caller's handle; `None` if the place is free or its job was abandoned.
    handle: Option<H>,
    state: ChainingOf<CompressionOf<A>>,
    /// The state that the digest is hashed once more from: that after the outer key block of a tag.
    outer: Option<ChainingOf<CompressionOf<A>>>,
    stage: Stage,
    /// True if the job is in the list of those that have something to compute.
    is_listed: bool,
    /// Bytes of the message so far, including those of the key block.
    message_bytes: u64,
    /// Bytes that were fed and are not compressed yet, wherever they are.
    waiting_bytes: u64,
    /// The blocks that are ready to be compressed.
    segment: Segment,
    /// The first `kept_bytes` bytes do not fill a block yet. If the buffer is the segment, it has a
    /// block, or the end with its padding.
    buffer: TwoBlocks<CompressionOf<A>>,
    kept_bytes: usize,
    first_piece: Option<PieceId>,
    last_piece: Option<PieceId>,
    /// The message as far as it was hashed, if it may be a tree.
    begun: Option<Box<InPieces<CompressionOf<A>>>>,
}

/// The stage that a message has reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// More pieces may come.
    Open,
    /// The message is complete.
    Complete,
    /// The message is complete, and its padding is in the buffer.
    Padded,
}

/// Whole blocks, in the place where they lie.
#[derive(Clone, Debug)]
enum Segment {
    None,
    Buffer(Range<usize>),
    FirstPiece(Range<usize>),
}

/// A piece that waits, and the index of the one after it.
struct Piece<P> {
    /// The piece; `None` if the place is free.
    bytes: Option<P>,
    /// Bytes in the piece, as it said when it came.
    len: usize,
    done: usize,
    next: Option<PieceId>,
}

pub(super) struct Table<A: Algorithm, H, P> {
    entries: Vec<Entry<A, H>>,
    free_entries: Vec<JobId>,
    pieces: Vec<Piece<P>>,
    free_pieces: Vec<PieceId>,
    /// Jobs with blocks to compress. Some of them may have been abandoned since.
    listed: Vec<JobId>,
    listed_abandoned: usize,
    open: usize,
    waiting_bytes: u64,
    /// Complete jobs with a digest that must be hashed once more.
    inner: Vec<JobId>,
    digests: Vec<A::Digest>,
    finished: VecDeque<(H, A::Digest)>,
    /// Pieces to be dropped by a caller that holds no reference into the table.
    spent: Vec<P>,
    memory: Memory<CompressionOf<A>>,
    /// The job in each slot of the schedule.
    slots: Vec<JobId>,
    /// True if there ever was a tagged job, whose key a run may leave in the memory.
    #[cfg(feature = "hmac")]
    has_keys: bool,
    /// True during a run. If the run panicked, the states of its jobs are lost.
    is_running: bool,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Table<A, H, P> {
    pub(super) const BYTES_PER_JOB: usize = size_of::<Entry<A, H>>() + 3 * size_of::<JobId>();

    pub(super) fn new() -> Self {
        Self {
            entries: Vec::new(),
            free_entries: Vec::new(),
            pieces: Vec::new(),
            free_pieces: Vec::new(),
            listed: Vec::new(),
            listed_abandoned: 0,
            open: 0,
            waiting_bytes: 0,
            inner: Vec::new(),
            digests: Vec::new(),
            finished: VecDeque::new(),
            spent: Vec::new(),
            memory: Memory::default(),
            slots: Vec::new(),
            #[cfg(feature = "hmac")]
            has_keys: false,
            is_running: false,
        }
    }

    pub(super) fn open_jobs(&self) -> usize {
        self.open
    }

    pub(super) fn ready_jobs(&self) -> usize {
        // After a run that panicked, the list is incomplete.
        self.listed.len().saturating_sub(self.listed_abandoned)
    }

    pub(super) fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    pub(super) fn open(&mut self, handle: H) -> JobId {
        self.open_at(handle, A::INITIAL, 0, None)
    }

    #[cfg(feature = "hmac")]
    pub(super) fn open_tagged(&mut self, handle: H, key: &Key<A>) -> JobId {
        self.has_keys = true;
        let midstates = key.midstates();
        self.open_at(handle, midstates.inner, A::BLOCK_BYTES as u64, Some(midstates.outer))
    }

    fn open_at(
        &mut self,
        handle: H,
        state: ChainingOf<CompressionOf<A>>,
        start_bytes: u64,
        outer: Option<ChainingOf<CompressionOf<A>>>,
    ) -> JobId {
        self.open += 1;
        let entry = Entry {
            handle: Some(handle),
            state,
            outer,
            stage: Stage::Open,
            is_listed: false,
            message_bytes: start_bytes,
            waiting_bytes: 0,
            segment: Segment::None,
            buffer: zeros::<CompressionOf<A>, 16>(),
            kept_bytes: 0,
            first_piece: None,
            last_piece: None,
            begun: None,
        };
        match self.free_entries.pop() {
            Some(id) => {
                self.entries[id] = entry;
                id
            }
            None => {
                self.entries.push(entry);
                self.entries.len() - 1
            }
        }
    }

    pub(super) fn feed(&mut self, id: JobId, piece: P) {
        let len = piece.as_ref().len();
        let entry = &mut self.entries[id];
        entry.message_bytes += len as u64;
        entry.waiting_bytes += len as u64;
        self.waiting_bytes += len as u64;
        if len == 0 || entry.whole_bytes() == 0 {
            // If the waiting pieces have less than a block, all of them were copied, so no other
            // piece waits.
            let kept = entry.kept_bytes;
            entry.buffer_mut()[kept..kept + len].copy_from_slice(piece.as_ref());
            entry.kept_bytes += len;
            self.spent.push(piece);
            return;
        }
        let place = self.free_pieces.pop().unwrap_or_else(|| {
            self.pieces.push(Piece { bytes: None, len: 0, done: 0, next: None });
            self.pieces.len() - 1
        });
        self.pieces[place] = Piece { bytes: Some(piece), len, done: 0, next: None };
        match entry.last_piece.replace(place) {
            Some(last) => self.pieces[last].next = Some(place),
            None => entry.first_piece = Some(place),
        }
        self.list(id);
    }

    pub(super) fn finish(&mut self, id: JobId) {
        self.entries[id].stage = Stage::Complete;
        self.open -= 1;
        self.list(id);
    }

    /// Gives up a job and returns its handle.
    pub(super) fn abandon(&mut self, id: JobId) -> Option<H> {
        self.open -= 1;
        self.waiting_bytes -= self.entries[id].waiting_bytes;
        while self.entries[id].first_piece.is_some() {
            self.drop_first_piece(id);
        }
        let handle = self.entries[id].handle.take();
        self.entries[id].erase();
        self.entries[id].begun = None;
        if self.entries[id].is_listed {
            self.listed_abandoned += 1;
        } else {
            self.free_entries.push(id);
        }
        handle
    }

    pub(super) fn next_finished(&mut self) -> Option<(H, A::Digest)> {
        self.finished.pop_front()
    }

    pub(super) fn next_spent(&mut self) -> Option<P> {
        self.spent.pop()
    }

    /// Computes what there is for full lanes, or all.
    pub(super) fn run(&mut self, extent: Extent) {
        let mix = backend::mix::<A>();
        assert!(!self.is_running, "a piece panicked in a run before");
        if self.listed_abandoned > 0 {
            self.unlist_abandoned();
        }
        if self.listed.is_empty() || extent == Extent::FullLanes && self.listed.len() < mix.widest_kernel().lanes {
            return;
        }
        self.is_running = true;
        if <CompressionOf<A>>::HAS_CHUNKS {
            self.run_trees();
            self.is_running = false;
            return;
        }
        let blocks_left = |id: &JobId| self.entries[*id].blocks_left();
        self.listed.sort_unstable_by_key(blocks_left);
        let longest_blocks = self.listed.last().map_or(0, blocks_left);
        let waiting = Waiting { messages: self.listed.len(), blocks: self.listed.iter().map(blocks_left).sum() };
        let mut memory = std::mem::take(&mut self.memory);
        let run = &mut Run { waiting, longest_blocks, table: self };
        <CompressionOf<A>>::run(&mut memory, mix, extent, run, &mut Usage::default());
        #[cfg(feature = "hmac")]
        if self.has_keys {
            memory.erase();
        }
        self.memory = memory;
        self.hash_inner_digests();
        self.is_running = false;
    }

    /// Adds a job that has something to compute to the list.
    fn list(&mut self, id: JobId) {
        let entry = &mut self.entries[id];
        if !entry.is_listed {
            entry.is_listed = true;
            self.listed.push(id);
        }
    }

    fn unlist_abandoned(&mut self) {
        let Self { listed, entries, free_entries, .. } = self;
        listed.retain(|id| {
            let entry = &mut entries[*id];
            entry.is_listed = entry.handle.is_some();
            if !entry.is_listed {
                free_entries.push(*id);
            }
            entry.is_listed
        });
        self.listed_abandoned = 0;
    }

    /// Makes the next blocks of a job its segment, if it has any.
    fn prepare(&mut self, id: JobId) {
        while let Some(first) = self.entries[id].first_piece {
            let (entry, piece) = (&mut self.entries[id], &mut self.pieces[first]);
            let bytes = &piece.bytes.as_ref().expect("a piece that waits").as_ref()[piece.done..piece.len];
            let (kept, whole) = (entry.kept_bytes, (bytes.len() - bytes.len() % A::BLOCK_BYTES).min(entry.whole_bytes()));
            if kept == 0 && whole > 0 {
                entry.segment = Segment::FirstPiece(piece.done..piece.done + whole);
                return;
            }
            let copied = bytes.len().min(A::BLOCK_BYTES - kept);
            entry.buffer_mut()[kept..kept + copied].copy_from_slice(&bytes[..copied]);
            entry.kept_bytes += copied;
            piece.done += copied;
            if piece.done == piece.len {
                self.drop_first_piece(id);
            }
            if self.entries[id].kept_bytes == A::BLOCK_BYTES {
                break;
            }
        }
        let entry = &mut self.entries[id];
        entry.segment = if entry.kept_bytes == A::BLOCK_BYTES && entry.whole_bytes() > 0 {
            entry.kept_bytes = 0;
            Segment::Buffer(0..A::BLOCK_BYTES)
        } else if entry.stage == Stage::Complete {
            entry.stage = Stage::Padded;
            self.waiting_bytes -= std::mem::take(&mut entry.waiting_bytes);
            let (kept_bytes, message_bytes, first) = (entry.kept_bytes, entry.message_bytes, EndingOf::<A>::first(&entry.state));
            Segment::Buffer(0..pad::<CompressionOf<A>>(entry.buffer_mut(), kept_bytes, message_bytes, first))
        } else {
            Segment::None
        };
    }

    /// Returns the blocks of a job that are to be compressed next. Panics if it has none.
    fn ready(&self, id: JobId) -> &[u8] {
        let entry = &self.entries[id];
        match (&entry.segment, entry.first_piece) {
            (Segment::Buffer(blocks), _) => &entry.buffer.as_ref().as_flattened()[blocks.clone()],
            (Segment::FirstPiece(blocks), Some(first)) => {
                &self.pieces[first].bytes.as_ref().expect("a piece that waits").as_ref()[blocks.clone()]
            }
            _ => unreachable!("a job in a slot has blocks ready"),
        }
    }

    /// Takes the first `bytes` bytes of what a job had ready, which are compressed. Returns whether
    /// it has no more.
    fn consume(&mut self, id: JobId, bytes: usize) -> bool {
        let entry = &mut self.entries[id];
        if entry.stage != Stage::Padded {
            entry.waiting_bytes -= bytes as u64;
            self.waiting_bytes -= bytes as u64;
        }
        let (Segment::Buffer(blocks) | Segment::FirstPiece(blocks)) = &mut entry.segment else { return true };
        blocks.start += bytes;
        let is_empty = blocks.start == blocks.end;
        if let (Segment::FirstPiece(_), Some(first)) = (&entry.segment, entry.first_piece) {
            let piece = &mut self.pieces[first];
            piece.done += bytes;
            if piece.done == piece.len {
                self.drop_first_piece(id);
            }
        }
        if is_empty && self.entries[id].stage != Stage::Padded {
            self.prepare(id);
        }
        self.entries[id].blocks_left() == 0
    }

    /// Drops the first piece of a job, which is not needed any more.
    fn drop_first_piece(&mut self, id: JobId) {
        let entry = &mut self.entries[id];
        let Some(first) = entry.first_piece else { return };
        let piece = &mut self.pieces[first];
        self.spent.extend(piece.bytes.take());
        entry.first_piece = piece.next;
        if entry.first_piece.is_none() {
            entry.last_piece = None;
        }
        self.free_pieces.push(first);
    }

    /// Records the digest or the tag of a job's message.
    fn give(&mut self, id: JobId, digest: A::Digest) {
        let handle = self.entries[id].handle.take().expect("a job that is not abandoned");
        self.finished.push_back((handle, digest));
        self.entries[id].erase();
        self.free_entries.push(id);
    }

    #[cfg(not(feature = "hmac"))]
    fn hash_inner_digests(&mut self) {}

    /// Turns inner digests into tags.
    #[cfg(feature = "hmac")]
    fn hash_inner_digests(&mut self) {
        let Self { entries, inner, digests, .. } = self;
        let outer = |i: usize| entries[inner[i]].outer.as_ref().expect("an inner digest has an outer one");
        let starts = Starts::Each { state: &outer, bytes: A::BLOCK_BYTES as u64 };
        let digests = &mut Digests::of::<A>(digests);
        <CompressionOf<A>>::hash_digests(backend::mix::<A>(), starts, digests, &mut Usage::default());
        while let (Some(id), Some(digest)) = (self.inner.pop(), self.digests.pop()) {
            self.give(id, digest);
        }
    }
}

impl<A: Algorithm, H> Entry<A, H> {
    /// Overwrites everything that a key would follow from with zeros.
    fn erase(&mut self) {
        #[cfg(feature = "hmac")]
        if let Some(outer) = &mut self.outer {
            Word::erase(outer.as_mut());
            Word::erase(self.state.as_mut());
        }
        self.outer = None;
    }

    fn buffer_mut(&mut self) -> &mut [u8] {
        self.buffer.as_mut().as_flattened_mut()
    }

    /// Returns how many waiting bytes are blocks that can be compressed whatever comes after them.
    fn whole_bytes(&self) -> usize {
        // Pieces may share their bytes, so that they add up to more than there is memory.
        whole_bytes::<CompressionOf<A>>(usize::try_from(self.waiting_bytes).unwrap_or(usize::MAX))
    }

    /// Returns how many blocks can be compressed.
    fn blocks_left(&self) -> u64 {
        match self.stage {
            Stage::Open => (self.whole_bytes() / A::BLOCK_BYTES) as u64,
            Stage::Complete => block_count::<CompressionOf<A>>(self.waiting_bytes),
            Stage::Padded => match &self.segment {
                Segment::Buffer(blocks) => (blocks.len() / A::BLOCK_BYTES) as u64,
                _ => 0,
            },
        }
    }
}

impl<A: Algorithm, H> Drop for Entry<A, H> {
    fn drop(&mut self) {
        self.erase();
    }
}

/// The schedule's view of the jobs that have blocks ready.
struct Run<'a, A: Algorithm, H, P> {
    table: &'a mut Table<A, H, P>,
    waiting: Waiting,
    longest_blocks: u64,
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Supply<CompressionOf<A>> for Run<'_, A, H, P> {
    fn add_slot(&mut self) -> usize {
        self.table.slots.push(0);
        self.table.slots.len() - 1
    }

    fn refill(&mut self, slot: usize) -> bool {
        // The list is in rising order.
        let Some(id) = self.table.listed.pop() else { return false };
        self.table.slots[slot] = id;
        self.waiting.messages -= 1;
        self.waiting.blocks -= self.table.entries[id].blocks_left();
        if matches!(self.table.entries[id].segment, Segment::None) {
            self.table.prepare(id);
        }
        true
    }

    fn waiting(&self) -> Option<Waiting> {
        Some(self.waiting)
    }

    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        let place = self.table.listed.len().checked_sub(skip + 1)?;
        Some(self.table.entries[self.table.listed[place]].blocks_left())
    }

    fn longest_blocks(&self) -> u64 {
        self.longest_blocks
    }

    fn initial(&self, slot: usize) -> ChainingOf<CompressionOf<A>> {
        self.table.entries[self.table.slots[slot]].state
    }

    fn advance(&mut self, lanes: &mut Lanes<'_, '_, CompressionOf<A>>, most_blocks: u64) -> Advanced {
        self.advance_by_piece(lanes, most_blocks)
    }

    fn blocks_left(&self, slot: usize) -> u64 {
        self.table.entries[self.table.slots[slot]].blocks_left()
    }

    fn finish(&mut self, slot: usize, state: &ChainingOf<CompressionOf<A>>) {
        let table = &mut *self.table;
        let id = table.slots[slot];
        let entry = &mut table.entries[id];
        entry.state = *state;
        if entry.blocks_left() > 0 {
            table.listed.push(id);
            return;
        }
        (entry.is_listed, entry.segment) = (false, Segment::None);
        if entry.stage == Stage::Padded {
            let digest = digest::<A>(state);
            if entry.outer.is_some() {
                table.inner.push(id);
                table.digests.push(digest);
            } else {
                table.give(id, digest);
            }
        }
    }
}

impl<A: Algorithm, H, P: AsRef<[u8]>> Pieces<CompressionOf<A>> for Run<'_, A, H, P> {
    fn add_ready<'a>(&'a self, slots: &[usize], ahead: &mut Ahead<'a>) {
        slots.iter().for_each(|slot| ahead.add_lane(self.table.ready(self.table.slots[*slot])));
    }

    fn at_end(&self, slot: usize) -> Option<End> {
        let entry = &self.table.entries[self.table.slots[slot]];
        let is_next = entry.stage == Stage::Padded && matches!(&entry.segment, Segment::Buffer(blocks) if blocks.start == 0);
        is_next.then_some(End { message_bytes: entry.message_bytes, rest_bytes: entry.kept_bytes })
    }

    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended {
        ended_of(slots, |slot| self.table.consume(self.table.slots[slot], bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::Hasher;
    use crate::kernel::start::Start;
    use crate::{Sha256, Sha512};

    /// The messages are as if `total` bytes had been fed and compressed before, to the state that a
    /// message begins with.
    fn jobs_that_have_come_far_end_as_a_hasher_does<A: Algorithm>() {
        for total in [1u64 << 29, 1 << 32, (1 << 32) + (1 << 31), 1 << 35, (1 << 61) - 256] {
            let mut table = Table::<A, usize, Vec<u8>>::new();
            let mut expected = Vec::new();
            for bytes in [0, 1, 55, 56, 64, 127, 128, 500] {
                let id = table.open(bytes);
                table.entries[id].message_bytes = total;
                table.feed(id, vec![bytes as u8; bytes]);
                table.finish(id);
                let mut hasher = Hasher::<A>::starting(Start { state: A::INITIAL, bytes: total });
                hasher.update(&vec![bytes as u8; bytes]);
                expected.push((bytes, hasher.finalize()));
            }
            table.run(Extent::All);
            let mut ended: Vec<_> = std::iter::from_fn(|| table.next_finished()).collect();
            ended.sort_unstable();
            assert_eq!(ended, expected, "{} after {total} bytes", A::NAME);
        }
    }

    #[test]
    fn totals_beyond_512_mib_and_4_gib() {
        jobs_that_have_come_far_end_as_a_hasher_does::<Sha256>();
        jobs_that_have_come_far_end_as_a_hasher_does::<Sha512>();
    }
}
