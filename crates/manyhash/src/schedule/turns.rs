//! Messages that take turns in a few lanes: where one has ended, the next one begins.
//!
//! This is S-HASH (Gueron & Krasnov 2012, Algorithm 1) and no more: lanes run to the nearest end, and
//! when no message waits, those that are left go on in kernels of fewer lanes. Nothing is planned and
//! nothing is on the heap: two messages of 64 bytes take MD5 211 ns so, and 329 one after the other
//! (Zen 5). What the schedule (`mod.rs`) does better, it does with long messages.
//!
//! The end of each message is padded in memory. It is a segment of its own behind the whole blocks, or
//! all of a message that has no more than two.

use super::bookkeeping::{TURNS_PS, turn_ps};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use crate::algorithm::ending::{Ending, TwoBlocks, block_count, body_bytes, end_in, end_of_digest_in, zeros};
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::isa::{Blocks, Row, Word};
use crate::kernel::start::{Passes, Starts};
use crate::kernel::states::States;

/// The most lanes that messages take turns in.
pub(super) const MAX_TURN_LANES: usize = 8;

/// Hashes `count` messages, best the longest first. Panics if the mix has no lanes for turns.
#[inline(never)]
pub(super) fn hash<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    (which, count): (Which<'_>, usize),
    usage: Option<&mut Usage>,
) {
    let mut unused = Usage::default();
    let usage = usage.unwrap_or(&mut unused);
    // Kernels for fewer messages have no more lanes than those for more.
    let kernel = mix.turn_kernel(mix.turn_lanes.min(count));
    usage.bookkeeping_ps += TURNS_PS + count as u64 * turn_ps(kernel);
    if kernel.lanes <= 4 {
        Turns::<C, 4>::new(passes, messages, which, count).run(mix, digests, usage);
    } else {
        Turns::<C, MAX_TURN_LANES>::new(passes, messages, which, count).run(mix, digests, usage);
    }
}

/// A message that has begun in other lanes.
pub(super) struct Begun<C: Compression> {
    /// The index of the message.
    message: usize,
    /// The blocks that were compressed, and the state behind them.
    blocks: u64,
    state: ChainingOf<C>,
}

impl<C: Compression> Begun<C> {
    /// Takes over a message of which some blocks were compressed, or none. `row` has the state behind them as it would be in a digest.
    pub(super) fn new(message: usize, blocks: u64, starts: &Starts<'_, C>, row: &Row) -> Self {
        let mut state = *starts.midstate(message).0;
        if blocks > 0 {
            for (word, bytes) in state.as_mut().iter_mut().zip(row.chunks_exact(size_of::<WordOf<C>>())) {
                *word = Word::from_bytes(C::BYTE_ORDER, bytes);
            }
        }
        Self { message, blocks, state }
    }
}

/// Goes on with messages that have begun in other lanes, which are the first of `begun`.
#[inline(never)]
pub(super) fn go_on<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    begun: &[Option<Begun<C>>; MAX_TURN_LANES],
    usage: &mut Usage,
) {
    let mut indices = [0; MAX_TURN_LANES];
    let mut count = 0;
    for (index, begun) in indices.iter_mut().zip(begun.iter().map_while(Option::as_ref)) {
        *index = begun.message;
        count += 1;
    }
    usage.bookkeeping_ps += TURNS_PS + count as u64 * turn_ps(mix.turn_kernel(mix.turn_lanes));
    let which = Which::These(&indices[..count]);
    Turns::<C, MAX_TURN_LANES> { part_way: begun, ..Turns::new(passes, messages, which, count) }.run(mix, digests, usage);
}

/// Returns the estimated time of some messages that take turns, in picoseconds: their blocks are
/// `blocks`, those of each, longest first.
pub(super) fn ps<C: Compression>(mix: &Mix<C>, blocks: impl Iterator<Item = u64>) -> u64 {
    let lanes = mix.turn_lanes;
    let mut in_lanes = [0u64; MAX_TURN_LANES];
    let in_lanes = &mut in_lanes[..lanes];
    let mut count = 0;
    for blocks in blocks {
        let nearest = if count < lanes { count } else { (0..lanes).min_by_key(|lane| in_lanes[*lane]).unwrap_or(0) };
        in_lanes[nearest] = in_lanes[nearest].saturating_add(blocks);
        count += 1;
    }
    in_lanes.sort_unstable();
    in_lanes.reverse();
    let levels = (1..=lanes).map(|going| {
        let next = in_lanes.get(going).copied().unwrap_or(0);
        (in_lanes[going - 1] - next).saturating_mul(u64::from(mix.turn_kernel(going).cost_ps))
    });
    levels.fold(TURNS_PS + count as u64 * mix.single.besides.ragged_turn_ps, u64::saturating_add)
}

/// A message on its way.
#[derive(Clone, Copy)]
struct Turn<'a> {
    /// The index of the message.
    message: usize,
    /// The whole blocks that are to be compressed where they lie.
    body: &'a [u8],
    /// The range of bytes of the end that is still to be compressed.
    end: (usize, usize),
    /// Whether this is the second pass, over the digest.
    is_outer: bool,
}

