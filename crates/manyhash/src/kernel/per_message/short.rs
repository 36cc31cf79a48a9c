//! Whole short messages in a kernel with registers for each message: from their starts to their digests in
//! one run, in which the registers of a message that has ended go to the next one (Gueron & Krasnov 2012,
//! Algorithm 1).
//!
//! First the ends of all messages are padded in memory, so that what is written there has left the store
//! buffer when it is read. Then the messages in registers advance to where the first of them has no more
//! whole blocks, or ends. Where that is does not depend on a state, so that the CPU learns it while rounds
//! still wait for the unit that does them: a branch taken wrongly costs little. Choosing what is next after
//! every block, without a branch, cost 4 ns a block of SHA-1 (Zen 4).
//!
//! If no message waits, the place of one that has ended does the work of another once more.

use super::PerMessage;
use crate::algorithm::ending::Ending;
use crate::algorithm::{ChainingOf, Compression, WordOf, write_digest};
use crate::isa::{Blocks, MAX_LANES, Rooms, Task};
use crate::kernel::short::{LaneStarts, LaneStates, ShortMessages};
use std::ops::Range;

/// The task for whole messages, any number of them. It leaves the digest of each at the beginning of its room.
pub(crate) struct Apart<'a, 'm, C: Compression> {
    /// What they have in common, or for each of them where it starts.
    pub(crate) common: &'a ShortMessages<'a, C>,
    pub(crate) messages: &'a [&'m [u8]],
    /// Memory for a room of [`ROOM_BLOCKS`] blocks for each of them.
    pub(crate) rooms: &'a mut Rooms<'m, u8>,
}

/// The blocks of a message's room: one at whose beginning its digest is left, and two for its end.
pub(crate) const ROOM_BLOCKS: usize = 3;

/// The task in a kernel for `N` messages.
pub(in crate::kernel) struct InRegisters<'a, 'm, C: Compression, const N: usize>(pub(in crate::kernel) Apart<'a, 'm, C>);

/// What is still to be compressed of a message in registers; nothing, if there is no message.
#[derive(Clone, Default)]
struct Place<'m> {
    /// The message's place among all.
    message: usize,
    /// Its whole blocks, where they lie.
    body: &'m [u8],
    /// Its end, in the rooms.
    end: Range<usize>,
    /// Whether it is the second pass, over the digest.
    is_outer: bool,
}

impl<'m> Place<'m> {
    /// Begins with a message, if there is one.
    #[inline(always)]
    fn begin<C: Compression>(message: usize, messages: &[&'m [u8]]) -> Self {
        let Some(bytes) = messages.get(message) else { return Self::default() };
        let (body, rest) = bytes.split_at(bytes.len() - bytes.len() % C::BLOCK_BYTES);
        let end = (message * ROOM_BLOCKS + 1) * C::BLOCK_BYTES;
        Self { message, body, end: end..end + end_blocks::<C>(rest.len()) * C::BLOCK_BYTES, is_outer: false }
    }

    /// Returns the bytes that come next.
    #[inline(always)]
    fn ahead<'a>(&self, rooms: &'a [u8]) -> &'a [u8]
    where
        'm: 'a,
    {
        if self.body.is_empty() { &rooms[self.end.clone()] } else { self.body }
    }

    /// Goes on behind some of these bytes. Returns whether the message has ended.
    #[inline(always)]
    fn advance(&mut self, bytes: usize) -> bool {
        if !self.body.is_empty() {
            self.body = &self.body[bytes..];
            return false;
        }
        self.end.start += bytes;
        self.end.is_empty()
    }
}

/// Returns the blocks of a message's end, behind which it has `rest_bytes` bytes.
const fn end_blocks<C: Compression>(rest_bytes: usize) -> usize {
    if rest_bytes + C::Ending::FEWEST_BYTES > C::BLOCK_BYTES { 2 } else { 1 }
}

/// Where messages start, in registers.
struct Start<'a, I: PerMessage<C>, C: Compression> {
    /// Where all of them do, or the first one.
    same: I::State,
    each: Option<&'a LaneStates<C>>,
}

impl<'a, I: PerMessage<C>, C: Compression> Start<'a, I, C> {
    #[inline(always)]
    fn new(isa: I, starts: &LaneStarts<'a, C>) -> Self {
        match starts {
            LaneStarts::Same(state) => Self { same: isa.load(state), each: None },
            LaneStarts::Each(rows) => Self { same: isa.load(&column::<C>(rows, 0)), each: Some(rows) },
        }
    }

    /// Returns where a message starts.
    #[inline(always)]
    fn of(&self, isa: I, message: usize) -> I::State {
        match self.each {
            None => self.same,
            Some(rows) => isa.load(&column::<C>(rows, message)),
        }
    }
}

