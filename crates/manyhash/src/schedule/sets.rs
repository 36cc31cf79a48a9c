//! Sets: short messages that take turns in the lanes of one kernel, from their starts to their digests.
//!
//! The schedule does what a set does, and more: it moves messages between kernels, so that all lanes
//! are busy to the end. That costs as much as a few blocks for each message. In a set, the kernel itself
//! gives the lane of a message that has ended to the next one, and nothing else is done. At its end,
//! lanes are idle as long as its last messages are in the others; or the longest messages, if they are a few, leave the kernel
//! once no other waits, and go on in turns (`turns.rs`).
//!
//! So messages are taken longest first, and there is one cut: the messages before it go through the
//! schedule, those behind it are a set. Both sides are estimated for every possible cut. If no kernel
//! hashes whole messages, those behind it go together as far as messages of equally many blocks fill its lanes, and
//! the others take turns (`turns.rs`).

use super::Waiting;
use super::bookkeeping::{
    IDLE_LANE_PS, IN_ORDER_MESSAGE_PS, SCHEDULE_PS, TWO_WAYS_PS, hand_over_ps, in_order_together_ps, in_order_turns_ps, padded_ps,
    padded_step_ps, padded_steps_ps, ragged_message_ps, set_ps,
};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::short::{Group, RowMemory, Rows, Together};
use super::turns::{self, MAX_TURN_LANES};
use crate::algorithm::Compression;
use crate::algorithm::ending::{Ending, block_count};
use crate::isa::MAX_LANES;
use crate::kernel::Kernel;
use crate::kernel::start::{Passes, Starts};
use alloc::vec::Vec;

/// Hashes those short messages of the queue that take less time in a set than in the schedule, and
/// takes them out of the queue.
pub(super) fn hash<C: Compression>(
    queue: &mut Queue,
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    usage: &mut Usage,
) {
    let have_own_starts = [Some(passes.inner), passes.outer].iter().flatten().any(Starts::are_own);
    let Some(Cut { groups, before, set }) = Cut::best(queue, mix, messages, have_own_starts) else { return };
    let memory = &mut RowMemory::new().0;
    let rows = &mut Rows::new(memory);
    let mut together = Together::new(*passes, digests.digest_bytes(), rows);
    usage.bookkeeping_ps += set.bookkeeping_ps;
    let groups = queue.short_groups()[groups..].to_vec();
    let mut indices = queue.split_off(before);
    // Those of equally many blocks that fill the lanes of a kernel need no turns. They are the short ones.
    let mut kept = indices.len() - groups.iter().map(|(_, count)| count).sum::<usize>();
    let mut first = kept;
    let mut kept_groups = Vec::with_capacity(groups.len());
    for (blocks, count) in groups {
        let alike = count - others_than_alike(mix, blocks, count);
        let which = &indices[first..first + count];
        let (these, others) = which.split_at(alike);
        if alike > 0 {
            let group = Group { blocks, count: alike, which: Which::These(these), bytes: None };
            together.hash_group(mix, messages, digests, group, usage);
        }
        let (from, count_of_others) = (first + alike, others.len());
        indices.copy_within(from..from + count_of_others, kept);
        (first, kept) = (first + count, kept + count_of_others);
        kept_groups.push((blocks, count_of_others));
    }
    if kept == 0 {
        return;
    }
    if mix.short.is_empty() {
        return turns::hash(mix, passes, messages, digests, (Which::These(&indices), kept), Some(usage));
    }
    let are_short = kept == kept_groups.iter().map(|(_, count)| count).sum::<usize>();
    // Groups say the blocks of short messages alone, and a set whose last messages go on elsewhere was found to be best as it is.
    let in_order = if are_short && set.fewest == 0 { InOrder::best(mix, &kept_groups, have_own_starts) } else { None };
    let (kernel, most) = match in_order {
        Some(InOrder { kernel, takes_turns: false, .. }) => (kernel, mix.kernels[mix.short[kernel]].lanes),
        Some(InOrder { kernel, .. }) => (kernel, kept),
        None => (set.kernel, kept),
    };
    for first in (0..kept).step_by(most) {
        let which = Which::These(&indices[first..]);
        together.hash_set(mix, (mix.short[kernel], set.fewest), messages, digests, (which, most.min(kept - first)), usage);
    }
}

