//! Floor 4, the schedule: which message is in which lane at which time.
//!
//! It begins as the S-HASH of Gueron & Krasnov 2012 (Algorithm 1). Lanes run until the first of
//! them has no blocks ready. A message that has ended gives up its digest, and another one takes
//! its lane. The others go on where they are. The paper ends when messages run out: it "finishes
//! hashing serially". Two decisions end better.
//!
//! - **Which kernel runs.** The best one runs as long as the messages left can keep all its lanes
//!   busy to the end. After that a linear program ([`linear_program`]) says how many steps of which
//!   kernels finish soonest: many lanes, fewer lanes, one message alone. A step is one block in
//!   each lane of a kernel. States move between kernels as they are. Planning is left out if it
//!   can't save what it costs.
//! - **Which messages have its lanes.** Those with most blocks left. If one outside of the lanes
//!   has more left than one inside, by a 24th of the time left or more, they change places. So all
//!   of them end together, as by McNaughton's rule (1959), and few states are moved.
//!
//! # An example
//! Five messages: A has 6,000 blocks, B, C, D and E have 1,500 each. Two kernels: a step of the
//! wide one takes 80 ns and has four lanes, a step of the narrow one takes 40 ns and has one.
//!
//! The least time is easy to find here. A needs 6,000 steps, of either kernel. All 12,000 blocks
//! need four times the wide steps and once the narrow ones. Both hold with 2,000 wide steps and
//! 4,000 narrow ones: 320 us. That is what the linear program finds first. This is what runs, on
//! one core:
//!
//! ```text
//! lanes      steps    time   blocks left: A    B    C    D    E   what happens next
//! A B C D      625   50 us             5375  875  875  875 1500   E has most left outside, takes B's lane
//! A E C D      625   50 us             4750  875  250  250  875   B has more left than C, takes its lane
//! A E B D      250   20 us             4500  625  250    -  625   D ended, C takes its lane
//! A E B C      250   20 us             4250  375    -    -  375   C ended, nobody waits: a lane is idle
//! A E B -      375   30 us             3875    -    -    -    -   B and E ended: the narrow kernel takes over
//! A           3875  155 us                -    -    -    -    -
//!                   325 us, 98.5 % of the bound
//! ```
//!
//! The five microseconds above the bound are the lane that was idle for 375 steps. E could have had
//! a lane earlier, but a plan holds for 50 us of work, because making one takes time. Without the
//! changes of places, B, C and D would end together, and A and E would go on alone, one after the
//! other: 360 us. One message after the other takes 480 us. `the_example_is_what_happens` in
//! `model.rs` runs this example; another test there compares schedules of many sets of lengths with
//! the least time that any schedule can take, and asks for 98 % of it.
//!
//! Where messages come from and where digests go is a [`Supply`]: it is asked for all lanes at
//! once, and the schedule knows messages by their slots only.
//!
//! | file | what |
//! |---|---|
//! | `route.rs` | the first decision: one by one, short ones together, or the schedule |
//! | `alone.rs`, `short.rs` | the two shorter ways |
//! | `few.rs` | which of them a few messages go, and in which sets |
//! | `turns.rs` | messages that take turns in a few lanes, without a plan |
//! | `sets.rs` | which short ones of many messages go together, if they differ in blocks |
//! | `messages.rs`, `queue.rs` | messages in memory, and their order |
//! | `slices.rs`, `framed.rs` | messages in memory as a supply, with or without bytes around them |
//! | `chunks.rs`, `nodes.rs` | messages that are trees of chunks: nodes of all of them share the lanes |
//! | `digests.rs` | where digests go |
//! | `bookkeeping.rs` | what all this costs, besides compressing |
//! | `mix.rs`, `linear_program.rs` | the kernels to choose from, and how many steps of which |
//! | `ways.rs` | the cheapest ways through messages of one length |
//! | `bound.rs` | a time that no schedule can fall below |
//! | `squeeze.rs` | output of sponges beyond their first block |
//! | `compiled.rs` | what doors call |

