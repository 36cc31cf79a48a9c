//! A few messages: which way they go, decided without memory of their own.
//!
//! What decides and orders many messages takes half a microsecond at least: as long as eight
//! messages of two blocks take in the lanes of SHA-512. A few are sorted in an array. The longest of
//! them may take turns in few lanes, and the others are a set in many.

use super::bookkeeping::{FEW_TWO_WAYS_PS, PLANNING_PS, SCHEDULE_PS, TURNS_PS, alike_ps, ragged_message_ps, set_ps, turn_ps};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::sets::{self, Set};
use super::short::{FEW_APART, MAX_BLOCKS, RowMemory, Rows, Together};
use super::turns;
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::kernel::SHORT_BLOCKS;
use crate::kernel::start::Passes;

/// No more messages than this are a few.
pub(super) const FEW: usize = 32;

/// No more messages than this are looked at before it is known that they are a few.
pub(super) const MOST_ALONE: usize = 8;

/// Returns the most blocks with which 0, 1, 2, ... messages of equally many go one by one.
pub(super) fn alone_blocks<C: Compression>(mix: &Mix<C>) -> [u64; MOST_ALONE + 1] {
    std::array::from_fn(|messages| {
        let go_alone = |blocks: &u64| {
            let lengths = Lengths { messages, blocks: blocks * messages as u64, longest: *blocks, ..Lengths::default() };
            matches!(lengths.way_of_alike(mix), Way::OneByOne)
        };
        let powers = (0..=SHORT_BLOCKS.ilog2() + 1).map(|power| 1 << power);
        if messages <= 1 { u64::MAX } else { powers.take_while(go_alone).last().unwrap_or(0) }
    })
}

/// Where a few messages go.
pub(super) enum Way {
    OneByOne,
    /// In turns, in the order that they have.
    InTurns,
    /// Together: all of them have as many blocks.
    Alike {
        blocks: u64,
    },
    /// Together on this kernel, which has registers for each: no more than [`FEW_APART`].
    Apart(usize),
    /// As a set in the order that they have.
    OneSet(Set),
    /// Sharing lanes may pay, and which of them do is to be found out.
    Ragged(Lengths),
    /// Through the schedule.
    InOrder,
}

/// Returns whether a glance at the lengths of two messages or a few more tells that they go one by one. It is for callers that know what
/// the messages are, before anything is made that other ways need.
#[inline]
pub(crate) fn are_best_alone<C: Compression>(mix: &Mix<C>, messages: &impl Messages) -> bool {
    let count = messages.count();
    if !(1..=MOST_ALONE).contains(&count) {
        return false;
    }
    let first = block_count::<C>(messages.message(0).len() as u64);
    let (mut blocks, mut longest, mut are_alike) = (first, first, true);
    for i in 1..count {
        let its_blocks = block_count::<C>(messages.message(i).len() as u64);
        blocks = blocks.saturating_add(its_blocks);
        longest = longest.max(its_blocks);
        are_alike &= its_blocks == first;
    }
    if are_alike { first <= mix.alone_blocks[count] } else { gains_nothing_together(mix, count, blocks, longest, 0) }
}

/// Returns whether a few messages that differ in blocks gain nothing by lanes that they share, even if all lanes were busy to the end.
/// To find out how they would share them takes `weighing_ps` picoseconds.
#[inline]
fn gains_nothing_together<C: Compression>(mix: &Mix<C>, count: usize, blocks: u64, longest: u64, weighing_ps: u64) -> bool {
    let one_by_one_ps = blocks as f64 * f64::from(mix.single.cost_ps) + (count as u64 * alone_ps(mix)) as f64;
    one_by_one_ps <= mix.least_ps(count, blocks, longest) + (mix.least_ragged_ps[count] + weighing_ps) as f64
}

/// Returns what a message costs that goes alone, besides its blocks: in a lane of many as much as one that takes its turn.
#[inline]
fn alone_ps<C: Compression>(mix: &Mix<C>) -> u64 {
    if mix.single.lanes == 1 { mix.single.besides.alone_ps } else { turn_ps(&mix.single) }
}

/// What a glance at the lengths of some messages tells.
#[derive(Default)]
pub(super) struct Lengths {
    messages: usize,
    /// The blocks of all messages, also of their outer passes.
    blocks: u64,
    /// The blocks of the longest message, with its outer pass.
    longest: u64,
    /// The blocks of each outer pass: 1, or 0 if there is none.
    outer: u64,
    /// The least time that shared lanes could take, if all were busy to the end, in picoseconds.
    least_ps: u64,
    /// Whether sets could take less time than one message after the other.
    sets_may_pay: bool,
}

