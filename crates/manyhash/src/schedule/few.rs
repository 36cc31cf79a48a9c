//! A few messages: which way they go, decided without memory of their own.
//!
//! What decides and orders many messages takes half a microsecond at least: as long as eight
//! messages of two blocks take in the lanes of SHA-512. A few are sorted in an array. The longest of
//! them may take turns in few lanes, and the others are a set in many.

use super::bookkeeping::{
    FEW_TWO_WAYS_PS, MOST_ALONE, PLANNING_PS, RAGGED_TURN_PS, SCHEDULE_PS, SORT_MESSAGE_PS, TURNS_PS, alike_ps, ragged_message_ps, set_ps,
    turn_ps,
};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::sets::{self, Set};
use super::short::{FEW_APART, MAX_BLOCKS, Rows, Together, row_memory};
use super::turns;
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::kernel::start::Passes;

/// No more messages than this are a few.
pub(super) const FEW: usize = 32;

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
    let (mut blocks, mut are_alike) = (first, true);
    for i in 1..count {
        let its_blocks = block_count::<C>(messages.message(i).len() as u64);
        blocks = blocks.saturating_add(its_blocks);
        are_alike &= its_blocks == first;
    }
    gains_nothing_together(mix, count, blocks, are_alike)
}

/// Returns whether a few messages gain nothing by lanes that they share, even if all lanes were busy to the end.
#[inline]
fn gains_nothing_together<C: Compression>(mix: &Mix<C>, count: usize, blocks: u64, are_alike: bool) -> bool {
    let one_by_one_ps = blocks as f64 * f64::from(mix.single.cost_ps);
    let least_ps = if are_alike { &mix.least.alike } else { &mix.least.ragged };
    least_ps.get(count).is_some_and(|least_ps| one_by_one_ps <= blocks as f64 * mix.least_ps_per_block(count) + *least_ps as f64)
}

/// What a glance at the lengths of some messages tells.
pub(super) struct Lengths {
    messages: usize,
    /// The blocks of all messages.
    blocks: u64,
    /// The blocks of the longest message.
    longest: u64,
    /// The least time that shared lanes could take, if all were busy to the end, in picoseconds.
    least_ps: u64,
    /// Whether sets could take less time than one message after the other.
    sets_may_pay: bool,
}