/// Returns how many messages of a group of equally many blocks take turns with others, because they do not fill the lanes of a kernel.
fn others_than_alike<C: Compression>(mix: &Mix<C>, blocks: u64, count: usize) -> usize {
    let may_take_turns = !mix.short.is_empty() || mix.turn_lanes > 0;
    if may_take_turns { count % mix.kernels[mix.alike(blocks).widest()].lanes } else { 0 }
}

/// A way to hash messages in the order of their lengths on one kernel.
#[derive(Clone, Copy)]
struct InOrder {
    /// The place of the kernel in `mix.short`.
    kernel: usize,
    /// Whether they take turns in its lanes. Otherwise as many go together as it has lanes, and then the next ones: neighbours in
    /// the order of lengths wait little for one another if there are many.
    takes_turns: bool,
    /// The estimated time, in picoseconds.
    ps: u64,
}

impl InOrder {
    /// Returns the best way for groups of messages of equally many blocks, the longest first. Messages with starts of their own take no turns.
    fn best<C: Compression>(mix: &Mix<C>, groups: &[(u64, usize)], have_own_starts: bool) -> Option<Self> {
        let there = || groups.iter().filter(|(_, count)| *count > 0);
        let messages = there().map(|(_, count)| count).sum();
        let blocks = there().map(|(blocks, count)| blocks * *count as u64).sum();
        let [longest, shortest] = [there().next()?, there().next_back()?].map(|(blocks, _)| *blocks);
        let lengths = Lengths { messages, blocks, longest, shortest };
        let ways = mix.short_kernels(longest).flat_map(|(kernel, of_set)| {
            let steps = lengths.steps(of_set.lanes);
            let is_apart = of_set.hash_apart().is_some();
            let turns_ps = if is_apart { set_ps(of_set, messages, steps) } else { in_order_turns_ps(of_set.lanes, messages, steps) };
            let in_turns = Self { kernel, takes_turns: true, ps: steps * u64::from(of_set.cost_ps) + turns_ps };
            let in_turns = (is_apart || !have_own_starts).then_some(in_turns);
            let together = (!is_apart).then(|| Self { kernel, takes_turns: false, ps: together_ps(of_set, there()) });
            [in_turns, together].into_iter().flatten()
        });
        ways.min_by_key(|way| way.ps)
    }
}

/// Returns the estimated time of messages in the order of their lengths that go together as many as the kernel has lanes, in picoseconds.
fn together_ps<'a, C: Compression>(kernel: &Kernel<C>, groups: impl Iterator<Item = &'a (u64, usize)>) -> u64 {
    let Kernel { lanes, cost_ps, .. } = *kernel;
    let (mut messages, mut ps, mut longer) = (0usize, 0, 0);
    for (blocks, count) in groups {
        // The first of them may fill lanes beside some that are longer.
        let more_blocks = if messages.is_multiple_of(lanes) { 0 } else { longer - blocks };
        let sets = ((messages + count).div_ceil(lanes) - messages.div_ceil(lanes)) as u64;
        ps += sets * (blocks * u64::from(cost_ps) + in_order_together_ps(lanes)) + more_blocks * padded_step_ps(lanes);
        messages += count;
        longer = *blocks;
    }
    ps + messages as u64 * IN_ORDER_MESSAGE_PS
}

/// Returns the blocks of the two longest messages that share a lane, if there is one message more than lanes: 0 if there are no more, or it is
/// not known.
pub(super) fn shared_blocks(order: &[u64], lanes: usize) -> u64 {
    if order.len() > lanes { order[lanes - 1] + order[lanes] } else { 0 }
}