impl Way {
    /// Decides by a glance at the lengths. One message goes alone. After each message comes an outer pass, or not.
    pub(super) fn of<C: Compression>(mix: &Mix<C>, messages: &dyn Messages, has_outer: bool) -> Self {
        let outer = u64::from(has_outer);
        let mut lengths = Lengths { messages: messages.count(), blocks: 0, longest: 0, outer, least_ps: 0, sets_may_pay: false };
        let mut shortest = u64::MAX;
        let blocks_of = |i: usize| block_count::<C>(messages.message(i).len() as u64).saturating_add(outer);
        for i in 0..lengths.messages {
            let blocks = blocks_of(i);
            lengths.blocks = lengths.blocks.saturating_add(blocks);
            lengths.longest = lengths.longest.max(blocks);
            shortest = shortest.min(blocks);
        }
        let Lengths { messages: count, blocks, longest, .. } = lengths;
        if count <= 1 {
            return Self::OneByOne;
        }
        if shortest == longest {
            return lengths.way_of_alike(mix);
        }
        if gains_nothing_together(mix, count, blocks, longest, 0) {
            return Self::OneByOne;
        }
        let one_by_one_ps = lengths.one_by_one_ps(mix);
        lengths.least_ps = mix.least_ps(count, blocks, longest) as u64;
        let least_ps = lengths.least_ps;
        let least_scheduled_ps = least_ps.saturating_add(lengths.schedule_ps(mix));
        let set_lengths = lengths.of_inner_passes(shortest);
        let set = Set::best(mix, set_lengths, |_| 0).map(|set| Set { ps: set.ps.saturating_add(lengths.outer_ps(mix)), ..set });
        // Sorted, and without the longest messages, they may take less time than all as a set.
        let least_in_sets_ps = set.map_or(u64::MAX, |set| if count <= mix.short_lanes { set.ps } else { set.ps.min(least_ps) });
        let least_shared_ps = least_in_sets_ps.min(least_scheduled_ps);
        let mut turns_ps = lengths.turns_ps(mix);
        if count <= mix.turn_lanes && turns_ps <= least_shared_ps.min(one_by_one_ps) {
            // That was an estimate for messages that differ little, but for the longest.
            turns_ps = lengths.if_not_long(mix, turns::ps(mix, (0..count).map(blocks_of)));
        }
        if one_by_one_ps <= least_shared_ps.min(turns_ps) {
            return Self::OneByOne;
        }
        if count <= mix.turn_lanes && turns_ps <= least_shared_ps {
            return Self::InTurns;
        }
        let sets_may_pay = least_in_sets_ps < one_by_one_ps;
        let least_cut_ps = lengths.least_cut_ps(mix, shortest);
        let weighing_ps = mix.single.besides.weighing_ps.0 + count as u64 * mix.single.besides.weighing_ps.1;
        let pays = |set: &Set| {
            let sorted_ps = set.ps.saturating_add(weighing_ps);
            set.in_any_order_ps(mix, set_lengths)
                <= sorted_ps.min(least_cut_ps.saturating_add(weighing_ps)).min(least_scheduled_ps).min(turns_ps)
        };
        match set {
            Some(set) if sets_may_pay && count <= FEW_APART && set.is_apart(mix) && pays(&set) => Self::Apart(mix.short[set.kernel]),
            Some(set) if sets_may_pay && (count <= mix.short_lanes || set.is_apart(mix)) && pays(&set) => Self::OneSet(set),
            // To find out more would take as long as it may gain.
            _ if gains_nothing_together(mix, count, blocks, longest, weighing_ps) => Self::OneByOne,
            _ => Self::Ragged(Lengths { sets_may_pay, ..lengths }),
        }
    }
}

impl Lengths {
    /// Decides for messages of equally many blocks.
    fn way_of_alike<C: Compression>(&self, mix: &Mix<C>) -> Way {
        let Self { messages, longest, outer, .. } = *self;
        let ways = mix.alike(longest - outer);
        let kernel = ways.best(messages);
        let bookkeeping_ps = (1 + outer) * alike_ps(&mix.kernels[kernel], messages);
        let together_ps = longest.saturating_mul(ways.block_ps(messages)).saturating_add(bookkeeping_ps);
        let turns_ps = self.turns_alike_ps(mix);
        match longest - outer {
            _ if self.one_by_one_ps(mix) <= together_ps.min(turns_ps) => Way::OneByOne,
            _ if turns_ps <= together_ps => Way::InTurns,
            0..=MAX_BLOCKS if messages <= FEW_APART && mix.kernels[kernel].hash_apart().is_some() => Way::Apart(kernel),
            blocks @ 0..=MAX_BLOCKS => Way::Alike { blocks },
            _ => Way::InOrder,
        }
    }

