//! Many messages that are all there: slices, or ranges of one buffer.

use crate::algorithm::{Algorithm, ChainingOf, Compression, CompressionOf, digest};
use crate::padding::{Tail, block_count, body_bytes};
use crate::scheduler::{self, Progress, Supply, Waiting};
use crate::shape::{Plan, Shape, Usage};
use crate::start::{Passes, Starts};
use crate::{short, stream};

/// Messages by index.
pub(crate) trait Messages {
    /// How many.
    fn count(&self) -> usize;
    /// Message `i`, always the same.
    fn message(&self, i: usize) -> &[u8];
}

/// A slice of messages.
pub(crate) struct Slice<'a, M>(pub(crate) &'a [M]);

impl<M: AsRef<[u8]>> Messages for Slice<'_, M> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        self.0[i].as_ref()
    }
}

/// Messages of any kind.
impl Messages for &dyn Messages {
    fn count(&self) -> usize {
        (**self).count()
    }
    fn message(&self, i: usize) -> &[u8] {
        (**self).message(i)
    }
}

/// An integer that counts bytes from the beginning of a buffer: `u32`, `u64`, `usize`, and Arrow's `i32` and `i64`.
#[allow(private_bounds, reason = "sealed")]
pub trait Offset: Copy + ToBytes {}

pub(crate) trait ToBytes {
    /// As an index; a negative one is past any end.
    fn to_bytes(self) -> usize;
}

macro_rules! offsets { ($($Integer:ident)*) => { $(
    impl Offset for $Integer {}
    impl ToBytes for $Integer {
        #[inline(always)]
        fn to_bytes(self) -> usize {
            usize::try_from(self).unwrap_or(usize::MAX)
        }
    }
)* } }
offsets!(u32 u64 usize i32 i64);

/// Messages one after the other.
pub(crate) struct Contiguous<'a, O> {
    values: &'a [u8],
    offsets: &'a [O],
}

impl<'a, O: Offset> Contiguous<'a, O> {
    /// Panics if an offset is less than the one before or past the end.
    pub(crate) fn new(values: &'a [u8], offsets: &'a [O]) -> Self {
        let is_bad = |i: usize| offsets[i].to_bytes() > values.len() || i > 0 && offsets[i].to_bytes() < offsets[i - 1].to_bytes();
        if let Some(bad) = (0..offsets.len()).find(|i| is_bad(*i)) {
            panic!("offset {bad} is not between the one before and {} bytes", values.len());
        }
        Self { values, offsets }
    }
}

impl<O: Offset> Messages for Contiguous<'_, O> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        &self.values[self.offsets[i].to_bytes()..self.offsets[i + 1].to_bytes()]
    }
}

/// Chunks of one buffer, all of `message_bytes` bytes but perhaps the last.
pub(crate) struct Chunks<'a> {
    pub(crate) values: &'a [u8],
    pub(crate) message_bytes: usize,
}

impl Messages for Chunks<'_> {
    #[inline(always)]
    fn count(&self) -> usize {
        self.values.len().div_ceil(self.message_bytes)
    }
    #[inline(always)]
    fn message(&self, i: usize) -> &[u8] {
        let start = i * self.message_bytes;
        &self.values[start..(start + self.message_bytes).min(self.values.len())]
    }
}

/// Panics if there are not as many digests as messages.
pub(crate) fn check_room(messages: usize, digests: usize) {
    assert_eq!(messages, digests, "{messages} messages but room for {digests} digests");
}

/// Hashes every message from where it starts, on the shapes of `plan`; adds the steps to `usage`, if anybody asks. Panics if there are not as
/// many digests as messages.
pub(crate) fn hash_many_on<A: Algorithm, M: Messages>(
    plan: &Plan<CompressionOf<A>>,
    passes: Passes<'_, CompressionOf<A>>,
    messages: &M,
    digests: &mut [A::Digest],
    usage: Option<&mut Usage>,
) {
    check_room(messages.count(), digests.len());
    if is_faster_one_by_one(plan, messages) {
        return hash_one_by_one::<A>(plan, passes, messages, digests, usage);
    }
    let mut unasked = None;
    let usage = usage.unwrap_or_else(|| unasked.insert(Usage::default()));
    let mut queue = Queue::longest_first(messages.count(), |i| block_count::<CompressionOf<A>>(messages.message(i).len() as u64));
    if passes.inner.bytes() <= short::MOST_START_BYTES {
        queue.hash_short::<A>(plan, passes, messages, digests, usage);
    }
    if queue.waiting.messages > 0 {
        let mut batch = Batch::<A> { starts: passes.inner, messages, digests, queue };
        scheduler::run(plan, &mut batch, usage);
        if let Some(outer) = passes.outer {
            hash_digests::<A>(plan, outer, batch.queue.order.as_deref(), batch.digests, usage);
        }
    }
}

