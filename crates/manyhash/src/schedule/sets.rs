//! Sets: short messages that share the lanes of a kernel from their starts to their digests.
//!
//! In the schedule, a message that ends gives its lane to another one. That keeps all lanes busy,
//! and costs about as much as a few blocks for each message. In a set nobody takes the lane of a
//! message that has ended, and nothing is done for one message alone. If neighbours in the order of
//! lengths make a set, little is lost: all sets of a batch together wait no longer for their longest
//! messages than the longest message of all takes.
//!
//! So messages are taken longest first, and there is one cut: the messages before it go through the
//! schedule, those behind it go in sets. Both sides are estimated for every possible cut.

use super::bookkeeping::{
    IDLE_LANE_PS, PADDED_MESSAGE_PS, RAGGED_BLOCK_PS, SCHEDULE_PS, SET_MESSAGE_PS, SET_PS, TWO_WAYS_PS, ragged_message_ps, run_ps,
};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::short::{Group, MAX_BLOCKS, Together};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::isa::MAX_LANES;
use crate::kernel::Kernel;
use crate::kernel::start::Passes;

/// Hashes those short messages of the queue that take less time in sets than in the schedule, and
/// takes them out of the queue.
pub(super) fn hash<C: Compression>(
    queue: &mut Queue,
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    usage: &mut Usage,
) {
    let Some(cut) = Cut::best(queue, mix, messages) else { return };
    let rows = &mut None;
    let mut together = Together::new(*passes, digests.digest_bytes(), rows);
    let indices = queue.split_off(cut.scheduled);
    let mut first = 0;
    for Set { kernel, count, most_blocks, bookkeeping_ps } in cut.sets {
        usage.bookkeeping_ps += bookkeeping_ps;
        let group = Group { blocks: most_blocks, count, which: Which::These(&indices[first..first + count]), bytes: None };
        match kernel {
            Some(kernel) => together.hash_set(mix, kernel, messages, digests, group, usage),
            None => together.hash_group(mix, messages, digests, group, usage),
        }
        first += count;
    }
}

/// Messages that are next to each other in the order of lengths.
#[derive(Clone, Copy)]
struct Set {
    /// The kernel whose lanes they share; `None` if all have equally many blocks and may be many.
    kernel: Option<usize>,
    count: usize,
    /// The blocks of the longest of them.
    most_blocks: u64,
    /// The estimated time besides compressing, in picoseconds.
    bookkeeping_ps: u64,
}

impl Set {
    /// Returns all of `messages` messages on the cheapest kernel that pads in registers and has lanes
    /// for them, and the estimated time in picoseconds; `None` if there is no such kernel.
    fn of<C: Compression>(mix: &Mix<C>, most_blocks: u64, fewest_blocks: u64, messages: usize) -> Option<(Self, u64)> {
        let (kernel, Kernel { cost_ps, .. }) = mix.short_kernels(most_blocks).find(|(_, kernel)| kernel.lanes >= messages)?;
        let bookkeeping_ps = set_bookkeeping_ps(most_blocks, fewest_blocks, messages);
        let set = Self { kernel: Some(mix.short[kernel]), count: messages, most_blocks, bookkeeping_ps };
        Some((set, most_blocks * u64::from(*cost_ps) + bookkeeping_ps))
    }
}

/// Returns the least estimated time of some messages in sets alone, in picoseconds: what one set
/// takes if a kernel has lanes for all messages, and no more than any whole sets do if none has;
/// `u64::MAX` if no kernel that pads in registers has lanes for a whole set.
pub(super) fn least_ps_in_sets<C: Compression>(mix: &Mix<C>, messages: usize, most_blocks: u64, fewest_blocks: u64) -> u64 {
    if mix.short_lanes == 0 || most_blocks > MAX_BLOCKS {
        return u64::MAX;
    }
    let ps = |most_blocks, fewest_blocks, messages| Set::of(mix, most_blocks, fewest_blocks, messages).map_or(u64::MAX, |(_, ps)| ps);
    let Some(others) = messages.checked_sub(mix.short_lanes + 1) else { return ps(most_blocks, fewest_blocks, messages) };
    let other_sets = (others / mix.short_lanes + 1) as u64;
    ps(most_blocks, most_blocks, mix.short_lanes).saturating_add(other_sets.saturating_mul(ps(fewest_blocks, fewest_blocks, 1)))
}

/// A decision which messages go through the schedule.
struct Cut {
    /// The number of messages that do, the longest ones.
    scheduled: usize,
    /// The sets of the others, in their order.
    sets: Vec<Set>,
    /// The estimated time of all, in picoseconds.
    ps: f64,
}

