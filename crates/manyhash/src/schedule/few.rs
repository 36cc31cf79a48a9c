//! A few messages: which way they go, and in which sets, decided without memory of their own.
//!
//! What decides and orders many messages takes half a microsecond at least: as long as eight
//! messages of two blocks take in the lanes of SHA-512. A few are sorted in an array, and the best
//! sets of them are all tried (Bellman 1957, dynamic programming): each set is the next messages in
//! the order of lengths, in the lanes of one kernel or one alone.

use super::bookkeeping::{SCHEDULE_PS, SET_MESSAGE_PS, SET_PS, SORT_MESSAGE_PS, TWO_WAYS_PS, alike_ps, ragged_message_ps};
use super::digests::Digests;
use super::messages::{Messages, Which};
use super::mix::{Mix, Usage};
use super::sets::{least_ps_in_sets, set_bookkeeping_ps};
use super::short::{Group, MAX_BLOCKS, Together};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::kernel::Kernel;
use crate::kernel::start::Passes;

/// No more messages than this are a few.
pub(super) const FEW: usize = 32;

/// Where a few messages go.
pub(super) enum Way {
    OneByOne,
    /// Together: all of them have as many blocks.
    Alike {
        blocks: u64,
    },
    /// Together, on this kernel: the longest has this many blocks.
    OneSet {
        kernel: usize,
        blocks: u64,
    },
    /// Sharing lanes may pay, and which of them do is to be found out.
    Ragged(Lengths),
    /// Through the schedule.
    InOrder,
}

/// What a glance at the lengths of some messages tells.
pub(super) struct Lengths {
    messages: usize,
    /// The blocks of all messages.
    blocks: u64,
    /// The blocks of the longest message.
    longest: u64,
    /// Whether the longest message has not many more blocks than the others.
    is_even: bool,
    /// The least time that shared lanes could take, if all were busy to the end, in picoseconds.
    least_ps: u64,
    /// Whether sets could take less time than one message after the other.
    sets_may_pay: bool,
}

impl Way {
    /// Decides by a glance at the lengths. One message goes alone.
    pub(super) fn of<C: Compression>(mix: &Mix<C>, messages: &dyn Messages) -> Self {
        let mut lengths = Lengths { messages: messages.count(), blocks: 0, longest: 0, is_even: true, least_ps: 0, sets_may_pay: false };
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
        let one_by_one_ps = lengths.one_by_one_ps(mix);
        if shortest == longest {
            let bookkeeping_ps = alike_ps(&mix.kernels[mix.best_for(count, longest)], count);
            let together_ps = longest.saturating_mul(mix.cost_ps(count, longest)).saturating_add(bookkeeping_ps);
            return match longest {
                _ if one_by_one_ps <= together_ps => Self::OneByOne,
                0..=MAX_BLOCKS => Self::Alike { blocks: longest },
                _ => Self::InOrder,
            };
        }
        let at_best_rate_ps = blocks as f64 * mix.least_ps_per_block(count);
        let longest_alone_ps = longest as f64 * f64::from(mix.single.cost_ps);
        let least_ps = at_best_rate_ps.max(longest_alone_ps) as u64;
        let least_scheduled_ps = least_ps.saturating_add(lengths.schedule_ps(mix));
        let least_in_sets_ps = least_ps_in_sets(mix, count, longest, shortest);
        if one_by_one_ps <= least_in_sets_ps.min(least_scheduled_ps) {
            return Self::OneByOne;
        }
        // If the longest message has many more blocks than the mean, other lanes wait for it in vain. SHA-512
        // of 16 messages took an eighth longer in sets than in the schedule from 2.8 times the mean on.
        let is_even = longest * count as u64 * 3 <= blocks * 8;
        let sets_may_pay = least_in_sets_ps < one_by_one_ps;
        if sets_may_pay && !is_even && count <= mix.short_lanes {
            return Self::InOrder;
        }
        let as_one_set = mix.short_kernels(longest).find(|(_, kernel)| kernel.lanes >= count);
        let least_sorted_ps = least_scheduled_ps.min(least_ps.saturating_add(SET_PS + count as u64 * (SET_MESSAGE_PS + SORT_MESSAGE_PS)));
        let one_set_ps = |kernel: &Kernel<C>| longest * u64::from(kernel.cost_ps) + set_bookkeeping_ps(longest, shortest, count);
        match as_one_set {
            Some((kernel, its)) if sets_may_pay && one_set_ps(its) <= least_sorted_ps => {
                Self::OneSet { kernel: mix.short[kernel], blocks: longest }
            }
            _ => Self::Ragged(Lengths { is_even, least_ps, sets_may_pay, ..lengths }),
        }
    }
}