/// Whether the messages of a set may go on elsewhere: their states are all of what a digest may have, and no bit tells of an end before it.
const fn can_hand_over<C: Compression>() -> bool {
    C::DIGEST_WORDS == C::STATE_WORDS && !C::Ending::MARKS_END
}

/// With so many blocks or more it may pay that a message goes on elsewhere.
const LEAST_HANDED_OVER: u64 = 24;

/// The most blocks of a message in a set. Longer ones have little to gain.
const MOST_SET_BLOCKS: u64 = 1024;

/// What is known of some messages that may be a set.
#[derive(Clone, Copy)]
pub(super) struct Lengths {
    pub(super) messages: usize,
    /// The blocks of all messages, of the longest and of the shortest.
    pub(super) blocks: u64,
    pub(super) longest: u64,
    pub(super) shortest: u64,
}

impl Lengths {
    /// Returns the estimated steps of a kernel with so many lanes, if the longest messages are first: then lanes end
    /// one after the other in the time of the shortest, and are idle for half of it.
    fn steps(&self, lanes: usize) -> u64 {
        let Self { messages, blocks, longest, shortest } = *self;
        let idle_blocks = lanes as u64 * shortest.saturating_sub(1) / 2;
        if messages <= lanes { longest } else { longest.max((blocks + idle_blocks).div_ceil(lanes as u64)) }
    }

    /// Returns the estimated time, and the part of it that is not for compressing, in picoseconds, if the `fewest` longest messages, which
    /// are the first in `order`, go on in turns when the others have ended; `None` if one of them ends before.
    fn handed_over_ps<C: Compression>(&self, mix: &Mix<C>, kernel: &Kernel<C>, fewest: usize, order: &[u64]) -> Option<(u64, u64)> {
        let (last, others) = order.split_at(fewest);
        let in_lanes = (kernel.lanes - fewest) as u64;
        let blocks = self.blocks - last.iter().sum::<u64>();
        let idle_blocks = in_lanes * self.shortest.saturating_sub(1) / 2;
        let shared = if self.messages <= kernel.lanes { 0 } else { (blocks + idle_blocks).div_ceil(in_lanes) };
        let steps = (*others.first()?).max(shared).max(shared_blocks(order, kernel.lanes));
        let mut turns_ps = 0;
        let mut before = steps;
        for (i, blocks) in last.iter().enumerate().rev() {
            turns_ps += blocks.checked_sub(before)? * u64::from(mix.turn_kernel(i + 1).cost_ps);
            before = *blocks;
        }
        let bookkeeping_ps = set_ps(kernel, self.messages, steps) + hand_over_ps(kernel, self.messages, steps, last.len());
        Some((steps * u64::from(kernel.cost_ps) + turns_ps + bookkeeping_ps, bookkeeping_ps))
    }
}

/// A way to hash some messages as a set.
#[derive(Clone, Copy)]
pub(super) struct Set {
    /// The place of its kernel in `mix.short`.
    pub(super) kernel: usize,
    /// Once no more of its messages than these are left, they go on in turns.
    pub(super) fewest: usize,
    /// The estimated time, in picoseconds.
    pub(super) ps: u64,
    /// How much of it is not for compressing.
    pub(super) bookkeeping_ps: u64,
}

impl Set {
    /// Returns the best set of some messages; `None` if no kernel can hash one of them. `least_steps`
    /// returns the fewest steps that a kernel with so many lanes can take.
    #[inline]
    pub(super) fn best<C: Compression>(mix: &Mix<C>, lengths: Lengths, least_steps: impl Fn(usize) -> u64) -> Option<Self> {
        let Lengths { messages, longest, shortest, .. } = lengths;
        if longest > MOST_SET_BLOCKS {
            return None;
        }
        let mut best: Option<Self> = None;
        for (kernel, of_set) in mix.short_kernels(longest) {
            let Kernel { lanes, cost_ps, .. } = of_set;
            let steps = lengths.steps(*lanes).max(least_steps(*lanes));
            let ends_ps = if messages <= *lanes { padded_steps_ps(of_set, messages, longest - shortest) } else { 0 };
            let bookkeeping_ps = set_ps(of_set, messages, steps) + ends_ps;
            let ps = steps.saturating_mul(u64::from(*cost_ps)).saturating_add(bookkeeping_ps);
            if best.is_none_or(|best| ps < best.ps) {
                best = Some(Self { kernel, fewest: 0, ps, bookkeeping_ps });
            }
        }
        best
    }