impl Cut {
    /// Returns the best cut; `None` if all messages go through the schedule.
    fn best<C: Compression>(queue: &Queue, mix: &Mix<C>, messages: &dyn Messages) -> Option<Self> {
        let long = Scheduled::of_long(queue, mix, messages);
        let short: usize = queue.short_groups().iter().map(|(_, count)| count).sum();
        let fewest_lanes = mix.short.iter().map(|kernel| mix.kernels[*kernel].lanes).min().unwrap_or(0);
        if (1..=fewest_lanes).contains(&short) {
            return Self::one_set(queue.short_groups(), mix, long, short);
        }
        // Sets are whole either from the longest on or from the shortest on.
        let odd = short % mix.short_lanes.max(1);
        let from_longest = Self::from(queue.short_groups(), mix, long, short);
        let best = if odd == 0 || odd == short {
            from_longest
        } else {
            let from_shortest = Self::from(queue.short_groups(), mix, long, odd);
            if from_shortest.ps < from_longest.ps { from_shortest } else { from_longest }
        };
        (!best.sets.is_empty()).then_some(best)
    }

    /// Returns all `short` messages as one set, if that takes less time than the schedule. A kernel
    /// that pads in registers has lanes for all of them. Two ways would cost more than so few
    /// messages save.
    fn one_set<C: Compression>(groups: &[(u64, usize)], mix: &Mix<C>, long: Scheduled, short: usize) -> Option<Self> {
        let (set, ps) = Set::of(mix, groups.first()?.0, groups.last()?.0, short)?;
        let ps = ps as f64 + if long.messages > 0 { TWO_WAYS_PS as f64 } else { 0.0 };
        let mut scheduled = long;
        groups.iter().for_each(|(blocks, count)| scheduled.add(mix, *blocks, *count));
        (long.ps(mix) + ps < scheduled.ps(mix)).then(|| Self { scheduled: long.messages, sets: vec![set], ps })
    }

    /// Returns the best cut between sets of which the first has at most `first` messages.
    fn from<C: Compression>(groups: &[(u64, usize)], mix: &Mix<C>, long: Scheduled, first: usize) -> Self {
        let mut scheduled = long;
        let mut sets = Vec::with_capacity(FIRST_SETS);
        let mut sets_ps = 0;
        let mut unplaced = Unplaced::new(groups, mix);
        let two_ways_ps = |scheduled: Scheduled, unplaced: &Unplaced<'_>| {
            if scheduled.messages > 0 && unplaced.blocks() > 0 { TWO_WAYS_PS as f64 } else { 0.0 }
        };
        let (mut cut, mut cut_sets, mut least_ps) = (scheduled.messages, 0, scheduled.ps(mix) + two_ways_ps(scheduled, &unplaced));
        while unplaced.blocks() > 0 {
            let most_messages = if sets.is_empty() { first } else { usize::MAX };
            let (set, ps) = unplaced.next_set(mix, most_messages);
            unplaced.take(set.count, |blocks, count| scheduled.add(mix, blocks, count));
            sets.push(set);
            sets_ps += ps;
            // Compared with all in sets: what the schedule takes for those before the cut, less what
            // sets do.
            let ps = scheduled.ps(mix) + two_ways_ps(scheduled, &unplaced) - sets_ps as f64;
            if ps < least_ps {
                (cut, cut_sets, least_ps) = (scheduled.messages, sets.len(), ps);
            }
        }
        Self { scheduled: cut, sets: sets.split_off(cut_sets), ps: least_ps + sets_ps as f64 }
    }
}

/// Returns the estimated time of a set besides compressing, in picoseconds.
pub(super) fn set_bookkeeping_ps(most_blocks: u64, fewest_blocks: u64, messages: usize) -> u64 {
    let ragged_blocks = if fewest_blocks < most_blocks { most_blocks - fewest_blocks + 1 } else { 0 };
    ragged_blocks * RAGGED_BLOCK_PS + SET_PS + messages as u64 * SET_MESSAGE_PS
}

/// As many sets as most batches have.
const FIRST_SETS: usize = 16;

/// More kernels than any mix has that pad in registers.
const MAX_SHORT_KERNELS: usize = 8;

/// Short messages, longest first, that are in no set yet.
struct Unplaced<'a> {
    next: Cursor<'a>,
    /// For each kernel that pads in registers, the messages that would be in its lanes, and what
    /// comes behind them. They move on with `next`, so that no message is looked at once a set.
    windows: [Window<'a>; MAX_SHORT_KERNELS],
    kernels: usize,
}

/// A place in the order of short messages.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    /// Blocks, and how many messages have them, in falling order.
    groups: &'a [(u64, usize)],
    /// The number of messages of the first group that are before this place.
    taken: usize,
}

impl Cursor<'_> {
    /// Moves behind the next messages, at most `count`, and shows them to `see` by their blocks.
    #[inline]
    fn skip(&mut self, mut count: usize, mut see: impl FnMut(u64, usize)) {
        while let (Some((blocks, messages)), true) = (self.groups.first(), count > 0) {
            let taken = count.min(messages - self.taken);
            see(*blocks, taken);
            (self.taken, count) = (self.taken + taken, count - taken);
            if self.taken == *messages {
                (self.groups, self.taken) = (&self.groups[1..], 0);
            }
        }
    }
}

/// Some messages from the next one on.
#[derive(Clone, Copy)]
struct Window<'a> {
    end: Cursor<'a>,
    messages: usize,
    /// The blocks of all of them, and those of the shortest.
    blocks: u64,
    fewest: u64,
}