impl Way {
    /// Decides by a glance at the lengths. One message goes alone.
    pub(super) fn of<C: Compression>(mix: &Mix<C>, messages: &dyn Messages) -> Self {
        let mut lengths = Lengths { messages: messages.count(), blocks: 0, longest: 0, least_ps: 0, sets_may_pay: false };
        let mut shortest = u64::MAX;
        for i in 0..lengths.messages {
            let blocks = block_count::<C>(messages.message(i).len() as u64);
            lengths.blocks = lengths.blocks.saturating_add(blocks);
            lengths.longest = lengths.longest.max(blocks);
            shortest = shortest.min(blocks);
        }
        let Lengths { messages: count, blocks, longest, .. } = lengths;
        if count <= 1 {
            return Self::OneByOne;
        }
        if gains_nothing_together(mix, count, blocks, shortest == longest) {
            return Self::OneByOne;
        }
        let one_by_one_ps = lengths.one_by_one_ps(mix);
        if shortest == longest {
            let ways = mix.alike(longest);
            let bookkeeping_ps = alike_ps(&mix.kernels[ways.best(count)], count);
            let together_ps = longest.saturating_mul(ways.block_ps(count)).saturating_add(bookkeeping_ps);
            let turns_ps = lengths.turns_alike_ps(mix);
            return match longest {
                _ if one_by_one_ps <= together_ps.min(turns_ps) => Self::OneByOne,
                _ if turns_ps <= together_ps => Self::InTurns,
                0..=MAX_BLOCKS if count <= FEW_APART && mix.kernels[ways.best(count)].hash_apart().is_some() => {
                    Self::Apart(ways.best(count))
                }
                0..=MAX_BLOCKS => Self::Alike { blocks: longest },
                _ => Self::InOrder,
            };
        }
        let at_best_rate_ps = blocks as f64 * mix.least_ps_per_block(count);
        let longest_alone_ps = longest as f64 * f64::from(mix.single.cost_ps);
        lengths.least_ps = at_best_rate_ps.max(longest_alone_ps) as u64;
        let least_ps = lengths.least_ps;
        let least_scheduled_ps = least_ps.saturating_add(lengths.schedule_ps(mix));
        let set_lengths = sets::Lengths { messages: count, blocks, longest, shortest };
        let set = Set::best(mix, set_lengths, |_| 0);
        // Sorted, and without the longest messages, they may take less time than all as a set.
        let least_in_sets_ps = set.map_or(u64::MAX, |set| if count <= mix.short_lanes { set.ps } else { set.ps.min(least_ps) });
        let turns_ps = lengths.turns_ps(mix);
        let least_shared_ps = least_in_sets_ps.min(least_scheduled_ps);
        if one_by_one_ps <= least_shared_ps.min(turns_ps) {
            return Self::OneByOne;
        }
        if count <= mix.turn_lanes && turns_ps <= least_shared_ps {
            return Self::InTurns;
        }
        let sets_may_pay = least_in_sets_ps < one_by_one_ps;
        let least_cut_ps = lengths.least_cut_ps(mix, shortest);
        let pays = |set: &Set| {
            let sorted_ps = set.ps.saturating_add(count as u64 * SORT_MESSAGE_PS);
            set.in_any_order_ps(mix, set_lengths) <= sorted_ps.min(least_cut_ps).min(least_scheduled_ps).min(turns_ps)
        };
        match set {
            Some(set) if sets_may_pay && count <= FEW_APART && set.is_apart(mix) && pays(&set) => Self::Apart(mix.short[set.kernel]),
            Some(set) if sets_may_pay && (count <= mix.short_lanes || set.is_apart(mix)) && pays(&set) => Self::OneSet(set),
            _ => Self::Ragged(Lengths { sets_may_pay, ..lengths }),
        }
    }
}

impl Lengths {
    fn one_by_one_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        self.blocks.saturating_mul(u64::from(mix.single.cost_ps))
    }

    /// Returns `ps`, the time in turns, or `u64::MAX` if they are nothing for these messages: if some are
    /// long, the schedule saves more by a plan than the plan costs, unless turns leave nothing to save.
    fn if_not_long<C: Compression>(&self, mix: &Mix<C>, ps: u64) -> u64 {
        if self.longest <= MAX_BLOCKS {
            return ps;
        }
        let at_best_rate_ps = self.blocks as f64 * mix.least_ps_per_block(self.messages);
        let least_ps = at_best_rate_ps.max(self.longest as f64 * f64::from(mix.single.cost_ps));
        let may_save = ps as f64 > least_ps + least_ps / 64.0 + PLANNING_PS as f64;
        if may_save { u64::MAX } else { ps }
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
            self.longest.saturating_mul(full_ps + rest_ps).saturating_add(TURNS_PS + self.messages as u64 * turn_ps::<C>()),
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
        self.if_not_long(mix, blocks_ps.saturating_add(alone_ps).saturating_add(TURNS_PS + self.messages as u64 * RAGGED_TURN_PS))
    }

    /// Returns the least time that these messages could take if the longest goes another way than the others, which are
    /// a set. The shortest has `shortest` blocks.
    fn least_cut_ps<C: Compression>(&self, mix: &Mix<C>, shortest: u64) -> u64 {
        let block_ps = mix.short_kernels(shortest).map(|(_, kernel)| u64::from(kernel.cost_ps)).min().unwrap_or_default();
        let one_by_one_ps = self.longest.saturating_mul(u64::from(mix.single.cost_ps)).saturating_add(shortest.saturating_mul(block_ps));
        let others = self.messages - 1;
        let least_set_ps = mix.short_kernels(shortest).map(|(_, kernel)| set_ps(kernel, others, shortest)).min().unwrap_or_default();
        let bookkeeping_ps = TURNS_PS + RAGGED_TURN_PS + FEW_TWO_WAYS_PS + least_set_ps + self.messages as u64 * SORT_MESSAGE_PS;
        self.least_ps.max(one_by_one_ps).saturating_add(bookkeeping_ps)
    }

    /// Returns the time of the schedule besides compressing.
    fn schedule_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        SCHEDULE_PS + self.messages as u64 * ragged_message_ps(&mix.kernels[mix.best_for(self.messages, self.longest)])
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
    /// The number of messages before the set.
    before: usize,
    set: Set,
    /// The estimated time of all, in picoseconds.
    ps: u64,
}