pub(crate) mod alone;
mod bookkeeping;
mod bound;
pub(crate) mod chains;
pub(crate) mod chunks;
pub(crate) mod compiled;
mod copied;
pub(crate) mod digests;
pub(crate) mod each_block;
pub(crate) mod few;
pub(crate) mod framed;
pub(crate) mod leaves;
mod linear_program;
pub(crate) mod messages;
pub(crate) mod mix;
#[cfg(all(test, feature = "oracle"))]
mod model;
mod nodes;
pub(crate) mod opened;
mod queue;
#[cfg(all(test, feature = "oracle"))]
mod robust;
pub(crate) mod route;
mod sets;
pub(crate) mod short;
mod slices;
pub(crate) mod squeeze;
mod turns;
mod ways;

use crate::algorithm::ending::{End, Ending};
use crate::algorithm::{ChainingOf, Compression, WordOf};
use crate::isa::{Ahead, Blocks, MAX_LANES};
use crate::kernel::Kernel;
use crate::kernel::states::States;
use alloc::vec::Vec;
use bookkeeping::{DECISION_PS, FOLLOWING_PS, LINEAR_PROGRAM_PS, MESSAGE_PS, PLANNING_PS, SCHEDULE_PS, run_ps};
use linear_program::Work;
use mix::{Mix, Usage};

/// The messages that are not in a slot yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Waiting {
    /// The number of messages.
    pub(crate) messages: usize,
    /// The blocks of all of them together.
    pub(crate) blocks: u64,
}

/// A supply gives messages to the schedule and takes their digests. It keeps a slot for each
/// message on its way. The schedule knows the slot by its number and uses it again for other
/// messages.
pub(crate) trait Supply<C: Compression> {
    /// Makes one more slot, which is empty, and returns its number. Slots are counted from 0.
    fn add_slot(&mut self) -> usize;
    /// Puts the next message into a free slot, the longest first if lengths are known. Returns
    /// `false` if there are no more.
    fn refill(&mut self, slot: usize) -> bool;
    /// Returns what `refill` has still to give; `None` if that is unknown.
    fn waiting(&self) -> Option<Waiting>;
    /// Returns the blocks of the message that `refill` will give after `skip` others, if that is
    /// known.
    fn waiting_blocks(&self, skip: usize) -> Option<u64>;
    /// Returns a number of blocks that no message exceeds or exceeded.
    fn longest_blocks(&self) -> u64;
    /// Returns the state that the message of a slot starts from.
    fn initial(&self, slot: usize) -> ChainingOf<C>;
    /// Advances the messages of the lanes by equally many blocks, at least one and at most
    /// `most_blocks`, until a message ends or one has no blocks ready.
    fn advance(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced;
    /// Returns the blocks to the end of a slot's message, those of the padding included, at least
    /// one. A guess may do.
    fn blocks_left(&self, slot: usize) -> u64;
    /// Takes the state with which the message of a slot leaves it: the message has ended, unless it
    /// was run for [`Extent::FullLanes`] only.
    fn finish(&mut self, slot: usize, state: &ChainingOf<C>);
}

/// A part of the way of some messages.
pub(crate) struct Advanced {
    /// The blocks by which each of them was advanced.
    pub(crate) blocks: u64,
    /// The runs of the kernel that this took.
    pub(crate) runs: u64,
    /// The lanes whose messages have ended.
    pub(crate) ended: Ended,
}

/// A supply whose messages are ready in pieces.
pub(crate) trait Pieces<C: Compression> {
    /// Adds a lane for each slot: whole blocks, at least one, to be compressed next.
    fn add_ready<'a>(&'a self, slots: &[usize], ahead: &mut Ahead<'a>);
    /// Returns where a slot's message ends, if its end is what it has ready. This is asked only if
    /// an ending marks the end: then [`add_ready`](Self::add_ready) never adds it behind other
    /// blocks.
    fn at_end(&self, slot: usize) -> Option<End>;
    /// Drops the first `bytes` bytes of what each of the slots had ready, because they have been
    /// compressed. Returns which of their states are final.
    fn consume(&mut self, slots: &[usize], bytes: usize) -> Ended;
    /// Does what [`Supply::advance`] says, for one piece of each message.
    fn advance_by_piece(&mut self, lanes: &mut Lanes<'_, '_, C>, most_blocks: u64) -> Advanced {
        let mut ahead = Ahead::without_lanes();
        self.add_ready(lanes.slots, &mut ahead);
        ahead.repeat_first(lanes.kernel.lanes);
        if C::Ending::MARKS_END {
            for (lane, slot) in lanes.slots.iter().enumerate() {
                if let Some(end) = self.at_end(*slot) {
                    lanes.states.mark_end(lane, end);
                }
            }
        }
        let blocks = ahead.take(bytes_of::<C>(most_blocks));
        lanes.advance(blocks);
        let bytes = blocks.len_bytes();
        Advanced { blocks: (bytes / C::BLOCK_BYTES) as u64, runs: 1, ended: self.consume(lanes.slots, bytes) }
    }
}

/// Returns the bytes of some blocks, or more bytes than there are.
#[inline(always)]
fn bytes_of<C: Compression>(blocks: u64) -> usize {
    usize::try_from(blocks).unwrap_or(usize::MAX).saturating_mul(C::BLOCK_BYTES)
}

/// The lanes of a kernel, and the messages in them.
pub(crate) struct Lanes<'a, 's, C: Compression> {
    kernel: &'a Kernel<C>,
    states: &'a mut States<'s, C>,
    /// The slots of the messages in the lanes, which are the first ones.
    slots: &'a [usize],
}

impl<C: Compression> Lanes<'_, '_, C> {
    /// Compresses the next blocks of each lane.
    #[inline(always)]
    fn advance(&mut self, ahead: &Blocks<'_>) {
        self.kernel.advance(self.states, ahead);
    }
}

/// The lanes whose messages have ended: bit i is that of lane i.
pub(crate) type Ended = u64;
const _: () = assert!(MAX_LANES <= Ended::BITS as usize);

/// Asks each of the slots in turn whether its message has ended.
#[inline(always)]
pub(crate) fn ended_of(slots: &[usize], mut has_ended: impl FnMut(usize) -> bool) -> Ended {
    let mut ended = 0;
    for (lane, slot) in slots.iter().enumerate() {
        ended |= Ended::from(has_ended(*slot)) << lane;
    }
    ended
}

/// Two messages change places if the one outside has more left, by one part in this many of the
/// time left.
const TURNS: u64 = 24;
/// If messages share lanes, the linear program is asked again after one part in this many of a kernel's steps.
const PARTS: u64 = 4;
/// A plan holds for this many picoseconds, so that planning takes no more than a twentieth of the
/// time.
const PLAN_EVERY_PS: u64 = 50_000_000;
/// Work of less than this many picoseconds is not planned if it is too many messages to look at
/// each of them.
const LEAST_PLANNED_PS: f64 = 200e6;

/// The point at which a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// The run goes to the end of every message.
    All,
    /// The run goes on as long as there is a message for every lane of the widest kernel.
    FullLanes,
}