/// Messages that take turns in up to `N` lanes.
struct Turns<'a, 's, C: Compression, const N: usize> {
    passes: &'a Passes<'s, C>,
    messages: &'a dyn Messages,
    which: Which<'a>,
    count: usize,
    /// How far the first of them are already; none, if all are at their beginning.
    part_way: &'a [Option<Begun<C>>],
    /// The number of messages that have begun here.
    begun: usize,
    turns: [Turn<'a>; N],
}

impl<'a, 's, C: Compression, const N: usize> Turns<'a, 's, C, N> {
    #[inline(always)]
    fn new(passes: &'a Passes<'s, C>, messages: &'a dyn Messages, which: Which<'a>, count: usize) -> Self {
        let turns = [Turn { message: 0, body: &[], end: (0, 0), is_outer: false }; N];
        Self { passes, messages, which, count, part_way: &[], begun: 0, turns }
    }

    #[inline(always)]
    fn run(&mut self, mix: &Mix<C>, digests: &mut Digests<'_>, usage: &mut Usage) {
        let mut rows = C::filled([WordOf::<C>::default(); N]);
        let mut states = States::<C>::of_rows(&mut rows);
        let mut ends = [zeros::<C, 16>(); N];
        // The lanes with a message, which are the first ones.
        let mut busy = mix.turn_lanes.clamp(1, N).min(self.count);
        for (lane, end) in ends[..busy].iter_mut().enumerate() {
            self.begin(lane, end, &mut states);
        }
        while busy > 0 {
            let index = mix.turn_kernel_index(busy);
            let kernel = &mix.kernels[index];
            let mut ahead: [&[u8]; N] = [&[]; N];
            let mut bytes = usize::MAX;
            for ((ahead, turn), end) in ahead.iter_mut().zip(&self.turns).zip(&ends).take(busy) {
                *ahead = if turn.body.is_empty() { &end.as_ref().as_flattened()[turn.end.0..turn.end.1] } else { turn.body };
                bytes = bytes.min(ahead.len());
            }
            kernel.advance(&mut states, &Blocks::new(kernel.lanes, bytes, |lane| ahead[if lane < busy { lane } else { 0 }]));
            usage.steps[index] += (bytes / C::BLOCK_BYTES) as u64;
            // From the last lane down, so that a lane that takes an ended one's place has had its turn.
            for lane in (0..busy).rev() {
                let turn = &mut self.turns[lane];
                if turn.body.is_empty() {
                    turn.end.0 += bytes;
                } else {
                    turn.body = &turn.body[bytes..];
                }
                if !turn.body.is_empty() || turn.end.0 < turn.end.1 || self.goes_on(lane, &mut ends[lane], &mut states, digests) {
                    continue;
                }
                busy -= 1;
                if lane < busy {
                    states.swap_columns(lane, busy);
                    (self.turns[lane], ends[lane]) = (self.turns[busy], ends[busy]);
                }
            }
        }
    }

    /// Begins the next message in a lane, whose end is written over zeros.
    #[inline(always)]
    fn begin(&mut self, lane: usize, zeros: &mut TwoBlocks<C>, states: &mut States<'_, C>) {
        let index = self.which.index(self.begun);
        let part_way = self.part_way.get(self.begun).and_then(Option::as_ref);
        self.begun += 1;
        let message = self.messages.message(index);
        let (start, start_bytes) = self.passes.inner.midstate(index);
        let taken_bytes = part_way.map_or(0, |begun| begun.blocks as usize * C::BLOCK_BYTES);
        states.set_column(lane, part_way.map_or(start, |begun| &begun.state));
        let (body, rest) = message.split_at(body_bytes::<C>(message.len(), block_count::<C>(message.len() as u64)));
        let message_bytes = start_bytes + message.len() as u64;
        let end_bytes = end_in::<C>(zeros.as_mut().as_flattened_mut(), rest, message_bytes, C::Ending::first(start));
        let end = (taken_bytes.saturating_sub(body.len()), end_bytes);
        self.turns[lane] = Turn { message: index, body: &body[taken_bytes.min(body.len())..], end, is_outer: false };
    }

    /// Takes a message that has ended out of its lane, or begins its second pass. Returns whether the
    /// lane goes on.
    #[inline(always)]
    fn goes_on(&mut self, lane: usize, end: &mut TwoBlocks<C>, states: &mut States<'_, C>, digests: &mut Digests<'_>) -> bool {
        let Turn { message, is_outer, .. } = self.turns[lane];
        let state = states.column(lane);
        if let (Some(outer), false) = (&self.passes.outer, is_outer) {
            let (start, start_bytes) = outer.midstate(message);
            let digest_bytes = digests.digest_bytes();
            *end = zeros::<C, 16>();
            let (bytes, first) = (start_bytes + digest_bytes as u64, C::Ending::first(start));
            let end_bytes = end_of_digest_in::<C>(end.as_mut().as_flattened_mut(), &state, digest_bytes, bytes, first);
            states.set_column(lane, start);
            self.turns[lane] = Turn { message, body: &[], end: (0, end_bytes), is_outer: true };
            return true;
        }
        digests.set_state::<C>(message, &state);
        if self.begun == self.count {
            return false;
        }
        *end = zeros::<C, 16>();
        self.begin(lane, end, states);
        true
    }
}