    /// Returns the best set of some messages of which the longest go on in turns, when lanes would be idle for want of others; `None` if
    /// no such set can pay. `order` has the blocks of each message, the longest first: of all, or of as many as some kernel has lanes and one more.
    #[inline(never)]
    pub(super) fn best_handed_over<C: Compression>(mix: &Mix<C>, lengths: Lengths, order: &[u64]) -> Option<Self> {
        let longest = order.first()?;
        let can_go_on = const { can_hand_over::<C>() } && mix.turn_kernel(1).lanes <= MAX_TURN_LANES;
        if !can_go_on || !(LEAST_HANDED_OVER..=MOST_SET_BLOCKS).contains(longest) {
            return None;
        }
        let mut best: Option<Self> = None;
        for (kernel, of_set) in mix.short_kernels(*longest).filter(|(_, kernel)| kernel.hash_apart().is_none()) {
            for fewest in 1..(mix.turn_lanes.max(1) + 1).min(order.len()).min(of_set.lanes) {
                // Lanes are busy to the end, or to that of a message that would be one of the last.
                let Some((ps, bookkeeping_ps)) = lengths.handed_over_ps(mix, of_set, fewest, order) else { break };
                if best.is_none_or(|best| ps < best.ps) {
                    best = Some(Self { kernel, fewest, ps, bookkeeping_ps });
                }
            }
        }
        best
    }

    /// Does what [`best_handed_over`](Self::best_handed_over) does for messages of groups of equally many blocks, the longest first.
    fn best_of_groups_handed_over<C: Compression>(
        mix: &Mix<C>,
        lengths: Lengths,
        groups: impl Iterator<Item = (u64, usize)>,
    ) -> Option<Self> {
        if lengths.longest < LEAST_HANDED_OVER {
            return None;
        }
        let mut order = [0; MAX_LANES + 1];
        let mut ordered = 0;
        for (blocks, count) in groups {
            let next = (ordered + count).min(order.len());
            order[ordered..next].fill(blocks);
            ordered = next;
        }
        Self::best_handed_over(mix, lengths, &order[..ordered])
    }

    /// Returns whether its kernel has registers for each message.
    pub(super) fn is_apart<C: Compression>(&self, mix: &Mix<C>) -> bool {
        mix.kernels[mix.short[self.kernel]].hash_apart().is_some()
    }

    /// Returns the estimated time of these messages in any order, in picoseconds. The last lane ends up to a longest
    /// message behind the others: half of what this may add is taken.
    pub(super) fn in_any_order_ps<C: Compression>(&self, mix: &Mix<C>, lengths: Lengths) -> u64 {
        let Kernel { lanes, cost_ps, .. } = mix.kernels[mix.short[self.kernel]];
        let most_steps = if lengths.messages <= lanes { lengths.longest } else { lengths.blocks / lanes as u64 + lengths.longest };
        self.ps.saturating_add(most_steps.saturating_sub(lengths.steps(lanes)) * u64::from(cost_ps) / 2)
    }

    /// Adds messages of equally many blocks, which go together on kernels that do not pad in registers as far as they fill their lanes.
    /// Others take turns.
    fn and_group<C: Compression>(self, mix: &Mix<C>, blocks: u64, count: usize) -> Self {
        if !mix.short.is_empty() {
            // Nobody asks: all are in a set of one kernel.
            return self;
        }
        let ways = mix.alike(blocks);
        let others = others_than_alike(mix, blocks, count);
        let alike = count - others;
        let mut bookkeeping_ps = padded_ps(&mix.kernels[ways.best(alike)], alike);
        let mut block_ps = ways.block_ps(alike);
        if others > 0 {
            block_ps += u64::from(mix.turn_kernel(mix.turn_lanes).cost_ps) * others as u64 / mix.turn_lanes as u64;
            bookkeeping_ps += others as u64 * mix.single.besides.ragged_turn_ps;
        }
        let ps = blocks.saturating_mul(block_ps).saturating_add(bookkeeping_ps);
        Self { ps: self.ps + ps, bookkeeping_ps: self.bookkeeping_ps + bookkeeping_ps, ..self }
    }
}