/// The memory of a schedule, which another one may use again.
pub(crate) struct Memory<C: Compression> {
    words: Vec<WordOf<C>>,
    /// The slot of each column; those from `active` on are free.
    slot_of: Vec<usize>,
}

#[cfg(feature = "hmac")]
impl<C: Compression> Memory<C> {
    /// Overwrites the states that a run left in it with zeros.
    pub(crate) fn erase(&mut self) {
        crate::isa::Word::erase(&mut self.words);
    }
}

impl<C: Compression> Default for Memory<C> {
    fn default() -> Self {
        Self { words: Vec::new(), slot_of: Vec::new() }
    }
}

/// Hashes the messages of `supply`, as far as `extent` says, and adds the steps to `usage`.
pub(super) fn run<C: Compression>(memory: &mut Memory<C>, mix: &Mix<C>, extent: Extent, supply: &mut dyn Supply<C>, usage: &mut Usage) {
    let mix = match supply.waiting() {
        Some(Waiting { messages, blocks }) if extent == Extent::All && blocks < supply.longest_blocks().saturating_mul(messages as u64) => {
            mix.for_ragged(blocks / messages as u64)
        }
        _ => mix,
    };
    usage.bookkeeping_ps += SCHEDULE_PS;
    let columns = 3 * mix.most_lanes;
    memory.slot_of.reserve(mix.most_lanes);
    memory.words.resize(columns * C::STATE_WORDS, WordOf::<C>::default());
    Schedule {
        mix,
        extent,
        supply,
        states: States::of_columns(&mut memory.words, columns),
        columns,
        slot_of: &mut memory.slot_of,
        active: 0,
        kernel: mix.widest,
        planned_blocks: 0,
        shares_lanes: false,
        elapsed_ps: 0,
        plan_again_ps: 0,
        unplanned_messages: 0,
        usage,
    }
    .run()
}