impl Cut {
    /// Returns the best cut. As many messages may be before it as take turns at once.
    fn best<C: Compression>(mix: &Mix<C>, sorted: &Sorted, blocks: u64, outer_blocks: u64) -> Option<Self> {
        let mut best: Option<Self> = None;
        let (mut before_ps, mut left) = (0, blocks);
        let order: [u64; FEW] = std::array::from_fn(|place| if place < sorted.count { sorted.blocks(place) } else { 0 });
        let order = &order[..sorted.count];
        for before in 0..sorted.count.min(mix.turn_lanes.max(1) + 1) {
            let messages = sorted.count - before;
            let (longest, shortest) = (sorted.blocks(before), sorted.blocks(sorted.count - 1));
            let lengths = sets::Lengths { messages, blocks: left, longest, shortest };
            let set = Set::best(mix, lengths, |lanes| sets::shared_blocks(&order[before..], lanes));
            let handed_over = if before == 0 { Set::best_handed_over(mix, lengths, order) } else { None };
            if let Some(set) = set.into_iter().chain(handed_over).min_by_key(|set| set.ps) {
                let outer_ps = outer_blocks * u64::from(mix.kernels[mix.short[set.kernel]].cost_ps);
                let ps = set.ps.saturating_add(outer_ps).saturating_add(before_ps);
                if best.as_ref().is_none_or(|best| ps < best.ps) {
                    best = Some(Self { before, set, ps });
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
            before_ps += longest
                .saturating_mul(more_ps)
                .saturating_add(if before == 0 { TURNS_PS + FEW_TWO_WAYS_PS } else { 0 })
                .saturating_add(RAGGED_TURN_PS);
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
    let cut = lengths.sets_may_pay.then(|| Cut::best(mix, &sorted, lengths.blocks, u64::from(passes.outer.is_some()))).flatten();
    let one_by_one_ps = lengths.one_by_one_ps(mix);
    let turns_ps = if mix.turn_lanes > 0 {
        lengths.if_not_long(mix, turns::ps(mix, (0..sorted.count).map(|place| sorted.blocks(place))))
    } else {
        one_by_one_ps
    };
    let scheduled_ps = sorted.scheduled_ps(mix).saturating_add(lengths.schedule_ps(mix));
    let best_ps = cut.as_ref().map_or(u64::MAX, |cut| cut.ps).min(turns_ps).min(one_by_one_ps);
    if best_ps > scheduled_ps {
        return false;
    }
    let before = match &cut {
        Some(cut) if cut.ps == best_ps => cut.before,
        _ => sorted.count,
    };
    let (longest, others) = indices[..sorted.count].split_at(before);
    if !longest.is_empty() {
        let longest = (Which::These(longest), longest.len());
        if mix.turn_lanes > 0 && longest.1 > 1 {
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
    let memory = &mut row_memory();
    let rows = &mut Rows::new(memory);
    Together::new(*passes, digests.digest_bytes(), rows).hash_set(mix, (mix.short[kernel], fewest), messages, digests, which, usage);
}
