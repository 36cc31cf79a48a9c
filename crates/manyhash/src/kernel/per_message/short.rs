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
use crate::kernel::short::{LaneStarts, ShortMessages};

/// The task for whole messages, any number of them. It leaves the digest of each at the beginning of its room.
pub(crate) struct Apart<'a, 'm, C: Compression> {
    /// What they have in common, or for each of them where it starts.
    pub(crate) common: &'a ShortMessages<'a, C>,
    pub(crate) messages: &'a [&'m [u8]],
    /// Memory for a room of [`ROOM_BLOCKS`] blocks for each of them.
    pub(crate) rooms: &'a mut Rooms<'m>,
}

/// The blocks of a message's room: one at whose beginning its digest is left, and two for its end.
pub(crate) const ROOM_BLOCKS: usize = 3;

/// The task in a kernel for `N` messages.
pub(in crate::kernel) struct InRegisters<'a, 'm, C: Compression, const N: usize>(pub(in crate::kernel) Apart<'a, 'm, C>);

/// What comes next of a message in registers.
#[derive(Clone, Copy)]
struct Place {
    /// The message's place among all.
    message: usize,
    /// Whether it is in the message's room, or in the message itself.
    is_end: bool,
    /// Whether it is the second pass, over the digest.
    is_outer: bool,
    /// Where it begins, and how many bytes there are.
    at: usize,
    bytes: usize,
}

impl Place {
    /// No message.
    const IDLE: Self = Self { message: usize::MAX, is_end: false, is_outer: false, at: 0, bytes: usize::MAX };

    /// What comes next of a message that has not begun, if there is one.
    #[inline(always)]
    fn begin<C: Compression>(message: usize, messages: &[&[u8]]) -> Self {
        let Some(bytes) = messages.get(message).map(|message| message.len()) else { return Self::IDLE };
        let whole_bytes = bytes - bytes % C::BLOCK_BYTES;
        let begun = Self { message, is_end: false, is_outer: false, at: 0, bytes: whole_bytes };
        if whole_bytes == 0 { begun.end::<C>(bytes) } else { begun }
    }

    /// What comes next of a message whose whole blocks were compressed, if it has `bytes` bytes.
    #[inline(always)]
    fn end<C: Compression>(self, bytes: usize) -> Self {
        let end_bytes = if bytes % C::BLOCK_BYTES + C::Ending::FEWEST_BYTES > C::BLOCK_BYTES { 2 } else { 1 } * C::BLOCK_BYTES;
        Self { is_end: true, at: C::BLOCK_BYTES, bytes: end_bytes, ..self }
    }
}

impl<I: PerMessage<C>, C: Compression, const N: usize> Task<I> for InRegisters<'_, '_, C, N> {
    /// The steps that it took.
    type Output = u64;
    #[inline(always)]
    fn run(self, isa: I) -> u64 {
        let Apart { common: ShortMessages { midstates, start_bytes, first, outer }, messages, rooms } = self.0;
        let room_bytes = const { ROOM_BLOCKS * C::BLOCK_BYTES };
        for message in messages {
            pad::<C>(message, rooms.add(room_bytes), *start_bytes, first.byte());
        }
        let rooms = rooms.all();
        let mut states = [isa.load(&start(midstates, 0)); N];
        let mut places = [Place::IDLE; N];
        for (message, (state, place)) in states.iter_mut().zip(&mut places).enumerate() {
            *state = isa.load(&start(midstates, message));
            *place = Place::begin::<C>(message, messages);
        }
        let (mut begun, mut left, mut steps) = (N, messages.len(), 0);
        while left > 0 {
            let nearest = (1..N).fold(0, |nearest, lane| if places[lane].bytes < places[nearest].bytes { lane } else { nearest });
            let bytes = places[nearest].bytes;
            let blocks = Blocks::new(N, bytes, |lane| {
                let Place { message, is_end, at, .. } = places[if places[lane].message < messages.len() { lane } else { nearest }];
                let from = if is_end { &rooms[message * room_bytes..][..room_bytes] } else { messages[message] };
                &from[at..]
            });
            isa.compress(&mut states, &blocks);
            steps += bytes / C::BLOCK_BYTES;
            for (state, place) in states.iter_mut().zip(&mut places) {
                let Place { message, is_end, is_outer, .. } = *place;
                (place.at, place.bytes) = (place.at + bytes, place.bytes - bytes);
                if place.bytes > 0 || message >= messages.len() {
                    continue;
                }
                if !is_end {
                    *place = place.end::<C>(messages[message].len());
                    continue;
                }
                let room = &mut rooms[message * room_bytes..][..room_bytes];
                if let (Some((midstates, digest_block)), false) = (outer, is_outer) {
                    digest_block.write(&isa.store(state), &mut room[C::BLOCK_BYTES..2 * C::BLOCK_BYTES]);
                    *state = isa.load(&start(midstates, message));
                    *place = Place { is_outer: true, at: C::BLOCK_BYTES, bytes: C::BLOCK_BYTES, ..*place };
                    continue;
                }
                write_digest::<C>(&isa.store(state), &mut room[..C::DIGEST_WORDS * size_of::<WordOf<C>>()]);
                *state = isa.load(&start(midstates, begun));
                *place = Place::begin::<C>(begun, messages);
                begun += 1;
                left -= 1;
            }
        }
        steps as u64
    }
}

/// Returns the midstate that a message starts from.
#[inline(always)]
fn start<C: Compression>(starts: &LaneStarts<'_, C>, message: usize) -> ChainingOf<C> {
    match starts {
        LaneStarts::Same(state) => **state,
        LaneStarts::Each(rows) => {
            let mut state = C::filled(WordOf::<C>::default());
            for (word, row) in state.as_mut().iter_mut().zip(rows.as_ref()) {
                *word = row[message % MAX_LANES];
            }
            state
        }
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
    let end_blocks = 1 + usize::from(rest_bytes + C::Ending::FEWEST_BYTES > C::BLOCK_BYTES);
    C::Ending::finish(&mut room[..end_blocks * C::BLOCK_BYTES], start_bytes + message.len() as u64);
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