struct Schedule<'a, 's, C: Compression> {
    mix: &'a Mix<C>,
    extent: Extent,
    supply: &'a mut (dyn Supply<C> + 's),
    /// Columns `0..active` are messages on their way. The first of them, as many as the kernel has
    /// lanes, advance; the rest are outside.
    states: States<'a, C>,
    columns: usize,
    slot_of: &'a mut Vec<usize>,
    active: usize,
    /// Index of the kernel to run.
    kernel: usize,
    /// The number of blocks that the kernel was chosen for.
    planned_blocks: u64,
    /// Whether more messages were left than this kernel has lanes when it was chosen.
    shares_lanes: bool,
    /// The time of what was run, by the costs of the kernels, in picoseconds.
    elapsed_ps: u64,
    /// The elapsed time, in picoseconds, from which on another plan is worth making.
    plan_again_ps: u64,
    /// Once a plan was found not to pay: how many of the messages that it was found for are left.
    /// If there are more messages than these, others came later.
    unplanned_messages: usize,
    usage: &'a mut Usage,
}

impl<C: Compression> Schedule<'_, '_, C> {
    fn run(mut self) {
        loop {
            while self.active < self.mix.widest_kernel().lanes && self.take_in() {}
            let most_blocks = match self.extent {
                Extent::All if self.active == 0 => return,
                Extent::All => self.decide(),
                Extent::FullLanes if self.active < self.mix.widest_kernel().lanes => return self.let_go(),
                Extent::FullLanes => u64::MAX,
            };
            let kernel = &self.mix.kernels[self.kernel];
            let slots = &self.slot_of[..self.active.min(kernel.lanes)];
            let mut lanes = Lanes { kernel, states: &mut self.states, slots };
            let Advanced { blocks, runs, ended } = self.supply.advance(&mut lanes, most_blocks);
            self.usage.steps[self.kernel] += blocks;
            self.usage.bookkeeping_ps += u64::from(ended.count_ones()) * MESSAGE_PS + runs * run_ps(kernel);
            self.planned_blocks = self.planned_blocks.saturating_sub(blocks);
            self.elapsed_ps = self.elapsed_ps.saturating_add(blocks.saturating_mul(u64::from(kernel.cost_ps)));
            self.replace(ended);
        }
    }

    fn blocks_left(&self, column: usize) -> u64 {
        self.supply.blocks_left(self.slot_of[column])
    }

    /// Lets messages leave the lanes as they are.
    fn let_go(&mut self) {
        for column in 0..self.active {
            self.supply.finish(self.slot_of[column], &self.states.column(column));
        }
    }

    /// Begins a waiting message in a column of its own. Returns `false` if none is left.
    fn take_in(&mut self) -> bool {
        if self.active == self.slot_of.len() {
            self.slot_of.push(self.supply.add_slot());
        }
        if !self.refill(self.active) {
            return false;
        }
        self.active += 1;
        true
    }

    /// Begins a waiting message in this column. Returns `false` if none is left.
    #[inline]
    fn refill(&mut self, column: usize) -> bool {
        let slot = self.slot_of[column];
        let found = self.supply.refill(slot);
        if found {
            self.states.set_column(column, &self.supply.initial(slot));
        }
        found
    }

    fn swap(&mut self, one: usize, other: usize) {
        self.states.swap_columns(one, other);
        self.slot_of.swap(one, other);
    }