    fn one_by_one_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        let alone_ps = (1 + self.outer) * self.messages as u64 * alone_ps(mix);
        self.blocks.saturating_mul(u64::from(mix.single.cost_ps)).saturating_add(alone_ps)
    }

    /// Returns what sets are told, which do the outer passes afterwards. The shortest message has `shortest` blocks with its own.
    fn of_inner_passes(&self, shortest: u64) -> sets::Lengths {
        let Self { messages, blocks, longest, outer, .. } = *self;
        sets::Lengths { messages, blocks: blocks - outer * messages as u64, longest: longest - outer, shortest: shortest - outer }
    }

    /// Returns the time of the outer passes if they all go together, in picoseconds.
    fn outer_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        if self.outer == 0 {
            return 0;
        }
        let ways = mix.alike(self.outer);
        ways.block_ps(self.messages) + alike_ps(&mix.kernels[ways.best(self.messages)], self.messages)
    }

    /// Returns `ps`, the time in turns, or `u64::MAX` if they are nothing for these messages: if some are
    /// long, the schedule saves more by a plan than the plan costs, unless turns leave nothing to save.
    fn if_not_long<C: Compression>(&self, mix: &Mix<C>, ps: u64) -> u64 {
        if self.longest - self.outer <= MAX_BLOCKS {
            return ps;
        }
        let least_ps = mix.least_ps(self.messages, self.blocks, self.longest);
        let may_save = ps as f64 > least_ps + least_ps / 64.0 + PLANNING_PS as f64;
        if may_save { u64::MAX } else { ps }
    }

    /// Returns the time in turns, in picoseconds, if all lanes were busy to the end; `u64::MAX` if the mix has no lanes for turns.
    fn least_turns_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        if mix.turn_lanes == 0 {
            return u64::MAX;
        }
        let steps = self.blocks / mix.turn_lanes as u64;
        steps
            .saturating_mul(u64::from(mix.turn_kernel(mix.turn_lanes).cost_ps))
            .saturating_add(self.messages as u64 * mix.single.besides.ragged_turn_ps)
    }

    /// Returns the time in turns, in picoseconds, if all messages have equally many blocks; `u64::MAX`
    /// if the mix has no lanes for turns.
    fn turns_alike_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        if mix.turn_lanes == 0 {
            return u64::MAX;
        }
        let lanes = mix.turn_lanes;
        let full_ps = u64::from(mix.turn_kernel(lanes).cost_ps) * (self.messages / lanes) as u64;
        let rest_ps = if !self.messages.is_multiple_of(lanes) { u64::from(mix.turn_kernel(self.messages % lanes).cost_ps) } else { 0 };
        self.if_not_long(
            mix,
            self.longest
                .saturating_mul(full_ps + rest_ps)
                .saturating_add(TURNS_PS + (1 + self.outer) * self.messages as u64 * turn_ps(mix.turn_kernel(lanes.min(self.messages)))),
        )
    }

    /// Returns the time in turns, in picoseconds, as if all messages but the longest had equally many
    /// blocks; `u64::MAX` if the mix has no lanes for turns.
    fn turns_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        if mix.turn_lanes == 0 {
            return u64::MAX;
        }
        let lanes = mix.turn_lanes.min(self.messages);
        let others = (self.blocks - self.longest) / (lanes as u64 - 1);
        let (together, alone) = (others.min(self.longest), self.longest.saturating_sub(others));
        let more = others.saturating_sub(self.longest) * (lanes as u64 - 1) / lanes as u64;
        let blocks_ps = (together + more).saturating_mul(u64::from(mix.turn_kernel(lanes).cost_ps));
        let alone_ps = alone.saturating_mul(u64::from(mix.turn_kernel(1).cost_ps));
        self.if_not_long(
            mix,
            blocks_ps.saturating_add(alone_ps).saturating_add(TURNS_PS + self.messages as u64 * mix.single.besides.ragged_turn_ps),
        )
    }

    /// Returns the least time that these messages could take if the longest goes another way than the others, which are
    /// a set. The shortest has `shortest` blocks.
    fn least_cut_ps<C: Compression>(&self, mix: &Mix<C>, shortest: u64) -> u64 {
        let block_ps = mix.short_kernels(shortest).map(|(_, kernel)| u64::from(kernel.cost_ps)).min().unwrap_or_default();
        let one_by_one_ps = self.longest.saturating_mul(u64::from(mix.single.cost_ps)).saturating_add(shortest.saturating_mul(block_ps));
        let others = self.messages - 1;
        let least_set_ps = mix.short_kernels(shortest).map(|(_, kernel)| set_ps(kernel, others, shortest)).min().unwrap_or_default();
        let bookkeeping_ps = TURNS_PS + mix.single.besides.ragged_turn_ps + FEW_TWO_WAYS_PS + least_set_ps;
        self.least_ps.max(one_by_one_ps).saturating_add(bookkeeping_ps)
    }

    /// Returns the time of the schedule besides compressing, and that of the outer passes.
    fn schedule_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        let message_ps = ragged_message_ps(&mix.kernels[mix.best_for(self.messages, self.longest)]);
        SCHEDULE_PS + self.messages as u64 * message_ps + self.outer_ps(mix)
    }
}

