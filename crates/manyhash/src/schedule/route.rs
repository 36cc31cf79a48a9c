//! The decision which way a batch goes: its messages one by one, short ones together, or all
//! through the schedule.

use super::digests::Digests;
use super::few::{self, FEW, Way};
use super::messages::{Chunks, Messages, Slice, Which};
use super::mix::{Mix, Usage};
use super::queue::Queue;
use super::short::{self, Group, RowMemory, Rows};
use super::slices::Slices;
use super::{Extent, Memory, alone, sets, turns};
use crate::algorithm::Compression;
use crate::algorithm::ending::block_count;
use crate::kernel::start::{Passes, Starts};
use alloc::vec::Vec;

/// Panics if there are not as many digests as messages.
pub(crate) fn check_room(messages: usize, digests: usize) {
    assert_eq!(messages, digests, "{messages} messages but room for {digests} digests");
}

/// Hashes every message from where it starts, on the kernels of `mix`, and adds the steps to
/// `usage`, if there is one. Panics if there are not as many digests as messages.
pub(crate) fn hash_many<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    mut usage: Option<&mut Usage>,
) {
    let count = messages.count();
    digests.check_room(count);
    let are_short = passes.inner.bytes() <= short::MOST_START_BYTES;
    if count <= FEW {
        match Way::of(mix, messages, passes.outer.is_some()) {
            Way::OneByOne => return hash_one_by_one(mix, passes, messages, digests, (Which::From(0), count), usage),
            Way::InTurns => return turns::hash(mix, passes, messages, digests, (Which::From(0), count), usage),
            Way::Alike { blocks } if are_short => return hash_alike(mix, passes, messages, digests, blocks, usage),
            Way::Apart(kernel) if are_short => return short::hash_few(mix, kernel, passes, messages, digests, usage),
            Way::OneSet(set) if are_short => {
                return few::hash_set(mix, passes, messages, digests, (Which::From(0), count), set, usage);
            }
            Way::Ragged(lengths) if are_short && few::hash_ragged(mix, passes, messages, digests, &lengths, usage.as_deref_mut()) => {
                return;
            }
            _ => {}
        }
    }
    // There is nothing to put in order.
    if let (Some(bytes), true) = (messages.equal_bytes(), are_short && count > FEW) {
        let blocks = block_count::<C>(bytes as u64);
        if blocks <= short::MAX_BLOCKS {
            return hash_alike(mix, passes, messages, digests, blocks, usage);
        }
    }
    hash_in_order(mix, passes, messages, digests, usage.unwrap_or(&mut Usage::default()));
}

/// Hashes messages of one number of blocks. It is not inlined, so that one message alone needs none
/// of its memory.
#[inline(never)]
fn hash_alike<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    blocks: u64,
    usage: Option<&mut Usage>,
) {
    let (count, first_bytes) = (messages.count(), messages.message(0).len());
    let are_equal = || (messages.equal_before(0..count, first_bytes) == count).then_some(first_bytes);
    let all = Group { blocks, count, which: Which::From(0), bytes: messages.equal_bytes().or_else(are_equal) };
    let mix = mix.for_places(messages, all.which, all.count);
    short::hash(mix, passes, messages, digests, all, &mut Rows::new(&mut RowMemory::new().0), usage.unwrap_or(&mut Usage::default()));
}

/// Many short messages are put in order by this many for each lane of a kernel, within limits. They and their digests stay in the second
/// cache while they are taken one number of blocks after the other: a million rows of 84 bytes took MD5 twice as long in one order (Zen
/// 4), and 20,000 messages of about 400 bytes SHA-256, in four lanes, 1.2 times (Zen 3).
const TOGETHER_IN_LANE: usize = 256;
const FEWEST_TOGETHER: usize = 1024;
const MOST_TOGETHER: usize = 4096;

/// Hashes messages in the order of their lengths. It is not inlined either.
#[inline(never)]
fn hash_in_order<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    usage: &mut Usage,
) {
    let is_short_start = passes.inner.bytes() <= short::MOST_START_BYTES;
    let lanes = mix.widest_for(1).lanes;
    let together = (TOGETHER_IN_LANE * lanes).clamp(FEWEST_TOGETHER, MOST_TOGETHER);
    let mut first = 0;
    while is_short_start && messages.count() - first >= 2 * together {
        let queue = Queue::longest_first::<C>(messages, first..first + together, 0);
        if !queue.stays_in_cache(lanes) {
            break;
        }
        hash_queue(mix, passes, messages, digests, queue, usage);
        first += together;
    }
    let queue = Queue::longest_first::<C>(messages, first..messages.count(), 0);
    hash_queue(mix, passes, messages, digests, queue, usage);
}

