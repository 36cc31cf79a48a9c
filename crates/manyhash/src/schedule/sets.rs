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

use super::bookkeeping::{PADDED_MESSAGE_PS, RAGGED_BLOCK_PS, SCHEDULE_PS, SET_MESSAGE_PS, SET_PS, ragged_message_ps, run_ps};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::short::{Group, Together};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::isa::MAX_LANES;
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
        // Sets are whole either from the longest on or from the shortest on.
        let odd = short % mix.short_lanes().max(1);
        let from_longest = Self::from(queue.short_groups(), mix, long, short);
        let best = if odd == 0 || odd == short {
            from_longest
        } else {
            let from_shortest = Self::from(queue.short_groups(), mix, long, odd);
            if from_shortest.ps < from_longest.ps { from_shortest } else { from_longest }
        };
        (!best.sets.is_empty()).then_some(best)
    }

    /// Returns the best cut between sets of which the first has at most `first` messages.
    fn from<C: Compression>(groups: &[(u64, usize)], mix: &Mix<C>, long: Scheduled, first: usize) -> Self {
        let mut scheduled = long;
        let mut sets = Vec::new();
        let mut waiting = Unplaced { groups, taken: 0 };
        let mut sets_ps = 0.0;
        let (mut cut, mut cut_sets, mut least_ps) = (scheduled.messages, 0, scheduled.ps(mix));
        while waiting.blocks() > 0 {
            let most_messages = if sets.is_empty() { first } else { usize::MAX };
            let (set, ps) = waiting.next_set(mix, most_messages);
            waiting.take(set.count, |blocks, count| scheduled.add(mix, blocks, count));
            sets.push(set);
            sets_ps += ps;
            // Compared with all in sets: what the schedule takes for those before the cut, less what
            // sets do.
            let ps = scheduled.ps(mix) - sets_ps;
            if ps < least_ps {
                (cut, cut_sets, least_ps) = (scheduled.messages, sets.len(), ps);
            }
        }
        Self { scheduled: cut, sets: sets.split_off(cut_sets), ps: least_ps + sets_ps }
    }
}

/// Short messages, longest first, that are in no set yet.
#[derive(Clone, Copy)]
struct Unplaced<'a> {
    /// Blocks, and how many messages have them, in falling order.
    groups: &'a [(u64, usize)],
    /// The number of messages of the first group that are in sets.
    taken: usize,
}

impl Unplaced<'_> {
    /// Returns the blocks of the next message; 0 if there is none.
    fn blocks(&self) -> u64 {
        self.groups.first().map_or(0, |(blocks, _)| *blocks)
    }

    /// Takes the next messages, at most `count`, and shows them to `see` by their blocks.
    fn take(&mut self, mut count: usize, mut see: impl FnMut(u64, usize)) {
        while let (Some((blocks, messages)), true) = (self.groups.first(), count > 0) {
            let taken = count.min(messages - self.taken);
            see(*blocks, taken);
            (self.taken, count) = (self.taken + taken, count - taken);
            if self.taken == *messages {
                (self.groups, self.taken) = (&self.groups[1..], 0);
            }
        }
    }

    /// Returns the next set, which has at most `most_messages` messages, and its time in
    /// picoseconds.
    fn next_set<C: Compression>(&self, mix: &Mix<C>, most_messages: usize) -> (Set, f64) {
        let most_blocks = self.blocks();
        let alike = self.groups.first().map_or(0, |(_, count)| count - self.taken).min(most_messages);
        let widest = mix.widest_for(most_blocks).lanes;
        let alike_set = |count: usize| {
            let kernel = &mix.kernels[mix.best_for(count, most_blocks)];
            let sets = count.div_ceil(kernel.lanes) as u64;
            let (set_ps, message_ps) =
                if kernel.has_short() { (SET_PS, SET_MESSAGE_PS) } else { (SET_PS + 2 * run_ps(kernel), PADDED_MESSAGE_PS) };
            let bookkeeping_ps = sets * set_ps + count as u64 * message_ps;
            let ps = most_blocks * mix.cost_ps(count, most_blocks) + bookkeeping_ps;
            (Set { kernel: None, count, most_blocks, bookkeeping_ps }, ps as f64)
        };
        if alike >= widest {
            return alike_set(alike - alike % widest);
        }
        let mut best = alike_set(alike);
        let mut best_ps_per_block = best.1 / (alike as u64 * most_blocks) as f64;
        for (i, kernel) in mix.short.iter().map(|i| (*i, &mix.kernels[*i])) {
            let (mut count, mut blocks, mut fewest) = (0, 0, 0);
            self.clone().take(kernel.lanes.min(most_messages), |its_blocks, messages| {
                count += messages;
                blocks += its_blocks * messages as u64;
                fewest = its_blocks;
            });
            let ragged_blocks = if fewest < most_blocks { most_blocks - fewest + 1 } else { 0 };
            let bookkeeping_ps = ragged_blocks * RAGGED_BLOCK_PS + SET_PS + count as u64 * SET_MESSAGE_PS;
            let ps = (most_blocks * u64::from(kernel.cost_ps) + bookkeeping_ps) as f64;
            if ps / (blocks as f64) < best_ps_per_block {
                best = (Set { kernel: Some(i), count, most_blocks, bookkeeping_ps }, ps);
                best_ps_per_block = ps / blocks as f64;
            }
        }
        best
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
}

impl Scheduled {
    /// Starts with the messages of the queue that are not short.
    fn of_long<C: Compression>(queue: &Queue, mix: &Mix<C>, messages: &dyn Messages) -> Self {
        let mut scheduled = Self { messages: 0, blocks: 0, longest: 0, shortest: 0, in_turn_ps: 0.0 };
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
        let before_ps = if self.messages == 0 { 0 } else { mix.cost_ps(self.messages, self.longest) };
        self.messages += count;
        self.in_turn_ps += blocks as f64 * (mix.cost_ps(self.messages, self.longest) as f64 - before_ps as f64);
        self.blocks = self.blocks.saturating_add(blocks.saturating_mul(count as u64));
        self.shortest = blocks;
    }

    /// Returns the estimated time in picoseconds.
    fn ps<C: Compression>(&self, mix: &Mix<C>) -> f64 {
        if self.messages == 0 {
            return 0.0;
        }
        let mean_blocks = self.blocks / self.messages as u64;
        let widest = mix.for_ragged(mean_blocks).widest_for(mean_blocks);
        let at_best_rate_ps = self.blocks as f64 * f64::from(widest.cost_ps) / widest.lanes as f64;
        let longest_alone_ps = self.longest as f64 * f64::from(mix.single.cost_ps);
        // At the end some lanes are idle, for half of the time that the shortest message takes.
        let end_ps = self.shortest as f64 * f64::from(widest.cost_ps) / 2.0;
        let shared_ps = at_best_rate_ps.max(longest_alone_ps) + end_ps;
        // Lanes are shared only if messages wait for them.
        let ps = if self.messages < 2 * widest.lanes { self.in_turn_ps } else { self.in_turn_ps.min(shared_ps) };
        ps + (SCHEDULE_PS + self.messages as u64 * ragged_message_ps(widest)) as f64
    }
}