/// A few messages, longest first.
struct Sorted {
    /// The blocks of each, and its index in the lowest bits, which are [`INDEX_BITS`].
    order: [u64; FEW],
    count: usize,
}

const INDEX_BITS: u32 = FEW.ilog2();

impl Sorted {
    fn of<C: Compression>(messages: &dyn Messages) -> Self {
        let count = messages.count();
        let mut order = [0; FEW];
        for (i, place) in order[..count].iter_mut().enumerate() {
            *place = !(block_count::<C>(messages.message(i).len() as u64) << INDEX_BITS | i as u64);
        }
        order[..count].sort_unstable();
        Self { order, count }
    }

    /// Returns the blocks of the message at a place.
    #[inline(always)]
    fn blocks(&self, place: usize) -> u64 {
        !self.order[place] >> INDEX_BITS
    }

    /// Returns the indices of the messages in their order, and zeros.
    fn indices(&self) -> [usize; FEW] {
        let mut indices = [0; FEW];
        for (index, place) in indices.iter_mut().zip(&self.order[..self.count]) {
            *index = (!place as usize) % FEW;
        }
        indices
    }

    /// Returns the estimated time of the schedule, in picoseconds, without its bookkeeping.
    fn scheduled_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        let levels = (1..=self.count).map(|going| {
            let next = if going < self.count { self.blocks(going) } else { 0 };
            (self.blocks(going - 1) - next).saturating_mul(mix.cost_ps(going, self.blocks(0)))
        });
        levels.fold(0, u64::saturating_add)
    }
}

/// A way to hash some messages that are in order: the longest take turns or go one by one, and the
/// others are a set.
struct Cut {
    /// The number of messages before the set, and whether they take turns.
    before: usize,
    in_turns: bool,
    set: Set,
    /// The estimated time of all, in picoseconds.
    ps: u64,
}

impl Cut {
    /// Returns the best cut of those that take less time than `most_ps`. As many messages may be before it as take turns at once.
    fn best<C: Compression>(mix: &Mix<C>, sorted: &Sorted, of: &Lengths, most_ps: u64) -> Option<Self> {
        let mut best: Option<Self> = None;
        let mut most_ps = most_ps;
        let (mut turns_ps, mut one_by_one_ps, mut left) = (0u64, 0u64, of.blocks - of.outer * of.messages as u64);
        let order: [u64; FEW] = std::array::from_fn(|place| if place < sorted.count { sorted.blocks(place) } else { 0 });
        let order = &order[..sorted.count];
        for before in 0..sorted.count.min(mix.turn_lanes.max(1) + 1) {
            let messages = sorted.count - before;
            let (longest, shortest) = (sorted.blocks(before), sorted.blocks(sorted.count - 1));
            let lengths = sets::Lengths { messages, blocks: left, longest, shortest };
            let before_ps = turns_ps.min(one_by_one_ps);
            // To weigh a set takes as long as a block, so that it is done only if it may be the best.
            let may_pay = before_ps.saturating_add(mix.least_ps(messages, left, longest) as u64) < most_ps;
            let handed_over = if before == 0 { Set::best_handed_over(mix, lengths, order) } else { None };
            let set = if may_pay { Set::best(mix, lengths, |lanes| sets::shared_blocks(&order[before..], lanes)) } else { None };
            if let Some(set) = set.into_iter().chain(handed_over).min_by_key(|set| set.ps) {
                let outer_ps = Lengths { messages, ..*of }.outer_ps(mix);
                let ps = set.ps.saturating_add(outer_ps).saturating_add(before_ps);
                if ps < most_ps {
                    (best, most_ps) = (Some(Self { before, in_turns: turns_ps < one_by_one_ps, set, ps }), ps);
                }
            }
            left -= longest;
            // This message advances with the longer ones, each of which has had a kernel for fewer.
            let cost_ps = |messages| if messages == 0 { 0 } else { u64::from(mix.turn_kernel(messages).cost_ps) };
            let more_ps = if mix.turn_lanes > 0 && before < mix.turn_lanes {
                cost_ps(before + 1).saturating_sub(cost_ps(before))
            } else {
                u64::from(mix.single.cost_ps)
            };
            let two_ways_ps = if before == 0 { FEW_TWO_WAYS_PS } else { 0 };
            turns_ps += (longest + of.outer)
                .saturating_mul(more_ps)
                .saturating_add(if before == 0 { TURNS_PS } else { 0 })
                .saturating_add(mix.single.besides.ragged_turn_ps + two_ways_ps);
            let alone = Lengths { messages: 1, blocks: longest + of.outer, ..*of };
            one_by_one_ps = one_by_one_ps.saturating_add(alone.one_by_one_ps(mix) + two_ways_ps);
        }
        best
    }
}