/// Hashes messages one after the other on the plan's shape for one.
fn hash_one_by_one<A: Algorithm>(
    plan: &Plan<CompressionOf<A>>,
    passes: Passes<'_, CompressionOf<A>>,
    messages: &impl Messages,
    digests: &mut [A::Digest],
    mut usage: Option<&mut Usage>,
) {
    for (i, digest) in digests.iter_mut().enumerate() {
        let message = messages.message(i);
        *digest = stream::hash_on::<A>(plan, passes.inner.state(i), passes.inner.bytes(), message);
        if let Some(outer) = &passes.outer {
            *digest = stream::hash_on::<A>(plan, outer.state(i), outer.bytes(), digest.as_ref());
        }
        if let Some(usage) = &mut usage {
            let blocks = block_count::<CompressionOf<A>>(message.len() as u64) + u64::from(passes.outer.is_some());
            usage.steps[plan.best_for(1, 1)] += blocks;
        }
    }
}

/// Whether a few messages take less time one after the other than what they would save by sharing lanes. So does one.
fn is_faster_one_by_one<C: Compression>(plan: &Plan<C>, messages: &impl Messages) -> bool {
    /// More messages are always worth looking at more closely.
    const FEW: usize = 4;
    let count = messages.count();
    if count <= 1 || count > FEW {
        return count == 1;
    }
    let mut lengths = [0; FEW];
    for (i, blocks) in lengths[..count].iter_mut().enumerate() {
        *blocks = block_count::<C>(messages.message(i).len() as u64);
    }
    let lengths = &mut lengths[..count];
    if lengths.iter().all(|blocks| *blocks == lengths[0]) {
        return false;
    }
    let one_by_one_ps = lengths.iter().fold(0, |sum: u64, blocks| sum.saturating_add(blocks.saturating_mul(plan.cost_ps(1, *blocks))));
    if one_by_one_ps <= RAGGED_PS {
        return true;
    }
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let mut together_ps = RAGGED_PS;
    for going in 1..=count {
        let next = lengths.get(going).copied().unwrap_or_default();
        together_ps += (lengths[going - 1] - next).saturating_mul(plan.cost_ps(going, lengths[0]));
    }
    one_by_one_ps <= together_ps
}

/// What a few messages that differ in blocks cost in a batch, besides compressing, more than one after the other: measured on Zen 4.
const RAGGED_PS: u64 = 400_000;

/// Replaces digests, all or those of some indices, by their own digests from where `starts` says.
pub(crate) fn hash_digests<A: Algorithm>(
    plan: &Plan<CompressionOf<A>>,
    starts: Starts<'_, CompressionOf<A>>,
    indices: Option<&[usize]>,
    digests: &mut [A::Digest],
    usage: &mut Usage,
) {
    /// So many stay in the first cache.
    const TOGETHER: usize = 256;
    let blocks = block_count::<CompressionOf<A>>(A::DIGEST_BYTES as u64);
    let count = indices.map_or(digests.len(), <[usize]>::len);
    let index = |i: usize| indices.map_or(i, |indices| indices[i]);
    let (mut inner, mut outer) = ([A::zero_digest(); TOGETHER], [A::zero_digest(); TOGETHER]);
    let rows = &mut None;
    for first in (0..count).step_by(TOGETHER) {
        let count = TOGETHER.min(count - first);
        (0..count).for_each(|i| inner[i] = digests[index(first + i)]);
        let state = &|i: usize| starts.state(index(first + i));
        let starts = match starts {
            Starts::Same(start) => Starts::Same(start),
            Starts::Each { bytes, .. } => Starts::Each { state, bytes },
        };
        let all = short::Group { blocks, count, indices: None };
        short::hash::<A>(plan, starts.into(), &Slice(&inner[..count]), &mut outer[..count], all, rows, usage);
        (0..count).for_each(|i| digests[index(first + i)] = outer[i]);
    }
}

/// Sorts messages, given as blocks and index, longest first, and otherwise leaves them as they come. A function of its own, so that the sort
/// is compiled once for all kinds of messages.
fn sort_longest_first(messages: &mut [(u64, usize)]) {
    messages.sort_by_key(|(blocks, _)| std::cmp::Reverse(*blocks));
}

/// An order to take messages in: longest first, so that what is left at the end is short.
pub(crate) struct Queue {
    /// Indices of the messages; `None`: all have as many blocks, and come as they are.
    order: Option<Vec<usize>>,
    /// Place in the order of the next one.
    next: usize,
    waiting: Waiting,
    longest_blocks: u64,
}