/// Hashes the messages of a queue.
fn hash_queue<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    mut queue: Queue,
    usage: &mut Usage,
) {
    let mix = if queue.is_far::<C>() { mix.for_colliding() } else { mix.for_places(messages, queue.ahead(), queue.waiting().messages) };
    match queue.alike_group() {
        _ if passes.inner.bytes() > short::MOST_START_BYTES => {}
        Some(all) => return short::hash(mix, passes, messages, digests, all, &mut Rows::new(&mut RowMemory::new().0), usage),
        // `few.rs` knows what is best for a few.
        None if messages.count() > FEW => {
            sets::hash(&mut queue, mix, passes, messages, digests, usage);
            let left = queue.waiting().messages;
            if (1..=FEW).contains(&left) && left < messages.count() {
                return hash_these(mix, passes, messages, (queue.ahead(), left), digests, Some(usage));
            }
        }
        None => {}
    }
    if queue.waiting().messages > 0 {
        let mut slices = Slices::new(passes.inner, messages, digests, queue);
        super::run(&mut Memory::default(), mix, Extent::All, &mut slices, usage);
        let queue = slices.into_queue();
        if let Some(outer) = passes.outer {
            hash_digests(mix, outer, queue.taken(), digests, usage);
        }
    }
}

/// Hashes some of the messages as a batch of their own.
pub(super) fn hash_these<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    (which, count): (Which<'_>, usize),
    digests: &mut Digests<'_>,
    usage: Option<&mut Usage>,
) {
    let these: Vec<&[u8]> = (0..count).map(|place| messages.message(which.index(place))).collect();
    let state = &|place: usize| passes.inner.state(which.index(place));
    hash_some(mix, passes.inner.chosen(state), passes.outer, &Slice(&these), which, digests, usage);
}

/// Hashes some messages, of which the one at each place has its digest and its outer start at the index there.
pub(super) fn hash_some<C: Compression>(
    mix: &Mix<C>,
    inner: Starts<'_, C>,
    outer: Option<Starts<'_, C>>,
    some: &dyn Messages,
    which: Which<'_>,
    digests: &mut Digests<'_>,
    usage: Option<&mut Usage>,
) {
    let (count, digest_bytes) = (some.count(), digests.digest_bytes());
    if count == 0 {
        return;
    }
    let inner_state = &|place: usize| inner.state(place);
    let outer_state = &|place: usize| outer.as_ref().expect("there is one").state(which.index(place));
    let passes = Passes { inner: inner.chosen(inner_state), outer: outer.map(|outer| outer.chosen(outer_state)) };
    if let Which::From(first) = which {
        return hash_many(mix, &passes, some, &mut Digests::new(digests.part(first..first + count), digest_bytes), usage);
    }
    let mut made = vec![0; count * digest_bytes];
    hash_many(mix, &passes, some, &mut Digests::new(&mut made, digest_bytes), usage);
    for (place, made) in made.chunks_exact(digest_bytes).enumerate() {
        digests.room(which.index(place)).copy_from_slice(made);
    }
}

/// Hashes messages one after the other on the kernel for one.
pub(super) fn hash_one_by_one<C: Compression>(
    mix: &Mix<C>,
    passes: &Passes<'_, C>,
    messages: &dyn Messages,
    digests: &mut Digests<'_>,
    (which, count): (Which<'_>, usize),
    usage: Option<&mut Usage>,
) {
    for i in (0..count).map(|place| which.index(place)) {
        let outer = passes.outer.as_ref().map(|outer| outer.midstate(i));
        alone::hash(mix, passes.inner.midstate(i), outer, messages.message(i), digests.room(i));
    }
    if let Some(usage) = usage {
        let outer_blocks = u64::from(passes.outer.is_some());
        let blocks = (0..count).map(|place| block_count::<C>(messages.message(which.index(place)).len() as u64) + outer_blocks);
        usage.steps[mix.best_for(1, 1)] += blocks.sum::<u64>();
    }
}

/// Replaces the digests of some messages by their own digests from where `starts` says.
pub(super) fn hash_digests<C: Compression>(
    mix: &Mix<C>,
    starts: Starts<'_, C>,
    (which, count): (Which<'_>, usize),
    digests: &mut Digests<'_>,
    usage: &mut Usage,
) {
    /// The number of digests that stay in the first cache.
    const TOGETHER: usize = 256;
    let digest_bytes = digests.digest_bytes();
    let blocks = block_count::<C>(digest_bytes as u64);
    let mut memory = vec![0; 2 * TOGETHER.min(count) * digest_bytes];
    let (inner, outer) = memory.split_at_mut(TOGETHER.min(count) * digest_bytes);
    let memory = &mut RowMemory::new().0;
    let rows = &mut Rows::new(memory);
    for first in (0..count).step_by(TOGETHER) {
        let count = TOGETHER.min(count - first);
        let (inner, outer) = (&mut inner[..count * digest_bytes], &mut outer[..count * digest_bytes]);
        for (i, inner) in inner.chunks_exact_mut(digest_bytes).enumerate() {
            inner.copy_from_slice(digests.digest(which.index(first + i)));
        }
        let state = &|i: usize| starts.state(which.index(first + i));
        let starts = starts.chosen(state);
        let all = Group { blocks, count, which: Which::From(0), bytes: Some(digest_bytes) };
        let messages = Chunks { values: inner, message_bytes: digest_bytes };
        short::hash(mix, &starts.into(), &messages, &mut Digests::new(outer, digest_bytes), all, rows, usage);
        for (i, outer) in outer.chunks_exact(digest_bytes).enumerate() {
            digests.room(which.index(first + i)).copy_from_slice(outer);
        }
    }
}