/// Hashes a few messages that differ in blocks, unless the schedule takes less time; returns whether it
/// did. It is not inlined, so that one message alone needs none of its memory.
#[inline(never)]
pub(super) fn hash_ragged<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    lengths: &Lengths,
    mut usage: Option<&mut Usage>,
) -> bool {
    let sorted = Sorted::of::<C>(messages);
    let indices = sorted.indices();
    let one_by_one_ps = lengths.one_by_one_ps(mix);
    // What cannot be the best is not weighed.
    let turns_ps = if lengths.least_turns_ps(mix) < one_by_one_ps {
        lengths.if_not_long(mix, turns::ps(mix, (0..sorted.count).map(|place| sorted.blocks(place) + lengths.outer)))
    } else {
        u64::MAX
    };
    let schedule_ps = lengths.schedule_ps(mix);
    let may_be_scheduled = lengths.least_ps.saturating_add(schedule_ps) < one_by_one_ps.min(turns_ps);
    let scheduled_ps = if may_be_scheduled { sorted.scheduled_ps(mix).saturating_add(schedule_ps) } else { u64::MAX };
    let others_ps = turns_ps.min(one_by_one_ps).min(scheduled_ps);
    let cut = lengths.sets_may_pay.then(|| Cut::best(mix, &sorted, lengths, others_ps)).flatten();
    let best_ps = cut.as_ref().map_or(u64::MAX, |cut| cut.ps).min(turns_ps).min(one_by_one_ps);
    if best_ps > scheduled_ps {
        return false;
    }
    let (before, in_turns) = match &cut {
        Some(cut) if cut.ps == best_ps => (cut.before, cut.in_turns),
        _ => (sorted.count, turns_ps < one_by_one_ps),
    };
    let (longest, others) = indices[..sorted.count].split_at(before);
    if !longest.is_empty() {
        let longest = (Which::These(longest), longest.len());
        if in_turns && mix.turn_lanes > 0 && longest.1 > 1 {
            turns::hash(mix, passes, messages, digests, longest, usage.as_deref_mut());
        } else {
            super::route::hash_one_by_one(mix, passes, messages, digests, longest, usage.as_deref_mut());
        }
    }
    if let (Some(Cut { set, .. }), false) = (cut, others.is_empty()) {
        hash_set(mix, passes, messages, digests, (Which::These(others), others.len()), set, usage);
    }
    true
}

/// Hashes a few messages as one set.
#[inline(never)]
pub(super) fn hash_set<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    which: (Which<'_>, usize),
    Set { kernel, fewest, bookkeeping_ps, .. }: Set,
    usage: Option<&mut Usage>,
) {
    let mut unused = Usage::default();
    let usage = usage.unwrap_or(&mut unused);
    usage.bookkeeping_ps += bookkeeping_ps;
    let memory = &mut RowMemory::new().0;
    let rows = &mut Rows::new(memory);
    Together::new(*passes, digests.digest_bytes(), rows).hash_set(mix, (mix.short[kernel], fewest), messages, digests, which, usage);
}