/// Returns the state of a message.
#[inline(always)]
fn column<C: Compression>(rows: &LaneStates<C>, message: usize) -> ChainingOf<C> {
    let mut state = C::filled(WordOf::<C>::default());
    for (word, row) in state.as_mut().iter_mut().zip(rows.as_ref()) {
        *word = row[message % MAX_LANES];
    }
    state
}

impl<I: PerMessage<C>, C: Compression, const N: usize> Task<I> for InRegisters<'_, '_, C, N> {
    /// The steps that it took.
    type Output = u64;
    #[inline(always)]
    fn run(self, isa: I) -> u64 {
        let Apart { common: ShortMessages { midstates, start_bytes, first, outer }, messages, rooms } = self.0;
        let room_bytes = const { ROOM_BLOCKS * C::BLOCK_BYTES };
        for message in messages {
            pad::<C>(message, rooms.add(room_bytes, 0), *start_bytes, first.byte());
        }
        let rooms = rooms.all();
        let inner = Start::<I, C>::new(isa, midstates);
        let outer = outer.as_ref().map(|(starts, digest_block)| (Start::<I, C>::new(isa, starts), digest_block));
        let mut places: [Place; N] = std::array::from_fn(|message| Place::begin::<C>(message, messages));
        let mut states: [I::State; N] = std::array::from_fn(|message| inner.of(isa, message));
        let (mut begun, mut left, mut steps) = (N, messages.len(), 0);
        while left > 0 {
            // What is copied between blocks may be in wider registers.
            isa.prepare();
            let ahead: [&[u8]; N] = std::array::from_fn(|lane| places[lane].ahead(rooms));
            let is_nearer = |one: &[u8], other: &[u8]| other.is_empty() || !one.is_empty() && one.len() < other.len();
            let nearest = (1..N).fold(ahead[0], |nearest, lane| if is_nearer(ahead[lane], nearest) { ahead[lane] } else { nearest });
            let bytes = nearest.len();
            isa.compress(&mut states, &Blocks::new(N, bytes, |lane| if ahead[lane].is_empty() { nearest } else { ahead[lane] }));
            steps += bytes / C::BLOCK_BYTES;
            for (state, place) in states.iter_mut().zip(&mut places) {
                if place.end.is_empty() || !place.advance(bytes) {
                    continue;
                }
                let message = place.message;
                let room = &mut rooms[message * room_bytes..][..room_bytes];
                if let (Some((start, digest_block)), false) = (&outer, place.is_outer) {
                    digest_block.write(&isa.store(state), &mut room[C::BLOCK_BYTES..2 * C::BLOCK_BYTES]);
                    *state = start.of(isa, message);
                    let end = (message * ROOM_BLOCKS + 1) * C::BLOCK_BYTES;
                    (place.end, place.is_outer) = (end..end + C::BLOCK_BYTES, true);
                    continue;
                }
                write_digest::<C>(&isa.store(state), &mut room[..C::DIGEST_WORDS * size_of::<WordOf<C>>()]);
                *state = inner.of(isa, begun);
                *place = Place::begin::<C>(begun, messages);
                begun += 1;
                left -= 1;
            }
        }
        steps as u64
    }
}

/// Pads the end of a message in its room, which is zeros, behind its first block.
#[inline(always)]
fn pad<C: Compression>(message: &[u8], room: &mut [u8], start_bytes: u64, first: u8) {
    let rest_bytes = message.len() % C::BLOCK_BYTES;
    match message.len().checked_sub(C::BLOCK_BYTES) {
        // As many bytes as a block has, the last ones of the message, so that their rest begins behind the first block.
        Some(before) => room[rest_bytes..][..C::BLOCK_BYTES].copy_from_slice(&message[before..][..C::BLOCK_BYTES]),
        None => copy(message, &mut room[C::BLOCK_BYTES..][..C::BLOCK_BYTES]),
    }
    let room = &mut room[C::BLOCK_BYTES..][..2 * C::BLOCK_BYTES];
    room[rest_bytes] = first;
    C::Ending::finish(&mut room[..end_blocks::<C>(rest_bytes) * C::BLOCK_BYTES], start_bytes + message.len() as u64);
}

/// Copies fewer than 128 bytes to the beginning of `to`, in two pieces of a length that the compiler knows, which may overlap: kernels
/// call no function.
#[inline(always)]
fn copy(from: &[u8], to: &mut [u8]) {
    let bytes = from.len();
    macro_rules! pieces { ($($piece:literal)*) => { $(
        if let (Some(first), Some(last)) = (from.first_chunk::<$piece>(), from.last_chunk::<$piece>()) {
            to[..$piece].copy_from_slice(first);
            to[bytes - $piece..][..$piece].copy_from_slice(last);
            return;
        }
    )* } }
    if to.len() > 64 {
        pieces!(64);
    }
    pieces!(32 16 8 4 2 1);
}