impl Window<'_> {
    /// Makes the window larger, up to `messages` messages.
    #[inline]
    fn grow(&mut self, messages: usize) {
        let Self { end, messages: inside, blocks, fewest } = self;
        end.skip(messages.saturating_sub(*inside), |its_blocks, count| {
            (*inside, *blocks, *fewest) = (*inside + count, *blocks + its_blocks * count as u64, its_blocks);
        });
    }
}

impl<'a> Unplaced<'a> {
    fn new<C: Compression>(groups: &'a [(u64, usize)], mix: &Mix<C>) -> Self {
        assert!(mix.short.len() <= MAX_SHORT_KERNELS);
        let next = Cursor { groups, taken: 0 };
        Self { next, windows: [Window { end: next, messages: 0, blocks: 0, fewest: 0 }; MAX_SHORT_KERNELS], kernels: mix.short.len() }
    }

    /// Returns the blocks of the next message; 0 if there is none.
    fn blocks(&self) -> u64 {
        self.next.groups.first().map_or(0, |(blocks, _)| *blocks)
    }

    /// Takes the next messages, at most `count`, and shows them to `see` by their blocks.
    fn take(&mut self, count: usize, mut see: impl FnMut(u64, usize)) {
        let mut blocks = 0;
        self.next.skip(count, |its_blocks, messages| {
            blocks += its_blocks * messages as u64;
            see(its_blocks, messages);
        });
        for window in &mut self.windows[..self.kernels] {
            *window = match window.messages.checked_sub(count) {
                Some(messages) => Window { messages, blocks: window.blocks - blocks, ..*window },
                None => Window { end: self.next, messages: 0, blocks: 0, fewest: 0 },
            };
        }
    }

    /// Returns the next set, which has at most `most_messages` messages, and its time in
    /// picoseconds.
    fn next_set<C: Compression>(&mut self, mix: &Mix<C>, most_messages: usize) -> (Set, u64) {
        let most_blocks = self.blocks();
        let alike = self.next.groups.first().map_or(0, |(_, count)| count - self.next.taken).min(most_messages);
        let widest = mix.widest_for(most_blocks).lanes;
        let count = if alike >= widest { alike - alike % widest } else { alike };
        let kernel = &mix.kernels[mix.best_for(count, most_blocks)];
        let (set_ps, message_ps) =
            if kernel.has_short() { (SET_PS, SET_MESSAGE_PS) } else { (SET_PS + 2 * run_ps(kernel), PADDED_MESSAGE_PS) };
        let sets = if count <= kernel.lanes { 1 } else { count.div_ceil(kernel.lanes) };
        let bookkeeping_ps = sets as u64 * set_ps + count as u64 * message_ps;
        let mut best = Set { kernel: None, count, most_blocks, bookkeeping_ps };
        let (mut best_ps, mut best_blocks) = (most_blocks * mix.cost_ps(count, most_blocks) + bookkeeping_ps, count as u64 * most_blocks);
        if alike < widest {
            for (i, window) in mix.short.iter().zip(&mut self.windows) {
                let kernel = &mix.kernels[*i];
                window.grow(kernel.lanes.min(most_messages));
                let Window { messages: count, blocks, fewest, .. } = *window;
                let bookkeeping_ps = set_bookkeeping_ps(most_blocks, fewest, count);
                let ps = most_blocks * u64::from(kernel.cost_ps) + bookkeeping_ps;
                // Less time for each block.
                if u128::from(ps) * u128::from(best_blocks) < u128::from(best_ps) * u128::from(blocks) {
                    best = Set { kernel: Some(*i), count, most_blocks, bookkeeping_ps };
                    (best_ps, best_blocks) = (ps, blocks);
                }
            }
        }
        (best, best_ps)
    }
}

/// The messages before a cut, and what is known of the time that the schedule takes for them.
#[derive(Clone, Copy)]
struct Scheduled {
    messages: usize,
    blocks: u64,
    /// The blocks of the longest message, and of the shortest.
    longest: u64,
    shortest: u64,
    /// The time, in picoseconds, if every message is advanced by a block in turn.
    in_turn_ps: f64,
    /// The time in which each message is advanced by a block, in picoseconds.
    step_ps: u64,
}

impl Scheduled {
    /// Starts with the messages of the queue that are not short.
    fn of_long<C: Compression>(queue: &Queue, mix: &Mix<C>, messages: &dyn Messages) -> Self {
        let mut scheduled = Self { messages: 0, blocks: 0, longest: 0, shortest: 0, in_turn_ps: 0.0, step_ps: 0 };
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
        let shared_ps = at_best_rate_ps.max(longest_alone_ps) + end_ps;
        // Lanes are shared only if messages wait for them.
        let in_turn_ps = self.in_turn_ps + (messages * IDLE_LANE_PS) as f64;
        let ps = if self.messages < 2 * widest.lanes { in_turn_ps } else { in_turn_ps.min(shared_ps) };
        ps + (SCHEDULE_PS + messages * ragged_message_ps(widest)) as f64
    }
}