    /// Chooses the kernel and the messages in its lanes. Returns for how many blocks, at most.
    fn decide(&mut self) -> u64 {
        let waiting = self.supply.waiting();
        // The waiting messages are unknown, or all lanes will be busy for long.
        let widest_lanes = self.mix.widest_kernel().lanes as u64;
        if waiting.is_none_or(|waiting| waiting.blocks >= widest_lanes.saturating_mul(self.supply.longest_blocks())) {
            (self.kernel, self.planned_blocks) = (self.mix.widest, 0);
            return u64::MAX;
        }
        let waiting = waiting.unwrap_or_default();
        let messages = self.active + waiting.messages;
        if messages <= self.unplanned_messages {
            return self.go_unplanned(messages);
        }
        // All had a lane when the plan was made, so that it holds to its end.
        if self.planned_blocks > 0 && !self.shares_lanes {
            return self.planned_blocks;
        }
        if self.elapsed_ps < self.plan_again_ps && messages >= self.mix.kernels[self.kernel].lanes {
            return ((self.plan_again_ps - self.elapsed_ps) / u64::from(self.mix.kernels[self.kernel].cost_ps)).max(1);
        }
        if messages > self.columns && self.best_ps(waiting) < LEAST_PLANNED_PS {
            self.unplanned_messages = messages;
            return self.go_unplanned(messages);
        }
        let mut longest = Vec::with_capacity(self.columns.min(messages) + MAX_LANES);
        longest.extend((0..self.active).map(|column| self.blocks_left(column)));
        let total_blocks = longest.iter().fold(waiting.blocks, |sum: u64, blocks| sum.saturating_add(*blocks));
        longest.extend((0..MAX_LANES).map_while(|skip| self.supply.waiting_blocks(skip)));
        longest.sort_unstable();
        longest.reverse();
        let work = Work { messages, blocks: total_blocks, longest: &longest };
        let unplanned_ps = if messages == longest.len() { self.unplanned_ps(&work) } else { f64::INFINITY };
        if unplanned_ps - self.least_ps(&work) <= PLANNING_PS as f64 || !self.choose_kernel(&work, unplanned_ps) {
            self.unplanned_messages = messages;
            return self.go_unplanned(messages);
        }
        self.plan_again_ps = self.elapsed_ps + PLAN_EVERY_PS;
        self.usage.bookkeeping_ps += DECISION_PS;
        let turn_blocks = self.share_lanes(&work);
        if self.planned_blocks == 0 { turn_blocks } else { turn_blocks.min(self.planned_blocks) }
    }

    /// Chooses the kernel that is cheapest for the `messages` messages left. It advances those in
    /// its lanes until one of them ends.
    fn go_unplanned(&mut self, messages: usize) -> u64 {
        let longest = if self.mix.asks_for_lengths { (0..self.active).map(|column| self.blocks_left(column)).max() } else { None };
        let longest = longest.unwrap_or(0);
        (self.kernel, self.planned_blocks) = (self.mix.best_for(messages, longest), 0);
        while self.active < self.mix.kernels[self.kernel].lanes && self.take_in() {}
        u64::MAX
    }

    /// Returns the time of what is left, in picoseconds, if all of it went at the widest kernel's
    /// rate.
    fn best_ps(&self, waiting: Waiting) -> f64 {
        let blocks = (0..self.active).fold(waiting.blocks, |sum, column| sum.saturating_add(self.blocks_left(column)));
        let widest = self.mix.widest_kernel();
        blocks as f64 * f64::from(widest.cost_ps) / widest.lanes as f64
    }

    /// Returns the least blocks worth moving states for: about a block's time for each message.
    fn fewest_blocks(work: &Work) -> u64 {
        (2 * work.messages.min(2 * MAX_LANES) as u64).max(16)
    }

