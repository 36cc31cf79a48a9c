//! Which message is in which lane when: the S-HASH of Gueron & Krasnov 2012 (Algorithm 1), and what it leaves open.
//!
//! Lanes run until the first of them has no blocks ready; those that ended give up their digest and are refilled, the others go on
//! where they are. So far the paper. When fewer messages are left than lanes, it "finishes hashing serially"; here the plan names for
//! every number of messages the shape that advances most of them for its time (one wave, SHA-NI four messages wide, one message
//! alone), and a message's midstate moves to it as it is. Where a shape has fewer lanes than there are messages, those with most
//! blocks left take the lanes, in turns, so that all end together: McNaughton's rule (1959), which reaches the lower bound of any
//! schedule if turns cost nothing.
//!
//! Where messages come from, and what becomes of their digests, is a [`Supply`]: slices in `many.rs`, readers in `readers.rs`.

#[cfg(test)]
mod model;

use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::lanes::Blocks;
use crate::shape::Plan;
use crate::states::States;

/// A message on its way: what it has ready.
pub(crate) trait Slot {
    /// Whole blocks, at least one, to be compressed next.
    fn ready(&self) -> &[u8];
    /// Blocks to the end of the message, those of the padding included; a guess may do.
    fn blocks_left(&self) -> u64;
}

/// Whether a message goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// It has more blocks ready.
    More,
    /// Its state is final.
    Ended,
}

/// Where messages come from and where digests go.
pub(crate) trait Supply<C: Compression> {
    /// Room for one message; used again for others.
    type Slot: Slot;
    /// A new slot, empty.
    fn slot(&mut self) -> Self::Slot;
    /// Puts the next message into a free slot. `false`: there are no more.
    fn refill(&mut self, slot: &mut Self::Slot) -> bool;
    /// Messages that `refill` has still to give, if known.
    fn waiting(&self) -> Option<usize>;
    /// The first `bytes` bytes of the slot's `ready` have been compressed.
    fn consume(&mut self, slot: &mut Self::Slot, bytes: usize) -> Progress;
    /// The message of a slot has ended with this state.
    fn finish(&mut self, slot: &mut Self::Slot, state: &ChainingOf<C>);
}

/// What a schedule did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    /// For each shape of the plan, steps run: a block in each of its lanes.
    pub(crate) steps: Vec<u64>,
}

/// Blocks in a turn, at least: moving states from lane to lane costs about a block's time.
const SHORTEST_TURN_BLOCKS: u64 = 16;

/// Hashes every message of `supply`.
pub(crate) fn run<C: Compression, S: Supply<C>>(plan: &Plan<C>, initial: &ChainingOf<C>, supply: &mut S) -> Usage {
    let columns = 2 * plan.widest;
    let mut words = vec![WordOf::<C>::default(); columns * C::STATE_WORDS];
    Schedule {
        plan,
        initial,
        supply,
        states: States::of_columns(&mut words, columns),
        slots: Vec::new(),
        slot_of: Vec::new(),
        active: 0,
        usage: Usage { steps: vec![0; plan.shapes.len()] },
    }
    .run()
}

struct Schedule<'a, C: Compression, S: Supply<C>> {
    plan: &'a Plan<C>,
    initial: &'a ChainingOf<C>,
    supply: &'a mut S,
    /// Columns `0..active` are messages on their way, of which a shape takes the first.
    states: States<'a, C>,
    slots: Vec<S::Slot>,
    /// Each column's slot; those from `active` on are free.
    slot_of: Vec<usize>,
    active: usize,
    usage: Usage,
}

impl<C: Compression, S: Supply<C>> Schedule<'_, C, S> {
    fn run(mut self) -> Usage {
        loop {
            self.fill();
            if self.active == 0 {
                return self.usage;
            }
            let choice = self.plan.choice(self.active);
            let shape = &self.plan.shapes[choice.shape];
            let lanes = self.active.min(shape.lanes);
            let mut blocks = u64::MAX;
            if choice.take_turns {
                blocks = self.next_turn(lanes);
            }
            let ready = |lane: usize| self.slots[self.slot_of[lane]].ready();
            let blocks = (0..lanes).map(|lane| ready(lane).len() / C::BLOCK_BYTES).fold(blocks as usize, usize::min);
            // A lane without a message does the work of the first one again.
            let ahead = Blocks::new(shape.lanes, blocks * C::BLOCK_BYTES, |lane| ready(if lane < lanes { lane } else { 0 }));
            shape.advance(&mut self.states, &ahead);
            self.usage.steps[choice.shape] += blocks as u64;
            self.consume(lanes, blocks * C::BLOCK_BYTES);
        }
    }

    /// Takes messages in until the widest shape is full, or, once the rest of them fit, all of the rest.
    fn fill(&mut self) {
        let widest = self.plan.widest;
        let rest_fits = self.supply.waiting().is_some_and(|waiting| self.active + waiting <= 2 * widest);
        let room = if rest_fits { 2 * widest } else { widest };
        while self.active < room {
            if self.active == self.slots.len() {
                self.slot_of.push(self.slots.len());
                self.slots.push(self.supply.slot());
            }
            if !self.supply.refill(&mut self.slots[self.slot_of[self.active]]) {
                return;
            }
            self.states.set_column(self.active, self.initial);
            self.active += 1;
        }
    }

    /// Puts the messages with most blocks left into the first `lanes` columns; returns for how many blocks they should stay.
    fn next_turn(&mut self, lanes: usize) -> u64 {
        let mut by_length: Vec<(u64, usize)> =
            (0..self.active).map(|column| (self.slots[self.slot_of[column]].blocks_left(), column)).collect();
        by_length.sort_unstable_by(|one, other| other.cmp(one));
        let mut leaving = by_length[lanes..].iter().filter(|(_, column)| *column < lanes);
        for (_, incoming) in by_length[..lanes].iter().filter(|(_, column)| *column >= lanes) {
            let (_, outgoing) = leaving.next().expect("as many leave the lanes as enter");
            self.states.swap_columns(*incoming, *outgoing);
            self.slot_of.swap(*incoming, *outgoing);
        }
        // Until the shortest in the lanes is as short as the longest outside, and then some.
        let ahead = by_length[lanes - 1].0 - by_length[lanes].0;
        ahead.max(by_length[0].0 / 8).max(SHORTEST_TURN_BLOCKS)
    }

    /// `bytes` bytes of each of the first `lanes` columns are done.
    fn consume(&mut self, lanes: usize, bytes: usize) {
        // From the last: the column that takes an ended one's place has had its turn.
        for column in (0..lanes).rev() {
            let slot = &mut self.slots[self.slot_of[column]];
            if self.supply.consume(slot, bytes) == Progress::More {
                continue;
            }
            self.supply.finish(slot, &self.states.column(column));
            if self.active <= self.plan.widest && self.supply.refill(slot) {
                self.states.set_column(column, self.initial);
            } else {
                self.active -= 1;
                self.states.swap_columns(column, self.active);
                self.slot_of.swap(column, self.active);
            }
        }
    }
}