/// A decision which messages go through the schedule.
struct Cut {
    /// The number of groups of equally many blocks that do, not counting long messages.
    groups: usize,
    /// The messages that do, the longest ones.
    before: Waiting,
    /// The others.
    set: Set,
}

impl Cut {
    /// Returns the best cut; `None` if all messages go through the schedule. Messages with starts of their own take no turns: a kernel
    /// hashes as many as it has lanes, and then the next ones.
    fn best<C: Compression>(queue: &Queue, mix: &Mix<C>, messages: &dyn Messages, have_own_starts: bool) -> Option<Self> {
        let groups = queue.short_groups();
        let long = queue.long_messages();
        let blocks_at = |place: usize| queue.peek(place).map_or(0, |index| block_count::<C>(messages.message(index).len() as u64));
        // A few long messages may be in the set, too.
        let long_too = if (1..=MAX_LANES).contains(&long) && blocks_at(0) <= MOST_SET_BLOCKS && !mix.short.is_empty() { long } else { 0 };
        let mut scheduled = if long_too > 0 { Scheduled::default() } else { Scheduled::of_long(queue, mix, messages) };
        let mut left = Lengths { messages: 0, blocks: 0, longest: 0, shortest: groups.last().map_or(0, |(blocks, _)| *blocks) };
        if groups.is_empty() {
            left.shortest = blocks_at(long_too.checked_sub(1)?);
        }
        let all = || (0..long_too).map(|place| (blocks_at(place), 1)).chain(groups.iter().copied());
        let mut apart = Set { kernel: 0, fewest: 0, ps: 0, bookkeeping_ps: 0 };
        for (blocks, count) in all() {
            left.messages += count;
            left.blocks += blocks * count as u64;
            apart = apart.and_group(mix, blocks, count);
        }
        left.longest = all().next().map_or(0, |(blocks, _)| blocks);
        let mut handed_over =
            if mix.short.is_empty() || have_own_starts { None } else { Set::best_of_groups_handed_over(mix, left, all()) };
        let (mut best, mut least_ps) = (None, f64::INFINITY);
        for (passed, (blocks, count)) in all().enumerate() {
            left.longest = blocks;
            // Those that share the lanes are neighbours in the order of lengths.
            let without_turns = |lanes: usize| left.blocks.div_ceil(lanes as u64) + left.longest - left.shortest;
            let least_steps = |lanes| if have_own_starts && left.messages > lanes { without_turns(lanes) } else { 0 };
            let mut set = if mix.short.is_empty() { Some(apart) } else { Set::best(mix, left, least_steps) };
            // That is one of all messages.
            if let Some(handed_over) = handed_over.take().filter(|one| set.is_none_or(|set| one.ps < set.ps)) {
                set = Some(handed_over);
            }
            if let Some(set) = set {
                let two_ways_ps = if scheduled.messages > 0 { TWO_WAYS_PS as f64 } else { 0.0 };
                let ps = scheduled.ps(mix) + two_ways_ps + set.ps as f64;
                if ps < least_ps {
                    let before = Waiting { messages: scheduled.messages, blocks: scheduled.blocks };
                    (best, least_ps) = (Some(Self { groups: passed.saturating_sub(long_too), before, set }), ps);
                }
            }
            scheduled.add(mix, blocks, count);
            left.messages -= count;
            left.blocks -= blocks * count as u64;
            let group = Set { kernel: 0, fewest: 0, ps: 0, bookkeeping_ps: 0 }.and_group(mix, blocks, count);
            (apart.ps, apart.bookkeeping_ps) = (apart.ps - group.ps, apart.bookkeeping_ps - group.bookkeeping_ps);
        }
        best.filter(|_| least_ps < scheduled.ps(mix))
    }
}