    /// Chooses a kernel, and for how many blocks. Returns whether that may be worth it: without a plan, the work takes
    /// `unplanned_ps` picoseconds.
    fn choose_kernel(&mut self, work: &Work, unplanned_ps: f64) -> bool {
        let (kernels, widest) = (&self.mix.kernels, self.mix.widest);
        if work.blocks >= (kernels[widest].lanes as u64).saturating_mul(work.longest[0]) {
            (self.kernel, self.planned_blocks) = (widest, 0);
        } else if self.planned_blocks == 0 || work.messages < kernels[self.kernel].lanes {
            self.usage.bookkeeping_ps += LINEAR_PROGRAM_PS;
            let steps = linear_program::fewest_steps(kernels, work);
            let planned_ps: f64 = kernels.iter().zip(&steps).map(|(kernel, steps)| f64::from(kernel.cost_ps) * *steps as f64).sum();
            let widest_used = (0..kernels.len()).filter(|kernel| steps[*kernel] > 0).max_by_key(|kernel| kernels[*kernel].lanes);
            let first = widest_used.unwrap_or(self.mix.best_for(work.messages, work.longest[0]));
            let shares_lanes = work.messages > kernels[first].lanes;
            // Nobody would change places before the end.
            let is_short = self.elapsed_ps as f64 + unplanned_ps < PLAN_EVERY_PS as f64;
            if shares_lanes && is_short || unplanned_ps - planned_ps <= FOLLOWING_PS as f64 {
                return false;
            }
            (self.kernel, self.shares_lanes) = (first, shares_lanes);
            let steps = if shares_lanes { steps[first] / PARTS } else { steps[first] };
            self.planned_blocks = steps.max(Self::fewest_blocks(work));
        }
        true
    }

    /// Returns the time that all messages take without a plan, in picoseconds: the kernel that is cheapest for those
    /// left advances those in its lanes until one of them ends, and so on. That takes no longer than to advance all
    /// messages by a block each in turn, which is this.
    fn unplanned_ps(&self, work: &Work) -> f64 {
        // The sums are in floating point because a guess of a length may be any number.
        let next = work.longest[1..].iter().chain([&0]);
        let levels = work.longest.iter().zip(next).zip(1..);
        levels.map(|((blocks, next), messages)| (blocks - next) as f64 * self.mix.cost_ps(messages, work.longest[0]) as f64).sum()
    }

    /// Returns a time that nothing can fall below, in picoseconds.
    fn least_ps(&self, work: &Work) -> f64 {
        self.mix.least_ps(work.messages, work.blocks, work.longest[0])
    }

    /// Lets messages outside of the lanes take the place of those that are ahead of them. Returns
    /// after how many blocks to look again.
    fn share_lanes(&mut self, work: &Work) -> u64 {
        let kernel_lanes = self.mix.kernels[self.kernel].lanes;
        let fewest = Self::fewest_blocks(work);
        let lead = (work.blocks / kernel_lanes as u64 / TURNS).max(fewest);
        loop {
            let lanes = self.active.min(kernel_lanes);
            let outside = (lanes..self.active).map(|column| (self.blocks_left(column), column)).max();
            let waiting = self.supply.waiting_blocks(0).filter(|_| self.active < self.columns);
            let longest_outside = outside.map(|(blocks, _)| blocks).max(waiting);
            let Some(longest_outside) = longest_outside.filter(|blocks| *blocks > fewest) else { return u64::MAX };
            let (shortest_inside, inside) = (0..lanes).map(|column| (self.blocks_left(column), column)).min().expect("lanes are taken");
            if longest_outside < shortest_inside + lead {
                return (shortest_inside + lead - longest_outside).max(fewest);
            }
            match outside {
                Some((blocks, column)) if Some(blocks) >= waiting => self.swap(inside, column),
                _ if self.take_in() => self.swap(inside, self.active - 1),
                _ => return u64::MAX,
            }
        }
    }

    /// Takes the messages that have ended out of the lanes, and puts others there.
    fn replace(&mut self, mut ended: Ended) {
        let lanes = self.active.min(self.mix.kernels[self.kernel].lanes);
        // This goes from the last column down, so a column that takes an ended one's place has had
        // its turn.
        while let Some(column) = ended.checked_ilog2() {
            ended ^= 1 << column;
            let column = column as usize;
            self.supply.finish(self.slot_of[column], &self.states.column(column));
            self.unplanned_messages = self.unplanned_messages.saturating_sub(1);
            let outside = (lanes..self.active).map(|column| (self.blocks_left(column), column)).max();
            let waiting_first = outside.is_none_or(|(blocks, _)| self.supply.waiting_blocks(0).is_some_and(|waiting| waiting > blocks));
            if waiting_first && self.refill(column) {
                continue;
            }
            let mut freed = column;
            if let Some((_, longest)) = outside {
                self.swap(column, longest);
                freed = longest;
            }
            self.active -= 1;
            self.swap(freed, self.active);
        }
    }
}