impl Queue {
    /// `count` messages by blocks, and otherwise as they come.
    pub(crate) fn longest_first(count: usize, blocks_of: impl Fn(usize) -> u64) -> Self {
        /// Messages of fewer blocks are sorted by counting, which is all that happens to tiny ones.
        const COUNTED: usize = 64;
        let first = if count > 0 { blocks_of(0) } else { 0 };
        if (0..count).all(|i| blocks_of(i) == first) {
            let waiting = Waiting { messages: count, blocks: first * count as u64 };
            return Self { order: None, next: 0, waiting, longest_blocks: first };
        }
        let mut long: Vec<(u64, usize)> = Vec::new();
        let mut places = [0; COUNTED];
        let mut blocks = 0;
        for i in 0..count {
            let its_blocks = blocks_of(i);
            blocks += its_blocks;
            match places.get_mut(its_blocks as usize) {
                Some(place) => *place += 1,
                None => long.push((its_blocks, i)),
            }
        }
        sort_longest_first(&mut long);
        let mut next = long.len();
        for place in places.iter_mut().rev() {
            (*place, next) = (next, next + *place);
        }
        let mut order: Vec<usize> = long.iter().map(|(_, i)| *i).collect();
        order.resize(count, 0);
        for i in 0..count {
            if let Some(place) = places.get_mut(blocks_of(i) as usize) {
                order[*place] = i;
                *place += 1;
            }
        }
        let waiting = Waiting { messages: count, blocks };
        Self { longest_blocks: blocks_of(order[0]), order: Some(order), next: 0, waiting }
    }

    /// Hashes and takes out short messages, those of one number of blocks together, unless they are better off in the lanes of others.
    fn hash_short<A: Algorithm>(
        &mut self,
        plan: &Plan<CompressionOf<A>>,
        passes: Passes<'_, CompressionOf<A>>,
        messages: &impl Messages,
        digests: &mut [A::Digest],
        usage: &mut Usage,
    ) {
        let rows = &mut None;
        let Some(order) = &mut self.order else {
            if self.longest_blocks <= short::MAX_BLOCKS && self.waiting.messages > 0 {
                let all = short::Group { blocks: self.longest_blocks, count: self.waiting.messages, indices: None };
                short::hash::<A>(plan, passes, messages, digests, all, rows, usage);
                self.waiting = Waiting::default();
            }
            return;
        };
        let blocks_of = |i: usize| block_count::<CompressionOf<A>>(messages.message(i).len() as u64);
        let first_short = order.partition_point(|i| blocks_of(*i) > short::MAX_BLOCKS);
        let short_blocks: u64 = order[first_short..].iter().map(|i| blocks_of(*i)).sum();
        let Shape { lanes, cost_ps, .. } = *plan.widest_shape();
        // Where the longest messages leave lanes idle, short ones may be done in them for nothing but their part of the bookkeeping.
        let leaves_lanes_idle = self.waiting.blocks < self.longest_blocks.saturating_mul(lanes as u64);
        let compressing_ps = short_blocks * u64::from(cost_ps) / lanes as u64;
        if first_short > 0 && leaves_lanes_idle && compressing_ps > (order.len() - first_short) as u64 * SCHEDULED_MESSAGE_PS {
            return;
        }
        let (mut kept, mut group) = (first_short, first_short);
        while group < order.len() {
            let blocks = blocks_of(order[group]);
            // At least one, even if a message does not stay the same.
            let end = group + order[group..].partition_point(|i| blocks_of(*i) == blocks).max(1);
            let count = (end - group) - (end - group) % plan.widest_for(blocks).lanes;
            if count > 0 {
                let indices = &order[group..group + count];
                short::hash::<A>(plan, passes, messages, digests, short::Group { blocks, count, indices: Some(indices) }, rows, usage);
                self.waiting.messages -= count;
                self.waiting.blocks = self.waiting.blocks.saturating_sub(count as u64 * blocks);
            }
            order.copy_within(group + count..end, kept);
            kept += end - group - count;
            group = end;
        }
        order.truncate(kept);
        // What did not fill the widest lanes.
        let groups = || order.chunk_by(|one, other| blocks_of(*one) == blocks_of(*other));
        if first_short == 0 && is_faster_apart(plan, groups().map(|group| (blocks_of(group[0]), group.len()))) {
            for group in groups() {
                let alike = short::Group { blocks: blocks_of(group[0]), count: group.len(), indices: Some(group) };
                short::hash::<A>(plan, passes, messages, digests, alike, rows, usage);
            }
            order.clear();
            self.waiting = Waiting::default();
        }
        self.longest_blocks = order.first().map_or(0, |i| blocks_of(*i));
    }

    /// Index of the message that comes after `skip` others.
    #[inline]
    pub(crate) fn peek(&self, skip: usize) -> Option<usize> {
        if skip >= self.waiting.messages {
            return None;
        }
        let place = self.next + skip;
        Some(self.order.as_ref().map_or(place, |order| order[place]))
    }