/// The messages before a cut, and what is known of the time that the schedule takes for them.
#[derive(Clone, Copy, Default)]
struct Scheduled {
    messages: usize,
    blocks: u64,
    /// The blocks of the longest message, and of the shortest.
    longest: u64,
    shortest: u64,
    /// The time, in picoseconds, if every message is advanced by a block in turn.
    in_turn_ps: f64,
    /// The part of it that the longest messages take, as many as the widest kernel has lanes.
    longest_in_turn_ps: f64,
    /// The time in which each message is advanced by a block, in picoseconds.
    step_ps: u64,
}

impl Scheduled {
    /// Starts with the messages of the queue that are not short.
    fn of_long<C: Compression>(queue: &Queue, mix: &Mix<C>, messages: &dyn Messages) -> Self {
        let mut scheduled = Self::default();
        let long = queue.long_messages();
        for skip in 0..long.min(MAX_LANES) {
            let message = messages.message(queue.peek(skip).expect("it waits"));
            scheduled.add(mix, block_count::<C>(message.len() as u64), 1);
        }
        if long > MAX_LANES {
            let short_blocks: u64 = queue.short_groups().iter().map(|(blocks, count)| blocks * *count as u64).sum();
            scheduled.blocks = queue.waiting().blocks.saturating_sub(short_blocks);
            // They are so many that the time in turn doesn't matter.
            (scheduled.messages, scheduled.in_turn_ps) = (long, f64::INFINITY);
        }
        scheduled
    }

    /// Adds `count` messages of `blocks` blocks, which are no longer than those before.
    fn add<C: Compression>(&mut self, mix: &Mix<C>, blocks: u64, count: usize) {
        if self.messages == 0 {
            self.longest = blocks;
        }
        let lanes = mix.widest_kernel().lanes;
        if self.messages < lanes {
            let step_ps = mix.cost_ps(lanes.min(self.messages + count), self.longest);
            self.longest_in_turn_ps += blocks as f64 * (step_ps as f64 - self.step_ps as f64);
        }
        self.messages += count;
        let before_ps = std::mem::replace(&mut self.step_ps, mix.cost_ps(self.messages, self.longest));
        self.in_turn_ps += blocks as f64 * (self.step_ps as f64 - before_ps as f64);
        self.blocks = self.blocks.saturating_add(blocks.saturating_mul(count as u64));
        self.shortest = blocks;
    }

    /// Returns the estimated time in picoseconds.
    fn ps<C: Compression>(&self, mix: &Mix<C>) -> f64 {
        if self.messages == 0 {
            return 0.0;
        }
        let messages = self.messages as u64;
        let mean_blocks = self.blocks / self.messages as u64;
        let widest = mix.for_ragged(mean_blocks).widest_for(mean_blocks);
        let at_best_rate_ps = self.blocks as f64 * f64::from(widest.cost_ps) / widest.lanes as f64;
        let longest_alone_ps = self.longest as f64 * f64::from(mix.single.cost_ps);
        // At the end some lanes are idle, for half of the time that the shortest message takes.
        let end_ps = self.shortest as f64 * f64::from(widest.cost_ps) / 2.0;
        // However many others share their lanes, the longest messages take their time.
        let shared_ps = at_best_rate_ps.max(longest_alone_ps).max(self.longest_in_turn_ps) + end_ps;
        // Lanes are shared only if messages wait for them.
        let in_turn_ps = self.in_turn_ps + (messages * IDLE_LANE_PS) as f64;
        let ps = if self.messages < 2 * widest.lanes { in_turn_ps } else { in_turn_ps.min(shared_ps) };
        ps + (SCHEDULE_PS + messages * ragged_message_ps(widest)) as f64
    }
}