impl Lengths {
    fn one_by_one_ps<C: Compression>(&self, mix: &Mix<C>) -> u64 {
        self.blocks.saturating_mul(u64::from(mix.single.cost_ps))
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

    /// Returns the indices of `count` messages from place `first` on, and zeros.
    fn indices(&self, first: usize, count: usize) -> [usize; FEW] {
        let mut indices = [0; FEW];
        for (index, place) in indices.iter_mut().zip(&self.order[first..first + count]) {
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

/// The best sets of some messages that are in order. A set begins at the first of them, and the next
/// one behind it.
struct Sets {
    /// For each place, the estimated time of the messages from there on, in picoseconds.
    ps: [u64; FEW + 1],
    /// For each place, the number of messages in the set that begins there.
    counts: [u8; FEW],
    /// For each place, the place of that set's kernel in `mix.short`.
    kernels: [u8; FEW],
}

impl Sets {
    fn best<C: Compression>(mix: &Mix<C>, sorted: &Sorted, outer_blocks: u64) -> Self {
        let mut sets = Self { ps: [0; FEW + 1], counts: [0; FEW], kernels: [0; FEW] };
        for first in (0..sorted.count).rev() {
            let most_blocks = sorted.blocks(first);
            sets.ps[first] = u64::MAX;
            for (place, kernel) in mix.short_kernels(most_blocks) {
                let count = kernel.lanes.min(sorted.count - first);
                let bookkeeping_ps = set_bookkeeping_ps(most_blocks, sorted.blocks(first + count - 1), count);
                let set_ps = (most_blocks + outer_blocks) * u64::from(kernel.cost_ps) + bookkeeping_ps;
                let ps = sets.ps[first + count].saturating_add(set_ps);
                if ps < sets.ps[first] {
                    (sets.ps[first], sets.counts[first], sets.kernels[first]) = (ps, count as u8, place as u8);
                }
                if kernel.lanes >= sorted.count - first {
                    break;
                }
            }
        }
        sets
    }
}

/// Hashes a few messages that differ in blocks, one by one or in sets, unless the schedule takes less
/// time; returns whether it did. It is not inlined, so that one message alone needs none of its
/// memory.
#[inline(never)]
pub(super) fn hash_ragged<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    lengths: &Lengths,
    usage: Option<&mut Usage>,
) -> bool {
    let sorted = Sorted::of::<C>(messages);
    let sets = lengths.sets_may_pay.then(|| Sets::best(mix, &sorted, u64::from(passes.outer.is_some())));
    let sets = sets.filter(|sets| sets.ps[0] < lengths.one_by_one_ps(mix));
    let ps = sets.as_ref().map_or(lengths.one_by_one_ps(mix), |sets| sets.ps[0]);
    let scheduled_ps = sorted.scheduled_ps(mix).saturating_add(lengths.schedule_ps(mix));
    // If lanes would be idle for long, the longest messages had better go another way than the others.
    let two_ways_ps = SCHEDULE_PS + TWO_WAYS_PS + sorted.count as u64 * SET_MESSAGE_PS;
    let least_two_ways_ps = lengths.least_ps.saturating_add(two_ways_ps);
    if sets.is_some() && !lengths.is_even || ps > scheduled_ps.min(least_two_ways_ps.saturating_add(least_two_ways_ps / 3)) {
        return false;
    }
    let Some(sets) = sets else {
        super::route::hash_one_by_one(mix, passes, messages, digests, usage);
        return true;
    };
    let mut unused = Usage::default();
    let usage = usage.unwrap_or(&mut unused);
    let rows = &mut None;
    let mut together = Together::new(*passes, digests.digest_bytes(), rows);
    let mut first = 0;
    while first < sorted.count {
        let (count, kernel, blocks) = (usize::from(sets.counts[first]), usize::from(sets.kernels[first]), sorted.blocks(first));
        usage.bookkeeping_ps += set_bookkeeping_ps(blocks, sorted.blocks(first + count - 1), count);
        let indices = sorted.indices(first, count);
        let group = Group { blocks, count, which: Which::These(&indices[..count]), bytes: None };
        together.hash_set(mix, mix.short[kernel], messages, digests, group, usage);
        first += count;
    }
    true
}

/// Hashes a few messages as one set, in the order that they have.
#[inline(never)]
pub(super) fn hash_set<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    (kernel, blocks): (usize, u64),
    usage: Option<&mut Usage>,
) {
    let mut unused = Usage::default();
    let usage = usage.unwrap_or(&mut unused);
    let group = Group { blocks, count: messages.count(), which: Which::From(0), bytes: None };
    usage.bookkeeping_ps += set_bookkeeping_ps(blocks, 1, group.count);
    let rows = &mut None;
    Together::new(*passes, digests.digest_bytes(), rows).hash_set(mix, kernel, messages, digests, group, usage);
}