    /// The next message, of so many blocks, is waiting no longer.
    #[inline]
    pub(crate) fn take(&mut self, blocks: u64) {
        self.next += 1;
        self.waiting.messages -= 1;
        self.waiting.blocks = self.waiting.blocks.saturating_sub(blocks);
    }

    /// What is waiting.
    #[inline]
    pub(crate) fn waiting(&self) -> Waiting {
        self.waiting
    }

    /// No message has more blocks.
    #[inline]
    pub(crate) fn longest_blocks(&self) -> u64 {
        self.longest_blocks
    }
}

/// What the schedule does for a message besides compressing: 60 ns on Golden Cove.
const SCHEDULED_MESSAGE_PS: u64 = 60_000;

/// Whether groups of messages, given as blocks and messages of each and in falling order, take less time one after the other than
/// together in a schedule.
fn is_faster_apart<C: Compression>(plan: &Plan<C>, groups: impl Iterator<Item = (u64, usize)>) -> bool {
    let (mut apart_ps, mut together_ps, mut going, mut blocks_before) = (0, 0, 0, 0);
    for (blocks, messages) in groups {
        apart_ps += blocks * plan.cost_ps(messages, blocks);
        together_ps +=
            (blocks_before - blocks.min(blocks_before)) * plan.cost_ps(going, blocks_before) + messages as u64 * SCHEDULED_MESSAGE_PS;
        (going, blocks_before) = (going + messages, blocks);
    }
    apart_ps <= together_ps + blocks_before * plan.cost_ps(going, blocks_before)
}

/// Messages for the schedule. It does not know how the caller has them, so that the schedule is compiled once for each algorithm.
struct Batch<'a, 's, A: Algorithm> {
    starts: Starts<'s, CompressionOf<A>>,
    messages: &'a dyn Messages,
    digests: &'a mut [A::Digest],
    queue: Queue,
}

/// A message in two segments: its whole blocks where they are, and its tail.
struct Segments<'a> {
    message: usize,
    body: &'a [u8],
    tail: Tail,
    tail_done_bytes: usize,
    blocks_left: u64,
}

impl<'a, A: Algorithm> Supply<CompressionOf<A>> for Batch<'a, '_, A> {
    type Slot = Segments<'a>;

    fn slot(&mut self) -> Segments<'a> {
        Segments { message: 0, body: &[], tail: Tail::EMPTY, tail_done_bytes: 0, blocks_left: 0 }
    }

    #[inline]
    fn refill(&mut self, slot: &mut Segments<'a>) -> bool {
        let Some(next) = self.queue.peek(0) else { return false };
        let message = self.messages.message(next);
        slot.message = next;
        slot.blocks_left = block_count::<CompressionOf<A>>(message.len() as u64);
        let (body, rest) = message.split_at(body_bytes::<CompressionOf<A>>(message.len(), slot.blocks_left));
        slot.body = body;
        slot.tail.set::<CompressionOf<A>>(rest, self.starts.bytes() + message.len() as u64);
        slot.tail_done_bytes = 0;
        self.queue.take(slot.blocks_left);
        true
    }

    #[inline]
    fn waiting(&self) -> Option<Waiting> {
        Some(self.queue.waiting())
    }

    #[inline]
    fn waiting_blocks(&self, skip: usize) -> Option<u64> {
        self.queue.peek(skip).map(|next| block_count::<CompressionOf<A>>(self.messages.message(next).len() as u64))
    }

    #[inline]
    fn longest_blocks(&self) -> u64 {
        self.queue.longest_blocks
    }

    #[inline]
    fn initial(&self, slot: &Segments<'a>) -> ChainingOf<CompressionOf<A>> {
        *self.starts.state(slot.message)
    }

    #[inline]
    fn ready<'b>(&'b self, slot: &'b Segments<'a>) -> &'b [u8] {
        if slot.body.is_empty() { &slot.tail.blocks()[slot.tail_done_bytes..] } else { slot.body }
    }

    #[inline]
    fn blocks_left(&self, slot: &Segments<'a>) -> u64 {
        slot.blocks_left
    }

    #[inline]
    fn consume(&mut self, slot: &mut Segments<'a>, bytes: usize) -> Progress {
        if slot.body.is_empty() {
            slot.tail_done_bytes += bytes;
        } else {
            slot.body = &slot.body[bytes..];
        }
        slot.blocks_left -= (bytes / A::BLOCK_BYTES) as u64;
        if slot.blocks_left == 0 { Progress::Ended } else { Progress::More }
    }

    #[inline]
    fn finish(&mut self, slot: &mut Segments<'a>, state: &ChainingOf<CompressionOf<A>>) {
        self.digests[slot.message] = digest::<A>(state);
    }
}
